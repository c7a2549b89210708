"""The browser models' wire: deltas or cumulative texts, ends, half characters."""

import json
from typing import Any

import pytest

from streamrender import decode
from streamrender.wire import chunks as module
from tests.wire.support import faults, fold, run, text_of


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


DONE = {"done": True}


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["Hel", "lo", " world"], "Hello world"),
        (["Hel", "Hello", "Hello wor", "Hello world", "Hello world"], "Hello world"),
        (["", "Hel", "Hello"], "Hello"),
        (["a", "b", "c", "d", "abcde"], "abcdabcde"),  # too late to be the cumulative style
        (["ha", "ha", "ha"], "hahaha"),  # not longer: a repeated piece
        (["a\ud83d", "\ude00b"], "a😀b"),
        (["a\ud83d", "a😀b", "a😀bc"], "a😀bc"),
        (["a\ud83d", "b"], "a\ufffdb"),
        ([], ""),
    ],
)
def test_pieces(pieces: list[str], text: str) -> None:
    data = lines(*pieces, DONE)
    events = run("chunks", data)
    assert (text_of(fold(events)), fold(events)["ended"]) == (text, "completed")
    assert run("chunks", data, range(len(data))) == events


DELTA, CUMULATIVE = {"style": "delta"}, {"style": "cumulative"}


@pytest.mark.parametrize(
    ("given", "text", "found"),
    [
        ([DELTA, "ha", "haha"], "hahaha", []),  # would be taken for cumulative
        ([CUMULATIVE, "a", "b", "ab"], "abab", ["not_cumulative"]),
        ([CUMULATIVE, "a", "ab", "abc", "xyz", "xyz1"], "abcxyzxyz1", ["not_cumulative"]),
        ([CUMULATIVE, "", "a", "a", "abc"], "abc", []),
        ([CUMULATIVE, "abc", "ab", "abcd"], "abcd", []),  # shorter for once: nothing is taken back
        ([CUMULATIVE, "a", "ab", DELTA, "ab", "c"], "ababc", []),
        ([DELTA, "a", "b", CUMULATIVE, "abc", "abcd", DELTA, "e", CUMULATIVE, "abcdef"], "abcdef", []),
        ([DELTA, "a", CUMULATIVE, "b"], "ab", ["not_cumulative"]),
        ([CUMULATIVE, "a\ud83d", "a😀b", "a😀bc"], "a😀bc", []),
    ],
)
def test_the_style_can_be_said(given: list[Any], text: str, found: list[str]) -> None:
    data = lines(*given, DONE)
    events = run("chunks", data)
    assert (text_of(fold(events)), faults(events)) == (text, found)
    assert run("chunks", data, range(len(data))) == events


def test_a_tool_call_is_a_block_of_its_own() -> None:
    call = {"tool": {"id": "t1", "name": "calculator", "input": {"expression": "1 + 1"}}}
    data = lines(
        DELTA, "Let me see.", call, {"tool": {"name": "clock"}}, {"done": True, "stop_reason": "tool_use"}
    )
    events = run("chunks", data)
    message = fold(events)
    text, one, other = message["content"]
    assert (message["stop_reason"], text["text"]) == ("tool_use", "Let me see.")
    assert (one["type"], one["id"], one["name"]) == ("tool_use", "t1", "calculator")
    assert (one["input"], one["input_status"]) == ({"expression": "1 + 1"}, "complete")
    assert (other["name"], other["input"], bool(other["id"])) == ("clock", {}, True)
    assert run("chunks", data, range(len(data))) == events


def test_ends() -> None:
    assert fold(run("chunks", lines("a")))["ended"] == "cut_off"
    assert fold(run("chunks", lines("a", DONE)))["stop_reason"] == "end_turn"
    assert fold(run("chunks", lines("a", DONE)[:-1]))["ended"] == "completed"
    found = fold(run("chunks", lines("a", {"error": {"name": "NotAllowedError", "message": "no"}})))
    assert (text_of(found), found["error"]["type"]) == ("a", "permission")
    assert fold(run("chunks", lines({"error": "no"})))["error"]["message"] == "no"


def test_junk_is_reported() -> None:
    events = run("chunks", b'not json\n"a"\n[1]\n{"done":true}\n"late"\n')
    assert faults(events) == ["unreadable", "after_end"]
    assert {"type": "unknown", "name": "", "raw": [1]} in events
    assert faults(run("chunks", b'"a"\n"cut')) == ["truncated_event"]


def test_a_line_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 50)
    data = lines("a") + b'"' + b"x" * 100 + b'"\n' + lines("b", DONE)
    events = run("chunks", data)
    assert fold(events)["error"]["type"] == "too_large"
    assert text_of(fold(events)) == "a"
    assert run("chunks", data, range(len(data))) == events
    decoder = decode("chunks")
    for _ in range(100):
        decoder.feed(b"x" * 10)
    assert len(decoder._tail) <= 60  # type: ignore[attr-defined]
