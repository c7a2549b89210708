"""Requests on the Responses wire, without state on the server: every item goes along.

Reasoning items go back exactly as they came, with their encrypted content; without it they cannot be
replayed, and then no item of that answer keeps its id, because the server ties the two together.
"""

from __future__ import annotations

from typing import Any

from chatsite.providers.history import replayable, result_text
from chatsite.providers.openai_chat import arguments, data_url, headers, short_id, versioned
from chatsite.providers.openai_effort import REASONS, effort_word
from chatsite.providers.prompt import OFF, Block, Prompt, UpstreamRequest

UNSENDABLE = frozenset({"image_generation_call"})
"""Items whose stored form lacks what the server wants back."""


def request(prompt: Prompt, *, base_url: str, model: str, key: str = "", provider: str) -> UpstreamRequest:
    """The streaming POST to `base_url`/responses."""
    items: list[dict[str, Any]] = []
    for message in replayable(prompt.messages, provider, short_id):
        make = _user if message["role"] == "user" else _assistant
        items += make(message["content"])
    body: dict[str, Any] = {
        "model": model,
        "input": items,
        "stream": True,
        "store": False,
        "max_output_tokens": prompt.max_tokens,
    }
    if prompt.system.strip():
        body["instructions"] = prompt.system
    if prompt.thinking and REASONS.search(model):
        told = isinstance(prompt.thinking, str)
        effort = {"effort": effort_word(model, str(prompt.thinking))} if told else {}
        body["reasoning"] = effort if prompt.thinking == OFF else {"summary": "auto", **effort}
        body["include"] = ["reasoning.encrypted_content"]
    if prompt.temperature is not None and not REASONS.search(model):
        body["temperature"] = prompt.temperature
    if prompt.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool["name"],
                "description": tool.get("description", ""),
                "parameters": tool["input_schema"],
                "strict": False,
            }
            for tool in prompt.tools
        ]
    return UpstreamRequest("POST", f"{versioned(base_url)}/responses", headers(key), body)


def _user(content: list[Block]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for block in content:
        if block["type"] == "tool_result":
            items.append(_output(block))
        elif part := _part(block):
            parts.append(part)
    return [*items, {"role": "user", "content": parts}] if parts else items


def _output(block: Block) -> dict[str, Any]:
    inner = block.get("content")
    parts = [part for one in inner if (part := _part(one))] if isinstance(inner, list) else []
    only_text = all(part["type"] == "input_text" for part in parts)
    output: Any = result_text(block) if only_text else parts
    if block.get("is_error") and isinstance(output, str):
        output = f"Error: {output}"
    return {"type": "function_call_output", "call_id": block["tool_use_id"], "output": output}


def _part(block: Block) -> dict[str, Any] | None:
    source = block.get("source") or {}
    if block.get("type") == "text":
        return {"type": "input_text", "text": block["text"]} if block["text"].strip() else None
    if block.get("type") == "image" and (url := data_url(source)):
        return {"type": "input_image", "image_url": url, "detail": "auto"}
    if block.get("type") == "document":
        if source.get("type") == "text":
            return {"type": "input_text", "text": source.get("data", "")}
        if source.get("type") == "base64":
            name = block.get("title") or "document.pdf"
            return {"type": "input_file", "filename": name, "file_data": data_url(source)}
    return None


def _assistant(content: list[Block]) -> list[dict[str, Any]]:
    """The items of one answer; the texts of one message item are joined again."""
    reasoning = [_own(b) for b in content if b["type"] == "thinking" and _own(b)]
    tied = all(item.get("encrypted_content") for item in reasoning)
    items: list[dict[str, Any]] = []
    for block in content:
        own = _own(block)
        kind = block["type"]
        if kind == "text":
            if block["text"].strip():
                _add_text(items, block, own, tied)
        elif kind == "tool_use":
            call = {key: own[key] for key in ("id", "status") if tied and own.get(key)}
            call["type"] = "function_call"
            call["call_id"] = block["id"]
            call["name"] = block["name"]
            call["arguments"] = arguments(block)
            if "status" in call:
                call["status"] = "completed"
            items.append(call)
        elif kind == "thinking" and own.get("encrypted_content"):
            items.append({key: value for key, value in own.items() if value is not None})
        elif kind.endswith("tool_use") and own and own.get("type") not in UNSENDABLE:
            items.append(own if tied else {key: value for key, value in own.items() if key != "id"})
    while items and items[-1].get("type") == "reasoning":
        # The server wants each reasoning item followed by what it led to.
        items.pop()
    return items


def _add_text(items: list[dict[str, Any]], block: Block, own: dict[str, Any], tied: bool) -> None:
    """Add a text: to the message item it came in when that goes back, else as a plain message."""
    last = items[-1] if items else {}
    phase = {"phase": own["phase"]} if own.get("phase") else {}
    if not tied or not own.get("id"):
        if last.get("role") == "assistant" and "id" not in last and last.get("phase") == own.get("phase"):
            last["content"] += block["text"]
        else:
            items.append({"role": "assistant", "content": block["text"], **phase})
        return
    part = {"type": "output_text", "text": block["text"], "annotations": []}
    if last.get("type") == "message" and last.get("id") == own["id"]:
        last["content"].append(part)
        return
    message = {"type": "message", "id": own["id"], "role": "assistant", "status": "completed", **phase}
    items.append({**message, "content": [part]})


def _own(block: Block) -> dict[str, Any]:
    """The item that a block came in, empty for blocks of other origin."""
    item = (block.get("provider") or {}).get("item")
    return item if isinstance(item, dict) else {}
