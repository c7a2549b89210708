"""Markdown while it streams: nothing raw is ever seen, and the end is what one render gives."""

import re

from playwright.sync_api import expect

from streamrender import render_markdown
from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.upstream import Gate, Pause, Piece, Script, Upstream
from tests.browser.visitors import Visitors
from tests.browser.watch import SAMPLES

MOMENT = 0.05


def slowly(*texts: str) -> list[Piece]:
    """The pieces with a moment after each."""
    return [piece for text in texts for piece in (text, Pause(MOMENT))]


def test_bold_code_in_a_list_item_that_comes_in_two(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat, first, second = visitors.visit(app, SAMPLES).open(), Gate(), Gate()
    pieces = ["1. **`isEven(", first, "number)` function:**", second, " it tells even from odd."]
    chat.ask(upstream.add(Script().say(*pieces).end()))
    first.wait()
    expect(chat.answer.locator("ol > li strong code")).to_have_text("isEven(")
    first.open()
    second.wait()
    expect(chat.answer.locator("ol > li strong")).to_have_text("isEven(number) function:")
    second.open()
    chat.ended()
    expect(chat.answer.locator("ol > li")).to_have_text("isEven(number) function: it tells even from odd.")
    samples = chat.page.evaluate("window.samples")
    assert [text for text in samples if re.search(r"[*`]", text)] == []
    assert len(samples) >= 3


def test_a_fence_that_comes_in_pieces_never_shows_a_backtick(
    visitors: Visitors, app: App, upstream: Upstream
) -> None:
    chat = visitors.visit(app, SAMPLES).open()
    pieces = slowly("Here:\n", "\n", "`", "``", "j", "s\n", "let x = 1;", "\n", "``", "`", "\n", "\nAfter.")
    chat.ask(upstream.add(Script().say(*pieces).end())).ended()
    samples = chat.page.evaluate("window.samples")
    assert [text for text in samples if "`" in text] == []
    assert len(samples) >= 3
    expect(chat.answer.locator("pre code.language-js")).to_have_text("let x = 1;\n")
    expect(chat.answer.locator("p").last).to_have_text("After.")


TEXT = """# Head

A paragraph with *emphasis*, `code`, [a link](https://example.org/) and 中文。**粗体。**后面。

- one
- two
  1. inner `x`
  2. ~~gone~~

| a | b |
|:--|--:|
| 1 | 2 |

> A quote
> of two lines

```python
def f(x: int) -> str:
    return f"{x} < & > {x!r}"
```

<script>alert(1)</script> and <img src=x onerror=alert(2)>
"""


def test_the_end_is_what_one_render_gives(chat: Chat, upstream: Upstream) -> None:
    pieces = [TEXT[i : i + 3] for i in range(0, len(TEXT), 3)]
    paced = [piece for text in pieces for piece in (text, Pause(0.004))]
    chat.ask(upstream.add(Script().think(*pieces).say(*paced).end())).ended()
    wanted = chat.written(render_markdown(TEXT))
    assert chat.html() == [wanted, wanted]


def test_settled_nodes_stay_the_same_nodes(chat: Chat, upstream: Upstream) -> None:
    gate = Gate()
    pieces = ["First *paragraph*.\n\nSecond", gate, " goes on.\n\n- a\n- b\n\nLast."]
    chat.ask(upstream.add(Script().say(*pieces).end()))
    gate.wait()
    chat.says("Second")
    kept = chat.answer.locator("p").first.element_handle()
    gate.open()
    chat.ended()
    assert kept.evaluate("(node) => node.isConnected && node === node.parentNode.firstElementChild")


def test_code_is_copied(visitors: Visitors, app: App, upstream: Upstream) -> None:
    chat = visitors.visit(app, permissions=["clipboard-read", "clipboard-write"]).open()
    chat.ask(upstream.add(Script().say("```js\nlet x = 1;\n```\n\nAnd *this*.").end())).ended()
    read = "navigator.clipboard.readText()"
    chat.turn.locator("[data-action=copy-code]").click()
    expect(chat.turn.locator("[data-action=copy-code]")).to_contain_text("Copied")
    assert chat.page.evaluate(read) == "let x = 1;\n"
    chat.turn.locator("[data-action=copy-answer]").click()
    expect(chat.turn.locator("[data-action=copy-answer]")).to_have_attribute("data-copied", "")
    assert chat.page.evaluate(read) == "```js\nlet x = 1;\n```\n\nAnd *this*."
