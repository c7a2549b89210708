"""Chrome's Prompt API, by a double that follows its IDL: from the picker to the ending."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.upstream import MODEL, Script, Upstream
from tests.browser.visitors import Visitors
from tests.browser.wire import Cable

DOUBLE = (Path(__file__).parents[1] / "language_model.js").read_text()
LABEL = "The browser's own model"


def scripted(**script: Any) -> str:
    """The double, doing this."""
    return f"sessionStorage.setItem('script', JSON.stringify({json.dumps(script)}));\n{DOUBLE}"


def choose(chat: Chat) -> Chat:
    """Choose the model of this device."""
    chat.choose_model("device:prompt-api")
    return chat


@pytest.fixture
def here(visitors: Visitors, app: App) -> Chat:
    """A new chat with the browser's model chosen."""
    return choose(visitors.visit(app, DOUBLE).open())


def told(chat: Chat) -> Any:
    return chat.page.evaluate("window.told")


def set_script(chat: Chat, **fields: Any) -> None:
    chat.page.evaluate("(fields) => void Object.assign(window.script, fields)", fields)


def test_no_model_no_choice(visitors: Visitors, app: App) -> None:
    for script in ("delete globalThis.LanguageModel", scripted(availability="unavailable")):
        chat = visitors.visit(app, script).open()
        chat.page.wait_for_function("() => document.readyState === 'complete'")
        expect(chat.page.locator("#model")).to_have_count(0)
        expect(chat.page.locator("#device")).to_be_hidden()


def test_an_answer_is_like_any_other(here: Chat, visitors: Visitors) -> None:
    set_script(here, hold=2)
    here.ask("Who writes?").says("Hello from")
    other = visitors.second_tab(here).open(here.path).says("Hello from")
    here.page.evaluate("go()")
    for chat in (here, other):
        chat.ended().says("Hello from here.")
        expect(chat.answer.locator("strong")).to_have_text("here")
        expect(chat.turn.locator("[data-part=model]")).to_have_text("Prompt API")
    assert told(here)["destroyed"] == 1
    shown = here.shown()
    here.open(here.path)
    assert here.shown() == shown
    expect(here.page.locator("#model")).to_have_value("device:prompt-api")


def test_the_conversation_so_far_is_told(here: Chat, upstream: Upstream) -> None:
    here.ask("One?").ended()
    here.choose_model(f"anthropic:{MODEL}")
    here.ask(upstream.add(Script().say("From far away.").end())).ended()
    choose(here)
    here.ask("And now?").ended()
    created = told(here)["created"][-1]
    texts = [message["content"] for message in created["initialPrompts"]]
    assert (texts[0], texts[1], texts[3]) == ("One?", "Hello from **here**.", "From far away.")
    assert [message["role"] for message in created["initialPrompts"]] == ["user", "assistant"] * 2
    assert told(here)["prompted"][-1] == "And now?"
    assert created["expectedInputs"] == [{"type": "text", "languages": ["en"]}]
    here.turn.locator("[data-action=retry]").last.click()
    expect(here.turn.locator("[data-part=version]")).to_have_text("2 / 2")
    here.ended()
    assert told(here)["created"][-1] == created


def test_cumulative_pieces(here: Chat) -> None:
    set_script(here, style="cumulative", pieces=[f"word-number-{n} " for n in range(320)])
    here.ask("Count.").ended()
    assert here.answer.inner_text().split() == [f"word-number-{n}" for n in range(320)]


def test_stop_from_another_tab_ends_the_model(here: Chat, visitors: Visitors) -> None:
    set_script(here, hold=2)
    here.ask("Go on.").says("Hello from")
    other = visitors.second_tab(here).open(here.path).says("Hello from")
    other.stop_button.click()
    here.ended("stopped").says("Hello from")
    # A function: the page's policy forbids that an expression is evaluated a second time.
    here.page.wait_for_function("() => told.aborted === 1")


@pytest.mark.parametrize(
    ("fails", "words"),
    [
        ({"create": "NotAllowedError"}, "The browser does not allow this page to use its model"),
        ({"create": "NotSupportedError"}, "The browser's model does not support this language"),
        ({"prompt": "QuotaExceededError"}, "The conversation is too long for this model"),
        ({"prompt": "UnknownError"}, "The model in the browser reported an error"),
        ({"prompt": "AbortError"}, "The model in the browser reported an error"),
    ],
)
def test_errors_are_said(here: Chat, fails: dict[str, str], words: str) -> None:
    set_script(here, fails=fails)
    here.ask("Try.").ended("error")
    expect(here.turn.locator(".ending")).to_contain_text(words)
    expect(here.turn.locator("[data-part=detail]")).to_contain_text("said " + next(iter(fails.values())))


def test_a_download_is_asked_for_and_shown(visitors: Visitors, app: App) -> None:
    chat = choose(visitors.visit(app, scripted(availability="downloadable", hold=1)).open())
    line = chat.page.locator("#device")
    expect(chat.page.locator("#model option:checked")).to_have_text(f"{LABEL} · to be downloaded")
    expect(line).to_contain_text("must download its model once")
    chat.page.locator("#message").fill("Too early")
    chat.page.locator("#message").press("Enter")
    expect(chat.page.locator("#message")).to_have_value("Too early")
    expect(line).to_have_attribute("data-wanted", "")
    line.get_by_role("button", name="Download").click()
    expect(line).to_contain_text("The browser is downloading its model.")
    expect(line.locator("[data-part=part]")).to_have_text("25%")
    expect(chat.page.locator("#model option:checked")).to_have_text(f"{LABEL} · downloading")
    chat.page.evaluate("go()")
    expect(line).to_contain_text("Runs on this device.")
    set_script(chat, hold=None)
    chat.ask("Now").ended().says("Hello from here.")
    expect(line).to_contain_text(re.compile(r"\d+ of 4,096 tokens of context used"))


def test_a_long_conversation_is_told_in_part(here: Chat) -> None:
    set_script(here, pieces=["x" * 300])
    for n in range(3):
        here.ask(f"Question {n}?").ended()
    set_script(here, capacity=500)
    here.ask("Last?").ended()
    assert [m["content"] for m in told(here)["created"][-1]["initialPrompts"]] == ["Question 2?", "x" * 300]
    expect(here.page.locator("#device")).to_contain_text("it was not told of the oldest messages")
    set_script(here, capacity=9999, overflows=True)
    here.ask("Very last?").ended()
    expect(here.page.locator("#device")).to_contain_text("The model's context is full")
    set_script(here, overflows=False)
    here.ask("The very last?").ended()
    expect(here.page.locator("#device")).to_contain_text("Runs on this device.")


def test_tools_run_on_the_server(here: Chat) -> None:
    calls = [["calculator", {"expression": "6 * 7"}], ["calculator", {"expression": "1 / 0"}]]
    set_script(here, pieces=["Let me see. ", "It is 42."], tools=calls)
    here.ask("What is six times seven?").ended()
    expect(here.tools).to_have_count(2)
    expect(here.tools.nth(0)).to_have_attribute("data-state", "done")
    expect(here.tools.nth(1)).to_have_attribute("data-state", "failed")
    good, bad = told(here)["results"]
    assert ("42" in good, bad.startswith("Error: ")) == (True, True)
    assert [here.answer.nth(n).inner_text() for n in range(2)] == ["Let me see.", "It is 42."]
    set_script(here, fails={"tools": True}, tools=[], pieces=["Without."])
    here.ask("Again?").ended().says("Without.")
    assert told(here)["created"][-1]["tools"] == []


def test_a_closed_tab_leaves_its_part(here: Chat, visitors: Visitors) -> None:
    set_script(here, hold=2)
    here.ask("Go on.").says("Hello from")
    other = visitors.second_tab(here).open(here.path).says("Hello from")
    here.page.close(run_before_unload=False)
    other.ended("cut_off").says("Hello from")
    expect(other.turn.locator(".ending")).to_contain_text("the tab that ran the model was closed")


def test_f5_in_the_feeding_tab(here: Chat) -> None:
    set_script(here, hold=2)
    here.ask("Go on.").says("Hello from")
    here.page.reload()
    here.connected().ended("cut_off").says("Hello from")
    here.turn.locator("[data-action=continue]").click()
    expect(here.question).to_have_text("Continue")
    here.ended().says("Hello from here.")


@pytest.fixture
def cable(app: App) -> Iterator[Cable]:
    made = Cable(app.port)
    yield made
    made.remove()


def wired(visitors: Visitors, app: App, cable: Cable) -> Chat:
    """A new chat over the cable, with the browser's model chosen."""
    chat = visitors.visit(app, DOUBLE)
    visitors.allow(r"WebSocket connection to", r"ERR_CONNECTION_", r"ERR_EMPTY_RESPONSE")
    chat.base = cable.url
    return choose(chat.open())


def test_a_short_loss_of_the_network_is_survived(visitors: Visitors, app: App, cable: Cable) -> None:
    chat = wired(visitors, app, cable)
    pieces = [f"word{n} " for n in range(120)]
    set_script(chat, pieces=pieces, pause=15)
    chat.ask("Count.").says("word5 ")
    cable.pull()
    chat.page.wait_for_timeout(300)
    cable.plug()
    chat.ended()
    assert chat.answer.inner_text().split() == [piece.strip() for piece in pieces]


def test_a_message_kept_over_a_reload_is_answered(visitors: Visitors, app: App, cable: Cable) -> None:
    chat = wired(visitors, app, cable)
    chat.ask("One?").ended()
    cable.pull()
    expect(chat.page.locator("#connection")).to_be_visible()
    chat.page.locator("#message").fill("Two?")
    chat.page.locator("#message").press("Enter")
    expect(chat.question).to_have_text("Two?")
    cable.plug()
    chat.page.reload()
    expect(chat.question).to_have_text("Two?")
    chat.ended().says("Hello from here.")


def test_new_conversations_can_begin_with_it(here: Chat) -> None:
    for key in ("device:prompt-api", ""):
        here.page.evaluate("document.querySelector('[data-action=preferences]').click()")
        dialog = here.page.locator("#preferences-dialog")
        dialog.locator("[name=default_model]").select_option(key)
        with here.page.expect_response(lambda response: response.request.method == "POST"):
            dialog.locator("[type=submit]").click()
        here.open()
        expect(here.page.locator("#model option:checked")).to_have_text(
            LABEL if key else "Anthropic · scripted-1"
        )
        expect(dialog.locator("[name=default_model]")).to_have_value(key)
