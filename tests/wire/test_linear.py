"""The cost of a stream grows with its length and nothing else: many blocks, many calls, long arguments,
single bytes.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest

from streamrender import Assembler, decode
from tests.wire.support import DONE, block, chat, delta, end, gemini, sse, start, stop


def _blocks(size: int) -> bytes:
    values = [one for at in range(size) for one in (block(at), delta(at, "a"), stop(at))]
    return sse(start(), *values, end(), DONE)


def _calls(size: int) -> bytes:
    call = {"function": {"name": "f", "arguments": "{}"}}
    return sse(*[chat({"tool_calls": [{"index": at, "id": f"c{at}", **call}]}) for at in range(size)])


def _arguments(size: int) -> bytes:
    first = chat({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a":"'}}]})
    return sse(
        first, *[chat({"tool_calls": [{"index": 0, "function": {"arguments": "{xx"}}]}) for _ in range(size)]
    )


def _partial_args(size: int) -> bytes:
    def call(at: int) -> dict[str, Any]:
        piece = {"jsonPath": f"$.a[{at // 9}].b{at % 9}", "stringValue": "x"}
        return {"functionCall": {"name": "f" if not at else "", "partialArgs": [piece], "willContinue": True}}

    return sse(*[gemini(call(at)) for at in range(size)])


def _items(size: int) -> bytes:
    values: list[dict[str, Any]] = []
    output = [
        {"type": "message", "id": f"i{at}", "content": [{"type": "output_text", "text": "a"}]}
        for at in range(size)
    ]
    for at, item in enumerate(output):
        values.append(
            {"type": "response.output_item.added", "output_index": at, "item": {**item, "content": []}}
        )
        values.append({"type": "response.output_item.done", "output_index": at, "item": item})
    return sse(*values, {"type": "response.completed", "response": {"id": "r", "output": output}})


def cost(make: Callable[[], Any], data: bytes, step: int) -> float:
    best = 9.0
    for _ in range(5):
        decoder, assembler = make(), Assembler()
        begin = time.process_time()
        events = [event for at in range(0, len(data), step) for event in decoder.feed(data[at : at + step])]
        for event in [*events, *decoder.close()]:
            assembler.feed(event)
        assembler.to_dict()
        best = min(best, time.process_time() - begin)
    return best


@pytest.mark.parametrize(
    ("wire", "make", "step"),
    [
        ("anthropic", _blocks, 4096),
        ("openai-chat", _calls, 4096),
        ("openai-chat", _arguments, 4096),
        ("gemini", _partial_args, 4096),
        ("openai-responses", _items, 4096),
        ("anthropic", lambda size: b"data: " + b"x" * 40 * size, 1),
        ("chunks", lambda size: b'"' + b"x" * 40 * size, 1),
    ],
)
def test_linear(wire: str, make: Callable[[int], bytes], step: int) -> None:
    small, large = (cost(lambda: decode(wire), make(size), step) for size in (400, 3200))
    assert large < 32 * small  # 8 times the stream; quadratic would be 64 times the cost


class _Rereads:
    """A mutant: decodes everything so far again with each feed."""

    def __init__(self) -> None:
        self._all = b""

    def feed(self, data: bytes) -> list[Any]:
        self._all += data
        decode("anthropic").feed(self._all)
        return []

    def close(self) -> list[Any]:
        return []


def test_a_quadratic_decoder_is_noticed() -> None:
    assert cost(_Rereads, _blocks(320), 1024) > 32 * cost(_Rereads, _blocks(40), 1024)
