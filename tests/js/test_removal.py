"""Deleting from a message on: what goes, what comes back, in this tab and in another."""

from playwright.sync_api import Route, expect

from tests.js.pages import page, text, turn
from tests.js.stage import CONVERSATION, ORIGIN, Stage, snapshot, turn_id


def opened(stage: Stage) -> None:
    turns = [
        snapshot(n, page(turn(), text(f"<p>Answer {n}</p>")), text=f"Ask {n}", parent=n - 1)
        for n in (1, 2, 3)
    ]
    stage.converse(turns).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")


def removing(stage: Stage, *numbers: int) -> list[str]:
    """Let the server remove these turns; the addresses that were asked."""
    asked: list[str] = []

    def serve(route: Route) -> None:
        asked.append(route.request.url.removeprefix(f"{ORIGIN}/c/{CONVERSATION}/turns/"))
        gone = {"turns": [turn_id(n) for n in numbers]}
        route.fulfill(**({"json": gone} if route.request.url.endswith("/remove/") else {"status": 204}))

    stage.page.route(f"{ORIGIN}/c/*/turns/**", serve)
    return asked


def test_it_goes_with_what_follows_and_undo_asks_for_it_again(stage: Stage) -> None:
    opened(stage)
    asked = removing(stage, 2, 3)
    question = stage.page.locator("chat-turn").nth(1)
    question.hover()
    question.get_by_role("button", name="Delete from here on").click()
    expect(stage.page.locator("chat-turn")).to_have_count(1)
    expect(stage.page.locator("#message")).to_be_focused()
    stage.page.get_by_role("button", name="Undo").click()
    stage.until("document.querySelector('#toast [data-part=body]').hidden")
    stage.frames.clear()
    stage.send({"type": "removed", "conversation": CONVERSATION, "turns": []})
    known = stage.sent("hello")["turns"]
    assert turn_id(2) not in known
    assert asked == [f"{turn_id(2)}/remove/", f"{turn_id(2)}/restore/"]
    stage.send(snapshot(2, page(turn(), text("<p>Answer 2</p>")), parent=1))
    expect(stage.page.locator("chat-turn")).to_have_count(2)


def test_another_tab_said_so(stage: Stage) -> None:
    opened(stage)
    stage.send({"type": "removed", "conversation": "elsewhere", "turns": [turn_id(1)]})
    stage.send({"type": "removed", "conversation": CONVERSATION, "turns": [turn_id(3)]})
    expect(stage.page.locator("chat-turn")).to_have_count(2)
    stage.page.fill("#message", "On")
    stage.page.locator("[data-part=send]").click()
    assert stage.sent("submit")["parent"] == turn_id(2)


def test_when_the_server_does_not_do_it_nothing_goes(stage: Stage) -> None:
    opened(stage)
    stage.broken = True
    stage.page.locator("chat-turn").first.hover()
    stage.page.get_by_role("button", name="Delete from here on").first.click()
    expect(stage.page.locator("#toast")).to_contain_text("The server did not do it.")
    expect(stage.page.locator("chat-turn")).to_have_count(3)
    stage.errors.clear()
