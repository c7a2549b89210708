"""A document by markdown-it-py, complete or still arriving: its tokens made into blocks.

This is the definition of the grammar. `lines.py`, which it does not know, reads the same grammar a line at a
time for the engine; that both give the same blocks is what the tests of the laws check.
"""

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.token import Token

from streamrender.markdown import blocks as b
from streamrender.markdown.blocks import Block
from streamrender.markdown.references import Reference

_OPEN = {
    "blockquote_open": b.QUOTE,
    "bullet_list_open": b.LIST,
    "ordered_list_open": b.LIST,
    "list_item_open": b.ITEM,
    "note_open": b.FOOTNOTE,
    "details_open": b.DETAILS,
}
_CLOSE = frozenset(name.replace("_open", "_close") for name in _OPEN)
_LEAVES = {
    "paragraph_open": b.PARAGRAPH,
    "setext": b.HEADING,
    "heading_open": b.HEADING,
    "fence": b.FENCE,
    "code_block": b.CODE,
    "html_block": b.HTML,
    "hr": b.BREAK,
    "summary": b.SUMMARY,
    "math": b.MATH,
    "literal": b.LITERAL,
}


def document(md: MarkdownIt, text: str, tasks: bool) -> tuple[Block, list[Reference]]:
    """The blocks of a complete text, its lines ended by newlines alone, and its link definitions in order."""
    reader, references = _parse(md, text, tasks, _Reader())
    return reader.document, references


def arriving(md: MarkdownIt, text: str, tasks: bool, settled: int) -> tuple[Block, list[Reference], Block]:
    """The same of a text that may go on, its last line included, and its innermost open block.

    A block that further lines may be added to is not closed: its definitions do not count yet, a formula
    waits for its end. What a line behind the first `settled` ones closes is marked as tentative.
    """
    if not text:
        empty = Block(b.DOCUMENT, 1)
        return empty, [], empty
    reader, references = _parse(md, text, tasks, _Reader(text.count("\n", 0, -1) + 1, settled))
    return reader.document, references, reader.open or reader.document


def _parse(md: MarkdownIt, text: str, tasks: bool, reader: "_Reader") -> tuple["_Reader", list[Reference]]:
    if not text.endswith("\n"):
        text += "\n"
    env: dict[str, Any] = {
        "frames": [],
        "cut_tabs": {},
        "found": [],
        "tasks": tasks,
        "open_at": reader.number,
    }
    tokens: list[Token] = []
    try:
        md.block.parse(text, md, env, tokens)
    except (IndexError, ValueError, RecursionError, RuntimeError):
        # No text is known that does this to these rules; should there be one, it shows as it is written.
        reader.plain(text)
        return reader, []
    reader.read(tokens)
    return reader, env["found"]


class _Reader:
    """Makes the tree: one block for each container and leaf. `number`: how many lines there are, when the
    text may go on; `open` is then the leaf that does, if one does.
    """

    def __init__(self, number: int = -1, settled: int = -1) -> None:
        self.number = number
        self._settled = settled
        self.open: Block | None = None
        self._tip = self.document = Block(b.DOCUMENT, 1)
        self.document.closed = True

    def read(self, tokens: list[Token]) -> None:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if kind := _OPEN.get(token.type):
                self._enter(kind, token)
            elif token.type in _CLOSE:
                self._leave()
            elif token.type == "table_open":
                at = self._table(tokens, at)
                continue
            else:
                self._leaf(tokens, at)
            at += 1
        if self.number >= 0:
            self._code_goes_on()

    def plain(self, text: str) -> None:
        self._add(b.LITERAL).lines = text.split("\n")

    def _code_goes_on(self) -> None:
        """Blank lines do not end indented code, but do not count as its lines either."""
        last = self.document.children[-1] if self.document.children else None
        if last is not None and last.kind == b.CODE:
            self._goes_on(last)

    def _goes_on(self, block: Block) -> None:
        block.closed = False
        self.open = block

    def _add(self, kind: str) -> Block:
        block = Block(kind, 1, self._tip)
        block.closed = True
        self._tip.children.append(block)
        self._tip.size += 1
        return block

    def _enter(self, kind: str, token: Token) -> None:
        block = self._tip = self._add(kind)
        if kind == b.LIST:
            block.ordered = token.type == "ordered_list_open"
            start = token.attrGet("start")
            block.number = int(start) if start is not None else 1
        elif kind == b.ITEM:
            block.task = token.meta.get("task")
        else:
            block.label = token.info

    def _leave(self) -> None:
        assert self._tip.parent is not None
        self._tip = self._tip.parent

    def _leaf(self, tokens: list[Token], at: int) -> None:
        token = tokens[at]
        kind = _LEAVES.get(token.type)
        if kind is None:
            return
        block = self._add(kind)
        block.last = _end(token)
        if kind == b.PARAGRAPH:
            block.lines, block.task = token.meta["lines"], token.meta["task"]
            if not token.hidden and self._tip.kind == b.ITEM and self._tip.parent is not None:
                self._tip.parent.loose = True
        elif token.type == "setext":
            block.lines, block.task, block.level = (
                token.meta["lines"],
                token.meta["task"],
                token.meta["level"],
            )
        elif kind == b.HEADING:
            block.level, block.lines = int(token.tag[1]), [tokens[at + 1].content]
        elif kind in (b.FENCE, b.CODE, b.HTML):
            block.info, block.bullet = token.info.strip(" \t"), token.markup[:1]
            block.lines = token.content.removesuffix("\n").split("\n") if token.content else []
        elif kind == b.SUMMARY:
            block.lines = [token.content]
        elif kind == b.MATH:
            block.bullet, block.info, block.lines = token.markup, token.info, token.meta["lines"]
            block.level = 0 if token.meta["open"] else 1
        elif kind == b.LITERAL:
            block.lines = token.meta["lines"]
        if self.number >= 0 and _waits(token):
            block.tentative = block.last >= self._settled
            if block.last == self.number:
                self._goes_on(block)

    def _table(self, tokens: list[Token], at: int) -> int:
        block = self._add(b.TABLE)
        block.last = _end(tokens[at])
        if block.last == self.number:
            self._goes_on(block)
        cells = 0
        while tokens[at].type != "table_close":
            token = tokens[at]
            if token.type == "tr_open":
                block.rows.append([])
                cells = token.meta["cells"]
            elif token.type in ("th_open", "td_open") and len(block.rows[-1]) < cells:
                block.rows[-1].append(tokens[at + 1].content)
                if token.type == "th_open":
                    block.aligns.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
            at += 1
        return at + 1


def _waits(token: Token) -> bool:
    """Is this a leaf that has not met its end, so that a further line would be added to it?"""
    if token.type == "fence":
        first, last = token.map or (0, 0)
        return token.content.count("\n") == last - first - 1  # there is no line that ends it
    if token.type == "html_block":
        lines = token.content.split("\n")
        end = next(end for start, end, _ in HTML_SEQUENCES if start.search(lines[0].lstrip(" \t")))
        return not any(line and end.search(line) for line in lines)
    if token.type == "math":
        return bool(token.meta["open"])
    return token.type in ("paragraph_open", "code_block")


def _end(token: Token) -> int:
    """The number of a leaf's last line."""
    return token.map[1] if token.map else 0
