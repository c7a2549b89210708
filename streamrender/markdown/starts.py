"""What may start on a line, rule by rule, and in which order they are asked.

A rule is given the lines read so far and the innermost container that the line goes on in. It looks at the
rest of the line (`lines.cur`), opens what starts there, and says how much of the line that took.

Invariant: a rule that gives NONE has changed nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from streamrender.markdown import blocks as b
from streamrender.markdown.blocks import Block, holder
from streamrender.markdown.table import alignments, split_row

if TYPE_CHECKING:
    from streamrender.markdown.lines import Lines

NONE, CONTAINER, LEAF = 0, 1, 2
"""Nothing starts here; a block whose content follows on the line; a block that took the whole line."""

Start = Callable[["Lines", Block], int]

_HEADING = re.compile(r"^#{1,6}(?:[ \t]+|$)")
_HEADING_END = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_FENCE = re.compile(r"^(?:`{3,}(?!.*`)|~{3,})")
_BREAK = re.compile(r"^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$|^(?:-[ \t]*){3,}$")
_SETEXT = re.compile(r"^(?:=+|-+)[ \t]*$")
_BULLET = re.compile(r"^[*+-]")
_ORDERED = re.compile(r"^(\d{1,9})([.)])")
_ALERT = re.compile(r"^\[!(note|tip|important|warning|caution)\][ \t]*$", re.I)
_FOOTNOTE = re.compile(r"^\[\^([\w.:-]{1,64})\]:[ \t]*")
_DETAILS = re.compile(r"^<details([ \t]+open)?[ \t]*>[ \t]*(?=$|<summary>)")
_DETAILS_END = re.compile(r"^</details>[ \t]*$")
_SUMMARY = re.compile(r"^<summary>(.*?)</summary>[ \t]*$")
_HTML_OPEN = [
    re.compile(r"^<(?:script|pre|textarea|style)(?:\s|>|$)", re.I),
    re.compile(r"^<!--"),
    re.compile(r"^<[?]"),
    re.compile(r"^<![A-Za-z]"),
    re.compile(r"^<!\[CDATA\["),
    re.compile(
        r"^</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|"
        r"dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[123456]|head|header|hr|html|iframe|"
        r"legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|"
        r"tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|/?>|$)",
        re.I,
    ),
    re.compile(
        r"^(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|"
        r"\"[^\"]*\"))?)*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$"
    ),
]


def quote(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent >= 4 or cur.text[cur.next : cur.next + 1] != ">" or lines.deep(container):
        return NONE
    cur.skip()
    cur.advance(1)
    if cur.peek() in (" ", "\t"):
        cur.advance(1, True)
    lines.close_unmatched()
    quote = lines.add(b.QUOTE)
    if lines.dialect.extended and (alert := _ALERT.match(cur.rest().strip(" \t"))):
        quote.label = alert[1].lower()
        return LEAF
    return CONTAINER


def heading(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent >= 4 or cur.text[cur.next : cur.next + 1] != "#":
        return NONE
    mark = _HEADING.match(cur.text[cur.next :])
    if not mark:
        return NONE
    lines.close_unmatched()
    heading = lines.add(b.HEADING)
    heading.level = len(mark[0].strip(" \t"))
    heading.lines = [_HEADING_END.sub("", cur.text[cur.next + mark.end() :].strip(" \t"))]
    lines.close(heading)
    return LEAF


def fence(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent >= 4 or cur.text[cur.next : cur.next + 1] not in ("`", "~"):
        return NONE
    mark = _FENCE.match(cur.text[cur.next :])
    if not mark:
        return NONE
    lines.close_unmatched()
    fence = lines.add(b.FENCE)
    fence.bullet, fence.number, fence.offset = mark[0][0], len(mark[0]), cur.indent
    fence.info = cur.text[cur.next + mark.end() :].strip(" \t")
    return LEAF


def math(lines: Lines, container: Block) -> int:
    cur = lines.cur
    rest = cur.text[cur.next :].rstrip(" \t")
    if cur.indent >= 4 or not rest.startswith(("$$", "\\[")):
        return NONE
    close = "$$" if rest[0] == "$" else "\\]"
    at = rest.find(close, 2)
    if at >= 0 and at != len(rest) - 2:
        return NONE
    lines.close_unmatched()
    block = lines.add(b.MATH)
    block.bullet, block.info = rest[:2], rest
    block.lines = [rest[2:]]
    lines.math_end(block)
    return LEAF


def footnote(lines: Lines, container: Block) -> int:
    cur = lines.cur
    mark = _FOOTNOTE.match(cur.text[cur.next :]) if cur.indent < 4 else None
    if not mark or holder(container) is not lines.document:
        return NONE
    lines.close_unmatched()
    cur.skip()
    cur.advance(mark.end())
    lines.add(b.FOOTNOTE).label = mark[1]
    return CONTAINER


def details(lines: Lines, container: Block) -> int:
    cur = lines.cur
    rest = cur.text[cur.next :]
    if cur.indent >= 4 or not rest.startswith("<"):
        return NONE
    if _DETAILS_END.match(rest):
        block = holder(container)
        if block.kind != b.DETAILS:
            return NONE
        lines.close_unmatched()
        block.last = lines.number
        lines.close(block)
        return LEAF
    if container.kind == b.DETAILS and not container.size and (summary := _SUMMARY.match(rest)):
        lines.close_unmatched()
        leaf = lines.add(b.SUMMARY)
        leaf.lines = [summary[1].strip(" \t")]
        lines.close(leaf)
        return LEAF
    mark = _DETAILS.match(rest)
    paragraph = container.kind == b.PARAGRAPH or (not lines.closed and lines.tip.kind == b.PARAGRAPH)
    if not mark or paragraph or lines.deep(container):
        return NONE
    lines.close_unmatched()
    cur.skip()
    cur.advance(mark.end())
    lines.add(b.DETAILS).label = "open" if mark[1] else ""
    return CONTAINER


def html(lines: Lines, container: Block) -> int:
    cur = lines.cur
    rest = cur.text[cur.next :]
    if cur.indent >= 4 or not rest.startswith("<"):
        return NONE
    for number, opener in enumerate(_HTML_OPEN):
        lazy = not lines.closed and lines.tip.kind == b.PARAGRAPH
        if opener.match(rest) and (number < 6 or not (container.kind == b.PARAGRAPH or lazy)):
            lines.close_unmatched()
            lines.add(b.HTML).number = number
            return CONTAINER
    return NONE


def table(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent >= 4 or container.kind != b.PARAGRAPH or cur.text[cur.next : cur.next + 1] not in "|:-":
        return NONE
    container.restore()
    first = container.task is not None and len(container.lines) == 1
    if not container.lines or first or container.padding == lines.number - 1:
        return NONE
    aligns = alignments(cur.text[cur.next :])
    header = container.lines[-1]
    if aligns is None or "|" not in header:
        return NONE
    cells = split_row(header)
    if len(cells) != len(aligns):
        return NONE
    lines.close_unmatched()
    parent = container.parent
    if parent is None:
        return NONE
    container.own()
    container.lines.pop()
    container.last -= 1
    if container.lines:
        lines.close(container)
    else:
        parent.children.pop()
        parent.size -= 1
        lines.tip = parent
    table = lines.add(b.TABLE)
    table.first = lines.number - 1
    table.aligns, table.rows = aligns, [cells]
    return LEAF


def setext(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent >= 4 or container.kind != b.PARAGRAPH or not _SETEXT.match(cur.text[cur.next :]):
        return NONE
    container.restore()
    if container.lines[0].startswith("["):
        lines.take_definitions(container)
        if not container.lines:
            return NONE  # nothing but definitions: the line is whatever else it can be
    lines.close_unmatched()
    container.kind = b.HEADING
    container.level = 1 if cur.text[cur.next] == "=" else 2
    container.last = lines.number
    lines.close(container)
    return LEAF


def thematic_break(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent >= 4 or not _BREAK.match(cur.text[cur.next :]):
        return NONE
    lines.close_unmatched()
    lines.close(lines.add(b.BREAK))
    return LEAF


def item(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent >= 4:
        return NONE
    rest = cur.text[cur.next :]
    mark = _BULLET.match(rest) or _ORDERED.match(rest)
    if not mark:
        return NONE
    ordered = mark.re is _ORDERED
    width = mark.end()
    if rest[width : width + 1] not in ("", " ", "\t"):
        return NONE
    if container.kind == b.PARAGRAPH and (not rest[width:].strip(" \t") or (ordered and int(mark[1]) != 1)):
        return NONE
    if lines.deep(container):
        return NONE
    offset = cur.indent
    cur.skip()
    cur.advance(width, True)
    column, start, partial = cur.column, cur.offset, cur.partial
    while cur.column - column < 5 and cur.peek() in (" ", "\t") and cur.peek():
        cur.advance(1, True)
    spaces = cur.column - column
    if spaces >= 5 or spaces < 1 or not cur.peek():
        padding = width + 1
        cur.column, cur.offset, cur.partial = column, start, partial
        if cur.peek() in (" ", "\t") and cur.peek():
            cur.advance(1, True)
    else:
        padding = width + spaces
    lines.close_unmatched()
    bullet = mark[2] if ordered else mark[0]
    parent = lines.tip if lines.tip.kind == b.LIST else None
    if (
        container.kind != b.LIST
        or parent is None
        or (parent.ordered, parent.bullet) != (ordered, bullet)
        or (parent.children[-1].info == "void" and parent.children[-1].last < lines.number - 2)
    ):
        new = lines.add(b.LIST)
        new.ordered, new.bullet, new.number = ordered, bullet, int(mark[1]) if ordered else 0
    item = lines.add(b.ITEM)
    item.offset, item.padding = offset, padding
    return CONTAINER


def code(lines: Lines, container: Block) -> int:
    cur = lines.cur
    if cur.indent < 4 or lines.tip.kind == b.PARAGRAPH or cur.blank:
        return NONE
    cur.advance(4, True)
    lines.close_unmatched()
    lines.add(b.CODE)
    return CONTAINER


PLAIN: list[Start] = [quote, heading, fence, html, setext, thematic_break, item, code]
EXTENDED: list[Start] = [
    table,
    quote,
    heading,
    fence,
    math,
    footnote,
    details,
    setext,
    thematic_break,
    item,
    code,
]
