"""Requests on the Chat Completions wire: OpenAI, and the many servers that speak it.

Thinking goes back only inside the turn that it belongs to, as `reasoning_content`: servers that think
between tool calls want it there, and refuse or ignore it later. `reasoning_details` (OpenRouter) are the
server's own, partly encrypted and signed: they go back as they came, with every answer that had them.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import urlsplit

from chatsite.providers.history import call_input, replayable, result_text
from chatsite.providers.openai_effort import REASONS, effort_word
from chatsite.providers.prompt import OFF, Block, Message, Prompt, UpstreamRequest

OPENAI_HOST = "api.openai.com"
LONGEST_ID = 40


def request(prompt: Prompt, *, base_url: str, model: str, key: str = "", provider: str) -> UpstreamRequest:
    """The streaming POST to `base_url`/chat/completions."""
    messages: list[dict[str, Any]] = []
    if prompt.system.strip():
        messages.append({"role": "system", "content": prompt.system})
    history = replayable(prompt.messages, provider, short_id)
    current = last_question(history)
    for n, message in enumerate(history):
        if message["role"] == "user":
            messages += _user(message["content"])
        else:
            messages += _assistant(message["content"], with_thinking=n > current)
    official = urlsplit(base_url).hostname == OPENAI_HOST
    body: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        # OpenAI's reasoning models refuse the old name, other servers do not know the new one.
        "max_completion_tokens" if official else "max_tokens": prompt.max_tokens,
    }
    reasons = official and REASONS.search(model)
    if isinstance(prompt.thinking, str) and (prompt.thinking != OFF or reasons):
        body["reasoning_effort"] = effort_word(model, prompt.thinking)
    if prompt.temperature is not None and not reasons:
        body["temperature"] = prompt.temperature
    if prompt.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool.get("description", ""),
                    "parameters": tool["input_schema"],
                },
            }
            for tool in prompt.tools
        ]
    return UpstreamRequest("POST", f"{versioned(base_url)}/chat/completions", headers(key), body)


def versioned(base_url: str) -> str:
    """The base URL with a version: many servers name one of their own (`/api/paas/v4`).

    >>> versioned("http://127.0.0.1:11434"), versioned("https://openrouter.ai/api/v1/")
    ('http://127.0.0.1:11434/v1', 'https://openrouter.ai/api/v1')
    """
    base = base_url.rstrip("/")
    return base if urlsplit(base).path else f"{base}/v1"


def headers(key: str) -> dict[str, str]:
    """The headers of both OpenAI wires."""
    found = {"content-type": "application/json", "accept": "text/event-stream"}
    return found | {"authorization": f"Bearer {key}"} if key else found


def last_question(history: list[Message]) -> int:
    """The position of the last user message that is no mere tool result, -1 without one."""
    found = -1
    for n, message in enumerate(history):
        if message["role"] == "user" and any(b["type"] != "tool_result" for b in message["content"]):
            found = n
    return found


def arguments(call: Block) -> str:
    """A call's arguments as text: as they came when they were whole, so that prompt caches still fit."""
    written = call.get("input_text") or ""
    if call.get("input_status") == "complete" and isinstance(call.get("input"), dict) and written.strip():
        return str(written)
    return json.dumps(call_input(call), ensure_ascii=False)


def short_id(ident: str) -> str:
    """A call id that is not too long for the wire."""
    if len(ident) <= LONGEST_ID:
        return ident
    return "call_" + hashlib.sha256(ident.encode("utf-8", "replace")).hexdigest()[:32]


def data_url(source: dict[str, Any]) -> str | None:
    """An image or document source as one URL, None when it is neither inline data nor an address."""
    if source.get("type") == "base64":
        return f"data:{source['media_type']};base64,{source['data']}"
    return source["url"] if source.get("type") == "url" else None


def _user(content: list[Block]) -> list[dict[str, Any]]:
    """Tool messages first, then one user message with the rest and with the results' pictures."""
    messages: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for block in content:
        if block["type"] == "tool_result":
            text = result_text(block)
            if block.get("is_error"):
                text = f"Error: {text}"
            messages.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": text})
            inner = block.get("content")
            parts += [part for one in inner if (part := _media(one))] if isinstance(inner, list) else []
        elif block["type"] == "text":
            parts.append({"type": "text", "text": block["text"]})
        elif part := _media(block):
            parts.append(part)
    if parts:
        plain = all(part["type"] == "text" for part in parts)
        text = "\n\n".join(part["text"] for part in parts) if plain else ""
        messages.append({"role": "user", "content": text if plain else parts})
    return messages


def _media(block: Block) -> dict[str, Any] | None:
    source = block.get("source") or {}
    if block.get("type") == "image" and (url := data_url(source)):
        return {"type": "image_url", "image_url": {"url": url}}
    if block.get("type") == "document":
        if source.get("type") == "text":
            return {"type": "text", "text": source.get("data", "")}
        if source.get("type") == "base64":
            name = block.get("title") or "document.pdf"
            return {"type": "file", "file": {"filename": name, "file_data": data_url(source)}}
    return None


def _assistant(content: list[Block], with_thinking: bool) -> list[dict[str, Any]]:
    texts = [b["text"] for b in content if b["type"] == "text" and b["text"].strip()]
    calls = [_call(b) for b in content if b["type"] == "tool_use"]
    if not texts and not calls:
        return []
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) or None}
    details = [one for b in content for one in (b.get("provider") or {}).get("reasoning_details", [])]
    thoughts = "".join(b["thinking"] for b in content if b["type"] == "thinking")
    if details:
        message["reasoning_details"] = details
    elif with_thinking and thoughts:
        message["reasoning_content"] = thoughts
    if calls:
        message["tool_calls"] = calls
    return [message]


def _call(block: Block) -> dict[str, Any]:
    extra = {k: v for k, v in (block.get("provider") or {}).items() if k == "extra_content"}
    function = {"name": block["name"], "arguments": arguments(block)}
    return {"id": block["id"], "type": "function", "function": function, **extra}
