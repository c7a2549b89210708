"""A fault of the engine ends no turn: the page goes on, and is right at the end."""

import pytest

from streamrender.markdown import MarkdownStream, guarded, render_live, render_markdown
from streamrender.markdown.stream import Engine
from streamrender.page.ops import apply
from streamrender.page.tree import Element, serialize

TEXT = "# Title\n\nA **bold** word and `code`.\n\n- one\n- two <b>\n\nLast words of a longer answer.\n" * 4


def fails_at(patch: pytest.MonkeyPatch, length: int) -> None:
    """The engine raises once it has taken so much; half of a page's operations are lost with it."""
    real = Engine.feed
    taken = 0

    def feed(self: Engine, text: str) -> list[object]:
        nonlocal taken
        ops = real(self, text)
        taken += len(text)
        if taken >= length:
            raise IndexError("injected")
        return ops

    patch.setattr(Engine, "feed", feed)


@pytest.mark.parametrize("length", [1, 37, 120, len(TEXT)])
@pytest.mark.parametrize("chunk", [1, 7, 50])
def test_the_page_goes_on_and_is_right_at_the_end(
    length: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_at(monkeypatch, length)
    stream, page = MarkdownStream(), Element("root")
    for start in range(0, len(TEXT), chunk):
        text = TEXT[start : start + chunk]
        apply(page, stream.feed(text))
        assert serialize(page.children) == stream.html
    assert stream.fault == "IndexError"
    apply(page, stream.close())
    assert serialize(page.children) == stream.html == render_markdown(TEXT)


def test_a_fault_shows_what_a_live_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_at(monkeypatch, 1)
    stream = MarkdownStream()
    stream.feed("Use **isEven(n")
    assert stream.html == render_live("Use **isEven(n")


def test_a_fault_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def close(self: Engine) -> list[object]:
        raise RecursionError

    monkeypatch.setattr(Engine, "close", close)
    stream = MarkdownStream()
    stream.feed("a **b")
    stream.close()
    assert stream.html == render_markdown("a **b")
    assert stream.close() == []


def test_the_text_is_shown_when_nothing_can_render_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[object]:
        raise RuntimeError

    fails_at(monkeypatch, 1)
    monkeypatch.setattr(guarded, "live_nodes", broken)
    monkeypatch.setattr(guarded, "markdown_nodes", broken)
    stream, page = MarkdownStream(), Element("root")
    for text in ("a <b>\r", "\n", "c " * 50, "", "d"):
        apply(page, stream.feed(text))
        assert serialize(page.children) == stream.html
    apply(page, stream.close())
    assert serialize(page.children) == stream.html == "<p>a &lt;b&gt;\n" + "c " * 50 + "d</p>"
