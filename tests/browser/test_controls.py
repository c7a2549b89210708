"""Every button and every link does something: changes the page, its URL, copies, stores, sends, loads."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.conftest import StartApp
from tests.browser.upstream import MODEL, Script, Upstream
from tests.browser.visitors import Visitors

EFFECTS = """
(() => {
  const note = (what) => window.noted(what);
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


# Each puts the page into a state, from wherever it is.


def settings(page: Page) -> None:
    if not page.locator("#settings").evaluate("(one) => one.open"):
        page.locator("#settings summary").click()


def dialog(action: str) -> Callable[[Page], None]:
    def opened(page: Page) -> None:
        if page.locator("dialog[open]").count():
            return
        if action == "shortcuts":
            settings(page)
            page.locator("[data-action=shortcuts]").click()
        else:
            page.locator(".conversation").first.hover()
            page.locator(".conversation [data-action=more]").first.click()
            page.locator(f"#conversation-menu [data-action={action}]").click()

    return opened


def earlier_version(page: Page) -> None:
    # Continue and Retry were tried: the newest version is shown.
    back = page.locator("[data-part=version-back]:visible:enabled")
    while back.count():
        back.first.click()


def folds(page: Page) -> None:
    """Everything that folds is open."""
    earlier_version(page)
    closed = page.locator("chat-turn details:not([open]) > summary:visible")
    while closed.count():
        closed.first.click()


STATES: dict[str, tuple[Callable[[Page], None], str]] = {
    "page": (earlier_version, "body"),
    "settings": (settings, "#settings .menu-panel"),
    "shortcuts": (dialog("shortcuts"), "#shortcuts-dialog"),
    "rename": (dialog("rename"), "#rename-dialog"),
    "version": (earlier_version, ".versions"),
    "folds": (folds, "chat-turn"),
}


# Lists what can be used now (of the conversations, those of the first) and gives their names. Deleting
# has a test of its own: what comes after it here would be another conversation.
LIST = """
([scope, controls]) => {
  const first = document.querySelector(".conversation");
  const left = "[inert], [action='/logout/'], [data-action=remove]";
  const usable = (one) => one.checkVisibility() && !one.closest(left)
    && !one.disabled && !(one.type === "radio" && one.checked)
    && [null, first].includes(one.closest(".conversation"));
  const areas = [...document.querySelectorAll(scope)];
  window.usable = areas.flatMap((area) => [...area.querySelectorAll(controls)]).filter(usable);
  const name = (one) => one.ariaLabel || one.dataset.action || one.textContent.trim().replace(/\\s+/g, " ");
  return window.usable.map((one) => `${one.localName} ${one.value ?? ""} ${name(one)}`);
}
"""
USE = """
(number) => {
  const one = window.usable[number];
  if (one.localName !== "select") return (one.type === "radio" ? one.closest("label") : one).click();
  one.selectedIndex = one.options.length - 1;
  one.dispatchEvent(new Event("change", { bubbles: true }));
}
"""


def controls(chat: Chat, scope: str) -> list[str]:
    """The names of what can be used now."""
    return list(chat.page.evaluate(LIST, [scope, CONTROLS]))


class Effects:
    """What comes of using a control. Nothing is asked of a page that may be on its way to another."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.noted: list[str] = []
        self.requests: list[str] = []
        self.arrived = 0
        page.expose_function("noted", lambda what: self.noted.append(what))
        page.add_init_script(EFFECTS)
        page.on("request", lambda one: one.is_navigation_request() and self.requests.append(one.url))
        page.on("load", lambda _: self._arrive())
        page.on("download", lambda _: self._arrive())

    def _arrive(self) -> None:
        self.arrived += 1

    def of(self, number: int) -> tuple[bool, bool]:
        """Use the control at this place; gives whether anything came of it, and whether a page or file."""
        for record in (self.noted, self.requests):
            record.clear()
        self.arrived = 0
        self.page.evaluate(USE, number)
        for turn in range(800):
            self.page.wait_for_timeout(25)
            if self.requests and not self.arrived:
                continue
            if self.noted or self.arrived or turn > 40:
                break
        return bool(self.noted or self.arrived), bool(self.arrived)


@pytest.mark.parametrize("state", STATES)
def test_each_control_does_something(visitors: Visitors, app: App, path: str, state: str) -> None:
    enter, scope = STATES[state]
    first = visitors.visit(app, permissions=["clipboard-read", "clipboard-write"])
    context, cookies = first.page.context, first.page.context.cookies()

    def fresh() -> tuple[Chat, Effects]:
        """The page in this state, as if nothing had been used yet."""
        context.clear_cookies()
        context.add_cookies(cookies)
        chat = Chat(context.new_page(), app.url)
        effects = Effects(chat.page)
        chat.open(path)
        expect(chat.turn).to_have_attribute("data-state", "ended")
        enter(chat.page)
        return chat, effects

    (chat, effects), idle = fresh(), []
    names = controls(chat, scope)
    assert names
    for number, what in enumerate(names):
        places = [n for n, one in enumerate(controls(chat, scope)) if one == what]
        happened, elsewhere = effects.of(places[names[:number].count(what)])
        if not happened:
            idle.append(what)
        if elsewhere or not restored(chat, STATES[state], names):
            chat.page.close()
            chat, effects = fresh()
    assert idle == []


def restored(chat: Chat, state: tuple[Callable[[Page], None], str], names: list[str]) -> bool:
    """Bring the page back to what it was without loading it; gives whether that worked."""
    enter, scope = state
    for step in (lambda: None, lambda: chat.page.keyboard.press("Escape"), lambda: enter(chat.page)):
        step()
        if controls(chat, scope) == names:
            return True
    return False


def test_logging_out(visitors: Visitors, app: App) -> None:
    chat = visitors.visit(app, own_login=True).open()
    chat.page.locator("#settings summary").click()
    chat.page.locator("[action='/logout/'] button").click()
    chat.page.wait_for_url("**/login/**")
    chat.page.goto(app.url)
    chat.page.wait_for_url("**/login/**")


def test_the_crawl_sees_a_button_that_does_nothing(visitors: Visitors, app: App) -> None:
    chat = visitors.visit(app)
    effects = Effects(chat.page)
    chat.page.add_init_script(
        "addEventListener('DOMContentLoaded', () =>"
        " document.querySelector('main').append(document.createElement('button')))"
    )
    chat.open()
    names = controls(chat, "main")
    assert effects.of(names.index("button  ")) == (False, False)
    assert effects.of(names.index("button  Conversations")) == (True, False)


def test_renaming_and_deleting(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app).open()
    chat.ask(upstream.add(Script().say("Text.").end())).ended()
    item = chat.page.locator(f".conversation[data-id='{chat.path.strip('/').split('/')[-1]}']")
    item.hover()
    item.locator("[data-action=more]").click()
    chat.page.locator("#conversation-menu [data-action=rename]").click()
    chat.page.locator("#rename-dialog input[name=title]").fill("Another name")
    chat.page.locator("#rename-dialog button[type=submit]").click()
    expect(item).to_contain_text("Another name")
    expect(chat.page).to_have_title("Another name · Streamrender")
    chat.page.reload()
    chat.connected()
    expect(item).to_contain_text("Another name")
    gone = chat.page.url
    item.hover()
    item.locator("[data-action=more]").click()
    chat.page.locator("#conversation-menu [data-action=delete]").click()
    expect(item).to_have_count(0)
    visitors.allow("404")
    response = chat.page.goto(gone)
    assert response is not None
    assert response.status == 404


def test_deleting_from_a_message_on_and_undoing_it(chat: Chat, upstream: Upstream) -> None:
    for n in (1, 2):
        chat.ask(upstream.add(Script().say(f"Answer {n}.").end())).ended()
    chat.turn.locator(".question").hover()
    chat.turn.locator("[data-action=remove]").click()
    expect(chat.page.locator("chat-turn")).to_have_count(1)
    chat.page.reload()
    chat.connected()
    expect(chat.answer).to_have_text("Answer 1.")
    expect(chat.page.locator("chat-turn")).to_have_count(1)
    chat.ask(upstream.add(Script().say("Another way.").end())).ended()
    chat.turn.locator(".question").hover()
    chat.turn.locator("[data-action=remove]").click()
    expect(chat.page.locator("chat-turn")).to_have_count(1)
    chat.page.locator("#toast [data-part=undo]").click()
    expect(chat.page.locator("chat-turn")).to_have_count(2)
    expect(chat.answer).to_have_text("Another way.")


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


def test_a_model_is_chosen_by_keys_asked_and_kept(
    visitors: Visitors, start_app: StartApp, upstream: Upstream
) -> None:
    extra = {"GLM_BASE_URL": upstream.url, "GLM_MODEL": "glm-scripted"}
    chat = visitors.visit(start_app(ANTHROPIC_BASE_URL=upstream.url, ANTHROPIC_MODEL=MODEL, **extra)).open()
    button = chat.page.get_by_role("button", name="Model:")
    expect(button).to_have_text(f"Model: Anthropic · {MODEL}")
    button.focus()
    for key in ("g", "l", "m", "Enter", "Shift+Tab"):
        chat.page.keyboard.press(key)
    chat.ask(upstream.add(Script().by("glm-scripted").say("Asked.").end())).ended()
    assert upstream.requests[-1]["model"] == "glm-scripted"
    expect(chat.turn.locator("[data-part=figure-substituted]")).to_be_hidden()
    chat.page.reload()
    chat.connected()
    expect(button).to_have_text("Model: GLM · glm-scripted")
    chat.choose_model(f"anthropic:{MODEL}")
    chat.ask(upstream.add(Script().say("And this one.").end())).ended()
    assert upstream.requests[-1]["model"] == MODEL


def test_export_gives_the_conversation(chat: Chat, upstream: Upstream) -> None:
    question = upstream.add(Script().say("The *answer*.").end())
    chat.ask(question).ended()
    with chat.page.expect_download() as download:
        chat.page.locator("#export").click()
    text = download.value.path().read_text()
    assert question in text
    assert "The *answer*." in text
