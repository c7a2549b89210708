"""The block grammar, one line at a time.

Why not markdown-it-py's block rules: they look at whole documents and cannot be resumed, which is what makes
all renderers built on such rules quadratic while streaming. This is the algorithm of the CommonMark reference
parsers instead: per line, walk down the open containers, try the block starts, add the rest as text. Its only
state is the chain of open blocks, so a document can be continued, and tried out with an unfinished line, at
the cost of that line.

Invariants: after `line`, everything outside the open chain is final, except that a list may turn loose and
that a link definition may still come. `Lines` never raises on any text.
"""

import re
from collections.abc import Callable

from streamrender.markdown import blocks as b
from streamrender.markdown.blocks import Block
from streamrender.markdown.cursor import Cursor
from streamrender.markdown.dialect import Dialect
from streamrender.markdown.references import Reference, definition
from streamrender.markdown.table import MAX_FILLED, alignments, split_row

MAX_DEPTH = 40
"""Containers inside each other; markers beyond that are text."""

MAX_MATH = 60
"""Lines of one formula; one that does not end by then is text."""

_HEADING = re.compile(r"^#{1,6}(?:[ \t]+|$)")
_HEADING_END = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_FENCE = re.compile(r"^(?:`{3,}(?!.*`)|~{3,})")
_FENCE_END = re.compile(r"^(`{3,}|~{3,})[ \t]*$")
_BREAK = re.compile(r"^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$|^(?:-[ \t]*){3,}$")
_SETEXT = re.compile(r"^(?:=+|-+)[ \t]*$")
_BULLET = re.compile(r"^[*+-]")
_ORDERED = re.compile(r"^(\d{1,9})([.)])")
_ALERT = re.compile(r"^\[!(note|tip|important|warning|caution)\][ \t]*$", re.I)
_TASK = re.compile(r"^\[([ xX])\](?=[ \t]+\S)")
_FOOTNOTE = re.compile(r"^\[\^([\w.:-]{1,64})\]:[ \t]*")
_DETAILS = re.compile(r"^<details([ \t]+open)?[ \t]*>[ \t]*(?=$|<summary>)")
_DETAILS_END = re.compile(r"^</details>[ \t]*$")
_SUMMARY = re.compile(r"^<summary>(.*?)</summary>[ \t]*$")
_STARTS = frozenset("#`~*+-_=<>|:[$\\0123456789")

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
_HTML_CLOSE = [
    re.compile(r"</(?:script|pre|textarea|style)>", re.I),
    re.compile(r"-->"),
    re.compile(r"\?>"),
    re.compile(r">"),
    re.compile(r"\]\]>"),
]

_NONE, _CONTAINER, _LEAF = 0, 1, 2


class Lines:
    """The open chain of a document. `line` takes one line without its end, `finish` closes what is open."""

    __slots__ = (
        "closed",
        "cur",
        "dialect",
        "document",
        "found",
        "gap",
        "last_matched",
        "next_gap",
        "number",
        "old_tip",
        "tentative",
        "tip",
    )

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.document = Block(b.DOCUMENT, 1)
        self.tip = self.document
        self.number = 0
        self.found: list[Reference] = []  # definitions in the order they were met
        self.cur = Cursor("")
        self.old_tip = self.last_matched = self.document
        self.closed = True
        self.tentative = False
        # Was the line before blank, and inside how many quotes? -1: it was not.
        self.gap = self.next_gap = -1

    def fork(self) -> "Lines":
        """An independent continuation that shares everything closed."""
        twin = Lines.__new__(Lines)
        twin.dialect = self.dialect
        twin.number = self.number
        twin.tentative = True
        twin.found = []
        twin.gap, twin.next_gap = self.gap, self.next_gap
        twin.cur = self.cur
        parent: Block | None = None
        for block in self.chain():
            copied = block.fork(parent)
            if parent is None:
                twin.document = copied
            else:
                parent.children[-1] = copied
            parent = copied
        twin.tip = parent or twin.document
        twin.old_tip = twin.last_matched = twin.tip
        twin.closed = True
        return twin

    def chain(self) -> list[Block]:
        """The open blocks, from the document to the tip."""
        chain: list[Block] = []
        block: Block | None = self.tip
        while block is not None:
            chain.append(block)
            block = block.parent
        return chain[::-1]

    # ---------------------------------------------------------------- one line
    def line(self, text: str) -> None:
        if "\0" in text:
            text = text.replace("\0", "\ufffd")
        self.number += 1
        self.cur = cur = Cursor(text)
        self.old_tip = self.tip
        container = self.document
        for block in self.chain()[1:]:
            matched = _CONTINUE[block.kind](self, block)
            if matched is None:
                self.gap, self.next_gap = self.next_gap, -1
                block.last = self.number
                self._close(block)
                return
            if not matched:
                break
            container = block
        self.last_matched = container
        self.closed = container is self.old_tip
        self.gap, self.next_gap = self.next_gap, _quotes(container) if cur.blank else -1
        if container.kind not in b.VERBATIM:
            container, leaf = self._starts(container)
            if leaf:
                return
        if not self.closed and not cur.blank and self.tip.kind == b.PARAGRAPH:
            self.tip.own()
            self.tip.lines.append(cur.rest())
            self.tip.last = self.tip.padding = self.number
            return
        self._close_unmatched()
        if container.kind in b.VERBATIM:
            self._add_verbatim(container)
        elif container.kind == b.PARAGRAPH:
            container.own()
            if (
                cur.peek() == "["
                and container.lines
                and container.lines[0].startswith("[")
                and not container.dropped
            ):
                self._take_complete(container)
            container.lines.append(cur.rest())
            container.last = self.number
            if cur.indent >= 4:
                container.padding = self.number
        elif container.kind == b.TABLE:
            self._add_row(container, cur.rest())
        elif not cur.blank:
            cur.skip()
            paragraph = self._add(b.PARAGRAPH)
            text = cur.rest()
            if self.dialect.tasks and self._task(paragraph, text):
                text = text[3:].lstrip(" \t")
            paragraph.lines.append(text)

    def finish(self) -> None:
        """Close every open block; the document is complete."""
        while self.tip.parent is not None:
            self._close(self.tip)
        self.document.closed = True

    def _starts(self, container: Block) -> tuple[Block, bool]:
        """Open the blocks that start on this line; tells whether one of them took the whole line."""
        cur = self.cur
        while True:
            if cur.next < len(cur.text) and cur.indent < 4 and cur.text[cur.next] not in _STARTS:
                cur.skip()
                return container, False
            for start in self.dialect_starts():
                result = start(self, container)
                if result == _LEAF:
                    return container, True
                if result == _CONTAINER:
                    container = self.tip
                    cur.find()
                    break
            else:
                cur.skip()
                return container, False
            if container.kind in b.VERBATIM:
                return container, False

    def dialect_starts(self) -> "list[Start]":
        return _EXTENDED if self.dialect.extended else _PLAIN

    # ---------------------------------------------------------------- opening and closing
    def _close_unmatched(self) -> None:
        if not self.closed:
            while self.old_tip is not self.last_matched:
                parent = self.old_tip.parent
                self._close(self.old_tip)
                if parent is None:
                    break
                self.old_tip = parent
            self.closed = True

    def _add(self, kind: str) -> Block:
        """Open a block as the last child of the innermost open block that can hold it."""
        while self.tip.kind not in b.CONTAINERS or (self.tip.kind == b.LIST) != (kind == b.ITEM):
            self._close(self.tip)
        parent = self.tip
        block = Block(kind, self.number, parent)
        block.tentative = self.tentative
        last = max(parent.children[-1].last if parent.children else 0, parent.ended)
        # A table begins a line before, in a paragraph that was asked already.
        if (
            last
            and kind != b.TABLE
            and (last < self.number - 1 or (self.gap >= 0 and self.gap == _quotes(parent)))
        ):
            if parent.kind == b.LIST:
                parent.loose = True
            elif parent.kind == b.ITEM and parent.parent is not None:
                parent.parent.loose = True
        parent.children.append(block)
        parent.size += 1
        self.tip = block
        return block

    def _close(self, block: Block) -> None:
        """Close a block and all that is open inside it."""
        while True:
            tip, parent = self.tip, self.tip.parent
            if parent is None:
                return
            tip.closed = True
            self.tip = parent
            parent.last = max(parent.last, tip.last)
            if tip.kind == b.PARAGRAPH:
                self._close_paragraph(tip, parent)
            elif tip.kind == b.CODE:
                tip.own()
                while tip.lines and not tip.lines[-1].strip(" \t"):
                    tip.lines.pop()
            elif tip.kind == b.MATH and tip.level == 0:
                tip.own()
                tip.kind = b.LITERAL  # its end never came: it is text
                tip.lines = [tip.info, *(line.lstrip(" \t") for line in tip.lines[1:])]
            if tip is block:
                return

    def _close_paragraph(self, paragraph: Block, parent: Block) -> None:
        if paragraph.lines and paragraph.lines[0].startswith("[") and not paragraph.dropped:
            self._take_definitions(paragraph)
        if not paragraph.lines:
            parent.children.pop()
            parent.size -= 1
            parent.ended = paragraph.last

    def _take_definitions(self, paragraph: Block) -> None:
        """Take link definitions off the start of a paragraph."""
        text = paragraph.content()
        at = 0
        while text.startswith("[", at):
            reference, length = definition(self.dialect.md, text[at:] if at else text)
            if reference is None:
                break
            self.found.append(reference)
            at += length
        if at:
            paragraph.own()
            paragraph.lines = text[at:].split("\n") if text[at:].strip() else []

    def _take_complete(self, paragraph: Block) -> None:
        """Before a line that can only begin something new: is all so far definitions? Then take them at
        once.
        """
        text = paragraph.content()
        at = 0
        found: list[Reference] = []
        while at < len(text):
            reference, length = definition(self.dialect.md, text[at:] if at else text)
            if reference is None:
                return
            found.append(reference)
            at += length
        self.found += found
        paragraph.lines = []

    def _add_verbatim(self, block: Block) -> None:
        text = self.cur.rest()
        block.own()
        block.lines.append(text)
        if block.kind != b.CODE or not self.cur.blank:
            block.last = self.number
        if block.kind == b.HTML and block.number < 5 and _HTML_CLOSE[block.number].search(text):
            self._close(block)
        elif block.kind == b.MATH:
            self._math_end(block)

    def _add_row(self, table: Block, text: str) -> None:
        cells = split_row(text)[: len(table.aligns)]
        missing = min(len(table.aligns) - len(cells), MAX_FILLED - table.filled)
        table.own()
        table.filled += missing
        table.rows.append(cells + [""] * missing)
        table.last = self.number

    def _task(self, paragraph: Block, text: str) -> bool:
        item = paragraph.parent
        if (
            item is None
            or item.kind != b.ITEM
            or item.first != self.number
            or not (mark := _TASK.match(text))
        ):
            return False
        item.task = paragraph.task = "x" if mark[1] in "xX" else " "
        return True

    # ---------------------------------------------------------------- continuing
    def _goes_on(self, block: Block) -> bool | None:
        return True

    def _goes_never(self, block: Block) -> bool | None:
        return False

    def _goes_unless_blank(self, block: Block) -> bool | None:
        self.cur.find()
        return not self.cur.blank

    def _goes_math(self, block: Block) -> bool | None:
        self.cur.find()
        return not self.cur.blank and len(block.lines) < MAX_MATH

    def _goes_quote(self, block: Block) -> bool | None:
        cur = self.cur
        cur.find()
        if cur.indent < 4 and cur.text[cur.next : cur.next + 1] == ">":
            cur.skip()
            cur.advance(1)
            if cur.peek() in (" ", "\t"):
                cur.advance(1, True)
            cur.find()
            block.last = self.number
            return True
        return False

    def _goes_item(self, item: Block) -> bool | None:
        cur = self.cur
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

    def _goes_footnote(self, block: Block) -> bool | None:
        cur = self.cur
        cur.find()
        if cur.blank or cur.indent >= 4:
            cur.advance(min(cur.indent, 4), True)
        else:
            return False
        cur.find()
        return True

    def _goes_code(self, block: Block) -> bool | None:
        cur = self.cur
        cur.find()
        if cur.indent >= 4:
            cur.advance(4, True)
        elif cur.blank:
            cur.skip()
        else:
            return False
        return True

    def _goes_fence(self, block: Block) -> bool | None:
        cur = self.cur
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

    def _goes_html(self, block: Block) -> bool | None:
        self.cur.find()
        return not (self.cur.blank and block.number >= 5)

    # ---------------------------------------------------------------- starting
    def _start_quote(self, container: Block) -> int:
        cur = self.cur
        if cur.indent >= 4 or cur.text[cur.next : cur.next + 1] != ">" or self._deep(container):
            return _NONE
        cur.skip()
        cur.advance(1)
        if cur.peek() in (" ", "\t"):
            cur.advance(1, True)
        self._close_unmatched()
        quote = self._add(b.QUOTE)
        if self.dialect.extended and (alert := _ALERT.match(cur.rest().strip(" \t"))):
            quote.label = alert[1].lower()
            return _LEAF
        return _CONTAINER

    def _start_heading(self, container: Block) -> int:
        cur = self.cur
        if cur.indent >= 4 or cur.text[cur.next : cur.next + 1] != "#":
            return _NONE
        mark = _HEADING.match(cur.text[cur.next :])
        if not mark:
            return _NONE
        self._close_unmatched()
        heading = self._add(b.HEADING)
        heading.level = len(mark[0].strip(" \t"))
        heading.lines = [_HEADING_END.sub("", cur.text[cur.next + mark.end() :].strip(" \t"))]
        self._close(heading)
        return _LEAF

    def _start_fence(self, container: Block) -> int:
        cur = self.cur
        if cur.indent >= 4 or cur.text[cur.next : cur.next + 1] not in ("`", "~"):
            return _NONE
        mark = _FENCE.match(cur.text[cur.next :])
        if not mark:
            return _NONE
        self._close_unmatched()
        fence = self._add(b.FENCE)
        fence.bullet, fence.number, fence.offset = mark[0][0], len(mark[0]), cur.indent
        fence.info = cur.text[cur.next + mark.end() :].strip(" \t")
        return _LEAF

    def _start_math(self, container: Block) -> int:
        cur = self.cur
        rest = cur.text[cur.next :].rstrip(" \t")
        if cur.indent >= 4 or not rest.startswith(("$$", "\\[")):
            return _NONE
        close = "$$" if rest[0] == "$" else "\\]"
        at = rest.find(close, 2)
        if at >= 0 and at != len(rest) - 2:
            return _NONE
        self._close_unmatched()
        block = self._add(b.MATH)
        block.bullet, block.info = rest[:2], rest
        block.lines = [rest[2:]]
        self._math_end(block)
        return _LEAF

    def _math_end(self, block: Block) -> None:
        """Close math whose last line ends with the closing mark."""
        close = "$$" if block.bullet == "$$" else "\\]"
        last = block.lines[-1].rstrip(" \t")
        if last.endswith(close):
            block.own()
            block.lines[-1] = last[:-2]
            block.level = 1
            self._close(block)

    def _start_footnote(self, container: Block) -> int:
        cur = self.cur
        mark = _FOOTNOTE.match(cur.text[cur.next :]) if cur.indent < 4 else None
        if not mark or _holder(container) is not self.document:
            return _NONE
        self._close_unmatched()
        cur.skip()
        cur.advance(mark.end())
        self._add(b.FOOTNOTE).label = mark[1]
        return _CONTAINER

    def _start_details(self, container: Block) -> int:
        cur = self.cur
        rest = cur.text[cur.next :]
        if cur.indent >= 4 or not rest.startswith("<"):
            return _NONE
        if _DETAILS_END.match(rest):
            block = _holder(container)
            if block.kind != b.DETAILS:
                return _NONE
            self._close_unmatched()
            block.last = self.number
            self._close(block)
            return _LEAF
        if container.kind == b.DETAILS and not container.size and (summary := _SUMMARY.match(rest)):
            self._close_unmatched()
            leaf = self._add(b.SUMMARY)
            leaf.lines = [summary[1].strip(" \t")]
            self._close(leaf)
            return _LEAF
        mark = _DETAILS.match(rest)
        paragraph = container.kind == b.PARAGRAPH or (not self.closed and self.tip.kind == b.PARAGRAPH)
        if not mark or paragraph or self._deep(container):
            return _NONE
        self._close_unmatched()
        cur.skip()
        cur.advance(mark.end())
        self._add(b.DETAILS).label = "open" if mark[1] else ""
        return _CONTAINER

    def _start_html(self, container: Block) -> int:
        cur = self.cur
        rest = cur.text[cur.next :]
        if cur.indent >= 4 or not rest.startswith("<"):
            return _NONE
        for number, opener in enumerate(_HTML_OPEN):
            lazy = not self.closed and self.tip.kind == b.PARAGRAPH
            if opener.match(rest) and (number < 6 or not (container.kind == b.PARAGRAPH or lazy)):
                self._close_unmatched()
                self._add(b.HTML).number = number
                return _CONTAINER
        return _NONE

    def _start_table(self, container: Block) -> int:
        cur = self.cur
        if cur.indent >= 4 or container.kind != b.PARAGRAPH or cur.text[cur.next : cur.next + 1] not in "|:-":
            return _NONE
        container.restore()
        first = container.task is not None and len(container.lines) == 1
        if not container.lines or first or container.padding == self.number - 1:
            return _NONE
        aligns = alignments(cur.text[cur.next :])
        header = container.lines[-1]
        if aligns is None or "|" not in header:
            return _NONE
        cells = split_row(header)
        if len(cells) != len(aligns):
            return _NONE
        self._close_unmatched()
        parent = container.parent
        if parent is None:
            return _NONE
        container.own()
        container.lines.pop()
        container.last -= 1
        if container.lines:
            self._close(container)
        else:
            parent.children.pop()
            parent.size -= 1
            self.tip = parent
        table = self._add(b.TABLE)
        table.first = self.number - 1
        table.aligns, table.rows = aligns, [cells]
        return _LEAF

    def _start_setext(self, container: Block) -> int:
        cur = self.cur
        if cur.indent >= 4 or container.kind != b.PARAGRAPH or not _SETEXT.match(cur.text[cur.next :]):
            return _NONE
        container.restore()
        if container.lines[0].startswith("["):
            self._take_definitions(container)
            if not container.lines:
                return _NONE  # nothing but definitions: the line is whatever else it can be
        self._close_unmatched()
        container.kind = b.HEADING
        container.level = 1 if cur.text[cur.next] == "=" else 2
        container.last = self.number
        self._close(container)
        return _LEAF

    def _start_break(self, container: Block) -> int:
        cur = self.cur
        if cur.indent >= 4 or not _BREAK.match(cur.text[cur.next :]):
            return _NONE
        self._close_unmatched()
        self._close(self._add(b.BREAK))
        return _LEAF

    def _start_item(self, container: Block) -> int:
        cur = self.cur
        if cur.indent >= 4 or self._deep(container):
            return _NONE
        rest = cur.text[cur.next :]
        mark = _BULLET.match(rest) or _ORDERED.match(rest)
        if not mark:
            return _NONE
        ordered = mark.re is _ORDERED
        width = mark.end()
        if rest[width : width + 1] not in ("", " ", "\t"):
            return _NONE
        if container.kind == b.PARAGRAPH and (
            not rest[width:].strip(" \t") or (ordered and int(mark[1]) != 1)
        ):
            return _NONE
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
        self._close_unmatched()
        bullet = mark[2] if ordered else mark[0]
        parent = self.tip if self.tip.kind == b.LIST else None
        if (
            container.kind != b.LIST
            or parent is None
            or (parent.ordered, parent.bullet) != (ordered, bullet)
            or (parent.children[-1].info == "void" and parent.children[-1].last < self.number - 2)
        ):
            new = self._add(b.LIST)
            new.ordered, new.bullet, new.number = ordered, bullet, int(mark[1]) if ordered else 0
        item = self._add(b.ITEM)
        item.offset, item.padding = offset, padding
        return _CONTAINER

    def _start_code(self, container: Block) -> int:
        cur = self.cur
        if cur.indent < 4 or self.tip.kind == b.PARAGRAPH or cur.blank:
            return _NONE
        cur.advance(4, True)
        self._close_unmatched()
        self._add(b.CODE)
        return _CONTAINER

    def _deep(self, container: Block) -> bool:
        depth = 0
        block: Block | None = _holder(container)
        while block is not None:
            depth += 1
            block = block.parent
        return depth > MAX_DEPTH


def _holder(block: Block) -> Block:
    """Where a new block would go: the container around a leaf or list, or the container itself."""
    while block.parent is not None and (block.kind not in b.CONTAINERS or block.kind == b.LIST):
        block = block.parent
    return block


def _quotes(block: Block) -> int:
    """How many quotes the block is in, itself included."""
    count = 0
    above: Block | None = block
    while above is not None:
        count += above.kind == b.QUOTE
        above = above.parent
    return count


Start = Callable[[Lines, Block], int]

_CONTINUE: dict[str, Callable[[Lines, Block], bool | None]] = {
    b.QUOTE: Lines._goes_quote,
    b.LIST: Lines._goes_on,
    b.ITEM: Lines._goes_item,
    b.DETAILS: Lines._goes_on,
    b.FOOTNOTE: Lines._goes_footnote,
    b.PARAGRAPH: Lines._goes_unless_blank,
    b.TABLE: Lines._goes_unless_blank,
    b.MATH: Lines._goes_math,
    b.HEADING: Lines._goes_never,
    b.BREAK: Lines._goes_never,
    b.SUMMARY: Lines._goes_never,
    b.FENCE: Lines._goes_fence,
    b.CODE: Lines._goes_code,
    b.HTML: Lines._goes_html,
}
_PLAIN: list[Start] = [
    Lines._start_quote,
    Lines._start_heading,
    Lines._start_fence,
    Lines._start_html,
    Lines._start_setext,
    Lines._start_break,
    Lines._start_item,
    Lines._start_code,
]
_EXTENDED: list[Start] = [
    Lines._start_table,
    Lines._start_quote,
    Lines._start_heading,
    Lines._start_fence,
    Lines._start_math,
    Lines._start_footnote,
    Lines._start_details,
    Lines._start_setext,
    Lines._start_break,
    Lines._start_item,
    Lines._start_code,
]
