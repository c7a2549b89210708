"""A page that is left, sleeps, or is older than its server: what was written stays, and is sent once."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.test_resume import LOST, STORY
from tests.browser.upstream import Gate, Script, Upstream
from tests.browser.visitors import Visitors
from tests.browser.wire import Cable

# Whether the thread is scrolled to a place, or to its end.
AT = """
(top) => {
  const { scrollTop, scrollHeight, clientHeight } = document.getElementById("thread");
  return Math.abs(scrollTop - (top ?? scrollHeight - clientHeight)) < 3;
}
"""
Filter = Callable[[dict[str, Any]], dict[str, Any] | None]


def same(frame: dict[str, Any]) -> dict[str, Any] | None:
    """Every frame as it is."""
    return frame


def between(chat: Chat, *sockets: tuple[Filter, Filter]) -> None:
    """Change or drop frames to and from the server (None drops), for each socket in turn; later ones are left
    alone.
    """
    waiting = list(sockets)

    def route(page: WebSocketRoute) -> None:
        up, down = waiting.pop(0) if waiting else (same, same)
        server = page.connect_to_server()

        def passed(change: Filter, to: WebSocketRoute) -> Callable[[str | bytes], None]:
            def take(message: str | bytes) -> None:
                frame = change(json.loads(message))
                if frame is not None:
                    to.send(json.dumps(frame))

            return take

        page.on_message(passed(up, server))
        server.on_message(passed(down, page))

    chat.page.route_web_socket("**/ws/", route)


@pytest.fixture
def cable(app: App) -> Iterator[Cable]:
    """A cable between the browser and the app."""
    found = Cable(int(app.url.rpartition(":")[2]))
    yield found
    found.remove()


def without(kind: str) -> Filter:
    """Frames of this type are lost."""
    return lambda frame: None if frame["type"] == kind else frame


def test_a_page_of_another_version_keeps_the_draft(visitors: Visitors, app: App) -> None:
    chat = visitors.visit(app)
    between(chat, (same, lambda frame: {**frame, "v": 2} if frame["type"] == "welcome" else frame))
    chat.page.goto(app.url)
    notice = chat.page.locator("#connection")
    expect(notice).to_contain_text("out of date")
    chat.page.locator("#message").fill("Half a thought")
    notice.get_by_role("link").click()
    chat.connected()
    expect(chat.page.locator("#message")).to_have_value("Half a thought")


@pytest.mark.parametrize("lost", ["submit", "ok"])
def test_a_message_on_its_way_is_sent_once_across_a_reload(
    visitors: Visitors, app: App, upstream: Upstream, lost: str
) -> None:
    chat = visitors.visit(app)
    between(chat, (without("submit"), same) if lost == "submit" else (same, without("ok")))
    chat.open()
    gate = Gate()
    question = upstream.add(Script().say(gate, "Here.").end())
    box = chat.page.locator("#message")
    box.fill(question)
    box.press("Enter")
    expect(chat.question).to_have_text(question)
    if lost == "ok":
        gate.wait()
    gate.open()
    chat.page.reload()
    chat.connected().ended().says("Here.")
    expect(chat.page.locator("chat-turn")).to_have_count(1)
    asked = [one for one in upstream.requests if question in str(one["messages"][-1]["content"])]
    assert len(asked) == 1


def test_a_frozen_tab_catches_up(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat, gate = visitors.visit(app).open(), Gate()
    chat.ask(upstream.add(Script().say("One ", gate, "two.").end()))
    gate.wait()
    chat.says("One")
    browser = chat.page.context.new_cdp_session(chat.page)
    browser.send("Page.enable")
    browser.send("Page.setWebLifecycleState", {"state": "frozen"})
    gate.open()
    browser.send("Page.setWebLifecycleState", {"state": "active"})
    chat.connected().ended().says("One two.")


def test_a_page_from_the_cache_connects_again(
    visitors: Visitors, app: App, upstream: Upstream, cable: Cable
) -> None:
    """A page that comes back as it was has a socket that is dead without having heard of it."""
    chat, gate = visitors.visit(app), Gate()
    chat.base = cable.url
    chat.open()
    visitors.allow(*LOST)
    chat.ask(upstream.add(Script().say("One ", gate, "two.").end()))
    gate.wait()
    chat.says("One")
    chat.page.locator("#message").fill("Half a thought")
    cable.pull()
    gate.open()
    cable.plug()
    chat.page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    chat.connected().ended().says("One two.")
    expect(chat.page.locator("#message")).to_have_value("Half a thought")


def test_a_reload_stays_where_the_reader_was(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app).open()
    chat.ask(upstream.add(Script().say(STORY * 3).end())).ended()
    chat.page.evaluate("() => { document.getElementById('thread').scrollTop = 300 }")
    chat.page.wait_for_function(AT, arg=300)
    chat.page.reload()
    chat.connected()
    chat.page.wait_for_function(AT, arg=300)
    # Who was at the end is at the end again.
    chat.page.evaluate("() => { document.getElementById('thread').scrollTop = 1e6 }")
    chat.page.wait_for_function(AT, arg=None)
    chat.page.reload()
    chat.connected()
    chat.page.wait_for_function(AT, arg=None)
