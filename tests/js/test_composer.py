"""The message box: what sends, what does not, and what is never lost."""

from playwright.sync_api import expect

from tests.js.pages import changes, live, page, text, turn
from tests.js.stage import CONVERSATION, MODELS, Stage, snapshot, turn_id

BOX = "#message"


def test_enter_sends_and_the_message_is_shown_at_once(stage: Stage) -> None:
    stage.open()
    stage.sent("hello")
    stage.page.fill(BOX, "Hello there")
    stage.page.press(BOX, "Enter")
    frame = stage.sent("submit")
    assert (frame["text"], frame["conversation"], frame["parent"]) == ("Hello there", None, None)
    expect(stage.page.locator(".question-text")).to_have_text("Hello there")
    expect(stage.page.locator(BOX)).to_have_value("")
    stage.ok(frame, 1)
    stage.send({"type": "title", "conversation": CONVERSATION, "title": "A greeting"})
    expect(stage.page.locator("#title")).to_have_text("A greeting")
    assert stage.page.url.endswith(f"/c/{CONVERSATION}/")
    expect(stage.page.locator(".conversation [aria-current]")).to_have_text("A greeting")
    stage.send(snapshot(1, page(turn(), text()), text="Hello there"))
    expect(stage.page.locator("text-pane")).to_have_text("Hello")
    expect(stage.page.locator("chat-turn")).to_have_count(1)


def test_shift_enter_makes_a_new_line(stage: Stage) -> None:
    stage.open()
    stage.page.fill(BOX, "one")
    stage.page.press(BOX, "Shift+Enter")
    stage.page.locator(BOX).press_sequentially("two")
    expect(stage.page.locator(BOX)).to_have_value("one\ntwo")


def test_enter_that_ends_a_composition_never_sends(stage: Stage) -> None:
    stage.open()
    stage.sent("hello")
    stage.page.fill(BOX, "你好")
    for sign in ({"isComposing": True}, {"keyCode": 229}):
        stage.page.dispatch_event(BOX, "keydown", {"key": "Enter", **sign})
    stage.page.wait_for_timeout(50)
    assert not [frame for frame in stage.frames if frame["type"] == "submit"]
    expect(stage.page.locator(BOX)).to_have_value("你好")


def test_a_draft_survives_a_reload_and_each_conversation_has_its_own(stage: Stage) -> None:
    stage.open()
    stage.page.fill(BOX, "half a thought")
    stage.page.reload()
    expect(stage.page.locator(BOX)).to_have_value("half a thought")
    stage.converse([snapshot(1, page(turn(), text()))]).open()
    expect(stage.page.locator(BOX)).to_have_value("")


def test_it_grows_with_its_text_up_to_a_limit(stage: Stage) -> None:
    stage.open()
    heights = []
    for lines in (1, 5, 100):
        stage.page.fill(BOX, "line\n" * lines)
        box = stage.page.locator(BOX).bounding_box()
        assert box is not None
        heights.append(box["height"])
    assert heights[0] < heights[1] < heights[2] <= 0.4 * 800 + 1


def test_stop_takes_the_place_of_send_while_an_answer_is_written(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), text(state="live")), rev=1)]).open()
    stage.sent("hello")
    stop = stage.page.get_by_role("button", name="Stop", exact=True)
    stage.page.fill(BOX, "")
    expect(stage.page.locator("[data-part=send]")).to_be_hidden()
    stage.page.fill(BOX, "next")
    stop.click()
    assert stage.sent("stop")["turn"] == turn_id(1)
    expect(stop).to_be_disabled()
    stage.send(changes(1, 2, ["turn", {"state": "ended", "ending": "stopped", "ended_at": 9000}]))
    expect(stop).not_to_be_visible()
    expect(stage.page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    expect(stage.page.locator(".ending")).to_contain_text("Stopped by you")


def test_escape_stops(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), text(state="live")))]).open()
    stage.sent("hello")
    stage.page.press(BOX, "Escape")
    assert stage.sent("stop")["turn"] == turn_id(1)


def test_a_refused_message_comes_back_into_the_box_with_the_reason(stage: Stage) -> None:
    stage.open()
    stage.sent("hello")
    stage.page.fill(BOX, "Hello there")
    stage.page.press(BOX, "Enter")
    stage.send({"type": "no", "id": stage.sent("submit")["id"], "code": "busy", "message": "…"})
    expect(stage.page.get_by_role("alert")).to_contain_text("another answer is still being written")
    expect(stage.page.locator(BOX)).to_have_value("Hello there")
    expect(stage.page.locator("chat-turn")).to_have_count(0)
    stage.page.get_by_role("button", name="Dismiss").click()
    expect(stage.page.get_by_role("alert")).not_to_be_visible()


def test_an_edited_message_becomes_a_new_version_and_the_draft_stays(stage: Stage) -> None:
    first = snapshot(1, page(turn(), text()), text="Why?")
    second = snapshot(2, page(turn(), text("<p>Second</p>")), text="And then?", parent=1)
    stage.converse([first, second]).open()
    stage.sent("hello")
    stage.page.fill(BOX, "draft")
    stage.page.locator(".question").last.hover()
    stage.page.get_by_role("button", name="Edit the message").last.click()
    expect(stage.page.locator(BOX)).to_have_value("And then?")
    stage.page.press(BOX, "Escape")
    expect(stage.page.locator(BOX)).to_have_value("draft")
    stage.page.locator(".question").last.hover()
    stage.page.get_by_role("button", name="Edit the message").last.click()
    stage.page.fill(BOX, "And now?")
    stage.page.press(BOX, "Enter")
    frame = stage.sent("submit")
    assert (frame["text"], frame["parent"], frame["retry"]) == ("And now?", turn_id(1), None)
    expect(stage.page.locator(".question-text").last).to_have_text("And now?")
    expect(stage.page.locator("chat-turn")).to_have_count(2)
    expect(stage.page.locator(BOX)).to_have_value("draft")


def test_the_chosen_model_is_sent(stage: Stage) -> None:
    stage.context["models"] = MODELS
    stage.open()
    stage.sent("hello")
    stage.page.locator(".model-button").click()
    stage.page.get_by_role("option", name="other-2").click()
    stage.page.fill(BOX, "Hello")
    stage.page.press(BOX, "Enter")
    assert stage.sent("submit")["model"] == "other"


def test_an_example_is_sent_by_a_click(stage: Stage) -> None:
    stage.open()
    stage.sent("hello")
    prompt = stage.page.locator(".prompt").first
    words = prompt.locator(".prompt-text").inner_text()
    prompt.click()
    assert stage.sent("submit")["text"] == words
    expect(stage.page.locator("#welcome")).not_to_be_visible()


def test_up_in_an_empty_box_edits_the_last_message(stage: Stage) -> None:
    turns = [
        snapshot(1, page(turn(), text()), text="First"),
        snapshot(2, page(turn(), text()), text="Last", parent=1),
    ]
    stage.converse(turns).open()
    stage.sent("hello")
    stage.page.fill(BOX, "x")
    stage.page.press(BOX, "ArrowUp")
    expect(stage.page.locator(BOX)).to_have_value("x")
    stage.page.fill(BOX, "")
    stage.page.press(BOX, "ArrowUp")
    expect(stage.page.locator(BOX)).to_have_value("Last")
    stage.page.fill(BOX, "Better")
    stage.page.press(BOX, "Enter")
    frame = stage.sent("submit")
    assert (frame["text"], frame["parent"]) == ("Better", turn_id(1))


def test_selected_text_is_quoted_by_button_and_by_key(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text("<p>Keep this</p><p>And this</p>")))]).open()
    stage.page.fill(BOX, "Look:")
    select = "getSelection().selectAllChildren(document.querySelector('text-pane .prose'))"
    stage.page.evaluate(select)
    stage.page.get_by_role("button", name="Quote").click()
    expect(stage.page.locator(BOX)).to_have_value("Look:\n\n> Keep this\n>\n> And this\n\n")
    expect(stage.page.locator(BOX)).to_be_focused()
    expect(stage.page.locator("#quote")).to_be_hidden()
    stage.page.fill(BOX, "")
    stage.page.evaluate(f"document.activeElement.blur(); {select.replace('.prose', 'p')}")
    stage.page.keyboard.press("q")
    expect(stage.page.locator(BOX)).to_have_value("> Keep this\n\n")


def test_a_message_written_meanwhile_waits_for_the_end_also_over_a_reload(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), text(state="live")), rev=1)]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    for words in ("first", "second", "third"):
        stage.page.fill(BOX, words)
        stage.page.get_by_role("button", name="Send after this answer").click()
    expect(stage.page.locator(BOX)).to_have_value("")
    queued = stage.page.locator(".queued-text")
    expect(queued).to_have_text(["first", "second", "third"])
    assert not [frame for frame in stage.frames if frame["type"] == "submit"]
    stage.page.reload()
    stage.sent("hello")
    expect(queued).to_have_text(["first", "second", "third"])
    stage.page.get_by_role("button", name="Remove from the queue").nth(1).click()
    expect(stage.page.locator(BOX)).to_have_value("second")
    stage.send(changes(1, 2, ["turn", {"state": "ended", "ending": "complete", "ended_at": 9000}]))
    frame = stage.sent("submit")
    assert (frame["text"], frame["parent"]) == ("first", turn_id(1))
    expect(queued).to_have_text(["third"])
    stage.ok(frame, 2)
    stage.send(snapshot(2, page(turn(), text()), text="first", parent=1))
    stage.until("document.querySelectorAll('.queued').length === 0")
    assert stage.sent("submit")["text"] == "third"
