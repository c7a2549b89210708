"""The ten rules of reading model streams, each with what breaks when it is not kept."""

from typing import Any

import pytest

from streamrender import Assembler
from tests.wire.support import (
    DONE,
    arguments,
    block,
    chat,
    delta,
    end,
    faults,
    fold,
    gemini,
    message,
    run,
    sse,
    start,
    stop,
    text_of,
)


def tools(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    keys = ("name", "input", "input_text", "input_status")
    return [tuple(one[key] for key in keys) for one in found["content"] if one["type"].endswith("tool_use")]


def test_1_blocks_are_keyed_by_the_wires_own_key() -> None:
    """Interleaved blocks do not mix."""
    values = [
        block(0),
        block(1, "tool_use"),
        delta(0, "a"),
        arguments(1, '{"x":'),
        delta(0, "b"),
        arguments(1, "1}"),
    ]
    found = message("anthropic", sse(start(), *values, stop(1), stop(0), end("tool_use"), DONE))
    assert text_of(found) == "ab"
    assert tools(found) == [("f", {"x": 1}, '{"x":1}', "complete")]


def test_2_start_payloads_are_not_empty() -> None:
    values = [
        block(0, text="He"),
        delta(0, "llo"),
        stop(0),
        block(1, "thinking", thinking="h", signature="S"),
    ]
    found = message("anthropic", sse(start(), *values, delta(1, "m", "thinking_delta"), stop(1), end(), DONE))
    assert [one["type"] for one in found["content"]] == ["text", "thinking"]
    assert (text_of(found), text_of(found, "thinking"), found["content"][1]["signature"]) == (
        "Hello",
        "hm",
        "S",
    )


def test_2_a_whole_message_in_message_start() -> None:
    whole = {"type": "tool_use", "id": "t", "name": "f", "input": {"x": 1}, "caller": {"type": "direct"}}
    begin = start(content=[whole], stop_reason="tool_use", container={"id": "c"})
    events = run("anthropic", sse(begin, DONE))
    found = fold(events)
    assert tools(found) == [("f", {"x": 1}, "", "complete")]
    assert (found["stop_reason"], found["ended"]) == ("tool_use", "completed")
    assert found["provider"]["container"] == {"id": "c"}
    assert events[0]["message"]["content"] == []
    assert events[1]["content_block"] == whole
    assert faults(events) == []


def test_3_usage_overwrites_field_by_field() -> None:
    begin = start(usage={"input_tokens": 60385, "output_tokens": 1, "cache_read_input_tokens": 55096})
    last = end(input_tokens=612, cache_read_input_tokens=0, service_tier=None, cost=0.1)
    found = message("anthropic", sse(begin, end(input_tokens=7), last, DONE))
    wanted = {"input_tokens": 612, "output_tokens": 9, "cache_read_input_tokens": 0, "cost": 0.1}
    assert found["usage_raw"] == wanted
    assert found["usage"]["cache_read_tokens"] == 0


@pytest.mark.parametrize(
    ("after", "reason", "status"),
    [
        ([], "tool_use", "complete"),
        ([], "end_turn", "complete"),
        ([], "max_tokens", "incomplete"),
        ([], "refusal", "incomplete"),
        ([], None, "incomplete"),
        ([block(1), delta(1, "x"), stop(1)], "max_tokens", "complete"),
    ],
)
def test_4_a_call_is_complete_when_whole_and_the_stream_moved_on(
    after: list[Any], reason: str | None, status: str
) -> None:
    values = [block(0, "tool_use"), arguments(0, '{"x": 1}'), stop(0), *after]
    found = message("anthropic", sse(start(), *values, end(reason), DONE))
    assert tools(found) == [("f", {"x": 1} if status == "complete" else None, '{"x": 1}', status)]


class _TrustsTheStop(Assembler):
    """A mutant: the stop of its block completes a call."""

    def to_dict(self) -> dict[str, Any]:
        self._stop["stop_reason"] = "tool_use"
        return super().to_dict()


def test_4_trusting_the_blocks_own_stop_is_noticed() -> None:
    events = run("anthropic", sse(start(), block(0, "tool_use"), arguments(0, '{"x": 1}'), stop(0)))
    assert tools(fold(events)) == [("f", None, '{"x": 1}', "incomplete")]
    assert tools(fold(events, _TrustsTheStop)) != tools(fold(events))


def test_4_calls_before_a_fallback_are_void() -> None:
    seam = {"type": "fallback", "from": {"model": "m"}, "to": {"model": "n"}, "trigger": {"type": "refusal"}}
    first = [block(0, "tool_use"), arguments(0, '{"x": 1}')]
    seam_start = {"type": "content_block_start", "index": 1, "content_block": seam}
    later = [block(2, "tool_use"), arguments(2, '{"x": 2}'), stop(2)]
    events = run("anthropic", sse(start(), *first, seam_start, stop(1), *later, end("tool_use"), DONE))
    found = fold(events)
    assert tools(found) == [("f", None, '{"x": 1}', "incomplete"), ("f", {"x": 2}, '{"x": 2}', "complete")]
    assert found["content"][0]["superseded"] is True
    assert found["content"][1] == seam
    assert found["model"] == "n"
    assert {"type": "superseded", "reason": "fallback"} in events


@pytest.mark.parametrize(
    "seam_start",
    [
        {"type": "content_block_start", "content_block": {"type": "fallback"}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "fallback", "to": {"model": "n"}},
        },
    ],
)
def test_4_a_fallback_without_index_or_under_a_used_one(seam_start: dict[str, Any]) -> None:
    data = sse(
        start(), block(0), delta(0, "a"), stop(0), seam_start, block(1), delta(1, "b"), stop(1), end(), DONE
    )
    found = message("anthropic", data)
    assert [one["type"] for one in found["content"]] == ["text", "fallback", "text"]
    assert (text_of(found), found["ended"]) == ("ab", "completed")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"a": Dave}', "invalid"),
        ('{"a": 1}{"a": 1}', "invalid"),
        ("[1]", "invalid"),
        ('{"a": [1,', "incomplete"),
        ('{"', "incomplete"),
    ],
)
def test_5_text_that_does_not_parse_is_kept(text: str, status: str) -> None:
    values = [block(0, "tool_use"), arguments(0, text), stop(0), block(1), delta(1, "after"), stop(1)]
    found = message("anthropic", sse(start(), *values, end("tool_use"), DONE))
    assert tools(found) == [("f", None, text, status)]
    assert text_of(found) == "after"


def test_5_input_at_the_start_and_as_deltas() -> None:
    for streamed, wanted in (('{"y": 2}', {"y": 2}), ('{"y": ', {"x": 1}), ("", {"x": 1})):
        values = [block(0, "tool_use", input={"x": 1}), arguments(0, streamed), stop(0)]
        found = message("anthropic", sse(start(), *values, end("tool_use"), DONE))
        assert tools(found) == [("f", wanted, streamed, "complete")]


@pytest.mark.parametrize(
    ("wire", "values", "ended"),
    [
        ("anthropic", [start(), block(0), delta(0, "x")], "cut_off"),
        ("anthropic", [start(), block(0), delta(0, "x"), stop(0), end()], "cut_off"),
        ("anthropic", [start(), block(0), delta(0, "x"), stop(0), DONE], "completed"),
        ("openai-chat", [chat({"content": "x"}), "[DONE]"], "cut_off"),
        ("openai-chat", [chat({"content": "x"}), chat(finish="")], "cut_off"),
        ("openai-chat", [chat({"content": "x"}), chat(finish="stop")], "completed"),
        ("gemini", [gemini({"text": "x"})], "cut_off"),
        ("gemini", [gemini({"text": "x"}), gemini(finish="STOP")], "completed"),
        ("gemini", [{"promptFeedback": {"blockReason": "SAFETY"}}], "completed"),
        ("openai-responses", [{"type": "response.created", "response": {"id": "r"}}], "cut_off"),
        ("openai-responses", [{"type": "response.completed", "response": {"id": "r"}}], "completed"),
        ("openai-responses", [{"type": "response.incomplete", "response": {"id": "r"}}], "completed"),
        ("openai-responses", [{"type": "response.failed", "response": {"id": "r"}}], "error"),
    ],
)
def test_6_only_the_terminal_event_completes(wire: str, values: list[Any], ended: str) -> None:
    found = message(wire, sse(*values))
    assert found["ended"] == ended
    if wire != "openai-responses" and "promptFeedback" not in values[0]:
        assert text_of(found) == "x"


def test_7_the_type_is_in_the_data() -> None:
    values = [start(), block(0), delta(0, "x"), stop(0), end(), DONE]
    regular = message("anthropic", sse(*values))
    assert message("anthropic", sse(*values, name=False)) == regular
    assert message("anthropic", sse(*values).replace(b"event: ", b"event: other_")) == regular


def test_8_unknown_things_are_carried_along() -> None:
    odd = {"type": "content_block_start", "index": 0, "content_block": {"type": "connector_text", "x": [1]}}
    odd_delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "connector_delta", "y": 1}}
    event = {"type": "weather_report", "rain": True}
    events = run("anthropic", sse(start(), event, odd, odd_delta, stop(0), end("on_holiday"), DONE))
    found = fold(events)
    assert {"type": "unknown", "name": "weather_report", "raw": event} in events
    kept = {"deltas": [{"type": "connector_delta", "y": 1}]}
    assert found["content"] == [{"type": "connector_text", "x": [1], "provider": kept}]
    assert (found["stop_reason"], found["ended"]) == ("on_holiday", "completed")
    assert faults(events) == []


def test_9_bytes_become_text_with_replacement() -> None:
    data = sse(start(), block(0), delta(0, "a\u2028b\u2029c\x85d北?"), stop(0), end(), DONE)
    data = data.replace("北".encode(), b"\xe4\xba")
    assert text_of(message("anthropic", data)) == "a\u2028b\u2029c\x85d\ufffd?"


@pytest.mark.parametrize(
    ("wire", "data", "kind"),
    [
        ("anthropic", b'{"type":"error","error":{"type":"overloaded_error","message":"busy"}}', "overloaded"),
        (
            "anthropic",
            sse({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
            "overloaded",
        ),
        ("anthropic", b'data: {"error":{"code":"1302","message":"busy"}}\n\n', "rate_limit"),
        ("anthropic", b'event: error\ndata: {"message":"busy","type":"api_error"}\n\n', "server"),
        ("anthropic", b"<html><title>502 busy</title></html>", "not_a_stream"),
        (
            "gemini",
            b'{\n "error": {\n  "code": 503,\n  "message": "busy",\n  "status": "UNAVAILABLE"}\n}',
            "overloaded",
        ),
        ("gemini", b'[{"error": {"code": 429,"message": "busy"}}\n]', "rate_limit"),
        ("openai-chat", b'error: {"code":500,"message":"busy","type":"server_error"}\n\n', "server"),
        ("openai-chat", b'data: {"code":"Some resource","error":"busy"}\n\n', "upstream"),
        ("openai-chat", b'data: {"detail":"busy"}\n\n', "upstream"),
        ("openai-responses", sse({"type": "error", "code": "server_error", "message": "busy"}), "server"),
        ("chunks", b'{"error":{"name":"QuotaExceededError","message":"busy"}}\n', "context_window"),
    ],
)
def test_10_errors_come_in_five_places(wire: str, data: bytes, kind: str) -> None:
    found = message(wire, data)
    assert found["ended"] == "error"
    assert found["error"]["type"] == kind
    assert "busy" in found["error"]["message"]


def test_10_an_error_keeps_its_request_id() -> None:
    error = {"type": "error", "error": {"type": "api_error", "message": "m"}, "request_id": "req_1"}
    assert error in run("anthropic", sse(error))


def test_10_what_came_before_an_error_stays_and_secrets_do_not() -> None:
    error = {
        "type": "error",
        "error": {"type": "authentication_error", "message": "bad key sk-ant-api03-abcdef"},
    }
    events = run("anthropic", sse(start(), block(0), delta(0, "partial"), error))
    found = fold(events)
    assert (text_of(found), found["ended"]) == ("partial", "error")
    assert "sk-ant" not in repr(events)
    assert found["error"]["message"] == "bad key [secret]"
