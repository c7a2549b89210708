"""Marks put into a text at the places that a provider named once the text was there.

Law: a mark changes nothing but itself. The text with marks renders to what the text alone renders to, with
the marks between. A place where that cannot be (inside code, a link, mathematics, the signs of an emphasis)
moves to behind the signs that follow, then to the end of its line; a mark that fits nowhere is left out.
Whether it fits is asked of the one-shot render, a bounded number of times, so the answer depends on the text
alone.
"""

import re

from streamrender.markdown import render_markdown

Mark = tuple[int, str]
"""A place in the text, in characters, and the Markdown of one mark to stand there."""

MOST_RENDERS = 24
MOST_RENDERED = 400_000
"""Characters that may be rendered to find the places in one text; two renders are always allowed."""
_CLOSING = re.compile(r"[*_~`\])]+")
_LINE = re.compile(r"[^\n]*")


def placed(text: str, marks: list[Mark]) -> str:
    """The text with its marks.

    >>> placed("Rome is old. So is Xi'an.", [(11, "<sup>1</sup>")])
    "Rome is old<sup>1</sup>. So is Xi'an."
    """
    fitting = _Fitting(text, {words for _, words in marks})
    found: list[Mark] = []
    left = [(place, words) for place, words in marks if 0 < place <= len(text)]
    for move in (_behind_signs, _as_named, _at_line_end):
        tried = [(move(text, place), words) for place, words in left]
        found += fitting.of([one for one in dict.fromkeys(tried) if one not in found])
        left = [one for one, moved in zip(left, tried, strict=True) if moved not in found]
        if not left:
            break
    return _with(text, found) if fitting.fits(found) else text


def _as_named(text: str, place: int) -> int:
    """The place, before any white space."""
    return len(text[:place].rstrip())


def _behind_signs(text: str, place: int) -> int:
    place = _as_named(text, place)
    closing = _CLOSING.match(text, place)
    return closing.end() if closing else place


def _at_line_end(text: str, place: int) -> int:
    line = _LINE.match(text, _as_named(text, place))
    assert line is not None
    return len(text[: line.end()].rstrip(" \t\r|"))


def _with(text: str, marks: list[Mark]) -> str:
    parts, last = [], 0
    for place, words in sorted(marks, key=lambda mark: mark[0]):
        parts += [text[last:place], words]
        last = place
    return "".join([*parts, text[last:]])


class _Fitting:
    """Which marks change nothing but themselves. Renders the text at most so many times."""

    def __init__(self, text: str, words: set[str]) -> None:
        self._text = text
        self._left = max(2, min(MOST_RENDERS, MOST_RENDERED // (len(text) + 1)))
        shown = [
            render_markdown(f"x{one}").removeprefix("<p>x").rstrip().removesuffix("</p>") for one in words
        ]
        # The longest first: one may be the beginning of another.
        self._shown = sorted(shown, key=len, reverse=True)
        self._alone = self._without(render_markdown(text))

    def _without(self, html: str) -> tuple[str, int]:
        """The HTML without marks, and how many there were."""
        count = 0
        for one in self._shown:
            count += html.count(one)
            html = html.replace(one, "")
        return html, count

    def fits(self, marks: list[Mark]) -> bool:
        """Whether these marks can stand in the text together."""
        if not marks:
            return True
        self._left -= 1
        html, count = self._alone
        return self._without(render_markdown(_with(self._text, marks))) == (html, count + len(marks))

    def of(self, marks: list[Mark]) -> list[Mark]:
        """Those of the marks that can stand in the text, found by halves."""
        if not marks or self._left <= 0:
            return []
        if self.fits(marks):
            return marks
        if len(marks) == 1:
            return []
        half = len(marks) // 2
        return self.of(marks[:half]) + self.of(marks[half:])
