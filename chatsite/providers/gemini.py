"""Requests on the Gemini wire (streamGenerateContent).

A thoughtSignature goes back on the very part it came with, also on an empty text part; parts of the tools
that Gemini runs itself go back as they came. Thoughts without signature are a summary and stay here.
"""

from __future__ import annotations

import re
from typing import Any

from chatsite.providers.gemini_schema import clean_schema
from chatsite.providers.history import call_input, origin, replayable, result_text
from chatsite.providers.prompt import OFF, Block, Message, Prompt, UpstreamRequest

OURS = frozenset({"signed_from", "id_made"})
"""Keys that the decoder put under a block's `provider` for us; the others are keys of Gemini's parts."""
BUDGETS = {"low": 2048, "medium": 8192, "high": 24576, "xhigh": 24576, "max": 24576}
SERVER_TOOLS = {"web_search": "googleSearch", "web_fetch": "urlContext", "code_execution": "codeExecution"}
MIXED = re.compile(r"gemini-(?:[3-9]|\d\d)")
"""Models that take functions beside the tools that Google runs."""
LEVELS = {"low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH", "max": "HIGH"}

Part = dict[str, Any]


def request(
    prompt: Prompt, *, base_url: str, model: str, key: str = "", provider: str = "gemini"
) -> UpstreamRequest:
    """The streaming POST to models/`model`:streamGenerateContent; the key is a header, never in the URL."""
    messages = replayable(prompt.messages, provider)
    names = {
        block["id"]: block["name"]
        for message in messages
        for block in message["content"]
        if block.get("type") == "tool_use"
    }
    own_ids = _own_ids(prompt.messages, provider)
    contents: list[dict[str, Any]] = []
    for message in messages:
        parts = [part for block in message["content"] for part in _parts(block, names, own_ids)]
        role = "model" if message["role"] == "assistant" else "user"
        if not parts:
            continue
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": role, "parts": parts})
    config: dict[str, Any] = {"maxOutputTokens": prompt.max_tokens}
    if prompt.thinking:
        shown = {"includeThoughts": True} if prompt.thinking != OFF else {}
        config["thinkingConfig"] = {**shown, **_effort(prompt.thinking, model)}
    if prompt.temperature is not None:
        config["temperature"] = prompt.temperature
    body: dict[str, Any] = {"contents": contents, "generationConfig": config}
    if prompt.system.strip():
        body["systemInstruction"] = {"parts": [{"text": prompt.system}]}
    if prompt.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in prompt.tools]}]
    own: list[dict[str, Any]] = [
        {SERVER_TOOLS[one]: {}} for one in SERVER_TOOLS if one in prompt.server_tools
    ]
    if own and (MIXED.match(model.removeprefix("models/")) or not prompt.tools):
        body["tools"] = body.get("tools", []) + own
        if prompt.tools:
            body["toolConfig"] = {"includeServerSideToolInvocations": True}
    elif own:
        # Older models take either functions or Google's own tools: what the user switched on wins.
        body["tools"] = own
    headers = {"content-type": "application/json", "accept": "text/event-stream"}
    if key:
        headers["x-goog-api-key"] = key
    return UpstreamRequest("POST", stream_url(base_url, model), headers, body)


def stream_url(base_url: str, model: str) -> str:
    """The endpoint under a base URL given with or without its version.

    >>> stream_url("https://host/v1beta/", "models/gemini-3.5-flash")
    'https://host/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse'
    """
    base = base_url.rstrip("/")
    if not base.endswith(("/v1", "/v1beta", "/v1alpha")):
        base += "/v1beta"
    return f"{base}/models/{model.removeprefix('models/')}:streamGenerateContent?alt=sse"


def _own_ids(messages: list[Message], provider: str) -> set[str]:
    """Ids that Gemini itself gave to calls: only these mean anything to it."""
    return {
        block["id"]
        for message in messages
        if message["role"] == "assistant" and origin(message) in (None, provider)
        for block in message["content"]
        if block.get("type") == "tool_use" and not (block.get("provider") or {}).get("id_made")
    }


def _parts(block: Block, names: dict[str, str], own_ids: set[str]) -> list[Part]:
    """The parts of one block, none for what cannot be said on this wire."""
    private = block.get("provider") or {}
    extra = {name: value for name, value in private.items() if name not in OURS and name != "part"}
    kind = block.get("type")
    if "part" in private:
        return [private["part"]]
    if kind == "text":
        return _texts(block["text"], extra, private.get("signed_from", 0))
    if kind == "thinking":
        signed = "thoughtSignature" in extra
        return [{"text": block["thinking"], "thought": True, **extra}] if signed else []
    if kind == "tool_use":
        call: dict[str, Any] = {"name": block["name"], "args": call_input(block)}
        if block["id"] in own_ids:
            call["id"] = block["id"]
        return [{"functionCall": call, **extra}]
    if kind == "tool_result":
        return _response(block, names, own_ids)
    if kind in ("image", "document"):
        return [part | extra for part in _media(block)]
    return []


def _texts(text: str, extra: dict[str, Any], signed_from: int) -> list[Part]:
    """A text part, in two when only its later piece was signed."""
    if not text.strip() and "thoughtSignature" not in extra:
        return []
    if not extra or not signed_from:
        return [{"text": text, **extra}]
    return [{"text": text[:signed_from]}, {"text": text[signed_from:], **extra}]


def _response(block: Block, names: dict[str, str], own_ids: set[str]) -> list[Part]:
    call = block["tool_use_id"]
    field = "error" if block.get("is_error") else "result"
    response: dict[str, Any] = {"name": names.get(call, "tool"), "response": {field: result_text(block)}}
    if call in own_ids:
        response["id"] = call
    content = block.get("content")
    parts = content if isinstance(content, list) else []
    return [{"functionResponse": response}, *(media for part in parts for media in _media(part))]


def _media(block: Block) -> list[Part]:
    """An image or document as inline data, a file reference or text."""
    source = block.get("source")
    if block.get("type") not in ("image", "document") or not isinstance(source, dict):
        return []
    if source.get("type") == "base64":
        return [{"inlineData": {"mimeType": source["media_type"], "data": source["data"]}}]
    if source.get("type") == "url":
        return [{"fileData": {"fileUri": source["url"]}}]
    if source.get("type") == "text":
        return [{"text": source.get("data", "")}]
    return []


def _declaration(tool: dict[str, Any]) -> dict[str, Any]:
    declaration = {"name": tool["name"], "description": tool.get("description", "")}
    parameters = clean_schema(tool["input_schema"])
    if parameters.get("properties"):
        # An object without properties is refused here; a function without arguments has no parameters.
        declaration["parameters"] = parameters
    return declaration


def _effort(thinking: bool | str, model: str) -> dict[str, Any]:
    """The thinking effort in the model's own parameter: a budget up to 2.5, a level from 3 on."""
    if not isinstance(thinking, str):
        return {}
    if model.removeprefix("models/").startswith(("gemini-2", "gemini-1")):
        # Pro cannot stop thinking; this is its least.
        least = 128 if "pro" in model else 0
        return {"thinkingBudget": least if thinking == OFF else BUDGETS[thinking]}
    if thinking == OFF:
        return {"thinkingLevel": "LOW" if "pro" in model else "MINIMAL"}
    return {"thinkingLevel": LEVELS[thinking]}
