"""An answer that ends out of sight is told: in the title, by a notification if it is wanted, by a toast."""

from playwright.sync_api import expect

from tests.js.pages import changes, live, page, text, turn
from tests.js.stage import CONVERSATION, Stage, snapshot

HIDE = """
Object.defineProperty(document, "hidden", { get: () => window.away, configurable: true });
window.away = true;
window.told = [];
window.Notification = class extends EventTarget {
  static permission = "granted";
  constructor(title, options) { super(); window.told.push([title, options.body]); }
};
0;
"""


def opened(stage: Stage) -> None:
    running = snapshot(1, page(live("answering"), text(state="live")), rev=1)
    stage.converse([running]).open(f"/c/{CONVERSATION}/")
    stage.sent("hello")


def test_the_title_is_marked_until_somebody_looks(stage: Stage) -> None:
    opened(stage)
    stage.page.evaluate(HIDE)
    stage.send(changes(1, 2, ["turn", turn()]))
    stage.until("document.title.startsWith('\u25cf ')")
    assert stage.page.evaluate("told") == []
    stage.page.evaluate("away = false; document.dispatchEvent(new Event('visibilitychange'))")
    assert stage.page.title() == "A conversation · Streamrender"


def test_a_notification_comes_where_it_is_wanted(stage: Stage) -> None:
    opened(stage)
    stage.page.evaluate(HIDE)
    stage.page.evaluate("document.documentElement.setAttribute('data-notifications', '')")
    stage.send(changes(1, 2, ["turn", turn()]))
    stage.until("told.length === 1")
    assert stage.page.evaluate("told") == [["A conversation · Streamrender", "Hello"]]


def test_in_sight_nothing_is_told_but_what_ended_elsewhere(stage: Stage) -> None:
    opened(stage)
    stage.send(changes(1, 2, ["turn", turn()]))
    frame = {"type": "ended", "turn": "t", "title": "Here", "ending": "complete"}
    stage.send(
        {**frame, "conversation": CONVERSATION}, {**frame, "conversation": "other", "title": "<b>There"}
    )
    link = stage.page.locator("#toast").get_by_role("link")
    expect(link).to_have_text("<b>There")
    assert link.get_attribute("href") == "/c/other/#turn-t"
    assert stage.page.title() == "A conversation · Streamrender"
