"""The search: by keyboard, what it shows, and how it leads to a turn."""

from playwright.sync_api import expect

from tests.js.pages import page, text, turn
from tests.js.stage import CONVERSATION, Stage, snapshot, turn_id

LONG = "<p>line</p>" * 60


def found(number: int) -> dict[str, object]:
    parts = ["a ", "hit", " here <b>"]
    return {"conversation": CONVERSATION, "title": "Found", "turn": turn_id(number), "parts": parts}


def test_a_result_leads_to_its_turn_and_stays_there(stage: Stage) -> None:
    turns = [snapshot(n, page(turn(), text(LONG)), parent=n - 1 or None) for n in (1, 2, 3)]
    stage.converse(turns).open(f"/c/{CONVERSATION}/")
    stage.found = [found(1), found(2)]
    stage.page.keyboard.press("Control+k")
    stage.page.keyboard.type("hit")
    options = stage.page.get_by_role("option")
    expect(options.last).to_contain_text("a hit here <b>")
    expect(stage.page.get_by_role("combobox", name="Search your conversations")).to_be_focused()
    stage.page.keyboard.press("ArrowDown")
    expect(options.last).to_have_attribute("aria-selected", "true")
    stage.page.keyboard.press("Enter")
    expect(stage.page.locator("#search-dialog")).not_to_be_visible()
    stage.page.wait_for_url(f"**/#turn-{turn_id(2)}")
    top = f"Math.abs(document.getElementById('turn-{turn_id(2)}').getBoundingClientRect().top - 52) < 60"
    stage.until(top)
    stage.page.reload()
    stage.until(top)


def test_a_result_on_another_branch_is_shown(stage: Stage) -> None:
    stage.converse([snapshot(n, page(turn(), text(f"<p>{n}</p>")), text="Again") for n in (1, 2)])
    stage.open(f"/c/{CONVERSATION}/#turn-{turn_id(1)}")
    expect(stage.page.locator("text-pane")).to_have_text("1")


def test_nothing_written_lists_the_conversations(stage: Stage) -> None:
    stage.converse([]).open()
    stage.page.get_by_role("button", name="Search").click()
    expect(stage.page.get_by_role("option")).to_have_text("A conversation")


def test_nothing_found_and_no_answer_are_said(stage: Stage) -> None:
    stage.open()
    stage.page.keyboard.press("Control+k")
    stage.page.keyboard.type("x")
    dialog = stage.page.locator("#search-dialog")
    expect(dialog).to_contain_text("Nothing found.")
    stage.broken = True
    stage.page.keyboard.type("y")
    expect(dialog).to_contain_text("did not reach the server")
    stage.page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    stage.errors.clear()
