"""Every way a turn can end is said as it is; what arrived stays; the chat goes on."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat
from tests.browser.upstream import Gate, Refuse, Script, Upstream
from tests.browser.visitors import Visitors

PART = "What arrived before."


def half() -> Script:
    return Script().think("Thought.").say(PART)


DETAILS = {"type": "refusal", "category": "cyber", "explanation": "Not this one."}

ENDINGS: list[tuple[str, Callable[[], Script], str]] = [
    ("length", lambda: half().end("max_tokens"), "length limit"),
    ("length_in_thinking", lambda: Script().think("Only thought").end("max_tokens"), "while thinking"),
    ("refusal", lambda: half().end("refusal", stop_details=DETAILS), "Not this one."),
    ("stop_sequence", lambda: half().end("stop_sequence", "END"), "stop sequence"),
    ("error", lambda: half().error("overloaded_error", "The sky is full."), "The sky is full."),
    ("cut_off", lambda: half().die(), "Cut off"),
    ("cut_off", half, "Cut off"),
]


@pytest.mark.parametrize(("ending", "script", "words"), ENDINGS)
def test_it_is_said_and_the_chat_goes_on(
    chat: Chat, upstream: Upstream, ending: str, script: Callable[[], Script], words: str
) -> None:
    chat.ask(upstream.add(script())).ended(ending)
    expect(chat.turn.locator("[data-part=ending]")).to_be_visible()
    expect(chat.turn.locator("[data-part=ending]")).to_contain_text(words)
    if ending != "length_in_thinking":
        expect(chat.answer).to_have_text(PART)
    before = chat.shown()
    chat.page.reload()
    chat.connected()
    assert chat.shown() == before
    chat.ask(upstream.add(Script().say("And on.").end())).ended().says("And on.")


def test_an_error_event_in_mid_stream_keeps_the_partial(chat: Chat, upstream: Upstream) -> None:
    gate = Gate()
    script = Script().say("Half of ", gate, "it").error("api_error", "Something broke.")
    chat.ask(upstream.add(script))
    gate.wait()
    chat.says("Half of")
    gate.open()
    chat.ended("error")
    expect(chat.answer).to_have_text("Half of it")
    expect(chat.turn.locator("[data-part=ending]")).to_contain_text("Something broke.")


def test_a_tool_call_that_was_cut_off_is_never_run(chat: Chat, upstream: Upstream) -> None:
    script = Script().call("toolu_c", "calculator", '{"expression": "6 *').die()
    chat.ask(upstream.add(script)).ended("cut_off")
    expect(chat.tools).to_have_attribute("data-state", "incomplete")
    expect(chat.tools.locator("dd")).to_have_text("6 *")


def test_an_overloaded_upstream_is_tried_again_in_sight(chat: Chat, upstream: Upstream) -> None:
    busy = Refuse(529, "overloaded_error", "Overloaded", retry_after="2")
    chat.ask(upstream.add(busy, Script().say("Now it works.").end()))
    expect(chat.turn.locator("[data-part=retry]")).to_be_visible()
    expect(chat.turn.locator("[data-part=retry]")).to_contain_text("overloaded")
    chat.ended().says("Now it works.")
    expect(chat.turn.locator("[data-part=retry]")).to_be_hidden()


def test_a_wrong_key_is_said_and_not_tried_again(chat: Chat, upstream: Upstream) -> None:
    chat.ask(upstream.add(Refuse(401, "authentication_error", "invalid x-api-key"))).ended("error")
    expect(chat.turn.locator("[data-part=ending]")).to_contain_text("did not accept the API key")
    chat.ask(upstream.add(Script().say("Better.").end())).ended().says("Better.")


def test_stop_keeps_the_partial(chat: Chat, upstream: Upstream) -> None:
    gate = Gate()
    chat.ask(upstream.add(Script().think("Hm.").say("Half of", gate, " it").end()))
    gate.wait()
    chat.says("Half of")
    chat.stop_button.click()
    chat.ended("stopped")
    expect(chat.answer).to_have_text("Half of")
    expect(chat.turn.locator("[data-part=ending]")).to_contain_text("Stopped by you")
    expect(chat.stop_button).to_be_hidden()
    before = chat.shown()
    chat.page.reload()
    chat.connected()
    assert chat.shown() == before
    chat.ask(upstream.add(Script().say("And on.").end())).ended().says("And on.")


def test_stop_works_from_another_tab_and_from_the_keyboard(
    chat: Chat, visitors: Visitors, upstream: Upstream
) -> None:
    gate, later = Gate(), Gate()
    chat.ask(upstream.add(Script().say("Half of", gate, " it").end()))
    gate.wait()
    other = visitors.second_tab(chat).open(chat.path).says("Half of")
    other.stop_button.click()
    chat.ended("stopped")
    other.ended("stopped")
    chat.ask(upstream.add(Script().say("Again", later, " more").end()))
    later.wait()
    other.says("Again").page.keyboard.press("Escape")
    chat.ended("stopped")


def test_retry_gives_another_version_and_both_can_be_seen(chat: Chat, upstream: Upstream) -> None:
    chat.ask(upstream.add(half().die(), Script().say("The whole.").end())).ended("cut_off")
    chat.turn.locator("[data-part=retry-button]").click()
    expect(chat.turn.locator("[data-part=version]")).to_have_text("2 / 2")
    chat.ended().says("The whole.")
    chat.turn.locator("[data-action=version-back]").click()
    chat.says(PART)
    expect(chat.turn).to_have_attribute("data-ending", "cut_off")
    expect(chat.page.locator("chat-turn")).to_have_count(1)


def test_continue_goes_on_from_what_came(chat: Chat, upstream: Upstream) -> None:
    chat.ask(upstream.add(half().end("max_tokens"))).ended("length")
    chat.turn.locator("[data-part=continue]").click()
    expect(chat.turn.locator("[data-part=version]")).to_have_text("2 / 2")
    chat.ended()
    expect(chat.page.locator("chat-turn")).to_have_count(1)
    expect(chat.turn.locator("text-pane")).to_have_count(1)
    sent = upstream.requests[-1]["messages"]
    assert PART in str(sent[-2]["content"])
