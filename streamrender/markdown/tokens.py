"""A whole document by markdown-it-py: its tokens made into blocks.

This is the definition of the grammar. `lines.py`, which it does not know, reads the same grammar a line at a
time for the engine; that both give the same blocks is what the tests of the laws check.
"""

from typing import Any

from markdown_it import MarkdownIt
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


def document(md: MarkdownIt, text: str, tasks: bool) -> tuple[Block, list[Reference]]:
    """The blocks of a complete text, its lines ended by newlines alone, and its link definitions in order."""
    if not text.endswith("\n"):
        text += "\n"
    env: dict[str, Any] = {"frames": [], "found": [], "tasks": tasks}
    tokens: list[Token] = []
    text = text.replace("\0", "\ufffd")
    try:
        md.block.parse(text, md, env, tokens)
    except (IndexError, ValueError, RecursionError, RuntimeError):
        # No text is known that does this to these rules; should there be one, it shows as it is written.
        return _Reader().plain(text), []
    return _Reader().read(tokens), env["found"]


class _Reader:
    """Makes the tree: one block for each container and leaf."""

    def __init__(self) -> None:
        self._tip = self._document = Block(b.DOCUMENT, 1)
        self._document.closed = True

    def read(self, tokens: list[Token]) -> Block:
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
        return self._document

    def plain(self, text: str) -> Block:
        self._add(b.LITERAL).lines = text.split("\n")
        return self._document

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
        if token.type == "paragraph_open":
            block = self._add(b.PARAGRAPH)
            block.lines, block.task = token.meta["lines"], token.meta["task"]
            if not token.hidden and self._tip.kind == b.ITEM and self._tip.parent is not None:
                self._tip.parent.loose = True
        elif token.type == "setext":
            block = self._add(b.HEADING)
            block.lines, block.task, block.level = (
                token.meta["lines"],
                token.meta["task"],
                token.meta["level"],
            )
        elif token.type == "heading_open":
            block = self._add(b.HEADING)
            block.level, block.lines = int(token.tag[1]), [tokens[at + 1].content]
        elif token.type in ("fence", "code_block", "html_block"):
            block = self._add({"fence": b.FENCE, "code_block": b.CODE, "html_block": b.HTML}[token.type])
            block.info = token.info.strip(" \t")
            block.lines = token.content.removesuffix("\n").split("\n") if token.content else []
        elif token.type == "hr":
            self._add(b.BREAK)
        elif token.type == "summary":
            self._add(b.SUMMARY).lines = [token.content]
        elif token.type == "math":
            block = self._add(b.MATH)
            block.bullet, block.info, block.lines, block.level = (
                token.markup,
                token.info,
                token.meta["lines"],
                1,
            )
        elif token.type == "literal":
            self._add(b.LITERAL).lines = token.meta["lines"]

    def _table(self, tokens: list[Token], at: int) -> int:
        block = self._add(b.TABLE)
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
