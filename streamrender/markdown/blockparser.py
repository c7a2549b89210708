"""markdown-it-py's block parser, which here knows the containers around a line and cuts tabs as CommonMark
does. The rules that it runs are in `blockrules.py`.
"""

from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token


@dataclass
class Frame:
    """One container that is being read: the columns its lines begin with."""

    indent: int
    details: bool = False


class Blocks(ParserBlock):
    """The block parser, which here knows the containers around a line."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        frames: list[Frame] = state.env["frames"]
        last = state.tokens[-1] if state.tokens else None
        frames.append(Frame(state.blkIndent, last is not None and last.type == "details_open"))
        super().tokenize(state, startLine, endLine)
        frames.pop()

    def parse(self, src: str, md: MarkdownIt, env: Any, outTokens: list[Token]) -> list[Token]:
        state = State(src, md, env, outTokens)
        self.tokenize(state, 0, state.lineMax)
        return state.tokens


class State(StateBlock):
    """The lines of a document. `env["cut_tabs"]`: where a line begins with a tab of which the mark of a quote
    took the first column.
    """

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:
        """markdown-it keeps such a tab whole in lines that are taken as they are. Its other columns are
        spaces (CommonMark, "Tabs").
        """
        cut: dict[int, int] = self.env["cut_tabs"]
        if indent > 0 or not any(cut.get(line) == self.bMarks[line] for line in range(begin, end)):
            return super().getLines(begin, end, indent, keepLastLF)
        out = []
        for line in range(begin, end):
            text = super().getLines(line, line + 1, indent, keepLastLF or line + 1 < end)
            if cut.get(line) == self.bMarks[line]:
                text = " " * (4 - self.bsCount[line] % 4) + text[1:]
            out.append(text)
        return "".join(out)
