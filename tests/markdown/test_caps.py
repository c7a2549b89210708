"""What is too deep or too long shows as text or not at all, and the stream says so."""

import pytest

from streamrender.markdown import MarkdownStream, oneshot, render_live, render_markdown
from tests.markdown import laws

DEEP = ["> " * 45 + "x", "- " * 45 + "x", "*a **b " * 30 + "c" + "** d*" * 30, "<details>\n" * 45 + "x"]
SHALLOW = ["> " * 12 + "x", "- " * 19 + "x", "*a **b** c*", "- a\n" * 60, "> a\n" * 60, "- " * 45, "*a " * 60]


def caps(text: str, size: int = 7) -> list[str]:
    stream = MarkdownStream()
    for start in range(0, len(text), size):
        stream.feed(text[start : start + size])
    stream.close()
    return stream.caps


@pytest.mark.parametrize("text", DEEP)
def test_what_is_too_deep_is_named(text: str) -> None:
    assert {tuple(caps(text, size)) for size in (1, 7, 1000)} == {("depth",)}
    laws.stream(text, range(1, len(text), 9))


@pytest.mark.parametrize("text", SHALLOW)
def test_what_is_not_is_not(text: str) -> None:
    assert caps(text) == caps(text, 1) == []


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_what_is_too_long_is_cut_and_named(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oneshot, "MAX_SIZE", 40)
    text = "Some **bold** words, and\n\n- a list\n- of `it"
    for whole in (text[:40], text, text * 3):
        stream = MarkdownStream()
        for start in range(0, len(whole), size):
            stream.feed(whole[start : start + size])
        assert stream.html == render_live(whole) == render_live(text[:40])
        stream.close()
        assert stream.html == render_markdown(whole) == render_markdown(text[:40])
        assert stream.caps == (["size"] if len(whole) > 40 else [])
