"""Every built request fits the official SDKs' own request types: no unknown key, nothing missing.

The SDKs' types are TypedDicts without `extra=forbid`; they are checked strictly here, key by key.
"""

from functools import cache
from typing import Any

import anthropic.types
import openai.types.chat.completion_create_params
import openai.types.responses.response_create_params
import pytest
from google.genai import types as genai
from pydantic import BaseModel, ConfigDict, TypeAdapter

from chatsite.providers import anthropic as anthropic_wire
from chatsite.providers import gemini, openai_chat, openai_responses
from chatsite.providers.prompt import Prompt
from chatsite.tools.registry import definitions
from tests.providers.build import assistant, call, result, text, user

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
PDF = {
    "type": "document",
    "title": "a.pdf",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "AA=="},
}


def history(provider: str) -> list[dict[str, Any]]:
    """A conversation with everything in it, as written by `provider`."""
    private = {
        "anthropic": {},
        "gemini": {"thoughtSignature": "AA=="},
        "openai": {"item": {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "g"}},
    }[provider]
    thought = {"type": "thinking", "thinking": "hm", "signature": "S", "provider": private}
    return [
        user(text("look"), PICTURE, PDF),
        assistant(thought, text("Adding."), call("toolu_1", {"expression": "1+1"}), provider=provider),
        user(result("toolu_1", "2")),
        assistant(text("Two."), call("toolu_2", {"zone": "UTC"}), call("toolu_3"), provider=provider),
        user(result("toolu_2", [text("noon"), PICTURE]), result("toolu_3", "no", is_error=True)),
        assistant(text("It is noon."), provider=provider),
        user(text("thanks")),
    ]


def prompt(writer: str) -> Prompt:
    return Prompt(history(writer), system="Be brief.", tools=definitions(), thinking="high")


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def check(kind: Any, value: Any) -> None:
    """Validate against a TypedDict, unknown keys refused. Iterables in it are lazy: check their items too."""
    adapter(kind).validate_python(value)
    assert set(value) <= set(kind.__annotations__), set(value) - set(kind.__annotations__)


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_anthropic(writer: str) -> None:
    for model in ("claude-sonnet-5-5", "claude-haiku-4-5"):
        body = anthropic_wire.request(
            prompt(writer), base_url="http://h", model=model, provider="anthropic"
        ).body
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


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_chat(writer: str) -> None:
    body = openai_chat.request(prompt(writer), base_url="http://h", model="m", provider="openai").body
    for message in body["messages"]:
        # The one key that is no OpenAI's own: what thinking servers want back.
        message.pop("reasoning_content", None)
    check(openai.types.chat.completion_create_params.CompletionCreateParamsStreaming, body)
    types = {
        "system": openai.types.chat.ChatCompletionSystemMessageParam,
        "user": openai.types.chat.ChatCompletionUserMessageParam,
        "assistant": openai.types.chat.ChatCompletionAssistantMessageParam,
        "tool": openai.types.chat.ChatCompletionToolMessageParam,
    }
    for message in body["messages"]:
        check(types[message["role"]], message)


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_responses(writer: str) -> None:
    body = openai_responses.request(
        prompt(writer), base_url="http://h", model="gpt-5.5", provider="openai"
    ).body
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
    kinds = [item.get("type") for item in body["input"]]
    assert ("reasoning" in kinds) == (writer == "openai")


class Strict(BaseModel):
    """What a GenerateContentRequest holds, with unknown keys refused."""

    model_config = ConfigDict(extra="forbid")
    contents: list[genai.Content]
    generationConfig: genai.GenerationConfig
    systemInstruction: genai.Content
    tools: list[genai.Tool]


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_gemini(writer: str) -> None:
    body = gemini.request(prompt(writer), base_url="http://h", model="gemini-3.5-flash").body
    parsed = Strict.model_validate(body)
    signed = [p.thought_signature for c in parsed.contents for p in c.parts or [] if p.thought_signature]
    assert bool(signed) == (writer == "gemini")
