"""`static/js/apply.js` in a real Chromium: the DOM equals the server's HTML after every operation.

All examples run in one page, under Trusted Types. A settled paragraph keeps its nodes, and so does a
selection in it.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from streamrender.markdown import MarkdownStream, render_live, render_markdown
from tests.corpus import ROOT, SECURITY
from tests.markdown import gfm, spec
from tests.markdown.test_still import TEXT

pytestmark = pytest.mark.browser

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
POLICY = (
    "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types streamrender"
)
PAGE = '<!doctype html><div id="pane"></div><script type="module" src="/start.js"></script>'
START = """
import { apply } from "/apply.js";
// Runs one stream: after each list of operations the pane's HTML must be the server's.
globalThis.run = (steps) => {
  const pane = document.createElement("div");
  document.body.append(pane);
  for (const [ops, html] of steps) {
    apply(pane, ops);
    if (html !== null && pane.innerHTML !== html) return { ops, got: pane.innerHTML, want: html };
    const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.data || node.nextSibling?.nodeType === 3) return { ops, got: "text nodes apart", want: html };
    }
  }
  pane.remove();
  return null;
};
globalThis.keep = (before, after) => {
  const pane = document.getElementById("pane");
  for (const ops of before) apply(pane, ops);
  const text = pane.querySelector("p").firstChild;
  getSelection().setBaseAndExtent(text, 2, text, 9);
  const nodes = [...pane.querySelectorAll("*")].slice(0, 4);
  for (const ops of after) apply(pane, ops);
  return [String(getSelection()), nodes.every((node) => node.isConnected)];
};
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    return opened(browser, POLICY)


@pytest.fixture(scope="module")
def unguarded(browser: Browser) -> Page:
    """The same page without a policy: nothing but the renderer stands between a vector and the reader."""
    return opened(browser, "")


def opened(browser: Browser, policy: str) -> Page:
    page = browser.new_page()
    code = (ROOT / "static" / "js" / "apply.js").read_text(encoding="utf-8")
    served = {
        "/": ("text/html", PAGE),
        "/start.js": ("text/javascript", START),
        "/apply.js": ("text/javascript", code),
    }

    def serve(route: Any) -> None:
        kind, body = served["/" + route.request.url.split("/", 3)[3]]
        headers = {"Content-Security-Policy": policy} if policy else {}
        route.fulfill(body=body, content_type=kind, headers=headers)

    page.route("**/*", serve)
    page.goto("http://pane.test/")
    page.wait_for_function("() => globalThis.keep !== undefined")
    return page


def steps(text: str, size: int) -> list[tuple[list[Any], str]]:
    markdown = MarkdownStream()
    found = [(markdown.feed(text[i : i + size]), markdown.html) for i in range(0, len(text), size)]
    return [*found, (markdown.close(), markdown.html)]


def test_the_dom_equals_the_html_for_every_example(page: Page) -> None:
    texts = [text for text, _ in spec.examples()]
    for i in range(0, len(texts), 100):
        batch = [steps(text, 1) for text in texts[i : i + 100]]
        wrong = page.evaluate("(all) => all.map(run).find((found) => found !== null) ?? null", batch)
        assert wrong is None


def test_the_dom_equals_the_html_for_the_whole_dialect(page: Page) -> None:
    texts = [
        TEXT,
        "- a\n- b [x]\n\n- c\n\n[x]: https://e.com\n\n> late [x]\n",
        "one[^a] two[^b]\n\n[^a]: note **b**\n\n    more\n",
        "> [!NOTE]\n> hi $x^2$ and \\(y<z\\)\n\n$$\n\\frac{a}{b}\n$$\n\n- [ ] t\n- [x] u\n",
        "<details>\n<summary>S</summary>\n\nH<sub>2</sub>O ![alt](https://e.com/p.png)\n\n</details>\n\nx\n",
    ]
    texts += [*gfm.HTML, *gfm.DIFFERS, "```py\n" + "x = 'a'\n" * 140 + "```\n\nAfter.\n"]
    for size in (1, 7):
        wrong = page.evaluate(
            "(all) => all.map(run).find((found) => found !== null) ?? null", [steps(t, size) for t in texts]
        )
        assert wrong is None


def test_a_selection_in_a_settled_paragraph_survives(page: Page) -> None:
    found = [ops for ops, _ in steps("# T\n\nFirst paragraph.\n\n" + TEXT, 3)]
    selected, connected = page.evaluate("([before, after]) => keep(before, after)", [found[:9], found[9:]])
    assert selected == "rst par"
    assert connected


@pytest.mark.corpus
def test_no_vector_runs_or_asks_for_anything(unguarded: Page) -> None:
    lines = (SECURITY / "xss_vectors.txt").read_text(encoding="utf-8").split("\n")
    vectors = [json.loads(line).replace("\u241e", "") for line in lines if line]
    asked: list[str] = []
    unguarded.on("request", lambda request: asked.append(request.url))
    unguarded.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    pages = [
        html
        for text in vectors
        for html in (render_markdown(text), *(render_live(text[: len(text) * k // 5]) for k in (1, 2, 3, 4)))
    ]
    unguarded.evaluate("(all) => { for (const html of all) run([[[['p', 0, 0, html]], null]]); }", pages)
    unguarded.wait_for_timeout(300)
    assert asked == []
    wrong = unguarded.evaluate(
        "(all) => all.map((h) => run([[[['p', 0, 0, h]], h]])).find(Boolean) ?? null", pages
    )
    assert wrong is None
