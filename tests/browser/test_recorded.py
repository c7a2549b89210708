"""Recorded streams of real models, replayed unevenly through the whole app: the page shows their message."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from streamrender import decode, render_markdown
from streamrender.message import assemble
from tests.browser.app import ROOT, App, environment
from tests.browser.chat import Chat
from tests.browser.conftest import StartApp
from tests.browser.visitors import Visitors
from tests.corpus import CORPUS

pytestmark = pytest.mark.corpus

CLAUDE = "anthropic/fantasy/TestAnthropicThinkingWithCacheControl_claude-sonnet-4_thinking-streaming.{}.sse"
RECORDINGS: dict[str, tuple[str, list[str]]] = {
    "anthropic": ("anthropic", [CLAUDE.format(1), CLAUDE.format(2)]),
    "gemini": ("gemini", ["gemini/pydantic-ai/test_google_model_thinking_part_iter.sse"]),
    "glm": ("glm", ["glm-anthropic/counting.sse"]),
}
# These recordings have few and large events.
SPEED = {"anthropic": "0.4", "gemini": "0.2", "glm": "3"}


@pytest.fixture(scope="package")
def recorded(start_app: StartApp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app in front of one replay for each provider."""
    processes, extra = [], {}
    for provider, (_, files) in RECORDINGS.items():
        pace = ["--speed", SPEED[provider], "--jitter", "0.9"]
        command = [sys.executable, str(ROOT / "manage.py"), "replay", *pace]
        process = subprocess.Popen(
            [*command, *(str(CORPUS / file) for file in files)],
            env=environment(tmp_path_factory.mktemp("replay"), {}),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        url = next(word for word in line.split() if word.startswith("http://"))
        extra |= {f"{provider.upper()}_BASE_URL": url, f"{provider.upper()}_MODEL": "replay"}
    yield start_app(**extra)
    for process in processes:
        process.terminate()
        process.wait(20)


def messages(provider: str) -> list[dict[str, Any]]:
    """The messages of the recordings, by the assembler."""
    wire, files = RECORDINGS[provider]
    found = []
    for file in files:
        decoder = decode(wire)
        found.append(assemble([*decoder.feed((CORPUS / Path(file)).read_bytes()), *decoder.close()]))
    return found


def wanted(provider: str, chat: Chat) -> list[list[str]]:
    """Kind and content of each pane that the messages call for; HTML as a browser writes it."""
    panes = []
    for block in [block for message in messages(provider) for block in message["content"]]:
        kind = block["type"]
        if kind in ("text", "thinking") and block[kind].strip():
            panes.append([f"{kind}-pane", chat.written(render_markdown(block[kind]))])
        elif kind == "tool_use":
            panes.append(["tool-card", block["name"]])
    return panes


SHOWN = """
(panes) => panes.map((pane) => {
  const part = pane.querySelector(pane.localName === "tool-card" ? "[data-part=name]" : "[data-part=root]");
  return [pane.localName, pane.localName === "tool-card" ? part.textContent : part.innerHTML];
})
"""


# Whether thinking that goes on is open, each time the page changes.
LIVE = """
window.live = [];
new MutationObserver(() => {
  const last = [...document.querySelectorAll("thinking-pane")].at(-1);
  if (last?.dataset.state !== "live" || last.nextElementSibling) return;
  window.live.push(last.querySelector("details").open);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


@pytest.mark.parametrize("provider", RECORDINGS)
def test_the_page_shows_the_recorded_message(visitors: Visitors, recorded: App, provider: str) -> None:
    chat = visitors.visit(recorded, LIVE).open()
    chat.choose_model(f"{provider}:replay")
    chat.ask("Play it.")
    chat.ended()
    assert set(chat.page.evaluate("() => window.live")) == {True}
    panes = chat.turn.locator("[data-part=panes] > *")
    expected = wanted(provider, chat)
    assert panes.evaluate_all(SHOWN) == expected
    assert "thinking-pane" in [kind for kind, _ in expected]
    assert ("tool-card" in [kind for kind, _ in expected]) == (provider == "anthropic")
    for fold in chat.thinking.locator("details").all():
        expect(fold).to_have_js_property("open", False)
    before = chat.shown()
    chat.page.reload()
    chat.connected()
    assert chat.shown() == before
    assert panes.evaluate_all(SHOWN) == expected
