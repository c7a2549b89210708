"""Watches a page for what must never happen: console errors, uncaught exceptions, policy violations,
failed loads.

The scripts here run in the page before its own.
"""

import re
from collections.abc import Iterable

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

POLICY = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""

# Every text that the last answer shows, one after the other, across reloads of the page. A reload leaves two
# marks: when it is asked for, and when the new page takes over. In between, the old page goes on.
LEAVING, LEFT = "(leaving)", "(left)"
SAMPLES = """
(() => {
  if (location.protocol === "about:") return;
  const kept = sessionStorage.getItem("samples");
  const samples = (window.samples = kept ? JSON.parse(kept) : []);
  const look = () => {
    const turn = document.querySelector("chat-turn:last-of-type");
    if (!turn) return;
    const roots = [...turn.querySelectorAll("text-pane [data-part=root]")];
    const text = roots.map((root) => root.textContent).join("\\n\\n");
    if (samples.at(-1) !== text) samples.push(text);
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  addEventListener("beforeunload", () => samples.push("(leaving)"));
  addEventListener("pagehide", () => {
    samples.push("(left)");
    sessionStorage.setItem("samples", JSON.stringify(samples));
  });
})();
"""

SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const of = ({ node }) => (node?.outerHTML ?? node?.textContent ?? "?").slice(0, 90);
    if (!entry.hadRecentInput) window.shifts.push([entry.value, entry.sources.map(of)]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


class Watch:
    """Faults of all pages of a context. `allow` takes patterns of what a test itself brings about."""

    def __init__(self, context: BrowserContext) -> None:
        self.faults: list[str] = []
        self._allowed: list[str] = []
        context.add_init_script(POLICY)
        context.on("page", self._page)

    def allow(self, *patterns: str) -> None:
        """Faults that match are no faults."""
        self._allowed += patterns

    def _page(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"exception: {error}\n{error.stack}"))
        page.on("requestfailed", self._failed)
        page.on("crash", lambda _: self.faults.append("the page crashed"))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") or "Content Security Policy" in message.text:
            self.faults.append(f"console {message.type}: {message.text} ({message.location.get('url')})")

    def _failed(self, request: Request) -> None:
        # A navigation may abort what the page before it still loads.
        if request.failure and "ERR_ABORTED" not in request.failure:
            self.faults.append(f"failed: {request.url} {request.failure}")

    def taken(self) -> list[str]:
        """What happened and was not allowed; the watch begins anew."""
        found = unexpected(self.faults, self._allowed)
        self.faults.clear()
        self._allowed.clear()
        return found


def unexpected(faults: Iterable[str], allowed: list[str]) -> list[str]:
    """Those faults that no pattern allows."""
    return [fault for fault in faults if not any(re.search(pattern, fault) for pattern in allowed)]
