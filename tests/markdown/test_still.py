"""Still: what is settled is never sent again, and its nodes stay the same nodes."""

from typing import Any

from streamrender.markdown.stream import Engine
from streamrender.page.ops import apply
from streamrender.page.tree import Element
from tests.markdown import laws

TEXT = (
    "# Title\n\nFirst paragraph with **bold**, `code` and [a link](https://e.com/x).\n\n"
    "- one\n- two\n  - inner\n- three\n\n"
    "```python\ndef f(x):\n    return x + 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n> quoted\n> text\n\nThe end.\n"
)


class Replaced(AssertionError):
    """A settled node was replaced."""


def identities(text: str, engine: type[Engine] = Engine) -> list[Any]:
    """Stream character by character; a block with a later sibling must stay the same object. All
    operations.
    """
    markdown, page = engine(), Element("root")
    known: dict[int, Element] = {}
    sent: list[Any] = []
    for character in text:
        ops = markdown.feed(character)
        sent += ops
        apply(page, ops)
        elements = [node for node in page.children if isinstance(node, Element)]
        for i, element in enumerate(elements[:-1]):
            if known.setdefault(i, element) is not element:
                raise Replaced(f"block {i} was replaced")
    sent += markdown.close()
    return sent


def test_blocks_with_a_later_sibling_are_never_replaced() -> None:
    identities(TEXT)


def test_operations_stay_small() -> None:
    sent = identities(TEXT * 20)
    size = sum(len(op[-1]) for op in sent)
    markdown = Engine()
    markdown.feed(TEXT * 20)
    markdown.close()
    assert size <= 2 * len(markdown.html)


def test_a_late_definition_is_one_targeted_operation() -> None:
    markdown = Engine()
    markdown.feed("- a\n- see [x] here\n- b\n\n> deep [x]\n\ntext\n\n[x]: https://e.com\n")
    ops = markdown.feed("\n")
    assert [op[0] for op in ops] == ["s", "s"]
    assert [op[1] for op in ops] == [[0, 1], [1, 0]]


def test_what_is_open_behind_a_late_change_stays_in_its_place() -> None:
    for text in (
        "-\t[bar]\n\t- [bar]:http://u.v\n",
        "- [foo] a\n  - b\n\n    [foo]: http://u.v\n\n    c\n",
        "| a | [^1] |\n|---|---|\n| b | c |\nd\n",
        "a [^n] | b\n--- | ---\n[^1] | [^2]\n",
        "[x][bar] one. " + "word " * 24 + "<br>\n>[bar]: http://u.v\n",
    ):
        laws.stream(text, laws.every(text))
        laws.stream(text, [len(text) - 3])
        laws.stream(text, [])


def test_loosening_a_list_keeps_nested_blocks() -> None:
    markdown, page = Engine(), Element("root")
    apply(page, markdown.feed("- a\n  - inner\n- b\n"))
    inner = page.children[0].children[1].children[1]  # type: ignore[union-attr]
    apply(page, markdown.feed("\n- c"))
    assert any(node is inner for node in page.children[0].children[1].children)  # type: ignore[union-attr]
    assert inner.tag == "ul"  # type: ignore[union-attr]
