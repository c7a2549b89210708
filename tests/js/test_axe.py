"""No page has an accessibility fault that axe can see, in either theme, whatever is open on it."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page

from tests.js.axe import violations
from tests.js.pages import live, page, text, thinking, tool, turn
from tests.js.recorded import Recorded
from tests.js.stage import CONVERSATION, MODELS, Stage, snapshot, turn_id

RICH = (
    "<h2>Head</h2><p>Words and <a href='https://example.org/'>a link</a>.</p>"
    "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"
    "<pre><code class='language-python'>print(1)\n</code></pre><blockquote><p>Said</p></blockquote>"
)


def nothing(page: Page) -> None:
    """The page as it opens."""


def settings(page: Page) -> None:
    page.locator("#settings summary").click()


def menu(page: Page) -> None:
    page.locator(".conversation [data-action=more]").first.focus()
    page.keyboard.press("Enter")


def rename(page: Page) -> None:
    menu(page)
    page.keyboard.press("Enter")


def toast(page: Page) -> None:
    menu(page)
    page.locator("#conversation-menu [data-action=archive]").click()
    page.locator("#toast [data-part=body]").wait_for()


def search(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("hit")
    page.locator(".found-text mark").filter(has_text="hit").wait_for()


def share(page: Page) -> None:
    page.locator("#share").click()
    page.locator("#share-dialog [data-part=share]").click()
    page.locator("#share-dialog [data-part=link]").wait_for()


def shortcuts(page: Page) -> None:
    settings(page)
    page.locator("[data-action=shortcuts]").click()


def preferences(page: Page) -> None:
    settings(page)
    page.locator("[data-action=preferences]").click()


def attached(page: Page) -> None:
    page.locator("#files").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"text"})
    page.locator(".attachment").wait_for()


def unfolded(page: Page) -> None:
    for summary in page.locator("chat-turn summary:visible").all():
        summary.click()


def edited(page: Page) -> None:
    page.locator("#message").press("ArrowUp")


def models(page: Page) -> None:
    page.locator(".model-button").click()
    page.keyboard.type("other")
    page.locator(".model-option").wait_for()


def inspector(page: Page) -> None:
    page.locator("[data-action=inspect]").first.click()
    page.locator("#inspector .row").first.wait_for()


OPENED = [nothing, inspector, settings, preferences, menu, rename, toast, search, share, shortcuts, unfolded]
OPENED += [edited, attached, models]


def furnished(stage: Stage) -> Stage:
    """A conversation that has every kind of pane."""
    done = page(turn(ending="cut_off"), thinking(), tool(), text(RICH, id="1.3"))
    stage.converse([snapshot(1, done, text="Why?")])
    parts = ["a ", "hit", " here"]
    stage.found = [{"conversation": CONVERSATION, "title": "Found", "turn": turn_id(1), "parts": parts}]
    old = {"id": "e", "title": "Old", "updated": datetime(2026, 1, 1, tzinfo=UTC), "archived": True}
    stage.context["archived"] = [old]
    stage.context["models"] = [{**model, "group": "Group"} for model in MODELS]
    Recorded(stage)
    return stage


@pytest.mark.parametrize("opened", OPENED, ids=lambda opened: opened.__name__)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_conversation(stage: Stage, theme: str, opened: Callable[[Page], None]) -> None:
    stage.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    furnished(stage).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    opened(stage.page)
    assert violations(stage.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_forced_colours(stage: Stage, theme: str) -> None:
    stage.page.emulate_media(color_scheme=theme, reduced_motion="reduce", forced_colors="active")  # type: ignore[arg-type]
    furnished(stage).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    unfolded(stage.page)
    assert violations(stage.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_other_pages(stage: Stage, theme: str) -> None:
    stage.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    stage.open()
    assert violations(stage.page) == []
    furnished(stage).open("/s/token/")
    assert violations(stage.page) == []
    for template in ("accounts/login.html", "404.html", "offline.html"):
        stage.template = template
        stage.open("/other/")
        assert violations(stage.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_running_turn_on_a_phone(stage: Stage, theme: str) -> None:
    stage.page.set_viewport_size({"width": 360, "height": 740})
    stage.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    panes = [
        thinking(state="live", ended_at=None),
        tool(id="1.4", state="asking", result=None, ended_at=None),
    ]
    stage.converse([snapshot(1, page(live("tool"), *panes), rev=1)]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")
    stage.page.fill("#message", "Later")
    stage.page.locator("[data-part=send]").click()
    assert violations(stage.page) == []
    stage.page.locator(".topbar [data-action=sidebar]").click()
    assert violations(stage.page) == []


def test_the_check_sees_a_fault(stage: Stage) -> None:
    stage.open()
    stage.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert [one for one in violations(stage.page) if one.startswith("button-name")]
