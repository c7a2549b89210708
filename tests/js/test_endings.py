"""Each ending says what happened and offers what can be done; what arrived stays."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from streamrender import errors
from tests.js.pages import changes, live, page, text, thinking, turn
from tests.js.stage import CONVERSATION, Stage, snapshot, turn_id

FAULTS = (Path(__file__).parents[2] / "templates" / "chats" / "_fault.html").read_text()
OVERLOADED = {"type": "overloaded", "message": "Overloaded", "status": 529}


@pytest.mark.parametrize(
    ("ending", "words", "goes_on"),
    [
        ("length", "Cut at the length limit", True),
        ("length_in_thinking", "limit was reached while thinking", False),
        ("refusal", "declined to answer", False),
        ("stop_sequence", "stop sequence", False),
        ("tool_limit", "tool rounds", True),
        ("stopped", "Stopped by you", True),
        ("cut_off", "closed without an end", True),
        ("interrupted", "the server stopped", True),
    ],
)
def test_an_ending_has_its_words_and_actions(stage: Stage, ending: str, words: str, goes_on: bool) -> None:
    stage.converse([snapshot(1, page(turn(ending=ending), text()))]).open()
    line = stage.page.locator(".ending")
    expect(line).to_contain_text(words)
    expect(line.get_by_role("button", name="Retry", exact=True)).to_be_visible()
    expect(line.get_by_role("button", name="Continue")).to_be_visible(visible=goes_on)
    expect(stage.page.locator("text-pane")).to_have_text("Hello")


def test_a_complete_answer_has_no_ending_line(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open()
    expect(stage.page.locator(".ending")).not_to_be_visible()
    expect(stage.page.locator(".foot")).to_contain_text("1,204 in")


def test_the_foot_says_when_another_model_answered_than_was_asked(stage: Stage) -> None:
    told = {"model": "other-2", "substituted": {"asked": "demo-1", "served": "other-2"}}
    stage.converse([snapshot(1, page(live(**told), text()))]).open()
    words = stage.page.get_by_text("Answered by other-2; demo-1 was asked")
    expect(words).to_be_hidden()
    stage.send(changes(0, 1, ["turn", {"state": "ended", "ending": "complete", "ended_at": 900}]))
    expect(words).to_be_visible()
    stage.send(snapshot(1, page(turn(), text()), rev=2))
    expect(stage.page.locator("[data-part='figure-substituted']")).to_be_hidden()


def test_the_foot_says_so_in_chinese(stage: Stage) -> None:
    told = {"model": "other-2", "substituted": {"asked": "demo-1", "served": "other-2"}}
    stage.language = "zh-hans"
    stage.converse([snapshot(1, page(turn(**told), text()))]).open()
    expect(stage.page.locator(".foot")).to_contain_text("由 other-2 回答；请求的是 demo-1")


def test_output_tokens_are_not_shown_before_they_are_known(stage: Stage) -> None:
    cut = turn(ending="cut_off", stop_reason=None, usage={"input_tokens": 19, "output_tokens": 1})
    stage.converse([snapshot(1, page(cut, text()))]).open()
    expect(stage.page.locator(".foot")).to_contain_text("19 in")
    expect(stage.page.locator("[data-part='figure-out']")).to_be_hidden()


def test_an_error_says_what_it_means_with_its_status_and_message(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(ending="error", error=OVERLOADED), text()))]).open()
    expect(stage.page.locator(".ending-words")).to_contain_text("The upstream is overloaded (529).")
    expect(stage.page.locator(".ending-detail")).to_have_text("Overloaded")


@pytest.mark.parametrize(
    "kind", sorted({*errors._STATUS.values(), *errors._WORDS.values(), "network", "not_a_stream"})
)
def test_each_kind_of_error_has_words_of_its_own(kind: str) -> None:
    assert f'data-when="{kind}' in FAULTS or f' {kind}"' in FAULTS


def test_an_unknown_error_is_still_an_error(stage: Stage) -> None:
    error: dict[str, Any] = {"type": "new_kind_of_error", "message": "Something else"}
    stage.converse([snapshot(1, page(turn(ending="error", error=error), text()))]).open()
    expect(stage.page.locator(".ending-words")).to_contain_text("The upstream reported an error.")
    expect(stage.page.locator(".ending-detail")).to_have_text("Something else")


def test_the_wait_before_another_attempt_counts_down(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live("waiting", first_token_at=None)), rev=1)]).open()
    stage.sent("hello")
    stage.page.clock.install()
    wait = {"attempt": 1, "seconds": 8.0, "at": 10**9, "error": OVERLOADED}
    stage.send(changes(1, 2, ["turn", {"state": "retry", "retry": wait}]))
    line = stage.page.locator(".retry-wait")
    expect(line).to_contain_text("The upstream is overloaded (529).")
    expect(line).to_contain_text("Trying again in")


def test_retry_asks_for_another_answer_to_the_same_message(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(ending="cut_off"), text()), text="Why?")]).open()
    stage.sent("hello")
    stage.page.locator(".ending").get_by_role("button", name="Retry", exact=True).click()
    frame = stage.sent("submit")
    assert frame["retry"] == turn_id(1)
    assert frame["parent"] is None
    assert frame["conversation"] == CONVERSATION
    expect(stage.page.locator("chat-turn")).to_have_count(1)
    stage.ok(frame, 2)
    stage.send(snapshot(2, page(turn(), text("<p>Because.</p>")), text="Why?"))
    expect(stage.page.locator("text-pane")).to_have_text("Because.")
    expect(stage.page.locator(".versions")).to_contain_text("2 / 2")
    stage.page.get_by_role("button", name="Previous version").click()
    expect(stage.page.locator("text-pane")).to_have_text("Hello")
    expect(stage.page.locator(".versions")).to_contain_text("1 / 2")


def test_continue_goes_on_in_place_with_what_is_shown(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(ending="length"), thinking(), text()))]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    stage.page.get_by_role("button", name="Continue").click()
    frame = stage.sent("submit")
    assert (frame["retry"], frame["continue"]) == (turn_id(1), True)
    # Nothing goes away meanwhile, and there is one question.
    expect(stage.page.locator("chat-turn")).to_have_count(1)
    expect(stage.page.locator("text-pane")).to_have_text("Hello")
    expect(stage.page.locator("thinking-pane")).to_have_count(1)
    stage.ok(frame, 2)
    whole = text("<p>Hello world</p>", markdown="Hello world")
    stage.send(snapshot(2, page(turn(round=2), thinking(), whole)))
    expect(stage.page.locator("text-pane")).to_have_text("Hello world")
    expect(stage.page.locator(".question-text")).to_have_count(1)
    expect(stage.page.locator(".versions")).to_contain_text("2 / 2")
    expect(stage.page.locator(".ending")).to_be_hidden()
    assert not stage.errors


def test_only_the_last_turn_can_be_continued_and_none_while_one_runs(stage: Stage) -> None:
    first = snapshot(1, page(turn(ending="stopped"), text()))
    second = snapshot(2, page(live(), text(state="live")), parent=1)
    stage.converse([first, second]).open()
    expect(stage.page.get_by_role("button", name="Continue")).to_have_count(0)
    expect(stage.page.get_by_role("button", name="Retry", exact=True)).to_have_count(0)


def test_a_limit_can_be_raised(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(ending="length"), text()))]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    stage.page.get_by_role("button", name="Retry with a higher limit").click()
    frame = stage.sent("submit")
    assert (frame["retry"], frame["more"]) == (turn_id(1), True)
    stage.converse([snapshot(1, page(turn(ending="stopped"), text()))]).open(f"/c/{CONVERSATION}/")
    expect(stage.page.get_by_role("button", name="Retry with a higher limit")).to_be_hidden()
