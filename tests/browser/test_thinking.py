"""The thinking pane: open while it goes on, closed by itself, and always where the reader put it."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat
from tests.browser.upstream import Gate, Script, Upstream


def fold(chat: Chat, number: int = 0) -> Locator:
    return chat.thinking.nth(number).locator("details")


def open_is(chat: Chat, value: bool, number: int = 0) -> None:
    expect(fold(chat, number)).to_have_js_property("open", value)


def elapsed(chat: Chat) -> Locator:
    return chat.thinking.locator("[data-part=elapsed]")


def test_it_is_open_while_it_goes_on_and_closes_when_the_answer_starts(
    chat: Chat, upstream: Upstream
) -> None:
    middle, last, answer = Gate(), Gate(), Gate()
    script = Script().think("First ", middle, "*second*.", last).say("The answer", answer, " goes on.").end()
    chat.ask(upstream.add(script))
    middle.wait()
    expect(chat.thinking).to_contain_text("First")
    open_is(chat, True)
    expect(chat.thinking.locator("[data-part=window]")).to_be_visible()
    expect(elapsed(chat)).to_have_text(re.compile(r"^\d+\W*s$"))
    expect(elapsed(chat)).not_to_have_text(elapsed(chat).inner_text())
    middle.open()
    last.wait()
    expect(chat.thinking.locator("em")).to_have_text("second")
    open_is(chat, True)
    last.open()
    answer.wait()
    chat.says("The answer")
    open_is(chat, False)
    expect(chat.thinking).to_have_attribute("data-state", "done")
    answer.open()
    chat.ended()
    open_is(chat, False)


def test_its_duration_is_the_servers_and_survives_a_reload(chat: Chat, upstream: Upstream) -> None:
    thought = Gate()
    chat.ask(upstream.add(Script().think("Hm.", thought).say("Yes.").end()))
    thought.wait()
    expect(elapsed(chat)).to_have_text(re.compile(r"^[1-9]"))
    thought.open()
    chat.ended()
    expect(elapsed(chat)).to_have_text(re.compile(r"^\d+\.\d\W*s$"))
    before = elapsed(chat).inner_text()
    assert float(re.findall(r"[\d.]+", before)[0]) >= 1
    chat.page.reload()
    chat.connected()
    expect(elapsed(chat)).to_have_text(before)
    open_is(chat, False)


def test_closed_by_hand_it_stays_closed(chat: Chat, upstream: Upstream) -> None:
    first, second = Gate(), Gate()
    chat.ask(upstream.add(Script().think("One. ", first, "Two.", second).say("Yes.").end()))
    first.wait()
    chat.thinking.locator("summary").click()
    open_is(chat, False)
    first.open()
    second.wait()
    expect(chat.thinking.locator("[data-part=root]")).to_contain_text("Two.")
    open_is(chat, False)
    second.open()
    chat.ended()
    open_is(chat, False)


def test_opened_by_hand_it_stays_open_through_the_answer_and_a_reload(chat: Chat, upstream: Upstream) -> None:
    answer = Gate()
    chat.ask(upstream.add(Script().think("Thought.").say("The answer", answer, " goes on.").end()))
    answer.wait()
    chat.says("The answer")
    open_is(chat, False)
    chat.thinking.locator("summary").click()
    open_is(chat, True)
    answer.open()
    chat.ended()
    open_is(chat, True)
    chat.page.reload()
    chat.connected()
    open_is(chat, True)
    expect(chat.thinking.locator("[data-part=window]")).to_be_visible()
    chat.thinking.locator("[data-part=close]").click()
    open_is(chat, False)


def test_panes_stand_in_their_true_order(chat: Chat, upstream: Upstream) -> None:
    script = Script().think("One.").say("Two.").think("Three.").say("Four.").end()
    chat.ask(upstream.add(script)).ended()
    kinds = chat.turn.locator("[data-part=panes] > *").evaluate_all(
        "(all) => all.map((one) => one.localName)"
    )
    assert kinds == ["thinking-pane", "text-pane", "thinking-pane", "text-pane"]


def test_hidden_thinking_says_so_and_no_thinking_makes_no_pane(chat: Chat, upstream: Upstream) -> None:
    hidden = {"type": "redacted_thinking", "data": "c2VjcmV0"}
    chat.ask(upstream.add(Script().block(hidden).say("Yes.").end())).ended()
    expect(chat.turn.locator("note-pane")).to_contain_text("hidden by the provider")
    expect(chat.turn).not_to_contain_text("c2VjcmV0")
    chat.ask(upstream.add(Script().think().say("No.").end())).ended()
    expect(chat.thinking).to_have_count(0)
    expect(chat.turn.locator("note-pane")).to_have_count(0)
