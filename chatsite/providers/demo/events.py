"""An answer as Anthropic stream events, in the order and the shapes of the real server."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from chatsite.providers.demo.answer import Answer, Call, Part, Raw, Say, Think, pieces, plain
from chatsite.providers.demo.signature import seal, sign

Event = dict[str, Any]


def encode(event: Event) -> bytes:
    """One event in the framing of the wire."""
    data = json.dumps(event, ensure_ascii=False)
    return f"event: {event['type']}\ndata: {data}\n\n".encode("utf-8", "replace")


def events(answer: Answer, body: dict[str, Any]) -> Iterator[Event]:
    """All events of one response to the request `body`.

    They end early, without `message_stop`, when the answer is meant to break; and with `max_tokens` when
    the request's limit is reached (one piece of text counts as one token).
    """
    seed = hashlib.sha256(json.dumps(body["messages"], sort_keys=True).encode()).hexdigest()
    usage = {
        "input_tokens": max(1, len(json.dumps(body["messages"], ensure_ascii=False)) // 4),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 1,
    }
    yield {
        "type": "message_start",
        "message": {
            "id": f"msg_demo_{seed[:20]}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        },
    }
    count, thought, stop_reason = 0, 0, answer.stop_reason
    parts = [p for p in answer.parts if not (isinstance(p, Say) and not p.text)]
    for index, part in enumerate(parts):
        start, deltas = _block(part, f"toolu_demo_{seed[:16]}{index:02d}")
        yield {"type": "content_block_start", "index": index, "content_block": start}
        if index == 0:
            yield {"type": "ping"}
        for delta in deltas:
            counted = delta["type"] != "signature_delta"
            if counted and count >= body["max_tokens"]:
                stop_reason = "max_tokens"
                break
            count += counted
            thought += delta["type"] == "thinking_delta"
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        if answer.broken and index == len(parts) - 1:
            break
        yield {"type": "content_block_stop", "index": index}
        if stop_reason == "max_tokens" and count >= body["max_tokens"]:
            break
    if answer.broken == "error":
        yield {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    if answer.broken:
        return
    ending: dict[str, Any] = {"stop_reason": stop_reason, "stop_sequence": answer.stop_sequence}
    if answer.stop_details is not None:
        ending["stop_details"] = answer.stop_details
    final = {"output_tokens": max(1, count), "output_tokens_details": {"thinking_tokens": thought}}
    yield {"type": "message_delta", "delta": ending, "usage": usage | final}
    yield {"type": "message_stop"}


def _block(part: Part, call_id: str) -> tuple[Event, list[Event]]:
    """The start of a block and its deltas."""
    match part:
        case Think(hidden=True):
            return {"type": "redacted_thinking", "data": seal(part.text)}, []
        case Think():
            deltas: list[Event] = [{"type": "thinking_delta", "thinking": p} for p in pieces(part.text)]
            if part.signed:
                deltas.append({"type": "signature_delta", "signature": sign(plain(part.text))})
            return {"type": "thinking", "thinking": "", "signature": ""}, deltas
        case Say():
            return {"type": "text", "text": ""}, [
                {"type": "text_delta", "text": piece} for piece in pieces(part.text)
            ]
        case Call():
            fragments = ["", *_fragments(json.dumps(part.input, ensure_ascii=False))]
            start = {"type": "tool_use", "id": call_id, "name": part.name, "input": {}}
            return start, [{"type": "input_json_delta", "partial_json": text} for text in fragments]
        case Raw():
            return part.block, []


def _fragments(text: str) -> list[str]:
    """Arguments in uneven little pieces, as models write them."""
    sizes = (3, 1, 4, 2, 5, 1, 3)
    out: list[str] = []
    at = 0
    while at < len(text):
        size = sizes[len(out) % len(sizes)]
        out.append(text[at : at + size])
        at += size
    return out
