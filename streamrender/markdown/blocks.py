"""Blocks of a document: the nodes that the line grammar builds.

A block is *open* while later lines may still change it and *closed* for good afterwards. Open blocks form one
chain from the document to the tip; everything else is settled. `fork` copies that chain, so that an
unfinished line can be tried out and thrown away.
"""

from typing import Any

DOCUMENT, QUOTE, LIST, ITEM, DETAILS, FOOTNOTE = "document", "quote", "list", "item", "details", "footnote"
PARAGRAPH, HEADING, BREAK, FENCE, CODE = "paragraph", "heading", "break", "fence", "code"
HTML, TABLE, MATH, SUMMARY, LITERAL = "html", "table", "math", "summary", "literal"

CONTAINERS = frozenset({DOCUMENT, QUOTE, LIST, ITEM, DETAILS, FOOTNOTE})
VERBATIM = frozenset({FENCE, CODE, HTML, MATH})
"""Leaves whose lines are taken as they are."""


class Block:
    """One block. `first` and `last` are line numbers from 1; which further fields are used depends on `kind`.

    - list: `ordered`, `bullet` (the marker or delimiter character), `number` (of its first item), `loose`
    - item: `offset` (columns before the marker), `padding` (columns of the marker and its spaces), `task`
    - quote: `label` (the alert kind or ""); footnote: `label`; details: `label` ("open" or "")
    - heading: `level`; fence: `bullet`, `number` (length of the opening run), `offset`, `info`
    - html: `number` (the end condition); math: `bullet` (its opener), `info` (first line as written)
    - literal: a paragraph that keeps its element in a tight list; maths whose end never came
    - table: `aligns`, `rows` (the first is the header), `filled` (cells that were added to short rows)
    """

    __slots__ = (
        "aligns",
        "bullet",
        "children",
        "closed",
        "dropped",
        "ended",
        "filled",
        "first",
        "info",
        "kind",
        "label",
        "last",
        "level",
        "lines",
        "loose",
        "number",
        "offset",
        "ordered",
        "padding",
        "parent",
        "rows",
        "shared",
        "size",
        "task",
        "tentative",
        "view",
    )

    # `dropped`: the first lines of a long paragraph, which its renderer is done with

    def __init__(self, kind: str, first: int, parent: "Block | None" = None) -> None:
        self.kind = kind
        self.first = first
        self.last = first
        self.parent = parent
        self.children: list[Block] = []
        self.size = 0  # children ever added; `children` may have lost the settled ones
        self.closed = False
        self.lines: list[str] = []
        self.dropped: list[str] = []
        self.level = 0
        self.bullet = ""
        self.ordered = False
        self.number = 0
        self.loose = False
        self.offset = 0
        self.padding = 0
        self.label = ""
        self.info = ""
        self.task: str | None = None
        self.aligns: list[str] = []
        self.rows: list[list[str]] = []
        self.filled = 0
        self.ended = 0  # the last line of a child that turned out to be definitions alone
        self.tentative = False  # belongs to a line that is only tried out
        self.shared = False  # the lists belong to the block this one was forked from
        self.view: Any = None  # what a renderer remembers about this block

    def fork(self, parent: "Block | None") -> "Block":
        """A copy that can be changed without changing this block; closed children are shared."""
        twin = Block.__new__(Block)
        twin.aligns = self.aligns
        twin.bullet = self.bullet
        twin.children = list(self.children)
        twin.closed = self.closed
        twin.dropped = self.dropped
        twin.ended = self.ended
        twin.filled = self.filled
        twin.first = self.first
        twin.info = self.info
        twin.kind = self.kind
        twin.label = self.label
        twin.last = self.last
        twin.level = self.level
        twin.lines = self.lines
        twin.loose = self.loose
        twin.number = self.number
        twin.offset = self.offset
        twin.ordered = self.ordered
        twin.padding = self.padding
        twin.parent = parent
        twin.rows = self.rows
        twin.shared = True
        twin.size = self.size
        twin.task = self.task
        twin.tentative = True
        twin.view = self.view
        return twin

    def own(self) -> None:
        """Copy the lists that a fork still shares, before one of them is changed."""
        if self.shared:
            self.shared = False
            self.lines = list(self.lines)
            self.rows = list(self.rows)
            self.dropped = list(self.dropped)

    def restore(self) -> None:
        """Take back the lines that a renderer dropped because it is done with them."""
        if self.dropped:
            self.own()
            self.lines = self.dropped + self.lines
            self.dropped = []

    def content(self) -> str:
        return "\n".join(self.lines)


def holder(block: Block) -> Block:
    """Where a new block would go: the container around a leaf or list, or the container itself."""
    while block.parent is not None and (block.kind not in CONTAINERS or block.kind == LIST):
        block = block.parent
    return block


def quotes(block: Block) -> int:
    """How many quotes the block is in, itself included."""
    count = 0
    above: Block | None = block
    while above is not None:
        count += above.kind == QUOTE
        above = above.parent
    return count
