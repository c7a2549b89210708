"""Every button and every link does something: changes the page, its URL, copies, stores, sends, loads."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.conftest import Visitors
from tests.browser.upstream import Script, Upstream

EFFECTS = """
(() => {
  const effects = (window.effects = []);
  const note = (what) => effects.push(what);
  const wrap = (object, name, what) => {
    const original = object[name];
    object[name] = function (...all) { note(what); return original.apply(this, all); };
  };
  wrap(WebSocket.prototype, "send", "frame");
  wrap(Storage.prototype, "setItem", "storage");
  if (navigator.clipboard) wrap(Clipboard.prototype, "writeText", "clipboard");
  addEventListener("hashchange", () => note("url"));
  addEventListener("focusin", (event) => event.target.matches("#message") && note("focus"));
  addEventListener("DOMContentLoaded", () => {
    new MutationObserver((all) => {
      for (const { target, attributeName } of all) note(`page ${target.nodeName} ${attributeName}`);
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
})();
"""
CONTROLS = "a[href], button, summary, select, input[type=radio], input[type=checkbox]"


@pytest.fixture(scope="module")
def path(app: App, upstream: Upstream, all_visitors: Visitors) -> str:
    """A conversation that has every kind of control: versions, tools, code, thinking, endings."""
    chat = all_visitors.visit(app).open()
    call = (
        Script().think("Hm.").say("Text.\n\n```js\nx\n```").call("t1", "calculator", '{"expression": "1+1"}')
    )
    first = upstream.add(call.end("tool_use"), Script().say("Half.").die())
    chat.ask(first).ended("cut_off")
    chat.turn.locator("[data-part=retry-button]").click()
    expect(chat.turn.locator("[data-part=version]")).to_have_text("2 / 2")
    chat.ended("cut_off")
    path = chat.path
    all_visitors.leave()
    return path


def nothing(page: Page) -> None:
    """The page as it opens."""


def settings(page: Page) -> None:
    page.locator("#settings summary").click()


def shortcuts(page: Page) -> None:
    settings(page)
    page.locator("[data-action=shortcuts]").click()


def dialog(action: str) -> Callable[[Page], None]:
    def opened(page: Page) -> None:
        page.locator(".conversation").first.hover()
        page.locator(f".conversation [data-action={action}]").first.click()

    return opened


def later_version(page: Page) -> None:
    page.locator("[data-action=version-back]").click()


def folds(page: Page) -> None:
    """Everything that folds is open."""
    for summary in page.locator("chat-turn summary").all():
        summary.click()


STATES: dict[str, tuple[Callable[[Page], None], str]] = {
    "page": (nothing, "body"),
    "settings": (settings, "#settings .menu-panel"),
    "shortcuts": (shortcuts, "#shortcuts-dialog"),
    "rename": (dialog("rename"), "#rename-dialog"),
    "version": (later_version, ".versions"),
    "folds": (folds, "chat-turn"),
}


def controls(chat: Chat, scope: str) -> list[Locator]:
    """What can be used now."""
    found = chat.page.locator(scope).locator(CONTROLS)
    # An open dialog makes the rest inert; a link to this very page has nothing to do but load it.
    usable = "(one) => one.checkVisibility() && !one.closest('[inert]') && !one.disabled"
    return [one for one in found.all() if one.evaluate(usable)]


def name(control: Locator) -> str:
    text = "one.ariaLabel || one.dataset.action || one.textContent.trim().replace(/\\s+/g, ' ')"
    return str(control.evaluate(f"(one) => one.localName + ' ' + ({text})"))


@pytest.mark.parametrize("state", STATES)
def test_each_control_does_something(visitors: Visitors, app: App, path: str, state: str) -> None:
    enter, scope = STATES[state]
    chat = visitors.visit(app, EFFECTS, own_login=True, permissions=["clipboard-read", "clipboard-write"])
    chat.open(path)
    enter(chat.page)
    names = [name(control) for control in controls(chat, scope)]
    assert names
    idle = []
    for number, what in enumerate(names):
        chat.open(path)
        enter(chat.page)
        control = controls(chat, scope)[number]
        assert name(control) == what
        if not does_something(chat, control):
            idle.append(what)
        if "Log out" in what:
            visitors.login_again(chat, app)
    assert idle == []


def does_something(chat: Chat, control: Locator) -> bool:
    """Use the control and see whether anything comes of it."""
    page = chat.page
    page.evaluate("window.effects.length = 0")
    loads: list[str] = []
    page.on("request", lambda request: request.is_navigation_request() and loads.append(request.url))
    page.on("download", lambda download: loads.append(download.url))
    if control.evaluate("(one) => one.localName") == "select":
        last = control.locator("option").last.get_attribute("value")
        control.select_option(last)
    elif control.evaluate("(one) => one.type === 'radio' && one.checked"):
        return True
    else:
        control.evaluate("(one) => (one.type === 'radio' ? one.closest('label') : one).click()")
    for _ in range(50):
        if loads or page.evaluate("(window.effects ?? ['another page']).length"):
            return True
        page.wait_for_timeout(20)
    return False


def test_the_crawl_sees_a_button_that_does_nothing(visitors: Visitors, app: App) -> None:
    chat = visitors.visit(app, EFFECTS).open()
    chat.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    button = chat.page.locator("main > button")
    chat.page.evaluate("new Promise(requestAnimationFrame)")
    assert not does_something(chat, button)


def test_renaming_and_deleting(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app).open()
    chat.ask(upstream.add(Script().say("Text.").end())).ended()
    item = chat.page.locator(f".conversation[data-id='{chat.path.strip('/').split('/')[-1]}']")
    item.hover()
    item.locator("[data-action=rename]").click()
    chat.page.locator("#rename-dialog input[name=title]").fill("Another name")
    chat.page.locator("#rename-dialog button[type=submit]").click()
    expect(item).to_contain_text("Another name")
    expect(chat.page).to_have_title("Another name · Streamrender")
    chat.page.reload()
    chat.connected()
    expect(item).to_contain_text("Another name")
    gone = chat.page.url
    item.hover()
    item.locator("[data-action=delete]").click()
    chat.page.locator("#delete-dialog button[type=submit]").click()
    expect(item).to_have_count(0)
    visitors.allow("404")
    response = chat.page.goto(gone)
    assert response is not None
    assert response.status == 404


def test_keys(chat: Chat, upstream: Upstream) -> None:
    page = chat.page
    page.locator("#message").evaluate("(box) => box.blur()")
    page.keyboard.press("/")
    expect(page.locator("#message")).to_be_focused()
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(page.locator("#message")).to_have_value("one\ntwo")
    expect(page.locator("chat-turn")).to_have_count(0)
    composing = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true})"
    page.locator("#message").evaluate(f"(box) => box.dispatchEvent({composing})")
    expect(page.locator("#message")).to_have_value("one\ntwo")
    page.locator("#message").fill("")
    page.locator("#message").evaluate("(box) => box.blur()")
    page.keyboard.press("?")
    expect(page.locator("#shortcuts-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#shortcuts-dialog")).to_be_hidden()


def test_export_gives_the_conversation(chat: Chat, upstream: Upstream) -> None:
    question = upstream.add(Script().say("The *answer*.").end())
    chat.ask(question).ended()
    chat.page.reload()
    chat.connected()
    with chat.page.expect_download() as download:
        chat.page.locator("[data-part=export]").click()
    text = download.value.path().read_text()
    assert question in text
    assert "The *answer*." in text
