"""The page opens, speaks, and complains about nothing; and the watch over it does see complaints."""

from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.upstream import MODEL, Script, Upstream
from tests.browser.visitors import Visitors
from tests.browser.watch import unexpected


def test_a_question_and_its_answer(chat: Chat, upstream: Upstream) -> None:
    question = upstream.add(Script().say("The answer ", "is **here**.").end())
    chat.ask(question).ended()
    expect(chat.answer).to_have_text("The answer is here.")
    expect(chat.answer.locator("strong")).to_have_text("here")
    expect(chat.page.locator("[data-part=send]")).to_be_visible()
    assert upstream.requests[-1]["messages"][-1]["role"] == "user"


def test_a_conversation_goes_on(chat: Chat, upstream: Upstream) -> None:
    first, second = upstream.add(Script().say("One.").end()), upstream.add(Script().say("Two.").end())
    chat.ask(first).ended().ask(second).ended()
    expect(chat.page.locator("chat-turn")).to_have_count(2)
    texts = [block["text"] for message in upstream.requests[-1]["messages"] for block in blocks(message)]
    assert texts == [first, "One.", second]
    chat.page.reload()
    chat.connected()
    expect(chat.answer).to_have_text("Two.")
    expect(chat.page.locator("#conversations a[aria-current=page]")).to_be_visible()


def test_another_model_than_was_asked_is_told(chat: Chat, upstream: Upstream) -> None:
    seam = {"type": "fallback", "from": {"model": MODEL}, "to": {"model": "other-2"}}
    question = upstream.add(Script().say("The first part.").block(seam).say("The second part.").end())
    chat.ask(question).ended()
    for _ in range(2):
        expect(chat.turn.locator(".foot")).to_contain_text(f"Answered by other-2; {MODEL} was asked")
        parts = chat.turn.locator("[data-part=panes] > *").all_text_contents()
        assert [part.strip() for part in parts] == [
            "The first part.",
            f"Another model goes on:{MODEL}other-2",
            "The second part.",
        ]
        chat.page.reload()
        chat.connected()
    dated = upstream.add(Script().by(f"{MODEL}-20260101").say("As asked.").end())
    chat.ask(dated).ended()
    expect(chat.turn.locator("[data-part=figure-substituted]")).to_be_hidden()


def blocks(message: dict[str, object]) -> list[dict[str, str]]:
    content = message["content"]
    return [{"text": content}] if isinstance(content, str) else list(content)  # type: ignore[call-overload]


def test_the_demo_says_that_it_is_one(visitors: Visitors, demo: App) -> None:
    chat = visitors.visit(demo).open()
    expect(chat.page.locator(".demo-label")).to_be_visible()
    chat.ask("Hello there").ended().says("demo upstream")
    chat.ask("What is 23 × 17?").ended().says("391")
    expect(chat.tools.first).to_have_attribute("data-state", "done")


def test_no_demo_label_with_a_real_upstream(chat: Chat) -> None:
    expect(chat.page.locator(".demo-label")).to_have_count(0)


def test_a_visitor_without_login_sees_nothing(visitors: Visitors, app: App) -> None:
    chat = visitors.visit(app, storage_state=None)
    chat.page.goto(app.url + "/")
    assert "/login" in chat.page.url
    expect(chat.page.locator("#composer")).to_have_count(0)


def test_the_watch_sees_what_it_is_for(visitors: Visitors, app: App) -> None:
    chat = visitors.visit(app).open()
    (watch,) = visitors.watches
    with chat.page.expect_console_message(lambda message: "img-src" in message.text):
        chat.page.evaluate("new Image().src = 'https://elsewhere.invalid/'")
    with chat.page.expect_event("pageerror"):
        chat.page.evaluate("setTimeout(() => { throw new Error('thrown here') })")
    assert any("policy" in fault or "Policy" in fault for fault in watch.faults)
    assert any("thrown here" in fault for fault in watch.faults)
    assert unexpected(watch.faults, ["nothing like this"]) == watch.faults
    visitors.allow(".")
