"""Turns to test with, as lists of journaled events; `at` counts up by 10 ms."""

import json
from typing import Any

Event = dict[str, Any]


def timed(*events: Event) -> list[Event]:
    """The events with times."""
    return [{**event, "at": 10 * i} for i, event in enumerate(events)]


def request(number: int = 1, model: str = "m-1") -> Event:
    return {"type": "request_started", "round": number, "provider": "p", "wire": "anthropic", "model": model}


def start(name: str = "msg_1", *content: Event, **more: Any) -> Event:
    message = {"id": name, "type": "message", "role": "assistant", "model": "m-1", "content": list(content)}
    return {"type": "message_start", "message": message | {"stop_reason": None, "usage": {}} | more}


def opened(index: int, kind: str, /, **fields: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}}


def delta(index: int, kind: str, text: str) -> Event:
    field = {"text": "text", "thinking": "thinking", "input_json": "partial_json", "signature": "signature"}[
        kind
    ]
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", field: text}}


def stop(index: int) -> Event:
    return {"type": "content_block_stop", "index": index}


def block(index: int, kind: str, *texts: str, **fields: Any) -> list[Event]:
    """A whole block, its texts as deltas."""
    of = kind if kind in ("text", "thinking") else "input_json"
    empty = {kind: ""} if kind in ("text", "thinking") else {}
    deltas = [delta(index, of, text) for text in texts]
    return [opened(index, kind, **(empty | fields)), *deltas, stop(index)]


def finish(reason: str = "end_turn", **usage: int) -> list[Event]:
    """The end of one request."""
    last = {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    return [last, {"type": "message_stop"}, {"type": "stream_end", "ended": "completed", "error": None}]


def turn_end(ending: str = "complete", error: Any = None) -> Event:
    return {"type": "turn_end", "ending": ending, "error": error}


def ours(kind: str, /, **fields: Any) -> Event:
    return {"type": kind, **fields}


def _loop() -> list[Event]:
    call = block(
        1, "tool_use", "", '{"expr', 'ession": "6', ' * 7", "n": 1', "2}", id="t1", name="calc", input={}
    )
    return timed(
        request(),
        start(usage={"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 5}),
        {"type": "ping"},
        *block(0, "thinking", "", "Let me ", "**think", "**."),
        delta(0, "signature", "abc"),
        *call,
        *finish("tool_use", output_tokens=20),
        ours("tool_started", id="t1", name="calc"),
        ours("tool_progress", id="t1", text="half "),
        ours("tool_progress", id="t1", text="way"),
        ours("tool_result", id="t1", content="42", is_error=False),
        request(2),
        start("msg_2", usage={"input_tokens": 30}),
        *block(0, "text", "The answer", "", " is **4", "2**.\n\n1. **`isEven(", "number)` function:**", "\n"),
        *block(1, "text", "```py", "\nx = 1\n", "```"),
        *finish("end_turn", output_tokens=7),
        turn_end(),
    )


def _server() -> list[Event]:
    found = {"type": "web_search_result", "title": "T", "url": "https://e.example", "encrypted_content": "x"}
    query = block(0, "server_tool_use", '{"query": ', '"q"}', id="s1", name="web_search", input={})
    return timed(
        request(),
        start(),
        *query,
        *block(1, "web_search_tool_result", tool_use_id="s1", content=[found]),
        *block(2, "redacted_thinking", data="zzz"),
        *block(3, "container_upload", file_id="f"),
        opened(4, "thinking", thinking="", signature=""),
        delta(4, "signature", "only"),
        stop(4),
        *block(5, "text", "\n\n"),
        *block(6, "text", "one", text=" seeded "),
        *block(6, "text", "reused"),
        delta(6, "text", " and more"),
        delta(9, "thinking", "from nowhere"),
        *finish(),
        turn_end("stop_sequence"),
    )


def _spliced() -> list[Event]:
    return timed(
        request(),
        ours("retry_wait", attempt=1, seconds=2.0, error={"type": "overloaded_error", "message": "m"}),
        request(),
        start("msg_1"),
        opened(0, "text", text=""),
        delta(0, "text", "first try"),
        opened(1, "tool_use", id="t1", name="calc", input={}),
        delta(1, "input_json", '{"a": [1, 2'),
        ours("superseded", reason="second_message_start"),
        ours("fault", kind="second_message_start", detail="d"),
        start("msg_2"),
        *block(0, "text", "second try"),
        opened(1, "fallback", **{"from": {"model": "m-1"}, "to": {"model": "m-2"}}),
        stop(1),
        opened(2, "tool_use", id="t2", name="calc", input={"x": 1}),
        stop(2),
        ours("approval_asked", id="t2", name="calc", input={"x": 1}),
        ours("approval_given", id="t2", granted=True),
        ours("tool_started", id="t2", name="calc"),
        turn_end("stopped"),
    )


def _cut_off() -> list[Event]:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    return timed(
        request(),
        start(),
        opened(0, "thinking", thinking="", signature=""),
        delta(0, "thinking", "thinking with [a link](http"),
        opened(1, "text", text=""),
        delta(1, "text", "open **bold"),
        delta(0, "thinking", " late"),
        opened(2, "tool_use", id="t1", name="calc", input={}),
        delta(2, "input_json", '{"a": "x'),
        ours("error", error=error),
        ours("stream_end", ended="error", error=error),
        turn_end("error", error),
    )


def _final() -> list[Event]:
    return timed(
        request(),
        start(),
        *block(0, "text", "the ", "streamed"),
        ours("block_final", index=0, block={"type": "text", "text": "the streamed and **more**"}),
        *block(1, "thinking", "draft"),
        ours("block_final", index=1, block={"type": "thinking", "thinking": "quite other"}),
        *block(2, "tool_use", '{"a": 1}', id="t", name="n", input={}),
        ours("block_final", index=2, block={"type": "tool_use", "id": "t", "name": "n", "input": {"b": 2}}),
        *finish(),
        turn_end(),
    )


def _continued() -> list[Event]:
    """An answer that met its limit in the middle of a word and a mark, then another limit, then the rest."""
    return timed(
        request(),
        start(usage={"input_tokens": 5}),
        *block(0, "thinking", "Let me think."),
        *block(1, "text", "One **bo"),
        *finish("max_tokens", output_tokens=3),
        request(2) | {"continues": True},
        start("msg_2", usage={"input_tokens": 9}),
        *block(0, "thinking", "Where was I?"),
        *block(1, "text", "ld** wo", "rd"),
        *finish("max_tokens", output_tokens=4),
        request(3) | {"continues": True},
        start("msg_3"),
        *block(0, "text", " and", " more"),
        *block(1, "text", "Another."),
        *finish("end_turn", output_tokens=5),
        turn_end(),
    )


TURNS: dict[str, list[Event]] = {
    "continued": _continued(),
    "loop": _loop(),
    "server": _server(),
    "spliced": _spliced(),
    "cut_off": _cut_off(),
    "final": _final(),
}


def copy(events: list[Event]) -> list[Event]:
    return list(json.loads(json.dumps(events)))
