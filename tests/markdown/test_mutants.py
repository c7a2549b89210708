"""A proof must be able to fail: for every law something that breaks it, and the check that says so."""

from collections.abc import Callable
from typing import Any

import pytest

from streamrender.markdown import paint, render, unfinished
from streamrender.markdown.late import Late
from streamrender.markdown.lines import Lines
from streamrender.markdown.stream import Engine
from streamrender.page import ops as page_ops
from tests.markdown import laws
from tests.markdown.test_still import Replaced, identities

Patch = Callable[[pytest.MonkeyPatch], None]

LIST = "- a\n- b\n\n- c\n- d\n"
LATE = "see [spec] first\n\n- x\n- y [spec]\n\n[spec]: https://e.com/s\n\nend"
NOTES = "one[^a] two[^b]\n\nthree\n\n[^a]: note\n"
LONG = "A sentence of plain words that goes on. " * 12 + "It is **bold *and* so on** for `a while`. " * 8
CODE = "```python\ndef f():\n    return 1\n```\n\n"
MIXED = f"# T\n\ntext **b** `c`\n\n{CODE}| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n"
TEXTS = [LIST, LATE, NOTES, LONG, MIXED]


def check() -> None:
    for text in TEXTS:
        laws.stream(text, laws.every(text))


def settles_too_early(patch: pytest.MonkeyPatch) -> None:
    """The last child counts as settled as well."""

    def settle(self: paint.Painter, view: Any, base: int, shown: int, newline: bool) -> None:
        real = view.block
        view.base, view.shown, view.newline = base + 2, shown + 1, newline
        real.children = [child for child in real.children if not child.closed]

    patch.setattr(paint.Painter, "_settle", settle)


def forgets_late_definitions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Late, "defined", lambda self, labels: [])


def forgets_undefined_footnotes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Late, "undefined", lambda self, labels: [])


def forgets_to_loosen(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Late, "restyle", lambda self, block, view: [])


def cuts_anywhere(patch: pytest.MonkeyPatch) -> None:
    """A paragraph is cut inside an emphasis, but only by the engine."""
    real = paint.live.next_cut

    def cut(text: str, start: int, context: Any, size: int = 100) -> tuple[int | None, int]:
        return (
            (start + 9, size)
            if len(text) - start > 12 and text.startswith("is **bold", start)
            else real(text, start, context, size)
        )

    live = type("live", (), {**vars(paint.live), "next_cut": staticmethod(cut)})
    patch.setattr(paint, "live", live)


def fork_is_kept(patch: pytest.MonkeyPatch) -> None:
    """The incomplete line is not only tried out: it stays."""
    patch.setattr(Lines, "fork", lambda self: self)


def grows_the_wrong_node(patch: pytest.MonkeyPatch) -> None:
    real = page_ops._growth
    patch.setattr(page_ops, "_growth", lambda old, new: (real(old, new) or "")[1:] or real(old, new))


def letters_hide_marks(patch: pytest.MonkeyPatch) -> None:
    import re

    from streamrender.markdown import stream

    patch.setattr(stream, "_LETTERS", re.compile(r"[^\n]+"))


@pytest.mark.parametrize(
    ("mutant", "law"),
    [
        (settles_too_early, {"live", "final", "ops"}),
        (forgets_late_definitions, {"live"}),
        (forgets_undefined_footnotes, {"final"}),
        (forgets_to_loosen, {"live"}),
        (cuts_anywhere, {"live", "final"}),
        (fork_is_kept, {"live", "final"}),
        (grows_the_wrong_node, {"ops"}),
        (letters_hide_marks, {"live"}),
    ],
)
def test_final_live_and_ops_catch(mutant: Patch, law: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    mutant(monkeypatch)
    with pytest.raises(Exception) as caught:  # noqa: PT011 (some mutants fall over before a law is broken)
        check()
    if isinstance(caught.value, laws.Broken):
        assert caught.value.law in law


def test_without_a_mutant_all_laws_hold() -> None:
    check()


def test_still_catches_a_page_that_is_always_rebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    class Rebuilds(Engine):
        def feed(self, text: str) -> list[Any]:
            super().feed(text)
            return [["p", 0, 0, self.html]]

    with pytest.raises(Replaced):
        identities(MIXED, Rebuilds)


def test_safe_catches_an_open_allow_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for html in [
        '<p><a href="javascript:alert(1)">x</a></p>',
        "<script>x</script>",
        '<p onclick="x">y</p>',
        '<img src="http://e.com/p.png">',
        '<a href="http://a"><em><a href="http://b">x</a></em></a>',
    ]:
        with pytest.raises(laws.Broken):
            laws.safe(html)


def test_round_trip_catches_what_a_parser_would_move() -> None:
    for html in [
        "<p>a<ul>\n<li>b</li>\n</ul></p>",
        "<pre>\n\na</pre>",
        "<table>\n<tr>\n<td>x</td>\n</tr>\n</table>",
    ]:
        with pytest.raises(laws.Broken):
            laws.safe(html)


def test_live_catches_a_reader_who_sees_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """`render_live` itself is held by the cases: without closing what is open they fail."""
    monkeypatch.setattr(unfinished, "_close", lambda state, delimiters: None)
    from streamrender.markdown import render_live

    assert "**" in render_live("Use **isEven(n")
    assert render.CLOSED.leaf is None
