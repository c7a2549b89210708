"""The SSE parser against the WHATWG rules, written down again here a character at a time, and against its
caps.
"""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamrender.wire.sse import SSE, Frame


def whatwg(data: bytes) -> list[tuple[str, str]]:
    """(event name, data) of each dispatched event, by the steps of the standard on the whole text."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines: list[str] = []
    line = ""
    at = 0
    while at < len(text):
        if text[at] in "\r\n":
            lines.append(line)
            line = ""
            at += 2 if text[at : at + 2] == "\r\n" else 1
        else:
            line += text[at]
            at += 1
    events: list[tuple[str, str]] = []
    name = buffer = ""
    for line in lines:  # what follows the last line end is not a line yet
        if line == "":
            if buffer != "":
                events.append((name, buffer[:-1]))
            name = buffer = ""
        elif not line.startswith(":"):
            field, colon, value = line.partition(":")
            if colon and value.startswith(" "):
                value = value[1:]
            if field == "event":
                name = value
            elif field == "data":
                buffer += value + "\n"
    return events


def frames(data: bytes, cuts: list[int], make: Callable[[], SSE] = SSE) -> list[Frame]:
    parser = make()
    found: list[Frame] = []
    start = 0
    for cut in [*sorted(cuts), len(data)]:
        found += parser.feed(data[start:cut])
        start = max(cut, start)
    return found + parser.close()


# Lines that are no JSON: what WHATWG ignores and this parser collects is tested elsewhere.
PIECES = st.sampled_from(
    [
        b"data",
        b":",
        b" ",
        b"event",
        b"id",
        b"retry",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"x",
        b"\xe4\xba\xac",
        b"\xe4",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\x0b\x0c",
        b"\x00",
        b"data: a\n\n",
        b"\xf0\x9f\x98\x80",
        b"\xff",
    ]
)


@given(st.lists(PIECES, max_size=20).map(b"".join), st.lists(st.integers(0, 80), max_size=5))
@example(b"data: a\r\ndata: b\r\n\r\n", [8])
@example(b"\xef\xbb\xbfdata: a\n\n", [1, 2, 3])
@example(b"data:\n\ndata: \n\n", [])
def test_equals_the_standard(data: bytes, cuts: list[int]) -> None:
    found = frames(data, [min(cut, len(data)) for cut in cuts])
    assert [(name, text) for kind, name, text in found if kind == "event"] == whatwg(data)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_frames_do_not_depend_on_the_cuts(data: bytes, cuts: list[int]) -> None:
    assert frames(data, [min(cut, len(data)) for cut in cuts]) == frames(data, [])


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"data: a\n", [("tail", "", "a")]),
        (b"event: e\ndata: a", [("tail", "e", "a")]),
        (b'{"error":\n {"a": "}"}}\n', [("loose", "", '{"error":\n {"a": "}"}}')]),
        (b'[{"a":1}\n,\r\n{"b":2}]', [("loose", "", '{"a":1}'), ("loose", "", '{"b":2}')]),
        (b'{"cut": \ndata: 1\n\n', [("stray", "", '{"cut":'), ("event", "", "1")]),
        (b"error: x\n", [("error", "", "x")]),
        (b"<html>\n", [("stray", "", "<html>")]),
        (b": keepalive\n\nid: 1\nretry: 5\nunknown: z\n\n", []),
        (b'{"\\', [("stray", "", '{"\\')]),
    ],
)
def test_what_is_no_event(data: bytes, wanted: list[Frame]) -> None:
    assert frames(data, []) == wanted
    assert frames(data, list(range(len(data)))) == wanted


def _small() -> SSE:
    return SSE(max_line=20, max_event=30)


@pytest.mark.parametrize(
    "data",
    [
        b"data: 1\n\ndata: " + b"x" * 40 + b"\n\ndata: 2\n\n",
        b"data: 1\n\ndata: " + b"x" * 40,
        b"data: 1\n\n" + b"data: 1234567890\n" * 9 + b"\ndata: 2\n\n",
        b"data: 1\n\n" + b'{"a":\n1,\n' + b'"bbbbbbbbb":1,\n' * 9,
    ],
)
def test_caps_end_the_stream_cleanly_wherever_it_is_cut(data: bytes) -> None:
    whole = frames(data, [], _small)
    assert [kind for kind, _, _ in whole] == ["event", "cap"]
    assert frames(data, list(range(len(data))), _small) == whole


def test_memory_stays_within_the_caps() -> None:
    parser = _small()
    for _ in range(1000):
        parser.feed(b"x" * 15)
    assert len(parser._tail) <= 40
