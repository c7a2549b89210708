"""A mutating fuzzer of the wire decoders: recorded and made streams, damaged at random, held against the
laws.

    python -m tests.fuzz.wire [--seconds 60] [--seed N] [--wire NAME]

It prints the first input that breaks a law (in full, as a Python literal) and exits 1. `check` is the law,
`damage` the mutation; the test suite runs a short, seeded round of both.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator

from streamrender.wire import WIRES
from tests.wire.regular import irregularities
from tests.wire.support import (
    DONE,
    arguments,
    block,
    chat,
    delta,
    end,
    fold,
    gemini,
    read,
    recorded,
    run,
    sse,
    start,
    stop,
    wire_of,
)

_JUNK = [
    b"data: ",
    b"\n\n",
    b"\r",
    b"{",
    b"}",
    b'"',
    b"\\ud83d",
    b"\xff",
    b"null",
    b"[DONE]",
    b"\xe2\x80\xa8",
    b"event:",
]


def seeds() -> dict[str, list[bytes]]:
    """Small streams of every wire, made here, and recorded ones where there is a corpus."""
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":1}'}}
    added = {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "i"}}
    said = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "a北"}
    whole = {
        "id": "r",
        "output": [{"type": "message", "id": "i", "content": [{"type": "output_text", "text": "a北"}]}],
    }
    tool = [block(1, "tool_use"), arguments(1, '{"a":'), arguments(1, "1}"), stop(1)]
    found = {
        "anthropic": [sse(start(), block(0), delta(0, "a😀"), stop(0), *tool, end("tool_use"), DONE)],
        "gemini": [
            sse(gemini({"text": "a"}), gemini({"functionCall": {"name": "f", "args": {}}}, finish="STOP"))
        ],
        "openai-chat": [
            sse(chat({"content": "a"}), chat({"tool_calls": [call]}), chat(finish="stop"), "[DONE]")
        ],
        "openai-responses": [sse(added, said, {"type": "response.completed", "response": whole})],
        "chunks": [b'"a"\n"ab"\n"abc"\n{"done":true}\n'],
    }
    found["glm"] = found["anthropic"]
    for path in recorded():
        if path and len(data := read(path)) < 6_000:
            found[wire_of(path)].append(data)
    return found


def damage(data: bytes, source: random.Random) -> bytes:
    """The bytes with a few random wounds: removed, doubled, swapped, overwritten, or with junk between."""
    out = bytearray(data)
    for _ in range(source.randrange(1, 6)):
        at, size = source.randrange(len(out) + 1), source.randrange(1, 60)
        match source.randrange(5):
            case 0:
                del out[at : at + size]
            case 1:
                out[at:at] = out[at : at + size]
            case 2:
                out[at:at] = source.choice(_JUNK)
            case 3:
                out[at : at + 1] = bytes([source.randrange(256)])
            case _:
                out[at : at + size] = out[-size:]
    return bytes(out)


def check(wire: str, data: bytes, source: random.Random) -> str | None:
    """The law that these bytes break, in words; None when all hold."""
    try:
        events = run(wire, data)
        message = fold(events)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    if wrong := irregularities(events):
        return wrong[0]
    try:
        text = json.dumps([events, message], ensure_ascii=False, allow_nan=False).encode()
    except ValueError as problem:
        return f"not JSON: {problem}"
    if json.loads(text) != [events, message]:
        return "JSON does not come back the same"
    cuts = [source.randrange(len(data) + 1) for _ in range(8)]
    if run(wire, data, cuts) != events:
        return f"events depend on the cuts {sorted(cuts)}"
    return None


def rounds(wires: list[str], seed: int) -> Iterator[tuple[str, bytes, str | None]]:
    """Damaged streams and what they break, without end."""
    source = random.Random(seed)
    known = seeds()
    while True:
        wire = source.choice(wires)
        data = damage(source.choice(known[wire]), source)
        yield wire, data, check(wire, data, source)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the wire decoders.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--wire", choices=WIRES, default=None)
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    until = time.monotonic() + options.seconds
    done = 0
    for wire, data, broken in rounds([options.wire] if options.wire else list(WIRES), seed):
        done += 1
        if broken:
            print(f"seed {seed}, round {done}, wire {wire}: {broken}\n{data!r}")
            return 1
        if time.monotonic() > until:
            break
    print(f"seed {seed}: {done} damaged streams, every law held")
    return 0


if __name__ == "__main__":
    sys.exit(main())
