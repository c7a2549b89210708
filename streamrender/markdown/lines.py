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

from streamrender.markdown import blocks as b
from streamrender.markdown import continues, starts
from streamrender.markdown.blocks import Block, holder, quotes
from streamrender.markdown.cursor import Cursor
from streamrender.markdown.dialect import Dialect
from streamrender.markdown.references import Reference, definition
from streamrender.markdown.starts import CONTAINER, LEAF, Start
from streamrender.markdown.table import MAX_FILLED, split_row

MAX_DEPTH = 40
"""Containers inside each other; markers beyond that are text."""

_TASK = re.compile(r"^\[([ xX])\](?=[ \t]+\S)")
_STARTS = frozenset("#`~*+-_=<>|:[$\\0123456789")
_HTML_CLOSE = [
    re.compile(r"</(?:script|pre|textarea|style)>", re.I),
    re.compile(r"-->"),
    re.compile(r"\?>"),
    re.compile(r">"),
    re.compile(r"\]\]>"),
]


class Lines:
    """The open chain of a document. `line` takes one line without its end, `finish` closes what is open."""

    __slots__ = (
        "capped",
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
        self.capped = False  # a container was left out because it would be too deep
        # Was the line before blank, and inside how many quotes? -1: it was not.
        self.gap = self.next_gap = -1

    def fork(self) -> "Lines":
        """An independent continuation that shares everything closed."""
        twin = Lines.__new__(Lines)
        twin.dialect = self.dialect
        twin.number = self.number
        twin.tentative = True
        twin.found = []
        twin.capped = False
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
        self.number += 1
        self.cur = cur = Cursor(text)
        self.old_tip = self.tip
        container = self.document
        for block in self.chain()[1:]:
            matched = continues.RULES[block.kind](self, block)
            if matched is None:
                self.gap, self.next_gap = self.next_gap, -1
                block.last = self.number
                self.close(block)
                return
            if not matched:
                break
            container = block
        self.last_matched = container
        self.closed = container is self.old_tip
        self.gap, self.next_gap = self.next_gap, quotes(container) if cur.blank else -1
        if container.kind not in b.VERBATIM:
            container, leaf = self._starts(container)
            if leaf:
                return
        if not self.closed and not cur.blank and self.tip.kind == b.PARAGRAPH:
            self.tip.own()
            self._before_bracket(self.tip)
            self.tip.lines.append(cur.rest())
            self.tip.last = self.tip.padding = self.number
            return
        self.close_unmatched()
        if container.kind in b.VERBATIM:
            self._add_verbatim(container)
        elif container.kind == b.PARAGRAPH:
            container.own()
            self._before_bracket(container)
            container.lines.append(cur.rest())
            container.last = self.number
            if cur.indent >= 4:
                container.padding = self.number
        elif container.kind == b.TABLE:
            self._add_row(container, cur.rest())
        elif not cur.blank:
            cur.skip()
            paragraph = self.add(b.PARAGRAPH)
            text = cur.rest()
            if self.dialect.tasks and self._task(paragraph, text):
                text = text[3:].lstrip(" \t")
            paragraph.lines.append(text)

    def finish(self) -> None:
        """Close every open block; the document is complete."""
        while self.tip.parent is not None:
            self.close(self.tip)
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
                if result == LEAF:
                    return container, True
                if result == CONTAINER:
                    container = self.tip
                    cur.find()
                    break
            else:
                cur.skip()
                return container, False
            if container.kind in b.VERBATIM:
                return container, False

    def dialect_starts(self) -> list[Start]:
        return starts.EXTENDED if self.dialect.extended else starts.PLAIN

    # ---------------------------------------------------------------- opening and closing
    def close_unmatched(self) -> None:
        if not self.closed:
            while self.old_tip is not self.last_matched:
                parent = self.old_tip.parent
                self.close(self.old_tip)
                if parent is None:
                    break
                self.old_tip = parent
            self.closed = True

    def add(self, kind: str) -> Block:
        """Open a block as the last child of the innermost open block that can hold it."""
        while self.tip.kind not in b.CONTAINERS or (self.tip.kind == b.LIST) != (kind == b.ITEM):
            self.close(self.tip)
        parent = self.tip
        block = Block(kind, self.number, parent)
        block.tentative = self.tentative
        last = max(parent.children[-1].last if parent.children else 0, parent.ended)
        # A table begins a line before, in a paragraph that was asked already.
        if (
            last
            and kind != b.TABLE
            and (last < self.number - 1 or (self.gap >= 0 and self.gap == quotes(parent)))
        ):
            if parent.kind == b.LIST:
                parent.loose = True
            elif parent.kind == b.ITEM and parent.parent is not None:
                parent.parent.loose = True
        parent.children.append(block)
        parent.size += 1
        self.tip = block
        return block

    def close(self, block: Block) -> None:
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
            self.take_definitions(paragraph)
        if not paragraph.lines:
            parent.children.pop()
            parent.size -= 1
            parent.ended = paragraph.last

    def take_definitions(self, paragraph: Block) -> None:
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

    def _before_bracket(self, paragraph: Block) -> None:
        """Before a line that begins with a bracket: is all so far definitions? Then take them at once, since
        nothing of that line can belong to them.
        """
        lines = paragraph.lines
        if self.cur.peek() != "[" or not lines or not lines[0].startswith("[") or paragraph.dropped:
            return
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
            self.close(block)
        elif block.kind == b.MATH:
            self.math_end(block)

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

    def math_end(self, block: Block) -> None:
        """Close math whose last line ends with the closing mark."""
        close = "$$" if block.bullet == "$$" else "\\]"
        last = block.lines[-1].rstrip(" \t")
        if last.endswith(close):
            block.own()
            block.lines[-1] = last[:-2]
            block.level = 1
            self.close(block)

    def deep(self, container: Block) -> bool:
        """Would a container here be too deep? Asked last, when it would start otherwise."""
        depth = 0
        block: Block | None = holder(container)
        while block is not None:
            depth += 1
            block = block.parent
        self.capped = self.capped or depth > MAX_DEPTH
        return depth > MAX_DEPTH
