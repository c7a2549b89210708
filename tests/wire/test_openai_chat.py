"""OpenAI Chat and its dialects: whose call a fragment is, where reasoning stands, how streams end."""

import json
from typing import Any

import pytest

from streamrender import decode
from tests.wire.support import chat, faults, fold, message, run, sse, text_of


def calls(found: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return [(one["id"], one["name"], one["input"]) for one in found["content"] if one["type"] == "tool_use"]


def fragment(index: Any = None, ident: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    found = {"index": index, "id": ident, "function": {k: v for k, v in function.items() if v is not None}}
    return {key: value for key, value in found.items() if value is not None}


def tool_stream(*fragments: dict[str, Any] | list[dict[str, Any]], finish: str = "tool_calls") -> bytes:
    deltas = [chat({"tool_calls": one if isinstance(one, list) else [one]}) for one in fragments]
    return sse(*deltas, chat(finish=finish), "[DONE]")


X, Y = {"x": 1}, {"y": 2}


@pytest.mark.parametrize(
    ("fragments", "wanted"),
    [
        # index and id, arguments in pieces
        ([fragment(0, "a", "f", '{"x"'), fragment(0, None, None, ":1}")], [("a", "f", X)]),
        # id and name repeated in every fragment
        ([fragment(0, "a", "f", '{"x"'), fragment(0, "a", "f", ":1}")], [("a", "f", X)]),
        # same index, other id
        (
            [fragment(0, "a", "f", '{"x":1}'), fragment(0, "b", "g", '{"y":2}')],
            [("a", "f", X), ("b", "g", Y)],
        ),
        # indexes from 1, and with a hole
        (
            [fragment(1, "a", "f", '{"x":1}'), fragment(4, "b", "g", '{"y":2}')],
            [("a", "f", X), ("b", "g", Y)],
        ),
        # interleaved
        (
            [
                fragment(0, "a", "f", '{"x"'),
                fragment(1, "b", "g", '{"y"'),
                fragment(0, None, None, ":1}"),
                fragment(1, None, None, ":2}"),
            ],
            [("a", "f", X), ("b", "g", Y)],
        ),
        # no index: by id, otherwise the last one
        (
            [
                fragment(None, "a", "f", '{"x"'),
                fragment(None, None, None, ":1}"),
                fragment(None, "b", "g", '{"y":2}'),
            ],
            [("a", "f", X), ("b", "g", Y)],
        ),
        # whole calls in one delta, without index
        (
            [[fragment(None, "a", "f", '{"x":1}'), fragment(None, "b", "g", '{"y":2}')]],
            [("a", "f", X), ("b", "g", Y)],
        ),
        # the name comes late
        ([fragment(0, "a", None, '{"x"'), fragment(0, None, "f", ":1}")], [("a", "f", X)]),
        # arguments as an object
        ([fragment(0, "a", "f", {"x": 1})], [("a", "f", X)]),
        # arguments null or empty: none
        ([fragment(0, "a", "f", ""), {"index": 0, "function": {"arguments": None}}], [("a", "f", {})]),
        # a cumulative server
        (
            [
                fragment(0, "a", "f", '{"x"'),
                fragment(0, "a", "f", '{"x":1'),
                fragment(0, "a", "f", '{"x":1}'),
                fragment(0, "a", "f", '{"x":1}'),
            ],
            [("a", "f", X)],
        ),
    ],
)
@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_tool_calls(fragments: list[Any], wanted: list[Any], finish: str) -> None:
    data = tool_stream(*fragments, finish=finish)
    found = message("openai-chat", data)
    assert calls(found) == wanted
    assert found["stop_reason"] == "tool_use"
    assert run("openai-chat", data, range(len(data))) == run("openai-chat", data)


def test_calls_without_ids_get_some_and_stay_apart() -> None:
    found = message(
        "openai-chat", tool_stream(fragment(0, None, "f", '{"x":1}'), fragment(0, None, "g", '{"y":2}'))
    )
    assert [one[1:] for one in calls(found)] == [("f", X), ("g", Y)]
    assert len({one[0] for one in calls(found)}) == 2
    assert all(one["provider"]["id_made"] for one in found["content"])


def test_the_old_function_call() -> None:
    values = [
        chat({"function_call": {"name": "f", "arguments": '{"x"'}}),
        chat({"function_call": {"arguments": ":1}"}}),
        chat(finish="function_call"),
    ]
    found = message("openai-chat", sse(*values))
    assert [one[1:] for one in calls(found)] == [("f", X)]
    assert found["stop_reason"] == "tool_use"


def test_custom_tools_take_free_text() -> None:
    pieces = [
        {"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql", "input": 'SELECT "'}},
        {"index": 0, "custom": {"input": "x\n"}},
    ]
    found = message("openai-chat", tool_stream(*pieces))
    assert calls(found) == [("a", "sql", {"input": 'SELECT "x\n'})]
    assert found["content"][0]["provider"] == {"custom": True}


@pytest.mark.parametrize(
    "deltas",
    [
        [{"content": None, "reasoning_content": ""}, {"reasoning_content": "h"}, {"reasoning_content": "m"}],
        [{"reasoning": "h"}, {"reasoning": "m", "reasoning_content": None}],
        [
            {"reasoning": "h", "reasoning_details": [{"type": "reasoning.text", "text": "h"}]},
            {"reasoning": "m"},
        ],
        [
            {"reasoning_details": [{"type": "reasoning.text", "text": "h"}]},
            {"reasoning_details": [{"type": "reasoning.summary", "summary": "m"}]},
        ],
        [{"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}],
    ],
)
def test_reasoning_wherever_it_comes(deltas: list[dict[str, Any]]) -> None:
    found = message("openai-chat", sse(*map(chat, deltas), chat({"content": "a"}), chat(finish="stop")))
    assert (text_of(found, "thinking"), text_of(found)) == ("hm", "a")
    assert [one["type"] for one in found["content"]] == ["thinking", "text"]


def test_reasoning_details_are_kept_merged() -> None:
    details = [
        [{"type": "reasoning.text", "index": 0, "text": "a", "format": "f", "signature": None}],
        [{"type": "reasoning.text", "index": 0, "text": "b"}],
        [{"type": "reasoning.text", "index": 0, "signature": "SIG"}],
        [{"type": "reasoning.encrypted", "index": 1, "data": "x"}],
    ]
    found = message(
        "openai-chat", sse(*[chat({"reasoning_details": one}) for one in details], chat(finish="stop"))
    )
    assert found["provider"]["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "ab", "format": "f", "signature": "SIG"},
        {"type": "reasoning.encrypted", "index": 1, "data": "x"},
    ]


@pytest.mark.parametrize("cuts", [[], list(range(40))])
@pytest.mark.parametrize(
    ("option", "text", "wanted"),
    [
        (True, "<think>hm</think>a < b", ("hm", "a < b")),
        (True, "\n<think>h<m</think>a", ("h<m", "a")),
        (True, "a <think>b</think>", ("", "a <think>b</think>")),
        (True, "<think>never closed", ("never closed", "")),
        (True, "<thin", ("", "<thin")),
        ("open", "hm</think>a", ("hm", "a")),
        ("open", "<think>hm</think>a", ("hm", "a")),
        (False, "<think>hm</think>a", ("", "<think>hm</think>a")),
    ],
)
def test_inline_think_tags_only_where_configured(
    option: Any, text: str, wanted: tuple[str, str], cuts: list[int]
) -> None:
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    data = sse(*[chat({"content": piece}) for piece in pieces], chat(finish="stop"))
    found = fold(run(lambda: decode("openai-chat", think_tags=option), data))
    assert (text_of(found, "thinking"), text_of(found)) == wanted


def test_role_and_ids_once_usage_last_and_the_rest_under_provider() -> None:
    first = {
        "id": "",
        "object": "chat.completion.chunk",
        "model": "",
        "choices": [],
        "prompt_filter_results": [1],
    }
    counts = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    last = {
        "id": "c",
        "model": "m",
        "choices": [],
        "usage": counts,
        "citations": ["https://x"],
        "obfuscation": "zz",
    }
    found = message(
        "openai-chat",
        sse(
            first,
            chat({"role": "assistant", "content": "a"}),
            chat({"role": "assistant"}, "stop"),
            last,
            "[DONE]",
        ),
    )
    assert (found["id"], found["model"], found["role"], text_of(found)) == ("c", "m", "assistant", "a")
    assert found["usage_raw"] == counts
    assert found["usage"] == {
        "input_tokens": 7,
        "output_tokens": 4,
        "cache_read_tokens": 2,
        "cache_write_tokens": 0,
        "thinking_tokens": 3,
        "server_tool_uses": 0,
    }
    assert found["provider"] == {
        "prompt_filter_results": [1],
        "stop_reason": "stop",
        "citations": ["https://x"],
    }


def test_reasoning_counted_beside_the_answer_is_added() -> None:
    counts = {
        "prompt_tokens": 1,
        "completion_tokens": 4,
        "total_tokens": 15,
        "completion_tokens_details": {"reasoning_tokens": 10},
    }
    assert (
        message("openai-chat", sse(chat({"content": "a"}, "stop", usage=counts)))["usage"]["output_tokens"]
        == 14
    )


def test_other_choices_are_carried_along() -> None:
    other = {"index": 1, "delta": {"content": "b"}}
    events = run(
        "openai-chat",
        sse(
            {**chat({"content": "a"}), "choices": [chat({"content": "a"})["choices"][0], other]},
            chat(finish="stop"),
        ),
    )
    assert text_of(fold(events)) == "a"
    assert {"type": "unknown", "name": "choice", "raw": other} in events


@pytest.mark.parametrize(
    ("finish", "word"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("model_length", "max_tokens"),
        ("content_filter", "refusal"),
        ("sensitive", "refusal"),
        ("mood", "mood"),
    ],
)
def test_finish_reasons(finish: str, word: str) -> None:
    found = message("openai-chat", sse(chat({"content": "a"}), chat(finish=finish), chat(finish="")))
    assert (found["stop_reason"], found["provider"]["stop_reason"], found["ended"]) == (
        word,
        finish,
        "completed",
    )


def test_a_refusal_is_shown_and_named() -> None:
    found = message(
        "openai-chat", sse(chat({"refusal": "I can"}), chat({"refusal": "not."}), chat(finish="stop"))
    )
    assert (text_of(found), found["stop_reason"]) == ("I cannot.", "refusal")
    assert found["stop_details"]["explanation"] == "I cannot."


def test_done_without_a_finish_reason_completes_nothing() -> None:
    events = run("openai-chat", sse(chat({"content": "a"}), "[DONE]"))
    assert faults(events) == ["no_finish_reason"]
    assert fold(events)["ended"] == "cut_off"


@pytest.mark.parametrize(
    "data",
    [
        sse(chat({"content": "a"}), {"error": {"message": "busy", "code": 429}}, "[DONE]"),
        sse(chat({"content": "a"}), chat(finish="error", error={"message": "busy", "code": 429})),
        sse(chat({"content": "a"}))
        + b'event: error\ndata: {"error":{"message":"busy","status_code":429}}\n\n',
        sse(chat({"content": "a"})) + b'error: {"error":{"message":"busy","code":429}}\n\n',
    ],
)
def test_errors_in_the_stream(data: bytes) -> None:
    found = message("openai-chat", data)
    assert (text_of(found), found["ended"], found["error"]["type"]) == ("a", "error", "rate_limit")


def test_a_whole_completion_instead_of_a_stream() -> None:
    whole = {
        "id": "c",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop"}],
    }
    found = message("openai-chat", json.dumps(whole).encode())
    assert (text_of(found), found["ended"]) == ("a", "completed")


def test_annotations_become_citations() -> None:
    note = {
        "type": "url_citation",
        "url_citation": {"url": "https://x", "title": "X", "start_index": 0, "end_index": 1},
    }
    found = message("openai-chat", sse(chat({"content": "a", "annotations": [note]}), chat(finish="stop")))
    assert found["content"][0]["citations"] == [
        {
            "type": "web_search_result_location",
            "url": "https://x",
            "title": "X",
            "start_char_index": 0,
            "end_char_index": 1,
        }
    ]
