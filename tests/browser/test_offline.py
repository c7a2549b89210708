"""Without a network the browser shows a page that says so, and nothing of a conversation."""

from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.upstream import Script, Upstream
from tests.browser.visitors import Visitors


def test_the_offline_page_stands_in_and_the_chat_comes_back(
    visitors: Visitors, app: App, upstream: Upstream
) -> None:
    visitors.allow("ERR_INTERNET_DISCONNECTED", "requestfailed", "Failed to fetch")
    chat = visitors.visit(app).open()
    chat.ask(upstream.add(Script().say("Kept on the server.").end())).ended()
    chat.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    path = chat.path
    kept = chat.page.evaluate(
        "caches.keys().then((all) => caches.open(all[0])).then((one) => one.keys())"
        ".then((all) => all.map((request) => new URL(request.url).pathname))"
    )
    assert "/offline/" in kept
    assert not [name for name in kept if name.startswith("/c/") or name == "/"]
    chat.page.context.set_offline(True)
    chat.page.goto(app.url + path)
    expect(chat.page.get_by_role("heading", name="No connection")).to_be_visible()
    assert chat.page.evaluate("getComputedStyle(document.querySelector('.plain')).display") == "grid"
    assert "Kept on the server." not in chat.page.content()
    chat.page.context.set_offline(False)
    chat.page.get_by_role("link", name="Try again").click()
    chat.connected()
    expect(chat.answer).to_have_text("Kept on the server.")


def test_it_can_be_installed(visitors: Visitors, app: App) -> None:
    page = visitors.visit(app).open().page
    manifest = page.evaluate("fetch(document.querySelector('[rel=manifest]').href).then((one) => one.json())")
    for icon in manifest["icons"]:
        answer = page.request.get(app.url + icon["src"])
        assert (answer.status, answer.headers["content-type"]) == (200, icon["type"])
    assert {icon.get("purpose") for icon in manifest["icons"]} == {None, "maskable"}
