"""Every irregularity that was seen on the Anthropic wire or in its framing, with what becomes of it."""

import json
from typing import Any

import pytest

from tests.wire.regular import irregularities
from tests.wire.support import (
    DONE,
    arguments,
    block,
    delta,
    end,
    faults,
    fold,
    run,
    sse,
    start,
    stop,
    text_of,
)

TEXT = [block(0), delta(0, "a"), stop(0)]
REST = [end(), DONE]


def _kinds(found: dict[str, Any]) -> list[str]:
    return [one["type"] for one in found["content"]]


# name, events on the wire, faults, (text, block types, ended)
TABLE: list[tuple[str, list[Any], list[str], tuple[str, list[str], str]]] = [
    (
        "second message_start, same id",
        [start(), *TEXT, start(), *REST],
        ["repeated_message_start"],
        ("a", ["text"], "completed"),
    ),
    (
        "second message_start, other id",
        [start(), block(0), delta(0, "first"), start("msg_2"), *TEXT, *REST],
        ["second_message_start"],
        ("a", ["text"], "completed"),
    ),
    (
        "content before message_start",
        [*TEXT, *REST],
        ["implicit_message_start"],
        ("a", ["text"], "completed"),
    ),
    (
        "message_start after its content",
        [*TEXT, start(), *REST],
        ["implicit_message_start"],
        ("a", ["text"], "completed"),
    ),
    (
        "delta for an unopened index",
        [start(), delta(0, "a"), stop(0), *REST],
        ["implicit_block_start"],
        ("a", ["text"], "completed"),
    ),
    ("index gap", [start(), block(3), delta(3, "a"), stop(3), *REST], [], ("a", ["text"], "completed")),
    (
        "repeated start of an open block",
        [start(), block(0), delta(0, "a"), block(0), delta(0, "b"), stop(0), *REST],
        ["repeated_block_start"],
        ("ab", ["text"], "completed"),
    ),
    (
        "another block under an open index",
        [
            start(),
            block(0),
            delta(0, "a"),
            block(0, "tool_use"),
            arguments(0, "{}"),
            stop(0),
            end("tool_use"),
            DONE,
        ],
        ["reused_index"],
        ("a", ["text", "tool_use"], "completed"),
    ),
    (
        "an index used again after its stop",
        [start(), *TEXT, block(0), delta(0, "b"), stop(0), *REST],
        ["reused_index"],
        ("ab", ["text", "text"], "completed"),
    ),
    (
        "overlapping blocks, all stops at the end",
        [
            start(),
            block(0, "thinking"),
            delta(0, "t", "thinking_delta"),
            block(1),
            delta(1, "a"),
            stop(0),
            stop(1),
            *REST,
        ],
        [],
        ("a", ["thinking", "text"], "completed"),
    ),
    (
        "delta after its block's stop",
        [start(), *TEXT, delta(0, "b"), *REST],
        [],
        ("ab", ["text"], "completed"),
    ),
    (
        "missing stop",
        [start(), block(0), delta(0, "a"), *REST],
        ["missing_block_stop"],
        ("a", ["text"], "completed"),
    ),
    ("missing message_delta", [start(), *TEXT, DONE], [], ("a", ["text"], "completed")),
    ("missing message_stop", [start(), *TEXT, end()], [], ("a", ["text"], "cut_off")),
    (
        "stop without a block",
        [start(), stop(5), *TEXT, stop(0), *REST],
        ["stray_block_stop"] * 2,
        ("a", ["text"], "completed"),
    ),
    (
        "text in a tool block",
        [
            start(),
            block(0, "tool_use"),
            arguments(0, "{}"),
            delta(0, "a"),
            delta(0, "b"),
            stop(0),
            end("tool_use"),
            DONE,
        ],
        ["delta_of_other_kind"],
        ("ab", ["tool_use", "text"], "completed"),
    ),
    (
        "thinking in a text block",
        [start(), block(0), delta(0, "a"), delta(0, "t", "thinking_delta"), delta(0, "b"), stop(0), *REST],
        ["delta_of_other_kind"],
        ("ab", ["text", "thinking"], "completed"),
    ),
    (
        "junk after message_stop",
        [start(), *TEXT, *REST, "[DONE]", "junk", start("m2")],
        ["unreadable", "after_end"],
        ("a", ["text"], "completed"),
    ),
    (
        "no index at all",
        [
            start(),
            {**block(0), "index": None},
            {**delta(0, "a"), "index": None},
            {"type": "content_block_stop"},
            *REST,
        ],
        ["no_index", "no_index"],
        ("a", ["text"], "completed"),
    ),
    (
        "end_turn with a call",
        [start(), block(0, "tool_use"), arguments(0, "{}"), stop(0), *REST],
        [],
        ("", ["tool_use"], "completed"),
    ),
    (
        "a late empty signature",
        [start(), *TEXT, delta(0, "", "signature_delta"), *REST],
        ["delta_after_stop"],
        ("a", ["text"], "completed"),
    ),
    (
        "two objects in one event",
        [start(), f"{json.dumps(block(0))}\ndata: {json.dumps(delta(0, 'a'))}", stop(0), *REST],
        ["glued"],
        ("a", ["text"], "completed"),
    ),
    (
        "an event spliced into an unfinished one",
        [
            start(),
            block(0),
            '{"type": "content_block_delta", "indexdata: ' + json.dumps(delta(0, "a")),
            stop(0),
            *REST,
        ],
        ["glued"],
        ("a", ["text"], "completed"),
    ),
    (
        "a tool_result of the assistant",
        [start(), *TEXT, block(1, "tool_result", tool_use_id="t", content="x"), stop(1), *REST],
        [],
        ("a", ["text", "tool_result"], "completed"),
    ),
    (
        "no usage anywhere",
        [start(usage=None), *TEXT, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, DONE],
        [],
        ("a", ["text"], "completed"),
    ),
]


@pytest.mark.parametrize(
    ("events", "wanted_faults", "wanted"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_irregularities(
    events: list[Any], wanted_faults: list[str], wanted: tuple[str, list[str], str]
) -> None:
    data = sse(*events)
    out = run("anthropic", data)
    found = fold(out)
    assert (text_of(found), _kinds(found), found["ended"]) == wanted
    assert irregularities(out) == []
    assert run("anthropic", data, range(len(data))) == out
    assert [kind for kind in faults(out) if kind != "delta_after_stop"] == [
        kind for kind in wanted_faults if kind != "delta_after_stop"
    ]


REGULAR = sse(start(), *TEXT, *REST)


@pytest.mark.parametrize(
    ("data", "wanted_faults"),
    [
        (REGULAR.removesuffix(b"\n\n"), ["unterminated_event"]),
        (REGULAR.removesuffix(b"\n"), ["unterminated_event"]),
        (REGULAR.replace(b"data: ", b"data:"), []),
        (REGULAR.replace(b"\n", b"\r"), []),
        (b"\xef\xbb\xbf" + REGULAR, []),
        (REGULAR.replace(b"\n\n", b"\n\n: OPENROUTER PROCESSING\n\n"), []),
        (REGULAR.replace(b"\n\n", b"\n\ndata: : OPENROUTER PROCESSING\n\n", 1), ["unreadable"]),
        (REGULAR.replace(b"\n\n", b"\n\nretry: 3\nid: 7\n\n"), []),
        (REGULAR.replace(b"\n\n", b'\n\n{\n  "type": "ping"\n}\n', 1), ["bare_json"]),
        (REGULAR.replace(b"\n\n", b"\n\n<!-- proxy -->\n", 1), ["not_sse"]),
        (REGULAR.replace(b"\n\n", b"\n\ndata:\n\n"), []),
    ],
)
def test_framing(data: bytes, wanted_faults: list[str]) -> None:
    out = run("anthropic", data)
    assert fold(out)["content"] == [{"type": "text", "text": "a"}]
    assert fold(out)["ended"] == "completed"
    assert faults(out) == wanted_faults
    assert run("anthropic", data, range(len(data))) == out


def test_an_event_cut_in_its_middle_is_reported() -> None:
    out = run("anthropic", sse(start(), *TEXT) + b'event: message_delta\ndata: {"type": "message_de')
    assert faults(out) == ["truncated_event"]
    assert (text_of(fold(out)), fold(out)["ended"]) == ("a", "cut_off")


def test_a_whole_message_instead_of_a_stream() -> None:
    whole = {**start()["message"], "content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn"}
    found = fold(run("anthropic", json.dumps(whole, indent=1).encode()))
    assert (text_of(found), found["stop_reason"], found["ended"]) == ("a", "end_turn", "completed")


def test_nothing_at_all() -> None:
    assert [event["type"] for event in run("anthropic", b"")] == ["stream_end"]
    assert fold(run("anthropic", b""))["ended"] == "cut_off"


def test_an_oversized_event_ends_the_stream_with_an_error() -> None:
    from streamrender.wire import AnthropicDecoder
    from streamrender.wire.sse import SSE

    decoder = AnthropicDecoder()
    decoder._sse = SSE(max_line=1000)
    out = (
        decoder.feed(sse(start(), *TEXT) + b"data: " + b"x" * 2000) + decoder.feed(b"\n\n") + decoder.close()
    )
    found = fold(out)
    assert (text_of(found), found["error"]["type"]) == ("a", "too_large")


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        ("sensitive", "refusal"),
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("tool_calls", "tool_use"),
        ("", None),
    ],
)
def test_gateways_stop_reasons(raw: str, word: str | None) -> None:
    found = fold(run("glm", sse(start(), *TEXT, end(raw), DONE)))
    assert (found["stop_reason"], found["provider"].get("stop_reason")) == (word, raw or None)


def test_a_second_message_delta_wipes_nothing() -> None:
    later = {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 5}}
    edits = {"applied_edits": [{"type": "clear_tool_uses_20250919"}]}
    found = fold(
        run("anthropic", sse(start(), *TEXT, {**end("max_tokens"), "context_management": edits}, later, DONE))
    )
    assert (found["stop_reason"], found["usage"]["output_tokens"]) == ("max_tokens", 5)
    assert found["provider"]["context_management"] == edits


def test_halves_of_characters_wait_for_their_blocks_next_delta() -> None:
    halves = sse(
        start(),
        block(0),
        delta(0, "x\ud83d"),
        {"type": "ping"},
        block(1),
        delta(1, "\ude00y"),
        delta(0, "\ude00z"),
    )
    data = b"".join([halves.replace("\ud83d".encode("utf-8", "surrogatepass"), b"\\ud83d")])
    data = data.replace("\ude00".encode("utf-8", "surrogatepass"), b"\\ude00")
    found = fold(run("anthropic", data + sse(delta(0, "w"), stop(0), stop(1), *REST)))
    assert [one["text"] for one in found["content"]] == ["x😀zw", "\ufffdy"]
    begun = json_escaped(block(0, text="x\ud83d")) + json_escaped(delta(0, "\ude00y"))
    assert text_of(fold(run("anthropic", sse(start()) + begun + sse(stop(0), *REST)))) == "x😀y"
    lone = fold(
        run("anthropic", sse(start(), block(0)) + json_escaped(delta(0, "x\ud83d")) + sse(stop(0), *REST))
    )
    assert text_of(lone) == "x\ufffd"


def json_escaped(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def test_compaction_citations_and_estimates() -> None:
    values = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": None}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "a"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "compaction_delta", "content": "b", "x": None},
        },
        stop(0),
        block(1, citations=[{"url": "https://a"}]),
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "citations_delta", "citation": {"url": "https://b"}},
        },
        stop(1),
        block(2, "thinking"),
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "thinking_delta", "thinking": "t", "estimated_tokens": 3},
        },
        delta(2, "SIG", "signature_delta"),
        delta(2, "SIGNED", "signature_delta"),
        stop(2),
    ]
    found = fold(run("anthropic", sse(start(), *values, *REST)))
    assert found["content"][0] == {"type": "compaction", "content": "ab"}
    assert [one["url"] for one in found["content"][1]["citations"]] == ["https://a", "https://b"]
    assert found["content"][2] == {"type": "thinking", "thinking": "t", "signature": "SIGNED"}
