"""A fault of markdown-it-py 4.3.0 (docs/dependencies.md): some texts make it raise. They must not make us
raise, whole or at any prefix.
"""

import pytest
from markdown_it import MarkdownIt

from streamrender.markdown import COMMONMARK, MarkdownStream, render_live, render_markdown
from tests.markdown import laws

TEXTS = ["> - <!--\n>", "> - <?\n>", "> - <script>\n>", "> 1. <!--\n>"]


@pytest.mark.parametrize("text", TEXTS)
def test_the_stock_parser_raises_and_ours_does_not(text: str) -> None:
    with pytest.raises(IndexError):
        MarkdownIt("commonmark").render(text)
    for whole in (text, f"Before.\n\n{text}", f"{text} after -->\n\nEnd."):
        laws.stream(whole, laws.every(whole))
        plain = MarkdownStream(COMMONMARK)
        for character in whole:
            plain.feed(character)
        plain.close()
        assert plain.html == render_markdown(whole, COMMONMARK)
        laws.safe(render_markdown(whole))
    assert "<blockquote>" in render_live(text)
    assert "<blockquote>" in render_markdown(text, COMMONMARK)
