"""What a turn's page shows, case by case."""

from typing import Any

import pytest

from streamrender.page.panes import TurnPage
from tests.page import samples
from tests.page.samples import block, delta, finish, opened, ours, request, start, stop, timed, turn_end


def page_of(*events: dict[str, Any]) -> dict[str, Any]:
    page = TurnPage()
    page.feed(timed(*events))
    return page.snapshot()


def kinds(page: dict[str, Any]) -> list[str]:
    return [pane["kind"] for pane in page["panes"]]


def test_before_anything() -> None:
    page = TurnPage().snapshot()
    assert page["panes"] == []
    assert page["turn"] == {
        "state": "queued",
        "model": "",
        "provider": "",
        "round": 0,
        "ending": None,
        "error": None,
        "stop_reason": None,
        "stop_sequence": None,
        "refusal": None,
        "usage": dict.fromkeys(
            ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "thinking_tokens"], 0
        ),
        "context": 0,
        "started_at": 0,
        "first_token_at": None,
        "ended_at": None,
        "retry": None,
        "faults": 0,
        "substituted": None,
    }


def test_states_of_a_turn_with_a_tool() -> None:
    page, states = TurnPage(), []
    for event in samples.TURNS["loop"]:
        page.feed([event])
        state = page.snapshot()["turn"]["state"]
        if not states or states[-1] != state:
            states.append(state)
    assert states == ["waiting", "thinking", "tool", "waiting", "answering", "ended"]


def test_a_text_that_is_gone_on_with_is_one_text() -> None:
    page = page_of(*samples.TURNS["continued"])
    assert kinds(page) == ["thinking", "text", "thinking", "text"]
    whole = page["panes"][1]
    assert (whole["markdown"], whole["state"]) == ("One **bold** word and more", "done")
    assert whole["html"] == "<p>One <strong>bold</strong> word and more</p>\n"
    assert (page["turn"]["usage"]["output_tokens"], page["turn"]["ending"]) == (12, "complete")


def test_an_answer_that_ended_in_a_tool_goes_on_behind_it() -> None:
    call = block(1, "tool_use", '{"a', id="t1", name="calc", input={})
    again = request(2) | {"continues": True}
    first = [request(), start(), *block(0, "text", "Well"), *call[:-1], *finish("max_tokens")]
    page = page_of(*first, again, start("msg_2"), *block(0, "text", "On."), *finish(), turn_end())
    assert kinds(page) == ["text", "tool", "text"]
    assert page["panes"][1]["state"] == "incomplete"


def served(model: str, name: str = "msg_1") -> dict[str, Any]:
    return start(name, model=model)


def test_another_model_than_was_asked_is_told() -> None:
    told = page_of(request(), served("other-2"), *block(0, "text", "x"), *finish(), turn_end())["turn"]
    assert (told["model"], told["substituted"]) == ("other-2", {"asked": "m-1", "served": "other-2"})
    same = page_of(request(), served("m-1-20260101"), *block(0, "text", "x"), *finish(), turn_end())["turn"]
    assert (same["model"], same["substituted"]) == ("m-1-20260101", None)
    unnamed = page_of(request(), served(""), *block(0, "text", "x"), *finish(), turn_end())["turn"]
    assert (unnamed["model"], unnamed["substituted"]) == ("m-1", None)


def test_what_a_replaced_attempt_was_answered_by_is_not_told() -> None:
    first = [request(), served("other-2"), *block(0, "text", "x")]
    for again in ([request()], [ours("superseded", reason="second_message_start")]):
        page = page_of(*first, *again, served("m-1", "msg_2"), *block(0, "text", "y"), *finish())
        assert (page["turn"]["model"], page["turn"]["substituted"]) == ("m-1", None)


def test_a_fallback_is_told_and_shows_where_it_was() -> None:
    page = page_of(*samples.TURNS["spliced"])
    assert page["turn"]["substituted"] == {"asked": "m-1", "served": "m-2"}


def test_rounds_that_different_models_answered_have_a_seam_between_them() -> None:
    first = [request(), served("m-2"), *block(0, "text", "x"), *finish()]
    page = page_of(*first, request(2), served("m-1", "msg_2"), *block(0, "text", "y"), *finish())
    assert kinds(page) == ["text", "seam", "text"]
    assert page["turn"]["substituted"] == {"asked": "m-1", "served": "m-2"}
    same = page_of(
        *first[:1], served("m-1-20260101"), *first[2:], request(2), served("m-1", "b"), *block(0, "text", "y")
    )
    assert kinds(same) == ["text", "text"]


def test_a_text_that_another_model_goes_on_with_stays_one() -> None:
    again = request(2) | {"continues": True}
    first = [request(), served("m-1"), *block(0, "text", "x"), *finish("max_tokens")]
    page = page_of(*first, again, served("m-2", "msg_2"), *block(0, "text", "y"), *finish(), turn_end())
    assert kinds(page) == ["text"]
    assert page["turn"]["substituted"] == {"asked": "m-1", "served": "m-2"}


def test_usage_is_cumulative_in_a_round_and_summed_over_rounds() -> None:
    usage = page_of(*samples.TURNS["loop"])["turn"]["usage"]
    assert usage == {
        "input_tokens": 40,
        "output_tokens": 27,
        "cache_read_tokens": 5,
        "cache_write_tokens": 0,
        "thinking_tokens": 0,
    }


def test_the_context_is_that_of_the_last_round_with_what_its_cache_held() -> None:
    first, last = TurnPage(), TurnPage()
    events = samples.TURNS["loop"]
    second = max(at for at, event in enumerate(events) if event["type"] == "request_started")
    first.feed(events[:second])
    last.feed(events)
    asked = {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 20}
    assert first.snapshot()["turn"]["context"] == sum(asked.values())
    assert last.snapshot()["turn"]["context"] == 30 + 7


def test_thinking_ends_when_the_answer_starts_though_its_block_stops_last() -> None:
    events = [
        opened(0, "thinking", thinking=""),
        delta(0, "thinking", "hm"),
        opened(1, "text", text=""),
        delta(1, "text", "yes"),
        stop(1),
        stop(0),
        {"type": "message_stop"},
    ]
    thinking, text = page_of(request(), start(), *events)["panes"]
    assert (thinking["state"], thinking["started_at"], thinking["ended_at"]) == ("done", 20, 40)
    assert (text["state"], text["markdown"]) == ("done", "yes")


def test_the_first_token_is_the_first_that_can_be_seen() -> None:
    events = [opened(0, "text", text=""), delta(0, "text", ""), delta(0, "text", "x")]
    assert page_of(request(), start(), *events)["turn"]["first_token_at"] == 40


def test_a_signature_alone_and_blank_text_make_no_pane() -> None:
    events = [
        opened(0, "thinking", thinking=""),
        delta(0, "signature", "s"),
        stop(0),
        *block(1, "text", " \n"),
    ]
    assert kinds(page_of(request(), start(), *events)) == []


def test_blank_text_in_front_of_visible_text_belongs_to_it() -> None:
    page = page_of(request(), start(), *block(0, "text", "\n", "x"))
    assert page["panes"][0]["markdown"] == "\nx"


def test_tool_call_from_arguments_to_result() -> None:
    page, seen = TurnPage(), []
    for event in samples.TURNS["loop"]:
        page.feed([event])
        seen += [p for p in page.snapshot()["panes"] if p["kind"] == "tool"][:1]
    states = [pane["state"] for pane in seen]
    assert sorted(set(states), key=states.index) == ["receiving", "running", "done"]
    assert [pane["bytes"] for pane in seen] == sorted(pane["bytes"] for pane in seen)
    assert seen[-1]["args"] == [["expression", "6 * 7", True], ["n", "12", True]]
    assert (seen[-1]["progress"], seen[-1]["result"], seen[-1]["result_error"]) == ("half \nway", "42", False)
    assert seen[-1]["started_at"] < seen[-1]["run_at"] < seen[-1]["ended_at"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", ""),
        (0, "0"),
        (False, "false"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        (
            [{"type": "image", "source": {"type": "base64"}}],
            '{"type": "image", "source": {"type": "base64"}}',
        ),
    ],
)
def test_anything_is_a_result(content: Any, text: str) -> None:
    result = ours("tool_result", id="t", content=content, is_error=False)
    (pane,) = page_of(request(), *block(0, "tool_use", id="t", name="n", input={}), result)["panes"]
    assert (pane["state"], pane["result"]) == ("done", text)


@pytest.mark.parametrize(
    ("content", "state", "text"),
    [
        ({"type": "web_search_tool_result_error", "error_code": "unavailable"}, "failed", "unavailable"),
        ({"type": "code_execution_result", "stdout": "1\n", "stderr": "", "return_code": 0}, "done", "1\n"),
        ({"type": "code_execution_result", "stdout": "", "stderr": "no", "return_code": 1}, "failed", "no"),
    ],
)
def test_a_provider_run_tool(content: Any, state: str, text: str) -> None:
    call = block(0, "server_tool_use", '{"q":1}', id="s", name="x", input={})
    page = page_of(request(), *call, *block(1, "x_tool_result", tool_use_id="s", content=content))
    (pane,) = page["panes"]
    assert (pane["server"], pane["state"], pane["result"]) == (True, state, text)
    assert pane["run_at"] is not None


def test_a_result_in_a_later_round_joins_its_call() -> None:
    call = block(0, "server_tool_use", '{"q":1}', id="s", name="x", input={})
    events = [request(), start(), *call, *finish("pause_turn"), request(2), start("msg_2")]
    page = page_of(*events, *block(0, "x_tool_result", tool_use_id="s", content="r"))
    assert [(pane["kind"], pane["result"]) for pane in page["panes"]] == [("tool", "r")]


def test_the_same_call_id_in_two_rounds_is_two_calls() -> None:
    call, result = block(0, "tool_use", id="t", name="n", input={}), ours("tool_result", id="t", content="2")
    page = page_of(request(), *call, ours("tool_result", id="t", content="1"), request(2), *call, result)
    assert [pane["result"] for pane in page["panes"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("pieces", "ended", "state"),
    [
        (['{"a": 1'], "completed", "incomplete"),
        (['{"a": 1}'], "completed", "stopped"),
        (['{"a": 1}'], "cut_off", "incomplete"),
        ([], "cut_off", "incomplete"),
    ],
)
def test_a_call_that_never_ran(pieces: list[str], ended: str, state: str) -> None:
    call = [opened(0, "tool_use", id="t", name="n", input={}), *[delta(0, "input_json", p) for p in pieces]]
    page = page_of(
        request(), start(), *call, ours("stream_end", ended=ended, error=None), turn_end("cut_off")
    )
    assert page["panes"][0]["state"] == state


def test_a_running_tool_is_stopped_with_the_turn() -> None:
    call = block(0, "tool_use", id="t", name="n", input={})
    (pane,) = page_of(request(), *call, ours("tool_started", id="t", name="n"), turn_end("stopped"))["panes"]
    assert (pane["state"], pane["ended_at"]) == ("stopped", 40)


@pytest.mark.parametrize(("granted", "state"), [(True, "running"), (False, "stopped")])
def test_a_call_that_needs_approval(granted: bool, state: str) -> None:
    call = block(0, "tool_use", '{"a":1}', id="t", name="n", input={})
    events = [request(), *call, ours("approval_asked", id="t", name="n", input={"a": 1})]
    card = page_of(*events)["panes"][0]
    assert (card["state"], card["each_time"]) == ("asking", False)
    events[-1]["each_time"] = True
    assert page_of(*events)["panes"][0]["each_time"] is True
    events.append(ours("approval_given", id="t", granted=granted))
    if granted:
        events.append(ours("tool_started", id="t", name="n"))
    assert page_of(*events)["panes"][0]["state"] == state


def test_input_in_the_start_gives_way_to_deltas_that_parse() -> None:
    seeded = opened(0, "tool_use", id="t", name="n", input={"a": "start"})
    for text, want in (('{"b":"delta"}', [["b", "delta", True]]), ('{"b":', [["a", "start", True]])):
        (pane,) = page_of(request(), seeded, delta(0, "input_json", text), stop(0))["panes"]
        assert pane["args"] == want


def test_a_second_start_marks_the_first_attempt() -> None:
    page = page_of(*samples.TURNS["spliced"])
    marks = [(pane["kind"], pane.get("superseded", False)) for pane in page["panes"]]
    assert marks == [
        ("text", True),
        ("tool", True),
        ("superseded", False),
        ("text", False),
        ("seam", False),
        ("tool", False),
    ]
    assert page["panes"][1]["state"] == "incomplete"
    assert page["panes"][4] | {"id": ""} == {"id": "", "kind": "seam", "from_model": "m-1", "to_model": "m-2"}
    assert page["turn"]["model"] == "m-2"


def test_a_second_start_with_the_same_id_changes_nothing() -> None:
    page = page_of(request(), start(), *block(0, "text", "a"), start(), *block(1, "text", "b"))
    assert [(p["markdown"], p.get("superseded")) for p in page["panes"]] == [("a", None), ("b", None)]


def test_whole_blocks_in_the_message_start() -> None:
    call = {"type": "tool_use", "id": "t", "name": "n", "input": {"a": "b"}}
    page = page_of(request(), start("m", {"type": "text", "text": "hi"}, call), {"type": "message_stop"})
    text, tool = page["panes"]
    assert (text["markdown"], text["state"]) == ("hi", "done")
    assert tool["args"] == [["a", "b", True]]


def test_a_reused_index_opens_a_new_pane() -> None:
    page = page_of(request(), start(), *block(0, "text", "a"), *block(0, "text", "b"), delta(0, "text", "c"))
    assert [pane["markdown"] for pane in page["panes"]] == ["a", "bc"]


def test_unknown_blocks_and_redacted_thinking() -> None:
    page = page_of(request(), *block(0, "holo", x=1), *block(1, "redacted_thinking", data="d"))
    assert [(p["kind"], p.get("block_type")) for p in page["panes"]] == [
        ("unknown", "holo"),
        ("redacted", None),
    ]
    assert "d" not in page["panes"][1].values()


def test_retries_are_seen_until_the_next_request() -> None:
    wait = ours("retry_wait", attempt=1, seconds=2.5, error={"type": "overloaded_error", "message": "m"})
    turn = page_of(request(), wait)["turn"]
    assert (turn["state"], turn["retry"]["seconds"], turn["retry"]["at"]) == ("retry", 2.5, 10)
    assert page_of(request(), wait, request())["turn"]["retry"] is None


def test_the_end_says_why_and_closes_everything() -> None:
    page = page_of(*samples.TURNS["cut_off"])
    turn = page["turn"]
    assert (turn["state"], turn["ending"], turn["error"]["type"]) == ("ended", "error", "overloaded_error")
    assert [pane["state"] for pane in page["panes"]] == ["done", "done", "incomplete"]
    assert page["panes"][1]["markdown"] == "open **bold"


def test_what_was_cut_keeps_what_it_showed() -> None:
    cut = [request(), start(), opened(0, "text", text=""), delta(0, "text", "a **bold wo")]
    for end in (
        [ours("stream_end", ended="cut_off", error=None), turn_end("cut_off")],
        [turn_end("stopped")],
    ):
        (text,) = page_of(*cut, *end)["panes"]
        assert (text["html"], text["state"]) == ("<p>a <strong>bold wo</strong></p>\n", "done")


def test_cited_spans_are_one_text() -> None:
    cited = {
        "type": "citations_delta",
        "citation": {"type": "web_search_result_location", "url": "https://a.b"},
    }
    spans = [
        *block(0, "text", "- In *May"),
        opened(1, "text", text="", citations=[]),
        {"type": "content_block_delta", "index": 1, "delta": cited},
        delta(1, "text", " it* rain"),
        stop(1),
        *block(2, "text", "ed.\n- Then"),
    ]
    (text,) = page_of(request(), start(), *spans, *finish(), turn_end())["panes"]
    assert text["markdown"] == "- In *May it* rain<sup>[1](<https://a.b>)</sup>ed.\n- Then"
    assert "<em>May it</em> rain<sup><a href=" in text["html"]
    assert ">1</a></sup>ed.</li>\n<li>Then</li>\n</ul>\n" in text["html"]
    assert text["state"] == "done"


def test_texts_without_citations_stay_apart() -> None:
    page = page_of(
        request(), start(), *block(0, "text", "one"), *block(1, "text", "two"), *finish(), turn_end()
    )
    assert [pane["markdown"] for pane in page["panes"]] == ["one", "two"]


def test_what_was_whole_is_rendered_as_final() -> None:
    (text,) = page_of(request(), start(), *block(0, "text", "a **b"), *finish(), turn_end())["panes"]
    assert text["html"] == "<p>a **b</p>\n"


def test_a_refusal_tells_its_category_and_nothing_secret() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "e", "fallback_credit_token": "secret"}
    end = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}}
    turn = page_of(request(), start(), end, turn_end("refusal"))["turn"]
    assert (turn["stop_reason"], turn["refusal"]) == ("refusal", {"category": "cyber", "explanation": "e"})


def test_a_final_value_takes_the_place_of_what_streamed() -> None:
    text, thinking, tool = page_of(*samples.TURNS["final"])["panes"]
    assert text["markdown"] == "the streamed and **more**"
    assert "quite other" in thinking["html"]
    assert "draft" not in thinking["html"]
    assert tool["args"] == [["b", "2", True]]


def test_many_events_in_one_feed_give_few_changes() -> None:
    page = TurnPage()
    page.feed([{**request(), "at": 0}, {**opened(0, "text", text="x"), "at": 1}])
    changes = page.feed([{**delta(0, "text", "y"), "at": 2} for _ in range(100)])
    assert [change[0] for change in changes] == ["grow", "ops"]


def test_footnotes_of_two_panes_do_not_share_an_identifier() -> None:
    note = "a[^1]\n\n[^1]: b\n"
    events = [request(), start(), *block(0, "text", note), *block(1, "text", note), *finish(), turn_end()]
    page = TurnPage(scope="t1")
    page.feed(timed(*events))
    first, second = (pane["html"] for pane in page.snapshot()["panes"])
    assert 'href="#t1-1.0-fn-1"' in first
    assert 'id="t1-1.0-fn-1"' in first
    assert 'id="t1-1.1-fn-1"' in second


@pytest.mark.parametrize("pieces", [["> " * 45 + "x", " y"], ["> " * 20, "> " * 25, "x y"]])
def test_text_that_is_nested_too_deep_says_so_and_its_source_is_whole(pieces: list[str]) -> None:
    events = [request(), start(), *block(0, "text", *pieces), *finish(), turn_end()]
    page = TurnPage()
    for event in events:
        page.feed([event])
    pane = page.snapshot()["panes"][0]
    assert pane["caps"] == page_of(*events)["panes"][0]["caps"] == ["depth"]
    assert pane["markdown"] == "".join(pieces)
