"""Decoding against json.loads of the same payloads, and decoding with assembling against the official SDKs.

    bin/bench wire [--made] [--rounds N]

CPU time, the best of several rounds that take turns, so that a busy machine harms all alike. Streams are the
recorded ones (STREAM_CORPUS) and a long one made here for each wire; --made leaves the recorded ones out. The
limits: decoding takes at most 3 times json.loads, and less than the SDK with assembling; exit status 1 when a
long stream misses one.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from streamrender import Assembler, decode  # noqa: E402
from streamrender.wire.sse import SSE  # noqa: E402
from tests.wire.oracles import BODIES, MEMORY, ORACLES  # noqa: E402
from tests.wire.support import (  # noqa: E402
    DONE,
    block,
    chat,
    delta,
    end,
    gemini,
    read,
    recorded,
    sse,
    start,
    stop,
    wire_of,
)

LIMIT = 3.0
EVENTS = 4000
WORDS = ["The ", "wind ", "was ", "cold", ", ", "and ", "**nobody** ", "spoke ", "of ", "it.\n\n"]


def made(wire: str) -> bytes:
    """A long answer in small pieces, as the wire's own provider frames it."""
    words = [WORDS[at % len(WORDS)] for at in range(EVENTS)]
    if wire == "anthropic":
        return sse(start(), block(0), *[delta(0, word) for word in words], stop(0), end(), DONE)
    if wire == "openai-chat":
        more = {
            "created": 1,
            "system_fingerprint": "fp_1",
            "service_tier": "default",
            "obfuscation": "kEEr7KRK",
        }
        pieces = [chat({"content": word}, **more) for word in words]
        return sse(chat({"role": "assistant"}, **more), *pieces, chat(finish="stop", **more), "[DONE]")
    if wire == "gemini":
        counts = {"promptTokenCount": 9, "totalTokenCount": 20, "promptTokensDetails": [{"modality": "TEXT"}]}
        usages = [{**counts, "candidatesTokenCount": at} for at in range(EVENTS)]
        pieces = [gemini({"text": word}, usageMetadata=one) for word, one in zip(words, usages, strict=True)]
        return sse(*pieces, gemini(finish="STOP")).replace(b"\n", b"\r\n")
    text = {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    response: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "model": "m",
        "output": [],
        "created_at": 1,
    }
    response |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "in_progress"}
    whole = {**item, "status": "completed", "content": [{**part, "text": "".join(words)}]}
    return sse(
        {"type": "response.created", "response": response, "sequence_number": 0},
        {"type": "response.output_item.added", "output_index": 0, "item": item, "sequence_number": 1},
        {"type": "response.content_part.added", **place, "part": part, "sequence_number": 2},
        *[{**text, "delta": word, "logprobs": [], "sequence_number": at} for at, word in enumerate(words, 3)],
        {
            "type": "response.output_text.done",
            **place,
            "text": "".join(words),
            "logprobs": [],
            "sequence_number": 5,
        },
        {"type": "response.content_part.done", **place, "part": whole["content"][0], "sequence_number": 6},
        {"type": "response.output_item.done", "output_index": 0, "item": whole, "sequence_number": 7},
        {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": [whole]},
            "sequence_number": 8,
        },
    )


def payloads(data: bytes) -> list[str]:
    parser = SSE()
    frames = [*parser.feed(data), *parser.close()]
    return [text for kind, _, text in frames if kind == "event" and text != "[DONE]"]


def spent(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measure(wire: str, streams: list[bytes], rounds: int) -> dict[str, float]:
    """Seconds of CPU for json.loads, decoding, decoding with assembling, and the SDK."""
    texts = [text for data in streams for text in payloads(data)]
    sdk, _ = ORACLES[wire]
    BODIES[:] = streams

    def parse() -> None:
        for text in texts:
            json.loads(text)

    def decoding() -> None:
        for data in streams:
            decoder = decode(wire)
            decoder.feed(data)
            decoder.close()

    def assembling() -> None:
        for data in streams:
            decoder, assembler = decode(wire), Assembler()
            for event in [*decoder.feed(data), *decoder.close()]:
                assembler.feed(event)
            assembler.to_dict()

    def official() -> None:
        for number in range(len(streams)):
            try:
                sdk(MEMORY, number)
            except Exception as problem:  # the SDK's own limits are the oracle tests' matter
                failures.append(problem)

    failures: list[Exception] = []
    works = {"json": parse, "decode": decoding, "assemble": assembling, "sdk": official}
    best = dict.fromkeys(works, float("inf"))
    for turn in range(rounds):
        for name, work in works.items():
            if name != "sdk" or turn < 2:
                best[name] = min(best[name], spent(work))
    return best | {"events": len(texts), "bytes": sum(map(len, streams)), "failures": len(failures)}


def report(name: str, found: dict[str, float]) -> bool:
    """Print one line; True when both limits hold."""
    events = found["events"]
    json_, ours, whole, sdk = (found[key] / events * 1e6 for key in ("json", "decode", "assemble", "sdk"))
    good = ours <= LIMIT * json_ and whole < sdk
    print(
        f"{name:26} {events:6.0f} events  json {json_:5.2f} µs  decode {ours:5.2f} µs = {ours / json_:4.2f} x"
        f"  {found['bytes'] / found['decode'] / 1e6:5.1f} MB/s  with assembling {whole:5.2f} µs"
        f"  SDK {sdk:7.2f} µs = {sdk / whole:5.1f} x ours  {'ok' if good else 'MISSED'}"
    )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="Benchmark the wire decoders.")
    parser.add_argument("--made", action="store_true", help="leave the recorded streams out")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    good = True
    for wire in ("anthropic", "gemini", "openai-chat", "openai-responses"):
        good &= report(f"{wire}, long", measure(wire, [made(wire)], options.rounds))
        paths = [path for path in recorded(wire) if path and wire_of(path) == wire]
        if paths and not options.made:
            report(f"{wire}, recorded", measure(wire, [read(path) for path in paths], options.rounds))
    print(f"limits: decode at most {LIMIT:g} x json.loads, with assembling faster than the SDK")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
