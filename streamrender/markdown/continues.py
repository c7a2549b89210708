"""Whether an open block goes on in the next line: a rule for each kind, asked from the outermost inwards.

A rule takes its own mark off the line (`lines.cur`). True: the block goes on. False: it does not, unless a
paragraph inside it takes the line lazily. None: the line ends the block and belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from streamrender.markdown import blocks as b
from streamrender.markdown.blocks import Block

if TYPE_CHECKING:
    from streamrender.markdown.lines import Lines

MAX_MATH = 60
"""Lines of one formula; one that does not end by then is text."""

_FENCE_END = re.compile(r"^(`{3,}|~{3,})[ \t]*$")


def on(lines: Lines, block: Block) -> bool | None:
    return True


def never(lines: Lines, block: Block) -> bool | None:
    return False


def unless_blank(lines: Lines, block: Block) -> bool | None:
    lines.cur.find()
    return not lines.cur.blank


def math(lines: Lines, block: Block) -> bool | None:
    lines.cur.find()
    return not lines.cur.blank and len(block.lines) < MAX_MATH


def quote(lines: Lines, block: Block) -> bool | None:
    cur = lines.cur
    cur.find()
    if cur.indent < 4 and cur.text[cur.next : cur.next + 1] == ">":
        cur.skip()
        cur.advance(1)
        if cur.peek() in (" ", "\t"):
            cur.advance(1, True)
        cur.find()
        block.last = lines.number
        return True
    return False


def item(lines: Lines, item: Block) -> bool | None:
    cur = lines.cur
    cur.find()
    if cur.blank:
        if not item.size and not item.ended:
            item.info = "void"
            return False
        cur.advance(min(cur.indent, item.offset + item.padding), True)
    elif cur.indent >= item.offset + item.padding:
        cur.advance(item.offset + item.padding, True)
    else:
        return False
    cur.find()
    return True


def footnote(lines: Lines, block: Block) -> bool | None:
    cur = lines.cur
    cur.find()
    if cur.blank or cur.indent >= 4:
        cur.advance(min(cur.indent, 4), True)
    else:
        return False
    cur.find()
    return True


def code(lines: Lines, block: Block) -> bool | None:
    cur = lines.cur
    cur.find()
    if cur.indent >= 4:
        cur.advance(4, True)
    elif cur.blank:
        cur.skip()
    else:
        return False
    return True


def fence(lines: Lines, block: Block) -> bool | None:
    cur = lines.cur
    cur.find()
    if cur.indent < 4 and cur.text[cur.next : cur.next + 1] == block.bullet:
        end = _FENCE_END.match(cur.text[cur.next :])
        if end and len(end[1]) >= block.number:
            return None
    for _ in range(block.offset):
        if cur.peek() not in (" ", "\t"):
            break
        cur.advance(1, True)
    return True


def html(lines: Lines, block: Block) -> bool | None:
    lines.cur.find()
    return not (lines.cur.blank and block.number >= 5)


RULES: dict[str, Callable[[Lines, Block], bool | None]] = {
    b.QUOTE: quote,
    b.LIST: on,
    b.ITEM: item,
    b.DETAILS: on,
    b.FOOTNOTE: footnote,
    b.PARAGRAPH: unless_blank,
    b.TABLE: unless_blank,
    b.MATH: math,
    b.HEADING: never,
    b.BREAK: never,
    b.SUMMARY: never,
    b.FENCE: fence,
    b.CODE: code,
    b.HTML: html,
}
