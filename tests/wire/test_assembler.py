"""The assembler on event lists that no decoder gave: nothing merges wrongly, nothing raises."""

from typing import Any

import pytest

from streamrender import Assembler
from streamrender.message import assemble, tool_input
from streamrender.usage import merge, normal
from tests.wire.support import DONE, block, delta, end, fold, start, stop, text_of

END = {"type": "stream_end", "ended": "completed", "error": None}


def test_a_second_message_start_without_notice_begins_anew() -> None:
    found = fold(
        [start(), block(0), delta(0, "first"), start("other"), block(0), delta(0, "second"), stop(0)]
    )
    assert (text_of(found), found["id"]) == ("second", "other")
    assert fold([start(), block(0), delta(0, "a"), start(), delta(0, "b")])["content"] == [
        {"type": "text", "text": "ab"}
    ]


def test_deltas_for_unknown_blocks_open_them_and_are_noted() -> None:
    assembler = Assembler()
    for event in (
        start(),
        delta(4, "h", "thinking_delta"),
        delta(7, "a"),
        {"type": "content_block_delta", "index": 7},
    ):
        assembler.feed(event)
    assert [one["type"] for one in assembler.to_dict()["content"]] == ["thinking", "text"]
    assert [one["kind"] for one in assembler.faults] == ["implicit_block_start"] * 2


def test_a_reused_index_does_not_merge() -> None:
    found = fold([start(), block(0), delta(0, "a"), stop(0), block(0), delta(0, "b"), stop(0)])
    assert [one["text"] for one in found["content"]] == ["a", "b"]


def test_block_final_replaces_what_it_names() -> None:
    final = {"type": "block_final", "index": 0, "block": {"type": "text", "text": "right"}}
    note = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "provider_delta", "provider": {"a": 1}},
    }
    found = fold([start(), block(0), delta(0, "wrong"), note, final])
    assert found["content"] == [{"type": "text", "text": "right", "provider": {"a": 1}}]
    assert fold([final])["content"] == [{"type": "text", "text": "right"}]


def test_superseded_attempts_leave_nothing() -> None:
    events = [
        start(),
        block(0),
        delta(0, "a"),
        end(input_tokens=9),
        {"type": "superseded", "reason": "second_message_start"},
    ]
    found = fold(events)
    assert (found["content"], found["stop_reason"], found["usage_raw"]) == ([], None, {})


def test_each_request_has_its_own_message() -> None:
    request = {"type": "request_started", "round": 2, "provider": "p", "wire": "anthropic", "model": "m"}
    result = {"type": "tool_result", "id": "t", "content": "x", "is_error": False}
    found = fold([start(), block(0), delta(0, "a"), stop(0), end(), DONE, END, result, request, start("two")])
    assert (found["id"], found["content"], found["ended"]) == ("two", [], None)


def test_to_dict_is_a_snapshot() -> None:
    assembler = Assembler()
    assert assembler.to_dict()["ended"] is None
    for event in (start(), block(0), delta(0, "a")):
        assembler.feed(event)
    before = assembler.to_dict()
    assembler.feed(delta(0, "b"))
    assembler.feed(end(input_tokens=9))
    assert (text_of(before), before["stop_reason"], before["usage_raw"]["input_tokens"]) == ("a", None, 3)
    assert set(before) == {
        "id", "model", "role", "content", "stop_reason", "stop_sequence", "stop_details", "usage",
        "usage_raw", "ended", "error", "provider",
    }  # fmt: skip


def test_assemble_is_the_same_fold() -> None:
    events = [start(), block(0), delta(0, "a"), stop(0), end(), DONE, END]
    assert assemble(events) == fold(events)


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"a": []}, True])
@pytest.mark.parametrize(
    "event",
    [start(), block(0), delta(0, "a"), stop(0), end(), {"type": "block_final", "index": 0, "block": {}}],
)
def test_no_field_of_any_type_raises(event: dict[str, Any], value: Any) -> None:
    for key in event:
        fold([start(), block(0), {**event, key: value}, delta(0, "b")])


def test_usage_normal_form() -> None:
    raw = {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 4,
        "output_tokens_details": {"thinking_tokens": 5},
        "server_tool_use": {"web_search_requests": 6, "web_fetch_requests": 7, "other": None},
    }
    wanted = [1, 2, 3, 4, 5, 13]
    assert list(normal(raw).values()) == wanted
    assert list(normal({}).values()) == [0] * 6
    assert (
        list(normal({"input_tokens": "x", "output_tokens_details": 1, "server_tool_use": []}).values())
        == [0] * 6
    )
    assert merge({"a": 1, "b": 2}, {"a": None, "b": 0, "c": {}}) == {"a": 1, "b": 0, "c": {}}
    assert merge({"a": 1}, None) == {"a": 1}


def test_tool_input() -> None:
    assert tool_input("", True) == ({}, "complete")
    assert tool_input("", False) == (None, "incomplete")
    assert tool_input(" \n", True, {"x": 1}) == ({"x": 1}, "complete")
    assert tool_input('{"a":"\\ud83d"}', True) == ({"a": "\ufffd"}, "complete")
    assert tool_input('{"a":' * 9000, True) == (None, "incomplete")
    assert tool_input('{"a": NaN}', True) == ({"a": None}, "complete")
