"""A recorded response taken apart: every frame once, with the time at which its last byte was there."""

import random
from pathlib import Path

import pytest

from streamrender import frames
from streamrender.wire import decode
from tests.corpus import CORPUS

BODY = b'event: a\ndata: {"x":1}\n\n: note\n\ndata: two\ndata: lines\n\n'


def test_a_frame_has_the_time_of_the_piece_that_ended_it() -> None:
    found = frames.frames("anthropic", BODY, [(5, 10), (70, 14), (100, len(BODY) - 24)])
    assert [(raw["n"], raw["at"], raw["gap"], raw["size"]) for raw in found] == [
        (1, 70, 0, 7),
        (2, 100, 30, 9),
    ]
    assert [(raw["kind"], raw["name"], raw["data"]) for raw in found] == [
        ("event", "a", '{"x":1}'),
        ("event", "", "two\nlines"),
    ]


def test_what_was_unfinished_at_the_end_is_shown_as_such() -> None:
    found = frames.frames("anthropic", BODY + b"data: hal", [(1, len(BODY)), (9, 9)])
    assert [(raw["kind"], raw["at"], raw["data"]) for raw in found][-1] == ("tail", 9, "hal")


def test_lines_of_a_browser_model() -> None:
    found = frames.frames("chunks", b'"one"\n"two"\n{"do', [(0, 6), (4, 6), (9, 4)])
    assert [(raw["kind"], raw["at"], raw["data"]) for raw in found] == [
        ("event", 0, '"one"'),
        ("event", 4, '"two"'),
        ("tail", 9, '{"do'),
    ]


def test_arrivals_may_name_more_or_fewer_bytes_than_were_kept() -> None:
    assert list(frames.pieces(b"abcdef", [(1, 2), (2, 100), (3, 5)])) == [(1, b"ab"), (2, b"cdef")]
    assert list(frames.pieces(b"abcdef", [(1, 2)])) == [(1, b"ab"), (1, b"cdef")]
    assert list(frames.pieces(b"ab", [])) == [(0, b"ab")]


@pytest.mark.corpus
@pytest.mark.parametrize(("wire", "folder"), [("anthropic", "anthropic"), ("gemini", "gemini")])
def test_recorded_responses_lose_nothing_and_keep_their_times(wire: str, folder: str) -> None:
    recorded = sorted((CORPUS / folder).glob("**/*.sse"))
    assert recorded
    for path in recorded:
        _check(wire, path)


def _check(wire: str, path: Path) -> None:
    body = path.read_bytes()
    luck = random.Random(path.name)
    arrivals: list[tuple[int, int]] = []
    left = len(body)
    while left:
        length = min(left, luck.randint(1, 700))
        arrivals.append((len(arrivals) * 10, length))
        left -= length
    plain = body.replace(b"\r\n", b"\n")
    said = [line[5:].strip() for line in plain.split(b"\n") if line.startswith(b"data:")]
    found = frames.frames(wire, body, arrivals)
    data = "\n".join(raw["data"] for raw in found if raw["kind"] in ("event", "tail"))
    assert [line.strip() for line in data.encode().split(b"\n") if line.strip()] == [
        line for line in said if line
    ], path
    assert [raw["at"] for raw in found] == sorted(raw["at"] for raw in found)
    assert sum(raw["gap"] for raw in found) == (found[-1]["at"] - found[0]["at"] if found else 0)
    live = decode(wire)
    whole = [*live.feed(body), *live.close()]
    timed = frames.events(wire, body, arrivals)
    assert [{key: event[key] for key in event if key != "at"} for event in timed] == whole, path
