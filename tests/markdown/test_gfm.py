"""The extensions of GitHub Flavored Markdown: as specified, or different on purpose; the laws hold."""

import pytest

from streamrender.markdown import render_live, render_markdown
from tests.markdown import gfm, laws


@pytest.mark.parametrize("text", gfm.HTML)
def test_it_is_as_specified(text: str) -> None:
    assert render_markdown(text) == gfm.HTML[text]


@pytest.mark.parametrize("text", gfm.DIFFERS)
def test_it_differs_on_purpose(text: str) -> None:
    html, why = gfm.DIFFERS[text]
    assert render_markdown(text) == html, why


@pytest.mark.parametrize("text", [*gfm.HTML, *gfm.DIFFERS])
def test_the_laws_hold_at_every_character(text: str) -> None:
    laws.stream(text, laws.every(text))
    laws.safe(render_markdown(text))
    for cut in range(1, len(text)):
        laws.safe(render_live(text[:cut]))
