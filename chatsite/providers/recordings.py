"""Recorded streams: their wire, where they are asked for, which round they answer, and a polite end."""

from __future__ import annotations

import json
from typing import Any

from chatsite.providers.pace import split_events

OVER = "The recording ends here."


class UnknownRecording(ValueError):
    """The bytes do not begin like a stream of a known wire."""


def wire_of(recording: bytes) -> str:
    """The wire of a recorded stream, by its first JSON event. Raises UnknownRecording."""
    for event in split_events(recording.removeprefix(b"\xef\xbb\xbf")):
        lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
        try:
            data = json.loads(b"\n".join(lines))
        except ValueError:
            continue
        if isinstance(data, dict) and (wire := _wire_of_event(data)):
            return wire
    raise UnknownRecording("This is no recorded stream of a known wire.")


def _wire_of_event(data: dict[str, Any]) -> str | None:
    kind = data.get("type")
    if isinstance(kind, str) and (kind.startswith("response.") or "sequence_number" in data):
        return "openai-responses"
    if kind in ("message_start", "content_block_start", "content_block_delta", "ping", "error"):
        return "anthropic"
    if "candidates" in data or "usageMetadata" in data or "promptFeedback" in data:
        return "gemini"
    if "choices" in data or str(data.get("object", "")).startswith("chat.completion"):
        return "openai-chat"
    return None


def endpoint(path: str) -> str | None:
    """The wire that is spoken at a path.

    >>> endpoint("/v1beta/models/gemini-3.5-flash:streamGenerateContent"), endpoint("/v1/responses")
    ('gemini', 'openai-responses')
    """
    if path.endswith("/messages"):
        return "anthropic"
    if path.endswith(":streamGenerateContent"):
        return "gemini"
    if path.endswith("/chat/completions"):
        return "openai-chat"
    if path.endswith("/responses"):
        return "openai-responses"
    return None


def tool_rounds(wire: str, body: dict[str, Any]) -> int:
    """How many rounds of tool results the request carries after its last question."""
    rounds = 0
    previous = ""
    for kind in _kinds(wire, body):
        if kind == "question":
            rounds = 0
        elif kind == "result" and previous != "result":
            rounds += 1
        previous = kind
    return rounds


def _kinds(wire: str, body: dict[str, Any]) -> list[str]:
    """What each message of a request is: a question, an answer, or a tool result."""
    if wire == "gemini":
        items = body.get("contents") or []
        return [
            _kind(i.get("role"), any("functionResponse" in p for p in i.get("parts") or [])) for i in items
        ]
    if wire == "openai-responses":
        items = body.get("input") if isinstance(body.get("input"), list) else []
        kinds = [_kind(i.get("role"), i.get("type") == "function_call_output") for i in items or []]
        return kinds
    items = body.get("messages") or []
    return [
        _kind(
            i.get("role"),
            i.get("role") == "tool"
            or (
                isinstance(i.get("content"), list)
                and any(isinstance(b, dict) and b.get("type") == "tool_result" for b in i["content"])
            ),
        )
        for i in items
    ]


def _kind(role: Any, is_result: bool) -> str:
    if is_result:
        return "result"
    return "question" if role == "user" else "answer"


def closing(wire: str) -> bytes:
    """A short text that ends a turn whose recordings are used up."""
    if wire == "anthropic":
        message: dict[str, Any] = {
            "id": "msg_replay_end", "type": "message", "role": "assistant", "model": "replay", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": OVER}},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {"output_tokens": 5},
            },
            {"type": "message_stop"},
        ]
        return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)
    if wire == "gemini":
        content = {"role": "model", "parts": [{"text": OVER}]}
        return _data({"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]})
    if wire == "openai-chat":
        delta = {"role": "assistant", "content": OVER}
        head = {"id": "chatcmpl-replay", "object": "chat.completion.chunk", "created": 0, "model": "replay"}
        return (
            _data(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            + _data(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            + b"data: [DONE]\n\n"
        )
    item = {
        "id": "msg_replay_end", "type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": OVER, "annotations": []}],
    }  # fmt: skip
    reply = {"id": "resp_replay_end", "object": "response", "model": "replay"}
    return (
        _data({"type": "response.created", "response": reply | {"status": "in_progress", "output": []}})
        + _data({"type": "response.output_item.added", "output_index": 0, "item": item | {"content": []}})
        + _data({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": OVER})
        + _data({"type": "response.output_item.done", "output_index": 0, "item": item})
        + _data({"type": "response.completed", "response": reply | {"status": "completed", "output": [item]}})
    )


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
