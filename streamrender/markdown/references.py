"""Link reference definitions at the start of a paragraph."""

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference

_LABEL = re.compile(r"\[((?:[^\\\[\]]|\\[\s\S]){1,999})\]:[ \t]*\n?[ \t]*")
_REST = re.compile(r"[ \t]*(?:\n|$)")
_SPACE = re.compile(r"[ \t]*\n?[ \t]*")

Reference = tuple[str, str, str]
"""Normalised label, destination, title."""


def definition(md: MarkdownIt, text: str) -> tuple[Reference | None, int]:
    """The definition at the start of `text` and where it ends; end 0: there is none.

    One whose destination is not allowed is no definition: it stays text.
    """
    label = _LABEL.match(text)
    if not label or not label[1].strip():
        return None, 0
    name = normalizeReference(label[1])
    at = label.end()
    line_end = text.find("\n", at)
    found = md.helpers.parseLinkDestination(text, at, len(text) if line_end < 0 else line_end)
    if not found.ok or (found.pos == at):
        return None, 0
    target = md.normalizeLink(found.str)
    if not md.validateLink(target):
        return None, 0
    end, title = found.pos, ""
    gap = _SPACE.match(text, end)
    after = gap.end() if gap else end
    if after > end and after < len(text):
        named = md.helpers.parseLinkTitle(text, after, len(text))
        if named.ok and (rest := _REST.match(text, named.pos)):
            title = named.str
            return (name, target, title), rest.end()
    rest = _REST.match(text, end)
    if rest is None:
        return None, 0
    return (name, target, title), rest.end()
