"""Tool calls: arguments that grow, a state at every moment, a result, and an answer that uses it."""

import pytest
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.chat import PATIENCE, Chat
from tests.browser.conftest import StartApp
from tests.browser.upstream import MODEL, Gate, Script, Upstream
from tests.browser.visitors import Visitors


def test_a_call_from_its_first_argument_to_the_answer(chat: Chat, upstream: Upstream) -> None:
    early, later, answer = Gate(), Gate(), Gate()
    call = Script().think("It is exact.").say("Let me compute.")
    call.call("toolu_1", "calculator", '{"expre', early, 'ssion": "6 *', later, ' 7"}').end("tool_use")
    question = upstream.add(call, Script().say("It is", answer, " 42.").end())
    chat.ask(question)
    card = chat.tools
    early.wait()
    expect(card).to_have_attribute("data-state", "receiving")
    expect(card.locator("[data-part=name]")).to_have_text("calculator")
    expect(card.locator("dt")).to_have_count(0)
    early.open()
    later.wait()
    expect(card.locator("dt")).to_have_text("expression")
    expect(card.locator("dd")).to_have_text("6 *")
    later.open()
    answer.wait()
    expect(card.locator("dd")).to_have_text("6 * 7")
    expect(card).to_have_attribute("data-state", "done")
    expect(card.locator("[data-part=preview]")).to_contain_text("42")
    expect(card.locator("[data-part=output]")).to_be_hidden()
    card.locator("summary").click()
    expect(card.locator("[data-part=output]")).to_be_visible()
    chat.says("It is")
    answer.open()
    chat.ended().says("It is 42.")
    expect(card.locator("[data-part=output]")).to_be_visible()


def test_the_result_goes_back_with_thinking_and_signature_intact(chat: Chat, upstream: Upstream) -> None:
    call = Script().think("It is ", "exact.").call("toolu_9", "calculator", '{"expression": "6 * 7"}')
    chat.ask(upstream.add(call.end("tool_use"), Script().say("42.").end())).ended()
    asked, replied = upstream.requests[-1]["messages"][-2:]
    assert asked["content"][0] == {"type": "thinking", "thinking": "It is exact.", "signature": "c2ln"}
    call_block = asked["content"][-1]
    assert (call_block["id"], call_block["input"]) == ("toolu_9", {"expression": "6 * 7"})
    (result,) = replied["content"]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "toolu_9")
    assert "42" in str(result["content"])


def test_calls_side_by_side_and_one_that_fails(chat: Chat, upstream: Upstream) -> None:
    calls = Script().call("toolu_a", "calculator", '{"expression": "1 + 1"}')
    calls.call("toolu_b", "calculator", '{"expression": "1 / 0"}').end("tool_use")
    chat.ask(upstream.add(calls, Script().say("Both are in.").end())).ended()
    expect(chat.tools).to_have_count(2)
    expect(chat.tools.nth(0)).to_have_attribute("data-state", "done")
    expect(chat.tools.nth(1)).to_have_attribute("data-state", "failed")
    expect(chat.tools.nth(1).locator("[data-part=result-words]")).to_contain_text("Error")


@pytest.fixture(scope="module")
def fetching(start_app: StartApp, upstream: Upstream) -> App:
    """The app with a tool that asks for permission."""
    return start_app(ANTHROPIC_BASE_URL=upstream.url, ANTHROPIC_MODEL=MODEL, STREAMRENDER_FETCH="1")


def test_what_one_tab_asks_another_tab_allows(fetching: App, upstream: Upstream, visitors: Visitors) -> None:
    chat = visitors.visit(fetching).open()
    call = Script().say("Let me look.").call("toolu_w", "fetch_page", '{"url": "http://127.0.0.1:9/"}')
    answer = Gate()
    question = upstream.add(call.end("tool_use"), Script().say("It is", answer, " private.").end())
    chat.ask(question)
    expect(chat.tools).to_have_attribute("data-state", "asking", timeout=PATIENCE)
    asked = len(upstream.requests)
    other = visitors.second_tab(chat).open(chat.path)
    expect(other.tools).to_have_attribute("data-state", "asking")
    expect(other.turn.locator(".instrument-state")).to_have_text("Waiting for your approval")
    other.tools.get_by_role("button", name="Allow", exact=True).click()
    answer.wait()
    # The tool ran, once: it refuses private addresses, and the model was told.
    for tab in (chat, other):
        expect(tab.tools).to_have_attribute("data-state", "failed")
        expect(tab.tools.get_by_role("button", name="Allow", exact=True)).to_be_hidden()
        tab.says("It is")
    answer.open()
    for tab in (chat, other):
        tab.ended().says("It is private.")
    assert len(upstream.requests) == asked + 1
    (result,) = upstream.requests[-1]["messages"][-1]["content"]
    assert (result["type"], result["tool_use_id"], result["is_error"]) == ("tool_result", "toolu_w", True)
    assert chat.shown() == other.shown()


def test_what_another_tab_declines_is_never_run(
    fetching: App, upstream: Upstream, visitors: Visitors
) -> None:
    chat = visitors.visit(fetching).open()
    call = Script().call("toolu_w", "fetch_page", '{"url": "http://127.0.0.1:9/"}').end("tool_use")
    chat.ask(upstream.add(call, Script().say("Then not.").end()))
    other = visitors.second_tab(chat).open(chat.path)
    other.tools.get_by_role("button", name="Decline").click()
    chat.ended().says("Then not.")
    (result,) = upstream.requests[-1]["messages"][-1]["content"]
    assert result["is_error"] is True
    assert result["content"] == "The user did not allow this call; it was not run."


def test_arguments_and_results_are_plain_text(chat: Chat, upstream: Upstream) -> None:
    call = Script().call("toolu_x", "no_such_tool", '{"html": "<b>bold</b> **not**\\n  kept"}')
    chat.ask(upstream.add(call.end("tool_use"), Script().say("Done.").end())).ended()
    expect(chat.tools.locator("dd")).to_have_text("<b>bold</b> **not**\n  kept")
    expect(chat.tools.locator("b, strong")).to_have_count(0)
    expect(chat.tools).to_have_attribute("data-state", "absent")
    expect(chat.tools.locator("[data-part=state]")).to_have_text("not run: no such tool here")


def test_a_provider_run_tool_shows_its_result(chat: Chat, upstream: Upstream) -> None:
    found = {
        "type": "web_search_result",
        "title": "A title",
        "url": "https://e.example/",
        "encrypted_content": "x",
    }
    result = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [found]}
    script = Script().block(
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "q"}}
    )
    chat.ask(upstream.add(script.block(result).say("Found.").end())).ended()
    expect(chat.tools).to_have_count(1)
    expect(chat.tools).to_have_attribute("data-state", "done")
    expect(chat.tools.locator("dd")).to_have_text("q")
    expect(chat.tools.locator("[data-part=output]")).to_contain_text("https://e.example/")
