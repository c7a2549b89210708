"""Sharing: the dialog, and the page that others see."""

from playwright.sync_api import expect

from tests.js.pages import page, text, thinking, turn
from tests.js.stage import CONVERSATION, ORIGIN, Stage, snapshot


def test_a_link_is_made_copied_and_taken_back(stage: Stage) -> None:
    stage.converse([snapshot(1, page(turn(), text()))]).open(f"/c/{CONVERSATION}/")
    stage.page.get_by_role("button", name="Share", exact=True).click()
    dialog = stage.page.get_by_role("dialog", name="Share this conversation")
    expect(dialog.get_by_role("button", name="Take the link back")).to_be_hidden()
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.get_by_role("textbox", name="Link")).to_have_value(f"{ORIGIN}/s/token/")
    dialog.get_by_role("button", name="Copy the link").click()
    assert stage.page.evaluate("navigator.clipboard.readText()") == f"{ORIGIN}/s/token/"
    expect(dialog.get_by_role("button", name="Update to now")).to_be_visible()
    stage.broken = True
    dialog.get_by_role("button", name="Update to now").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    stage.broken = False
    dialog.get_by_role("button", name="Take the link back").click()
    expect(dialog.get_by_role("button", name="Make a link")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Link")).to_be_hidden()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    stage.errors.clear()


def test_others_see_the_same_turns_and_nothing_to_do_but_copy(stage: Stage) -> None:
    answer = page(turn(ending="stopped"), thinking(), text("<p>Hello <b>there</b></p>"))
    stage.converse([snapshot(1, answer, text="Why?")]).open("/s/token/")
    expect(stage.page.locator(".question-text")).to_have_text("Why?")
    expect(stage.page.locator("text-pane b")).to_have_text("there")
    expect(stage.page.locator(".ending")).to_contain_text("Stopped by you")
    names = (
        "[...document.querySelectorAll('button')].filter((b) => b.checkVisibility()).map((b) => b.ariaLabel)"
    )
    assert set(stage.page.evaluate(names)) == {"Copy the message", "Copy the answer as Markdown"}
    stage.page.get_by_role("button", name="Copy the message").click()
    assert stage.page.evaluate("navigator.clipboard.readText()") == "Why?"
