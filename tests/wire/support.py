"""What the wire tests share: feeding bytes in pieces, building streams, naming what the corpus holds."""

import csv
import json
import random
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from streamrender import Assembler, decode
from streamrender.wire import Decoder
from tests.corpus import CORPUS

Make = Callable[[], Decoder]

FOLDERS = {
    "anthropic": "anthropic",
    "glm-anthropic": "glm",
    "gemini": "gemini",
    "openai-chat": "openai-chat",
    "glm": "openai-chat",
    "openai-responses": "openai-responses",
}
LLAMACPP = {"messages": "anthropic", "chat": "openai-chat", "responses": "openai-responses"}


def wire_of(path: str) -> str:
    """The wire that a recorded stream speaks, by where it stands."""
    folder, _, name = path.partition("/")
    return FOLDERS[folder] if folder in FOLDERS else LLAMACPP[name.partition("-")[0]]


@cache
def rows() -> list[dict[str, str]]:
    """The rows of the corpus that are streams; empty where there is no corpus."""
    index = CORPUS / "INDEX.tsv"
    if not index.is_file():
        return []
    with index.open(newline="") as file:
        found = list(csv.DictReader(file, delimiter="\t"))
    return [row for row in found if row["path"].endswith(".sse")]


def recorded(*wires: str) -> list[str]:
    """Paths of the recorded streams of these wires (all wires when none is named)."""
    paths = [row["path"] for row in rows()]
    # One empty name keeps the tests collectable, and so deselected in one line, where there is no corpus.
    return [path for path in paths if not wires or wire_of(path) in wires] or [""]


def read(path: str) -> bytes:
    return (CORPUS / path).read_bytes()


def expected(path: str) -> dict[str, Any] | None:
    """What the corpus says a stream assembles to."""
    row = next(row for row in rows() if row["path"] == path)
    return json.loads((CORPUS / row["expected_json"]).read_text()) if row["expected_json"] else None


def run(make: Make | str, data: bytes, cuts: Iterable[int] = ()) -> list[dict[str, Any]]:
    """All events of `data`, fed in pieces that end at `cuts`."""
    decoder = decode(make) if isinstance(make, str) else make()
    events: list[dict[str, Any]] = []
    start = 0
    for cut in [*sorted(cuts), len(data)]:
        events += decoder.feed(data[start:cut])
        start = cut
    return events + decoder.close()


def fold(events: list[dict[str, Any]], make: Callable[[], Assembler] = Assembler) -> dict[str, Any]:
    """The message of these events."""
    assembler = make()
    for event in events:
        assembler.feed(event)
    return assembler.to_dict()


def message(wire: Make | str, data: bytes) -> dict[str, Any]:
    return fold(run(wire, data))


def random_cuts(size: int, seed: str, count: int = 40) -> list[int]:
    """Places to cut at, the same for the same seed."""
    source = random.Random(seed)
    return sorted(source.randrange(size + 1) for _ in range(min(count, size)))


def faults(events: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in events if event["type"] == "fault"]


def text_of(found: dict[str, Any], kind: str = "text") -> str:
    """The text, or thinking, of a whole message."""
    return "".join(block[kind] for block in found["content"] if block["type"] == kind)


def sse(*values: Any, name: bool = True) -> bytes:
    """Server-sent events of JSON objects (dicts, or strings that go in as they are)."""
    out = []
    for value in values:
        data = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        event = f"event: {value['type']}\n" if name and isinstance(value, dict) and "type" in value else ""
        out.append(f"{event}data: {data}\n\n")
    return "".join(out).encode("utf-8", "surrogatepass")


# The pieces of an Anthropic stream.


def start(ident: str = "msg_1", **fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": 1}
    found = {"id": ident, "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    return {
        "type": "message_start",
        "message": {**found, "stop_reason": None, "stop_sequence": None, **fields},
    }


def block(index: int, kind: str = "text", **fields: Any) -> dict[str, Any]:
    empty: dict[str, dict[str, Any]] = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"id": f"t{index}", "name": "f", "input": {}},
    }
    content = {"type": kind, **empty.get(kind, {}), **fields}
    return {"type": "content_block_start", "index": index, "content_block": content}


def delta(index: int, text: str, kind: str = "text_delta") -> dict[str, Any]:
    field = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
    part = {"type": kind, field.get(kind, "partial_json"): text}
    return {"type": "content_block_delta", "index": index, "delta": part}


def arguments(index: int, text: str) -> dict[str, Any]:
    return delta(index, text, "input_json_delta")


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: str | None = "end_turn", **usage: Any) -> dict[str, Any]:
    ends = {"stop_reason": reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": ends, "usage": {"output_tokens": 9, **usage}}


DONE = {"type": "message_stop"}


def chat(delta_: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One Chat Completions chunk."""
    choice = {"index": 0, "delta": delta_ or {}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **fields}


def gemini(*parts: dict[str, Any], finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One Gemini chunk."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "responseId": "r", "modelVersion": "m", **fields}
