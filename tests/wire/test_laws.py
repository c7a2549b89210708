"""Laws over all bytes, by generated streams of each wire: cuts, regularity, JSON, no exceptions; and their
mutants.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamrender import Assembler, decode
from streamrender.wire import WIRES, AnthropicDecoder
from streamrender.wire.base import Decoder
from streamrender.wire.sse import SSE, Frame
from tests.wire.regular import irregularities
from tests.wire.streams import VALUES, streams
from tests.wire.support import DONE, Make, block, chat, delta, end, fold, gemini, run, sse, start, stop

GENERATED = sorted(VALUES)


def cut_law(make: Make, data: bytes, cuts: list[int]) -> bool:
    """The events of `data` do not depend on where it is cut."""
    return run(make, data, [cut % (len(data) + 1) for cut in cuts]) == run(make, data)


@pytest.mark.parametrize("wire", GENERATED)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_stream_decodes_regularly_whatever_the_cuts(wire: str, data: st.DataObject) -> None:
    stream = data.draw(streams(wire))
    events = run(wire, stream)
    assert irregularities(events) == []
    text = json.dumps(events, ensure_ascii=False, allow_nan=False)
    assert json.loads(text.encode()) == events
    message = fold(events)
    assert json.loads(json.dumps(message, ensure_ascii=False, allow_nan=False).encode()) == message
    assert message["ended"] == events[-1]["ended"]
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=6))
    assert cut_law(lambda: decode(wire), stream, cuts)
    if len(stream) < 400:
        assert cut_law(lambda: decode(wire), stream, list(range(len(stream))))


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=5))
def test_no_bytes_raise(wire: str, data: bytes, cuts: list[int]) -> None:
    events = run(wire, data, [cut % (len(data) + 1) for cut in cuts])
    assert irregularities(events) == []
    assert events == run(wire, data)
    assert events[-1]["ended"] != "completed" or b"done" in data or b"stop" in data


@pytest.mark.parametrize("wire", WIRES)
def test_documented_errors(wire: str) -> None:
    decoder = decode(wire)
    with pytest.raises(TypeError):
        decoder.feed("text")  # type: ignore[arg-type]
    assert decoder.feed(bytearray(b"")) == []
    assert decoder.close()[-1]["type"] == "stream_end"
    assert decoder.close() == []
    with pytest.raises(ValueError, match="close"):
        decoder.feed(b"")
    with pytest.raises(ValueError, match="unknown wire"):
        decode("smoke-signals")


@given(
    st.lists(st.dictionaries(st.sampled_from(["type", "index", "delta", "message", "block"]), st.just({})))
)
def test_the_assembler_takes_any_events(events: list[dict[str, Any]]) -> None:
    fold(events)


def _chat(text: str) -> dict[str, Any]:
    return chat({"content": text})


def _said(text: str) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}


@pytest.mark.parametrize(
    ("wire", "piece"),
    [
        ("openai-chat", _chat),
        ("openai-chat", lambda text: chat({"reasoning": text})),
        ("gemini", lambda text: gemini({"text": text})),
        ("openai-responses", _said),
    ],
)
@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["a\ud83d", "\ude00b"], "a😀b"),
        (["a\ud83d", "b", "\ude00"], "a\ufffdb\ufffd"),
        (["\ude00\ud83d"], "\ufffd\ufffd"),
    ],
)
def test_halves_of_characters_wait_on_every_wire(
    wire: str, piece: Callable[[str], dict[str, Any]], pieces: list[str], text: str
) -> None:
    data = b"".join(b"data: " + json.dumps(piece(one)).encode() + b"\n\n" for one in pieces)
    (found,) = fold(run(wire, data))["content"]
    assert found[found["type"]] == text


def test_fields_named_like_our_own_parameters_are_fields() -> None:
    odd = {"self": 1, "out": 2, "index": 3, "name": 4, "event": 5, "error_": 6}
    error = {"type": "error", "error": {"message": "m"}, **odd}
    assert error in run("anthropic", sse(error))
    (found,) = fold(run("gemini", sse(gemini({"text": "a", **odd}))))["content"]
    assert found["provider"] == odd


# Mutants: decoders with one broken rule each, which the law's checker must reject.


class _TextPerChunk(SSE):
    """Decodes UTF-8 a chunk at a time."""

    def feed(self, chunk: bytes) -> list[Frame]:
        return super().feed(chunk.decode("utf-8", "replace").encode())


class _BlindToCrLf(SSE):
    """Forgets that a CR at the end of a chunk may belong to an LF in the next."""

    def feed(self, chunk: bytes) -> list[Frame]:
        self._skip_lf = False
        return super().feed(chunk)


class _DispatchPerChunk(SSE):
    """Takes the end of a chunk for the end of a line."""

    def feed(self, chunk: bytes) -> list[Frame]:
        return super().feed(chunk + b"\n") if chunk.endswith(b"}") else super().feed(chunk)


class _SplitsAtSeparators(SSE):
    """Takes U+2028 for the end of a line."""

    def feed(self, chunk: bytes) -> list[Frame]:
        return super().feed(chunk.replace("\u2028".encode(), b"\n"))


def _with(parser: type[SSE]) -> Make:
    def make() -> Decoder:
        decoder = AnthropicDecoder()
        decoder._sse = parser()
        return decoder

    return make


STREAM = sse(start(), block(0), delta(0, "北京😀 a\u2028b"), stop(0), end(), DONE)
# Data of two lines: there an extra line end between them is not harmless.
STREAM = STREAM.replace(b'"message": {', b'\ndata: "message": {').replace(b"\n", b"\r\n")


def _every_single_cut_is_equal(make: Make) -> bool:
    return all(cut_law(make, STREAM, [cut]) for cut in range(len(STREAM)))


def _text_is_right(make: Make) -> bool:
    return fold(run(make, STREAM))["content"] == [{"type": "text", "text": "北京😀 a\u2028b"}]


@pytest.mark.parametrize(
    ("mutant", "law"),
    [
        (_TextPerChunk, _every_single_cut_is_equal),
        (_BlindToCrLf, _every_single_cut_is_equal),
        (_DispatchPerChunk, _every_single_cut_is_equal),
        (_SplitsAtSeparators, _text_is_right),
    ],
)
def test_broken_parsers_are_noticed(mutant: type[SSE], law: Callable[[Make], bool]) -> None:
    assert law(_with(SSE))
    assert not law(_with(mutant))


def _drop(kind: str) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    return lambda events: [event for event in events if event["type"] != kind]


@pytest.mark.parametrize(
    "spoil",
    [
        _drop("message_start"),
        _drop("content_block_start"),
        _drop("content_block_stop"),
        _drop("stream_end"),
        lambda events: [*events, events[-1]],
        lambda events: [*events[:2], *events[1:]],
        lambda events: [
            event | {"index": 7} if event["type"] == "content_block_delta" else event for event in events
        ],
    ],
)
def test_irregular_events_are_noticed(spoil: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    events = run("anthropic", STREAM)
    assert irregularities(events) == []
    assert irregularities(spoil(events)) != []


class _AddsUsage(Assembler):
    """Adds token counts instead of overwriting them."""

    def _take_usage(self, fields: dict[str, Any]) -> None:
        old = dict(self._usage_raw)
        super()._take_usage(fields)
        self._usage_raw = {
            k: v + old.get(k, 0) if isinstance(v, int) else v for k, v in self._usage_raw.items()
        }


def test_added_usage_is_noticed() -> None:
    data = sse(start(), end(input_tokens=2), end(input_tokens=1), DONE)
    assert fold(run("anthropic", data))["usage_raw"]["input_tokens"] == 1
    assert fold(run("anthropic", data), _AddsUsage)["usage_raw"]["input_tokens"] != 1
