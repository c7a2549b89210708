"""Marks at the end of letters do not show before it is known what follows them, however they are cut off."""

import pytest

from streamrender.markdown import render_live, stream
from streamrender.markdown.stream import Engine
from tests.markdown import laws

TEXTS = [
    "It is **one** and `two`. Then ~~three~~ and _four_ of them.",
    "- It is **one**  \n  and `two*` *three* end",
    "a `code* more` b `` x`y `` c",
    "# Head **line** and `code`",
    "see [the *docs*](https://e.com/a_b) and **on**",
    "it`s so, says `x` and `y",
    "2*3 and snake_case_name, 20~25, a ** b",
    "> word https** and http_ then **x**",
    "H<sub>2*</sub> and **O**",
    "| a | b |\n|---|---|\n| one **two** | `x*` |",
    "\\( x* \\) and $a_b$ so **it**",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", range(1, 9))
def test_feeds_of_each_size(text: str, size: int) -> None:
    for start in range(size):
        laws.stream(text, range(start or size, len(text), size))


def test_the_grammar_is_not_asked_for_marks_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    engine.feed("It is ")
    for name in ("_paint", "_continue"):
        monkeypatch.setattr(engine, name, None)
    assert engine.feed("so **") == [["t", 1, " so "]]
    assert engine.html == render_live("It is so **")


def test_marks_in_code_are_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_HOLDING", stream._HOLDING | {"code"})
    with pytest.raises(laws.Broken, match="live"):
        laws.stream("a `code*", [2, 7])


def test_a_task_in_a_list_becomes_a_heading() -> None:
    """Its first words were settled before the line below made it one."""
    for text in ("- [ ] 中文\n\t-", "- [x] some words here\n  ===\n- b"):
        laws.stream(text, laws.every(text))
