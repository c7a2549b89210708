"""The tool card: arguments fill in, states are words, and every result is a result."""

import pytest
from playwright.sync_api import expect

from tests.js.pages import changes, live, page, text, tool
from tests.js.stage import Stage, snapshot, turn_id


def test_arguments_grow_and_the_result_appears(stage: Stage) -> None:
    empty = tool(args=[], bytes=0, state="receiving", run_at=None, ended_at=None, result=None)
    stage.converse([snapshot(1, page(live("tool"), empty), rev=1)]).open()
    stage.sent("hello")
    card = stage.page.locator("tool-card")
    expect(card).to_contain_text("receiving")
    stage.send(changes(1, 2, ["arg", "1.2", 0, "expression", "6 *", False], ["set", "1.2", {"bytes": 18}]))
    expect(card.locator("dd")).to_have_text("6 *")
    expect(card).to_contain_text("18\u202fB")
    stage.send(changes(2, 3, ["arg", "1.2", 0, "expression", " 7", True]))
    expect(card.locator("dd")).to_have_text("6 * 7")
    stage.send(changes(3, 4, ["set", "1.2", {"state": "running", "run_at": 1400}]))
    expect(card).to_contain_text("running")
    stage.send(changes(4, 5, ["set", "1.2", {"state": "done", "ended_at": 1500, "result": "42"}]))
    expect(card.locator(".tool-state")).to_have_text("done")
    expect(card.locator(".tool-preview")).to_have_text("42")
    expect(card.locator(".tool-output")).not_to_be_visible()
    card.locator("summary").click()
    expect(card.locator(".tool-output")).to_have_text("42")


@pytest.mark.parametrize(("result", "shown"), [("false", "false"), ("0", "0"), ("", "empty text")])
def test_false_zero_and_nothing_are_results(stage: Stage, result: str, shown: str) -> None:
    stage.converse([snapshot(1, page(live("tool"), tool(result=result)))]).open()
    expect(stage.page.locator(".tool-result summary")).to_contain_text(shown)


def test_an_error_is_called_error(stage: Stage) -> None:
    failed = tool(state="failed", result="division by zero", result_error=True)
    stage.converse([snapshot(1, page(live("tool"), failed))]).open()
    expect(stage.page.locator("tool-card .tool-state")).to_have_text("failed")
    expect(stage.page.locator(".tool-result summary")).to_contain_text("Error")


def test_a_call_that_needs_permission_asks_and_says_so(stage: Stage) -> None:
    waiting = tool(state="asking", result=None, run_at=None, ended_at=None)
    stage.converse(
        [snapshot(1, page(live("tool"), tool(id="1.0"), {**waiting, "state": "receiving"}), rev=1)]
    ).open()
    stage.sent("hello")
    allow = stage.page.get_by_role("button", name="Allow", exact=True)
    expect(allow).to_have_count(0)
    stage.send(changes(1, 2, ["set", "1.2", {"state": "asking"}]))
    expect(stage.page.locator("#announcer")).to_have_text("A tool waits for your permission.")
    expect(stage.page.locator("tool-card").last).to_contain_text("waiting for approval")
    expect(stage.page.locator(".instrument-state")).to_have_text("Waiting for your approval")
    allow.click()
    frame = stage.sent("approve")
    assert (frame["turn"], frame["call"], frame["granted"]) == (turn_id(1), "call_1", True)
    stage.page.get_by_role("button", name="Decline").click()
    stage.page.wait_for_timeout(50)
    assert stage.sent("approve")["granted"] is False


def test_truncated_arguments_say_so(stage: Stage) -> None:
    cut = tool(state="incomplete", args=[["path", "notes/", False]], result=None, run_at=None)
    stage.converse([snapshot(1, page(live("tool"), cut))]).open()
    expect(stage.page.locator("tool-card")).to_contain_text("incomplete, never run")


def test_what_tools_give_is_text_and_never_markup(stage: Stage) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    card = tool(args=[["<b>key</b>", hostile, True]], result=hostile, name="<i>x</i>", progress=hostile)
    stage.converse([snapshot(1, page(live("tool"), card, text()), text=hostile)]).open()
    expect(stage.page.locator("tool-card dd")).to_have_text(hostile)
    assert stage.page.locator("chat-turn img, tool-card b, tool-card i").count() == 0


def test_parallel_calls_stand_side_by_side_and_none_moves_when_the_next_comes(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live("tool"), tool()), rev=1)]).open()
    stage.sent("hello")
    first = stage.page.locator("tool-card").first
    before = first.bounding_box()
    stage.send(changes(1, 2, ["pane", tool(id="1.3", tool_id="call_2")]))
    expect(stage.page.locator("tool-card")).to_have_count(2)
    after, second = first.bounding_box(), stage.page.locator("tool-card").last.bounding_box()
    assert before == after
    assert second is not None
    assert after is not None
    assert second["y"] == after["y"]


def test_always_allowing_is_offered_unless_it_is_asked_each_time(stage: Stage) -> None:
    waiting = tool(state="asking", result=None, run_at=None, ended_at=None, each_time=True)
    stage.converse([snapshot(1, page(live("tool"), waiting), rev=1)]).open()
    stage.sent("hello")
    always = stage.page.get_by_role("button", name="Always allow")
    expect(always).to_be_hidden()
    stage.send(changes(1, 2, ["set", "1.2", {"each_time": False}]))
    always.click()
    frame = stage.sent("approve")
    assert (frame["call"], frame["granted"], frame["always"]) == ("call_1", True, True)


def test_a_tool_that_is_absent_here_says_so_and_what_the_model_was_told(stage: Stage) -> None:
    told = 'There is no tool called "weather" here.'
    absent = tool(name="weather", state="receiving", run_at=None, ended_at=None, result=None)
    stage.converse([snapshot(1, page(live("tool"), absent), rev=1)]).open()
    stage.sent("hello")
    fields = {"state": "absent", "ended_at": 1500, "result": told, "result_error": True}
    stage.send(changes(1, 2, ["set", "1.2", fields]))
    card = stage.page.locator("tool-card")
    expect(card.locator(".tool-state")).to_have_text("not run: no such tool here")
    expect(card.locator(".tool-result summary")).to_contain_text("Told to the model")
    expect(card.locator(".tool-result summary")).not_to_contain_text("Error")
    card.locator("summary").click()
    expect(card.locator(".tool-output")).to_have_text(told)


def test_servers_without_which_it_was_answered_are_named(stage: Stage) -> None:
    absent = {"id": "1.0", "kind": "absent", "servers": "files, <b>mail</b>"}
    stage.converse([snapshot(1, page(live(), text()), rev=1)]).open()
    stage.sent("hello")
    stage.send(changes(1, 2, ["pane", absent]))
    note = stage.page.locator("note-pane")
    words = "Answered without the tools of a server that does not answer: files, <b>mail</b>"
    expect(note).to_have_text(words)
    expect(note.locator("b")).to_have_count(0)


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
DRAWN = "[...document.querySelectorAll('.tool-image')].map((one) => one.complete && one.naturalWidth)"


def test_pictures_of_a_tool_are_drawn_on_its_card_and_stay(stage: Stage) -> None:
    running = tool(state="running", ended_at=None, result=None)
    stage.converse([snapshot(1, page(live("tool"), running), rev=1)]).open()
    stage.sent("hello")
    card = stage.page.locator("tool-card")
    expect(card.locator(".tool-images")).to_be_hidden()
    pictures = [{"media_type": "image/png", "data": PIXEL}] * 2
    done = {"state": "done", "ended_at": 1500, "result": "", "images": pictures}
    stage.send(changes(1, 2, ["set", "1.2", done]))
    expect(card.get_by_role("img", name="Picture that this tool gave")).to_have_count(2)
    stage.until(f"{DRAWN}.join() === '1,1'")
    # With pictures an empty text is no news.
    expect(card.get_by_text("empty text")).to_be_hidden()
    first = card.locator(".tool-image").first.element_handle()
    stage.send(changes(2, 3, ["turn", {"state": "answering"}], ["set", "1.2", {"bytes": 30}]))
    expect(card).to_contain_text("30")
    assert first.evaluate("(image) => image.isConnected")
    stage.send(snapshot(1, page(live("tool"), tool(result="none")), rev=4))
    expect(card.locator(".tool-image")).to_have_count(0)
