"""Checks of request bodies against the official SDKs' own request types, unknown keys refused.

The SDKs' types are TypedDicts without `extra=forbid`; they are checked strictly here, key by key.
"""

from functools import cache
from typing import Any

import anthropic.types
import openai.types.chat.completion_create_params
import openai.types.responses.response_create_params
from google.genai import types as genai
from pydantic import BaseModel, ConfigDict, TypeAdapter


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def check(kind: Any, value: Any) -> None:
    """Validate against a TypedDict, unknown keys refused. Iterables in it are lazy: check their items too."""
    _adapter(kind).validate_python(value)
    assert set(value) <= set(kind.__annotations__), set(value) - set(kind.__annotations__)


def messages(body: dict[str, Any]) -> None:
    """Fail unless the body fits the Anthropic Messages wire."""
    check(anthropic.types.message_create_params.MessageCreateParamsStreaming, body)
    types = {
        "text": anthropic.types.TextBlockParam,
        "image": anthropic.types.ImageBlockParam,
        "document": anthropic.types.DocumentBlockParam,
        "thinking": anthropic.types.ThinkingBlockParam,
        "tool_use": anthropic.types.ToolUseBlockParam,
        "tool_result": anthropic.types.ToolResultBlockParam,
    }
    for message in body["messages"]:
        for block in message["content"]:
            check(types[block["type"]], block)


def chat(body: dict[str, Any]) -> None:
    """Fail unless the body fits OpenAI's Chat Completions."""
    # The one key that is no OpenAI's own: what thinking servers want back.
    ours = "reasoning_content"
    sent = [{key: value for key, value in one.items() if key != ours} for one in body["messages"]]
    body = {**body, "messages": sent}
    check(openai.types.chat.completion_create_params.CompletionCreateParamsStreaming, body)
    types = {
        "system": openai.types.chat.ChatCompletionSystemMessageParam,
        "user": openai.types.chat.ChatCompletionUserMessageParam,
        "assistant": openai.types.chat.ChatCompletionAssistantMessageParam,
        "tool": openai.types.chat.ChatCompletionToolMessageParam,
    }
    for message in body["messages"]:
        check(types[message["role"]], message)


def responses(body: dict[str, Any]) -> None:
    """Fail unless the body fits OpenAI's Responses."""
    check(openai.types.responses.response_create_params.ResponseCreateParamsStreaming, body)
    types = {
        None: openai.types.responses.EasyInputMessageParam,
        "message": openai.types.responses.ResponseOutputMessageParam,
        "reasoning": openai.types.responses.ResponseReasoningItemParam,
        "function_call": openai.types.responses.ResponseFunctionToolCallParam,
        "function_call_output": openai.types.responses.response_input_item_param.FunctionCallOutput,
    }
    for item in body["input"]:
        check(types[item.get("type")], item)


class Generate(BaseModel):
    """What a GenerateContentRequest holds, with unknown keys refused."""

    model_config = ConfigDict(extra="forbid")
    contents: list[genai.Content]
    generationConfig: genai.GenerationConfig
    systemInstruction: genai.Content | None = None
    tools: list[genai.Tool] | None = None


def gemini(body: dict[str, Any]) -> Generate:
    """The body as the SDK reads it; raises unless it fits Gemini's wire."""
    return Generate.model_validate(body)
