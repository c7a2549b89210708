"""Gemini: parts, signatures, streamed arguments, provider-run tools, grounding, ends and errors."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamrender.wire.partial_args import PartialArgs, parse_path
from tests.wire.streams import TEXT
from tests.wire.support import DONE, faults, fold, gemini, message, run, sse, text_of


def calls(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (one["name"], one["input"], one["input_status"])
        for one in found["content"]
        if one["type"] == "tool_use"
    ]


def test_neighbouring_texts_join_and_thoughts_are_thinking() -> None:
    values = [
        gemini({"text": "h", "thought": True}),
        gemini({"text": "m", "thought": True}, {"text": "a"}),
        gemini({"text": "b"}, finish="STOP"),
    ]
    found = message("gemini", sse(*values))
    assert [one["type"] for one in found["content"]] == ["thinking", "text"]
    assert (text_of(found), text_of(found, "thinking"), found["stop_reason"]) == ("ab", "hm", "end_turn")


def test_signatures_stay_where_they_came() -> None:
    values = [
        gemini({"text": "un"}),
        gemini({"text": "signed", "thoughtSignature": "S1"}),
        gemini({"text": "more"}),
        gemini({"text": "", "thoughtSignature": "S2"}, finish="STOP"),
    ]
    found = message("gemini", sse(*values))
    assert found["content"] == [
        {"type": "text", "text": "unsigned", "provider": {"thoughtSignature": "S1", "signed_from": 2}},
        {"type": "text", "text": "more"},
        {"type": "text", "text": "", "provider": {"thoughtSignature": "S2"}},
    ]


def test_calls_of_one_turn_differ_and_stop_means_tool_use() -> None:
    first = {"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "S"}
    values = [
        gemini(first),
        gemini({"functionCall": {"name": "f", "args": {"x": 1}}}),
        gemini({"functionCall": {"name": "g", "id": "own"}}, finish="STOP"),
    ]
    found = message("gemini", sse(*values))
    assert calls(found) == [("f", {"x": 1}, "complete")] * 2 + [("g", {}, "complete")]
    assert len({one["id"] for one in found["content"]}) == 3
    assert found["content"][0]["provider"] == {"thoughtSignature": "S", "id_made": True}
    assert found["content"][2]["id"] == "own"
    assert (found["stop_reason"], found["provider"]["stop_reason"]) == ("tool_use", "STOP")


def _piece(path: str, value: str, more: bool = False) -> dict[str, Any]:
    return {"jsonPath": path, "stringValue": value, "willContinue": more}


def _streamed(*groups: list[dict[str, Any]]) -> list[Any]:
    parts = [gemini({"functionCall": {"partialArgs": group, "willContinue": True}}) for group in groups]
    return [gemini({"functionCall": {"name": "f", "willContinue": True}}), *parts]


@pytest.mark.parametrize("last", [[gemini({"functionCall": {}})], []])
def test_streamed_arguments_grow_one_json_text(last: list[Any]) -> None:
    groups = [
        [_piece("$.a", "on", True)],
        [_piece("$.a", "e")],
        [{"jsonPath": "$.b[0].c", "numberValue": 1.5}],
        [{"jsonPath": "$.b[1]", "nullValue": None}],
    ]
    found = message("gemini", sse(*_streamed(*groups), *last, gemini(finish="STOP")))
    assert calls(found) == [("f", {"a": "one", "b": [{"c": 1.5}, None]}, "complete")]


def test_arguments_out_of_order_are_given_whole() -> None:
    groups = [[_piece("$.a.x", "1")], [_piece("$.b", "2")], [_piece("$.a.y", "3")]]
    events = run("gemini", sse(*_streamed(*groups), gemini(finish="STOP")))
    assert calls(fold(events)) == [("f", {"a": {"x": "1", "y": "3"}, "b": "2"}, "complete")]
    assert [event["type"] for event in events].count("block_final") == 1


def test_cut_arguments_are_incomplete() -> None:
    found = message("gemini", sse(*_streamed([_piece("$.a", "on", True)])))
    assert calls(found) == [("f", None, "incomplete")]
    assert found["content"][0]["input_text"] == '{"a": "on'


def test_paths_that_lead_nowhere_are_reported() -> None:
    events = run(
        "gemini",
        sse(
            *_streamed([_piece("$.a", "1"), _piece("nonsense", "2"), _piece("$.l[9]", "3")]),
            gemini(finish="STOP"),
        ),
    )
    assert faults(events) == ["bad_path", "bad_path"]
    assert fold(events)["content"][0]["input"]["a"] == "1"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$.a.b[0].c", ("a", "b", 0, "c")),
        ("$['a b'][\"c\"]", ("a b", "c")),
        ("$", None),
        ("$[0]", None),
        ("a", None),
        ("$..a", None),
        (5, None),
    ],
)
def test_paths(text: Any, path: Any) -> None:
    assert parse_path(text) == path


_VALUES = st.recursive(
    TEXT | st.booleans() | st.integers(-5, 5) | st.none(),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1), inner, min_size=1, max_size=3)
    ),
)


def _leaves(value: Any, path: str = "$") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in _leaves(one, f"{path}['{key}']")]
    if isinstance(value, list):
        return [leaf for at, one in enumerate(value) for leaf in _leaves(one, f"{path}[{at}]")]
    return [(path, value)]


@given(st.dictionaries(st.text("abc", min_size=1), _VALUES, min_size=1, max_size=3), st.integers(1, 3))
def test_any_object_survives_being_streamed(value: dict[str, Any], size: int) -> None:
    args = PartialArgs()
    text = ""
    for path, leaf in _leaves(value):
        kind = {str: "stringValue", bool: "boolValue", int: "numberValue"}.get(type(leaf), "nullValue")
        parts = (
            [leaf[at : at + size] for at in range(0, len(leaf), size)] or [""]
            if isinstance(leaf, str)
            else [leaf]
        )
        for at, part in enumerate(parts):
            text += args.put({"jsonPath": path, kind: part, "willContinue": at < len(parts) - 1}) or ""
            assert json.dumps(value, ensure_ascii=False).startswith(text)
    assert args.ordered
    assert json.loads(text + args.close()) == args.value == value


def test_provider_run_tools_keep_their_parts() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1+1"}, "thoughtSignature": "S"}
    ran = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}
    search = {"toolCall": {"id": "c", "toolType": "FILE_SEARCH", "args": {"q": "x"}}}
    answer = {"toolResponse": {"id": "c", "toolType": "FILE_SEARCH", "response": {"n": 1}}}
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "thoughtSignature": "S"}
    odd = {"hologram": 1}
    found = message("gemini", sse(gemini(code, ran, search, answer, image, odd, finish="STOP")))
    blocks = found["content"]
    assert [one["type"] for one in blocks] == [
        "server_tool_use",
        "code_execution_tool_result",
        "server_tool_use",
        "file_search_tool_result",
        "image",
        "gemini_part",
    ]
    assert blocks[0]["id"] == blocks[1]["tool_use_id"]
    assert blocks[2]["input"] == {"q": "x"}
    assert [blocks[at]["provider"]["part"] for at in (0, 1, 2, 3, 5)] == [code, ran, search, answer, odd]
    assert blocks[4]["provider"] == {"thoughtSignature": "S"}
    assert found["stop_reason"] == "end_turn"


def test_grounding_becomes_citations_with_character_offsets() -> None:
    text = "北京 is big."
    begin = len("北京 ".encode())
    grounding = {
        "groundingChunks": [{"web": {"uri": "https://x", "title": "X"}}],
        "groundingSupports": [
            {
                "segment": {"startIndex": begin, "endIndex": begin + 7, "text": "is big."},
                "groundingChunkIndices": [0, 7],
            }
        ],
    }
    value = gemini({"text": text}, finish="STOP")
    value["candidates"][0]["groundingMetadata"] = grounding
    found = message("gemini", sse(value))
    assert found["content"][0]["citations"] == [
        {
            "type": "web_search_result_location",
            "url": "https://x",
            "title": "X",
            "cited_text": "is big.",
            "start_char_index": 3,
            "end_char_index": 10,
        }
    ]
    assert found["provider"]["groundingMetadata"] == grounding


def test_grounding_names_the_block_and_the_place_in_it() -> None:
    def support(begin: int, text: str) -> dict[str, Any]:
        segment = {"startIndex": begin, "endIndex": begin + len(text.encode()), "text": text}
        return {"segment": segment, "groundingChunkIndices": [0]}

    first, second = "北京很大。", "上海🌊也很大。"
    supports = [
        support(0, "北京很大"),
        support(len(first.encode()), "上海🌊也很大"),
        support(900, "大"),
        support(0, "无"),
    ]
    grounding = {"groundingChunks": [{"web": {"uri": "https://x"}}], "groundingSupports": supports}
    end = gemini({"text": second[4:]}, finish="STOP")
    end["candidates"][0]["groundingMetadata"] = grounding
    values = [gemini({"text": first, "thoughtSignature": "S"}), gemini({"text": second[:4]}), end]
    found = message("gemini", sse(*values))
    places = [
        [(one["start_char_index"], one["end_char_index"]) for one in block["citations"]]
        for block in found["content"]
    ]
    # The last fits neither the bytes nor the text: it is listed with the newest block, without a place.
    assert places == [[(0, 4), (3, 4)], [(0, 6), (None, None)]]


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("STOP", "end_turn"),
        ("MAX_TOKENS", "max_tokens"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("FAKE_ENUM", "FAKE_ENUM"),
    ],
)
def test_finish_reasons(reason: str, word: str) -> None:
    found = message("gemini", sse(gemini({"text": "a"}), gemini(finish=reason), gemini(finish=reason)))
    assert (found["stop_reason"], found["provider"]["stop_reason"], found["ended"]) == (
        word,
        reason,
        "completed",
    )


def test_the_last_finish_reason_wins_and_reading_goes_on() -> None:
    found = message(
        "gemini", sse(gemini({"text": "a"}, finish="STOP"), gemini({"text": "b"}, finish="MAX_TOKENS"))
    )
    assert (text_of(found), found["stop_reason"]) == ("ab", "max_tokens")


def test_a_blocked_prompt_is_a_refusal() -> None:
    found = message("gemini", sse({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "no"}}))
    assert (found["stop_reason"], found["content"], found["ended"]) == ("refusal", [], "completed")
    assert found["stop_details"] == {"type": "refusal", "category": "SAFETY", "explanation": "no"}


def test_usage_without_and_with_cache_and_thoughts() -> None:
    counts = {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 4,
        "candidatesTokenCount": 2,
        "thoughtsTokenCount": 3,
    }
    found = message(
        "gemini",
        sse(
            gemini({"text": "a"}, usageMetadata={"promptTokenCount": 10}),
            gemini(finish="STOP", usageMetadata=counts),
        ),
    )
    assert found["usage_raw"] == counts
    assert found["usage"] == {
        "input_tokens": 6,
        "output_tokens": 5,
        "cache_read_tokens": 4,
        "cache_write_tokens": 0,
        "thinking_tokens": 3,
        "server_tool_uses": 0,
    }


def test_the_json_array_that_comes_without_alt_sse() -> None:
    values = [gemini({"text": 'a } ] " \\'}), gemini({"text": "b"}, finish="STOP")]
    for indent in (None, 2):
        data = ("[" + ",\r\n".join(json.dumps(value, indent=indent) for value in values) + "\n]\n").encode()
        events = run("gemini", data, range(len(data)))
        assert (text_of(fold(events)), fold(events)["ended"]) == ('a } ] " \\b', "completed")


def test_a_raw_error_in_the_middle() -> None:
    error = (
        json.dumps({"error": {"code": 499, "message": "cancelled", "status": "CANCELLED"}}, indent=2) + "\n"
    )
    found = message("gemini", sse(gemini({"text": "a"})) + error.encode())
    assert (text_of(found), found["ended"], found["error"]["status"]) == ("a", "error", 499)


def test_other_candidates_are_carried_along() -> None:
    value = gemini({"text": "a"}, finish="STOP")
    other = {"index": 1, "content": {"parts": [{"text": "b"}]}}
    value["candidates"].append(other)
    events = run("gemini", sse(value))
    assert text_of(fold(events)) == "a"
    assert {"type": "unknown", "name": "candidate", "raw": other} in events


def test_an_anthropic_event_is_unknown_here() -> None:
    assert run("gemini", sse(DONE))[0]["type"] == "unknown"
