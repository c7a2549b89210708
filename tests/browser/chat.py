"""The chat page as a person sees it."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

SECONDS = 1000
PATIENCE = 30 * SECONDS


class Chat:
    """One tab. `base`: the app's URL."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        page.set_default_timeout(PATIENCE)

    def open(self, path: str = "/") -> "Chat":
        """Go to a path of the app and wait until the page is connected."""
        self.page.goto(self.base + path)
        return self.connected()

    def connected(self) -> "Chat":
        """Wait until the page's scripts run and its socket is open."""
        expect(self.page.locator("#message")).to_be_visible(timeout=PATIENCE)
        expect(self.page.locator("#connection")).to_be_hidden(timeout=PATIENCE)
        return self

    def ask(self, text: str) -> "Chat":
        """Send a message and wait until the server has it."""
        box = self.page.locator("#message")
        box.fill(text)
        box.press("Enter")
        self.page.wait_for_url("**/c/*/")
        expect(self.question).to_have_text(text, timeout=PATIENCE)
        return self

    def choose_model(self, key: str) -> "Chat":
        """Choose the model with this key in the picker."""
        self.page.locator(".model-button").click()
        self.page.locator(f'.model-option[data-key="{key}"]').click()
        expect(self.page.locator("#model")).to_have_value(key)
        return self

    @property
    def path(self) -> str:
        """Where the page is."""
        return self.page.url.removeprefix(self.base)

    @property
    def turn(self) -> Locator:
        """The last turn."""
        return self.page.locator("chat-turn").last

    @property
    def question(self) -> Locator:
        return self.turn.locator("[data-part=question]")

    @property
    def answer(self) -> Locator:
        """The roots of the last turn's text panes."""
        return self.turn.locator("text-pane [data-part=root]")

    @property
    def thinking(self) -> Locator:
        return self.turn.locator("thinking-pane")

    @property
    def tools(self) -> Locator:
        return self.turn.locator("tool-card")

    @property
    def stop_button(self) -> Locator:
        return self.page.locator("[data-part=stop]")

    def ended(self, ending: str = "complete") -> "Chat":
        """Wait until the last turn has ended so."""
        expect(self.turn).to_have_attribute("data-ending", ending, timeout=PATIENCE)
        return self

    def says(self, text: str) -> "Chat":
        """Wait until the answer holds this text."""
        expect(self.answer.filter(has_text=text).first).to_be_attached(timeout=PATIENCE)
        return self

    def grown(self, length: int) -> "Chat":
        """Wait until the answer has this many characters, white space not counted."""
        self.page.wait_for_function(GROWN, arg=length, timeout=PATIENCE)
        return self

    def html(self) -> list[str]:
        """The last turn's panes as HTML, text and thinking, in order."""
        roots = self.turn.locator("[data-part=panes] [data-part=root]")
        return [str(html) for html in roots.evaluate_all("(roots) => roots.map((root) => root.innerHTML)")]

    def written(self, html: str) -> str:
        """The HTML as a browser writes it, by a page without this one's policy."""
        page = self.page.context.new_page()
        result = page.evaluate(
            "(html) => { document.body.innerHTML = html; return document.body.innerHTML }", html
        )
        page.close()
        return str(result)

    def shown(self) -> Any:
        """All that a reader sees of the turns, without running times."""
        return json.loads(json.dumps(self.page.evaluate(READ)))


READ = """
() => [...document.querySelectorAll("chat-turn")].map((turn) => {
  const copy = turn.cloneNode(true);
  for (const gone of copy.querySelectorAll("[hidden], .figure, [data-part=tools]")) gone.remove();
  const open = [...turn.querySelectorAll("details")].map((details) => details.open);
  return [turn.dataset.state, turn.dataset.ending ?? "", open, copy.textContent.replace(/\\s+/g, " ").trim()];
})
"""

GROWN = """
(length) => {
  const roots = document.querySelectorAll("chat-turn:last-of-type text-pane [data-part=root]");
  return [...roots].reduce((sum, root) => sum + root.textContent.replace(/\\s/g, "").length, 0) >= length;
}
"""
