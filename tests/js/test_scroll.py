"""The view stays at the end only while its reader is there."""

import pytest
from playwright.sync_api import Browser, expect

from streamrender.markdown import MarkdownStream
from tests.js.pages import changes, live, page, text
from tests.js.stage import Stage, snapshot

TOP = "document.querySelector('#thread').scrollTop"
DISTANCE = "(t => t.scrollHeight - t.clientHeight - t.scrollTop)(document.querySelector('#thread'))"


def long_answer(stage: Stage) -> Stage:
    html = "<p>Words and words.</p>" * 60
    stage.converse([snapshot(1, page(live(), text(html, state="live")), rev=0)]).open()
    stage.sent("hello")
    stage.until(f"{DISTANCE} <= 2")
    return stage


def grow(stage: Stage, first: int, times: int = 10) -> None:
    for number in range(first, first + times):
        stage.send(changes(number, number + 1, ["ops", "1.1", [["p", 0, 60 + number, "<p>More.</p>"]]]))
    expect(stage.page.locator("text-pane .prose p")).to_have_count(60 + first + times)


@pytest.mark.parametrize("ratio", [1, 1.25, 1.5, 2.625])
def test_at_the_end_it_follows_at_any_pixel_ratio(chromium: Browser, ratio: float) -> None:
    context = chromium.new_context(viewport={"width": 1000, "height": 701}, device_scale_factor=ratio)
    stage = long_answer(Stage(context.new_page()))
    grow(stage, 0)
    assert stage.page.evaluate(DISTANCE) <= 2
    context.close()


def test_a_reader_who_scrolled_up_is_left_alone_and_can_jump_back(stage: Stage) -> None:
    long_answer(stage)
    jump = stage.page.get_by_role("button", name="Latest")
    expect(jump).not_to_be_visible()
    stage.page.locator("text-pane").hover()
    stage.page.mouse.wheel(0, -400)
    expect(jump).to_be_visible()
    before = stage.page.evaluate(TOP)
    grow(stage, 0)
    assert stage.page.evaluate(TOP) == before
    jump.click()
    stage.until(f"{DISTANCE} <= 2")
    expect(jump).not_to_be_visible()
    grow(stage, 10)
    assert stage.page.evaluate(DISTANCE) <= 2


def test_a_turn_of_another_tab_does_not_move_a_reader(stage: Stage) -> None:
    long_answer(stage)
    stage.page.locator("text-pane").hover()
    stage.page.mouse.wheel(0, -400)
    expect(stage.page.get_by_role("button", name="Latest")).to_be_visible()
    stage.page.wait_for_timeout(100)
    before = stage.page.evaluate(TOP)
    stage.send(snapshot(2, page(live(), text(state="live")), parent=1))
    expect(stage.page.locator("chat-turn")).to_have_count(2)
    stage.page.wait_for_timeout(100)
    assert stage.page.evaluate(TOP) == before


def test_a_queued_message_that_goes_out_by_itself_does_not_move_a_reader(stage: Stage) -> None:
    long_answer(stage)
    stage.page.fill("#message", "Later")
    stage.page.keyboard.press("Enter")
    stage.page.locator("text-pane").hover()
    stage.page.mouse.wheel(0, -400)
    expect(stage.page.get_by_role("button", name="Latest")).to_be_visible()
    stage.page.wait_for_timeout(100)
    before = stage.page.evaluate(TOP)
    stage.send(changes(0, 1, ["turn", {"state": "ended", "ending": "complete", "ended_at": 9000}]))
    assert stage.sent("submit")["text"] == "Later"
    expect(stage.page.locator("chat-turn")).to_have_count(2)
    stage.page.wait_for_timeout(100)
    assert stage.page.evaluate(TOP) == before
    jump = stage.page.get_by_role("button", name="Latest")
    jump.click()
    stage.until(f"{DISTANCE} <= 2")


def test_the_way_back_counts_the_turns_that_brought_something(stage: Stage) -> None:
    long_answer(stage)
    jump = stage.page.locator("[data-action=jump]")
    stage.page.locator("text-pane").hover()
    stage.page.mouse.wheel(0, -400)
    expect(jump).to_be_visible()
    expect(jump).to_have_text("Latest")
    grow(stage, 0)
    expect(jump).to_have_text("Latest 1")
    stage.send(snapshot(2, page(live(), text(id="1.1", state="live")), parent=1))
    expect(jump).to_have_text("Latest 2")
    jump.click()
    stage.until(f"{DISTANCE} <= 2")
    stage.page.locator("text-pane").last.hover()
    stage.page.mouse.wheel(0, -400)
    expect(jump).to_be_visible()
    expect(jump).to_have_text("Latest")


def test_scrolling_up_a_little_is_enough_to_let_go(stage: Stage) -> None:
    long_answer(stage)
    stage.page.evaluate("document.querySelector('#thread').scrollTop -= 5")
    stage.page.wait_for_timeout(50)
    before = stage.page.evaluate(TOP)
    grow(stage, 0)
    assert stage.page.evaluate(TOP) == before


def test_scrolling_back_to_the_end_takes_hold_again(stage: Stage) -> None:
    long_answer(stage)
    stage.page.locator("text-pane").hover()
    stage.page.mouse.wheel(0, -400)
    expect(stage.page.get_by_role("button", name="Latest")).to_be_visible()
    stage.page.mouse.wheel(0, 2000)
    stage.until(f"{DISTANCE} <= 2")
    grow(stage, 0)
    assert stage.page.evaluate(DISTANCE) <= 2


def test_nothing_shifts_while_an_answer_grows(stage: Stage) -> None:
    stage.converse([snapshot(1, page(live(), text("<p>Start</p>", state="live")), rev=0)]).open()
    stage.sent("hello")
    stage.page.evaluate(
        "globalThis.shift = 0;"
        "new PerformanceObserver((list) => list.getEntries().forEach((entry) => shift += entry.value))"
        ".observe({type: 'layout-shift', buffered: false})"
    )
    for number in range(40):
        stage.send(changes(number, number + 1, ["ops", "1.1", [["p", 0, 1 + number, "<p>More.</p>"]]]))
        stage.page.wait_for_timeout(15)
    stage.send(changes(40, 41, ["turn", {"state": "ended", "ending": "stopped", "ended_at": 9000}]))
    expect(stage.page.locator(".ending")).to_be_visible()
    stage.page.wait_for_timeout(50)
    assert stage.page.evaluate("shift") < 0.01


def test_a_list_that_turns_loose_keeps_its_items_where_they_are(stage: Stage) -> None:
    markdown = MarkdownStream()
    markdown.feed("Some words:\n\n- one\n- two **bold**\n  - below\n- three\n")
    stage.converse([snapshot(1, page(live(), text(markdown.html, state="live")), rev=0)]).open()
    stage.sent("hello")
    items = "Array.from(document.querySelectorAll('.prose li'), (item) => item.getBoundingClientRect().top)"
    before = stage.page.evaluate(items)
    assert len(before) == 4
    stage.send(changes(0, 1, ["ops", "1.1", markdown.feed("\n- four\n")]))
    expect(stage.page.locator(".prose li > p")).to_have_count(4)
    assert stage.page.evaluate(items)[:4] == before
