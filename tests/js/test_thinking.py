"""The thinking pane: opens by itself, closes by itself, and obeys its reader for good."""

from playwright.sync_api import expect

from tests.js.pages import changes, live, page, text, thinking
from tests.js.stage import Stage, snapshot

FOLD = "thinking-pane details"


def thinking_stage(stage: Stage, html: str = "<p>Let me think.</p>") -> Stage:
    pane = thinking(state="live", ended_at=None, html=html)
    stage.converse([snapshot(1, page(live("thinking"), pane), rev=3)]).open()
    stage.sent("hello")
    return stage


ANSWER = [
    ["set", "1.0", {"state": "done", "ended_at": 6200}],
    ["pane", text(state="live")],
    ["turn", {"state": "answering"}],
]


def test_is_open_while_it_goes_on_and_closes_when_the_answer_starts(stage: Stage) -> None:
    thinking_stage(stage)
    fold = stage.page.locator(FOLD)
    expect(fold).to_have_attribute("open", "")
    expect(fold.locator("summary")).to_contain_text("Thinking")
    stage.send(changes(3, 5, *ANSWER))
    expect(fold).not_to_have_attribute("open", "")
    expect(fold.locator("summary")).to_contain_text("Thought for")
    expect(fold.locator("summary")).to_contain_text("5.4\u202fs")


def test_the_readers_own_toggle_wins_for_good(stage: Stage) -> None:
    thinking_stage(stage)
    fold, head = stage.page.locator(FOLD), stage.page.locator(f"{FOLD} summary")
    head.click()
    expect(fold).not_to_have_attribute("open", "")
    head.click()
    stage.send(changes(3, 5, *ANSWER))
    expect(head).to_contain_text("Thought for")
    expect(fold).to_have_attribute("open", "")
    stage.page.reload()
    expect(stage.page.locator(FOLD)).to_have_attribute("open", "")


def test_a_pane_closed_by_hand_stays_closed_after_a_reload(stage: Stage) -> None:
    thinking_stage(stage)
    stage.page.locator(f"{FOLD} summary").click()
    stage.page.reload()
    expect(stage.page.locator(FOLD)).not_to_have_attribute("open", "")


def test_it_is_a_window_of_twelve_lines_that_stays_at_the_end(stage: Stage) -> None:
    thinking_stage(stage, "<p>Line</p>" * 60)
    window = stage.page.locator(".thinking-window")
    box = window.bounding_box()
    assert box is not None
    assert box["height"] <= 12 * 15 * 1.55 + 1
    for number in range(3):
        stage.send(changes(3 + number, 4 + number, ["ops", "1.0", [["p", 0, 60 + number, "<p>More</p>"]]]))
    expect(window.locator("p")).to_have_count(63)
    assert window.evaluate("w => w.scrollHeight - w.clientHeight - w.scrollTop") <= 2


def test_reading_back_inside_the_window_keeps_it_open(stage: Stage) -> None:
    thinking_stage(stage, "<p>Line</p>" * 60)
    window = stage.page.locator(".thinking-window")
    window.hover()
    stage.page.mouse.wheel(0, -300)
    below = "(w => w.scrollHeight - w.clientHeight - w.scrollTop)(document.querySelector('.thinking-window'))"
    stage.until(f"{below} > 250")
    stage.page.wait_for_timeout(100)
    stage.send(changes(3, 5, *ANSWER))
    expect(stage.page.locator(f"{FOLD} summary")).to_contain_text("Thought for")
    expect(stage.page.locator(FOLD)).to_have_attribute("open", "")


def test_long_thinking_can_be_closed_from_its_foot(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), thinking(html="<p>Line</p>" * 60), text()))]).open()
    stage.page.locator(f"{FOLD} summary").click()
    expect(stage.page.locator(".thinking-window p").last).to_be_visible()
    stage.page.get_by_role("button", name="Close", exact=True).click()
    expect(stage.page.locator(FOLD)).not_to_have_attribute("open", "")


def test_hidden_thinking_says_so_and_no_thinking_has_no_pane(stage: Stage) -> None:
    redacted = {"id": "1.0", "kind": "redacted"}
    stage.converse([snapshot(1, page(live(), redacted, text()))]).open()
    expect(stage.page.get_by_text("Thinking hidden by the provider")).to_be_visible()
    expect(stage.page.locator("thinking-pane")).to_have_count(0)
