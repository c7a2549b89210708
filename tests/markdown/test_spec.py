"""The CommonMark examples: the plain dialect is the specification, the chat dialect keeps the laws."""

import pytest

from streamrender.markdown import CHAT, COMMONMARK, render_live, render_markdown
from streamrender.markdown.stream import Engine
from tests.markdown import laws, spec


def canonical(html: str) -> str:
    """The specification writes `"` in text as an entity and void elements with a slash; browsers do not."""
    return html.replace("&quot;", '"').replace(" />", ">").replace("\xa0", "&nbsp;")


def test_the_plain_dialect_gives_the_html_of_the_specification() -> None:
    wrong = [
        i
        for i, (text, html) in enumerate(spec.examples(), 1)
        if canonical(html) != canonical(render_markdown(text, COMMONMARK))
    ]
    assert wrong == []


def test_the_engine_gives_the_html_of_the_specification_character_by_character() -> None:
    wrong = []
    for i, (text, html) in enumerate(spec.examples(), 1):
        markdown = Engine(COMMONMARK)
        for character in text:
            markdown.feed(character)
        markdown.close()
        if canonical(markdown.html) != canonical(html):
            wrong.append(i)
    assert wrong == []


@pytest.mark.parametrize("part", range(4))
def test_the_laws_hold_at_every_character(part: int) -> None:
    for text, _ in spec.examples()[part::4]:
        laws.stream(text, laws.every(text))


def test_every_page_is_safe_and_survives_an_html_parser() -> None:
    for text, _ in spec.examples():
        laws.safe(render_markdown(text))
        for cut in range(1, len(text), 9):
            laws.safe(render_live(text[:cut], CHAT))
