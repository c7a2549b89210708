"""OpenAI Responses: keys, parts, terminal values, items of every family."""

from typing import Any

import pytest

from tests.wire.support import faults, fold, message, run, sse, text_of


def ev(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **fields}


def added(index: Any, item: dict[str, Any]) -> dict[str, Any]:
    return ev("output_item.added", output_index=index, item=item)


def finished(index: Any, item: dict[str, Any]) -> dict[str, Any]:
    return ev("output_item.done", output_index=index, item=item)


def said(index: Any, text: str, part: int = 0, **fields: Any) -> dict[str, Any]:
    return ev("output_text.delta", output_index=index, content_index=part, delta=text, **fields)


def completed(*output: dict[str, Any], kind: str = "completed", **fields: Any) -> dict[str, Any]:
    return ev(kind, response={"id": "r", "model": "m", "status": kind, "output": list(output), **fields})


CREATED = ev("created", response={"id": "r", "model": "m", "output": []})


def answer(text: str, ident: str = "i") -> dict[str, Any]:
    return {
        "type": "message",
        "id": ident,
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }


EMPTY = {"type": "message", "id": "i", "content": []}


def test_deltas_append_by_output_and_content_index() -> None:
    values = [CREATED, added(0, EMPTY), said(0, "a"), said(0, "c", 1), said(0, "b"), said(2, "x")]
    found = message("openai-responses", sse(*values))
    assert [one["text"] for one in found["content"]] == ["ab", "c", "x"]
    assert found["ended"] == "cut_off"


def test_ids_may_rotate_and_indexes_may_have_holes() -> None:
    first, second = answer("ab", "i7"), answer("c", "i8")
    values = [
        CREATED,
        added(0, EMPTY),
        said(0, "a", item_id="i1"),
        said(0, "b", item_id="i2"),
        finished(0, first),
        added(2, {**EMPTY, "id": "j"}),
        said(2, "c"),
        completed(first, second),
    ]
    events = run("openai-responses", sse(*values))
    assert [one["text"] for one in fold(events)["content"]] == ["ab", "c"]
    assert faults(events) == []


def test_without_indexes_the_item_id_is_the_key() -> None:
    values = [
        CREATED,
        added(None, EMPTY),
        added(None, {"type": "reasoning", "id": "q"}),
        ev("reasoning_text.delta", item_id="q", delta="hm"),
        ev("output_text.delta", item_id="i", delta="a"),
        completed(),
    ]
    found = message("openai-responses", sse(*values))
    assert (text_of(found), text_of(found, "thinking"), found["ended"]) == ("a", "hm", "completed")


def test_terminal_values_replace_what_streamed() -> None:
    done = ev("output_text.done", output_index=0, content_index=0, text="right")
    events = run(
        "openai-responses", sse(CREATED, added(0, EMPTY), said(0, "wrong"), done, completed(answer("right")))
    )
    assert text_of(fold(events)) == "right"
    assert "final_differs" in faults(events)
    events = run("openai-responses", sse(CREATED, added(0, EMPTY), said(0, "ri"), completed(answer("right"))))
    assert text_of(fold(events)) == "right"
    assert faults(events) == []


def test_items_that_never_streamed_come_from_the_terminal_response() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "g", "arguments": '{"x":1}'}
    found = message("openai-responses", sse(CREATED, completed(answer("a"), call)))
    assert text_of(found) == "a"
    assert (found["content"][1]["id"], found["content"][1]["input"], found["stop_reason"]) == (
        "c",
        {"x": 1},
        "tool_use",
    )
    assert found["content"][1]["provider"]["item"] == call


def test_reasoning_summaries_are_paragraphs_and_the_item_is_kept() -> None:
    item = {
        "type": "reasoning",
        "id": "q",
        "summary": [{"type": "summary_text", "text": t} for t in "ab"],
        "encrypted_content": "E",
    }
    values: list[Any] = [CREATED, added(0, {"type": "reasoning", "id": "q", "summary": []})]
    for at, text in enumerate("ab"):
        values.append(ev("reasoning_summary_part.added", output_index=0, summary_index=at, part={"text": ""}))
        values.append(ev("reasoning_summary_text.delta", output_index=0, summary_index=at, delta=text))
    events = run(
        "openai-responses", sse(*values, finished(0, item), completed({**item, "encrypted_content": "F"}))
    )
    found = fold(events)
    assert found["content"] == [
        {"type": "thinking", "thinking": "a\n\nb", "provider": {"item": {**item, "encrypted_content": "F"}}}
    ]
    assert faults(events) == []


def test_hidden_reasoning_is_kept() -> None:
    item = {"type": "reasoning", "id": "q", "summary": [], "encrypted_content": "E"}
    found = message("openai-responses", sse(CREATED, added(0, item), finished(0, item), completed(item)))
    assert found["content"] == [{"type": "thinking", "thinking": "", "provider": {"item": item}}]


def test_function_calls_stream_their_arguments() -> None:
    item = {"type": "function_call", "id": "f", "call_id": "c", "name": "g", "arguments": ""}
    pieces = [ev("function_call_arguments.delta", output_index=0, delta=text) for text in ('{"x"', ":1}")]
    done = ev("function_call_arguments.done", output_index=0, arguments='{"x":1}')
    whole = {**item, "arguments": '{"x":1}'}
    events = run(
        "openai-responses", sse(CREATED, added(0, item), *pieces, done, finished(0, whole), completed(whole))
    )
    (call,) = fold(events)["content"]
    assert (call["type"], call["id"], call["name"], call["input"]) == ("tool_use", "c", "g", {"x": 1})
    assert faults(events) == []
    cut = message("openai-responses", sse(CREATED, added(0, item), pieces[0]))
    assert (cut["content"][0]["input_status"], cut["content"][0]["input_text"]) == ("incomplete", '{"x"')


CODE = {"type": "code_interpreter_call", "id": "k", "code": "1+1", "outputs": [{"type": "logs", "logs": "2"}]}
CUSTOM = {"type": "custom_tool_call", "id": "k", "call_id": "c", "name": "sql", "input": 'a "b"'}


@pytest.mark.parametrize(
    ("family", "item", "kind", "value"),
    [
        ("code_interpreter_call_code", CODE, "server_tool_use", {"code": "1+1"}),
        ("custom_tool_call_input", CUSTOM, "tool_use", {"input": 'a "b"'}),
    ],
)
def test_free_text_arguments_stream_inside_json(
    family: str, item: dict[str, Any], kind: str, value: Any
) -> None:
    text = item.get("code") or item["input"]
    begun = {**item, "code": "", "input": "", "outputs": None}
    pieces = [ev(f"{family}.delta", output_index=0, delta=part) for part in (text[:2], text[2:])]
    events = run(
        "openai-responses", sse(CREATED, added(0, begun), *pieces, finished(0, item), completed(item))
    )
    call = fold(events)["content"][0]
    assert (call["type"], call["input"], call["input_status"]) == (kind, value, "complete")
    assert faults(events) == []


def test_provider_run_tools_and_their_results() -> None:
    search = {
        "type": "web_search_call",
        "id": "w",
        "status": "completed",
        "action": {"type": "search", "query": "q"},
    }
    mcp = {
        "type": "mcp_call",
        "id": "p",
        "name": "n",
        "server_label": "s",
        "arguments": "{}",
        "output": "out",
        "error": None,
    }
    image = {"type": "image_generation_call", "id": "g", "result": "AAAA", "output_format": "png"}
    odd = {"type": "teleport_call", "id": "t", "to": "Mars"}
    steps = [ev("web_search_call.searching", output_index=0, item_id="w")]
    items = [search, mcp, image, odd]
    stream = [
        one
        for at, item in enumerate(items)
        for one in (added(at, {"type": item["type"], "id": item["id"]}), finished(at, item))
    ]
    found = message(
        "openai-responses",
        sse(CREATED, *steps, *stream, completed(*items, usage={"input_tokens": 5, "output_tokens": 1})),
    )
    kinds = [one["type"] for one in found["content"]]
    assert kinds == [
        "server_tool_use",
        "mcp_tool_use",
        "mcp_tool_result",
        "server_tool_use",
        "image_generation_tool_result",
        "teleport_call",
    ]
    assert found["content"][0]["input"] == {"action": {"type": "search", "query": "q"}}
    assert found["content"][2]["content"] == "out"
    assert found["content"][4]["content"][0]["source"]["data"] == "AAAA"
    assert found["content"][5]["provider"]["item"] == odd
    assert found["usage"]["server_tool_uses"] == 3
    assert found["stop_reason"] == "end_turn"


@pytest.mark.parametrize(
    ("kind", "fields", "wanted"),
    [
        (
            "incomplete",
            {"incomplete_details": {"reason": "max_output_tokens"}},
            ("completed", "max_tokens", None),
        ),
        ("incomplete", {"incomplete_details": {"reason": "content_filter"}}, ("completed", "refusal", None)),
        ("incomplete", {"incomplete_details": {"reason": "steered"}}, ("completed", "steered", None)),
        (
            "failed",
            {"error": {"code": "rate_limit_exceeded", "message": "slow"}},
            ("error", None, "rate_limit"),
        ),
    ],
)
def test_other_ends(kind: str, fields: dict[str, Any], wanted: tuple[Any, ...]) -> None:
    found = message(
        "openai-responses", sse(CREATED, added(0, EMPTY), said(0, "a"), completed(kind=kind, **fields))
    )
    assert text_of(found) == "a"
    assert (found["ended"], found["stop_reason"], (found["error"] or {}).get("type")) == wanted


def test_an_error_event_before_the_failure() -> None:
    error = {"type": "error", "error": {"type": "insufficient_quota", "message": "pay"}}
    found = message(
        "openai-responses", sse(CREATED, error, completed(kind="failed", error={"code": "x", "message": "y"}))
    )
    assert (found["ended"], found["error"]["type"], found["error"]["message"]) == ("error", "quota", "pay")


def test_refusals_and_citations() -> None:
    part = {"type": "refusal", "refusal": "No."}
    item = {"type": "message", "id": "i", "content": [part]}
    pieces = [
        ev("refusal.delta", output_index=0, content_index=0, delta="No."),
        finished(0, item),
        completed(item),
    ]
    found = message("openai-responses", sse(CREATED, added(0, EMPTY), *pieces))
    assert (text_of(found), found["stop_reason"]) == ("No.", "refusal")
    note = {"type": "url_citation", "url": "https://x", "title": "X", "start_index": 0, "end_index": 1}
    cited = ev("output_text.annotation.added", output_index=0, content_index=0, annotation=note)
    found = message(
        "openai-responses", sse(CREATED, added(0, EMPTY), said(0, "a"), cited, completed(answer("a")))
    )
    assert found["content"][0]["citations"][0]["url"] == "https://x"


def test_what_follows_the_terminal_event_is_not_read() -> None:
    events = run("openai-responses", sse(CREATED, completed(answer("a")), CREATED, said(0, "b")))
    assert text_of(fold(events)) == "a"
    assert faults(events) == ["after_end", "after_end"]


def test_unknown_events_are_carried_along() -> None:
    odd = ev("hologram.delta", delta="x")
    assert {"type": "unknown", "name": "response.hologram.delta", "raw": odd} in run(
        "openai-responses", sse(odd)
    )
