"""The dialect's blocks as rules for markdown-it-py's block parser.

Its own rules find lists, code, headings and tables; these add alerts, formulas, footnotes and details, and
read quotes, and paragraphs with what may stand at their start or end: task marks, link definitions, setext
underlines. They push tokens; `tokens.py` makes blocks of these.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, list_block, table

from streamrender.markdown.blockparser import Frame
from streamrender.markdown.references import Reference, definition
from streamrender.markdown.table import MAX_FILLED, alignments, split_row

MAX_DEPTH = 40
"""Containers inside each other; markers beyond that are text."""

MAX_MATH = 60
"""Lines of one formula; one that does not end by then is text."""

_ALERT = re.compile(r"^\[!(note|tip|important|warning|caution)\][ \t]*$", re.I)
_TASK = re.compile(r"^\[([ xX])\](?=[ \t]+\S)")
_FOOTNOTE = re.compile(r"^\[\^([\w.:-]{1,64})\]:[ \t]*")
_DETAILS = re.compile(r"^<details([ \t]+open)?[ \t]*>[ \t]*(?=$|<summary>)")
_DETAILS_END = re.compile(r"^</details>[ \t]*$")
_SUMMARY = re.compile(r"^<summary>(.*?)</summary>[ \t]*$")
_BEYOND = 2**31
_SETEXT = re.compile(r"^(?:=+|-+)[ \t]*$")


def extend(md: MarkdownIt) -> None:
    """Give `md` the dialect's block rules."""
    cap(md)
    every: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    rules = md.block.ruler
    rules.before("code", "alert", _alert)
    rules.after("blockquote", "math", _math, every)
    rules.after("math", "note", _footnote, every)
    rules.after("note", "details_end", _details_end, every)
    rules.after("details_end", "summary", _summary)
    rules.after("summary", "details", _details, {"alt": ["blockquote"]})
    rules.before("paragraph", "pipes", _table, {"alt": ["paragraph"]})


def cap(md: MarkdownIt) -> None:
    """The specification's blocks, nested to a limit. One rule reads paragraphs, setext headings and link
    definitions, as the reference parsers do.
    """
    rules = md.block.ruler
    rules.at("blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    rules.at("list", _list, {"alt": ["paragraph", "reference", "blockquote"]})
    rules.disable(["reference", "lheading"])
    rules.at("paragraph", paragraph)


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _frame(state: StateBlock, line: int) -> tuple[int, Frame] | None:
    """The innermost container that a line belongs to; None for a line that only continues a paragraph."""
    frames: list[Frame] = state.env["frames"]
    for i in range(len(frames) - 1, -1, -1):
        if state.sCount[line] >= frames[i].indent:
            return (i, frames[i]) if state.sCount[line] - frames[i].indent < 4 else None
    return None


def _deep(state: StateBlock) -> bool:
    return 1 + state.level > MAX_DEPTH


# ---------------------------------------------------------------- containers
def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A quote. markdown-it's own rule miscounts tabs in nested quotes, lets a marker stand four columns in,
    and ends the inner of two quotes at a line that continues a paragraph.
    """
    if _text(state, start)[:1] != ">" or state.is_code_block(start) or _deep(state):
        return False
    if silent:
        return True
    terminators = state.md.block.ruler.getRules("blockquote")
    parent, last, indent = state.parentType, state.lineMax, state.blkIndent
    state.parentType = "blockquote"
    marks = (state.bMarks, state.tShift, state.sCount, state.bsCount)
    saved = []
    line, blank = start, False
    while line < end and not state.isEmpty(line):
        before = [mark[line] for mark in marks]
        if _marked(state, line):
            blank = _enter_quote(state, line)
        elif blank:
            break
        else:
            if not _lazy(state, line) and any(rule(state, line, end, True) for rule in terminators):
                break
            state.sCount[line] = -1
        saved.append(before)
        line += 1
    state.blkIndent, state.lineMax = 0, line
    token = state.push("blockquote_open", "blockquote", 1)
    token.map = [start, line]
    state.md.block.tokenize(state, start, line)
    state.push("blockquote_close", "blockquote", -1)
    for i, before in enumerate(saved):
        for mark, value in zip(marks, before, strict=True):
            mark[start + i] = value
    state.parentType, state.lineMax, state.blkIndent = parent, last, indent
    return True


def _marked(state: StateBlock, line: int) -> bool:
    """Does the line go on with the mark of a quote?"""
    return 0 <= state.sCount[line] - state.blkIndent < 4 and _text(state, line)[:1] == ">"


def _enter_quote(state: StateBlock, line: int) -> bool:
    """Let the line begin after the mark and its space; is nothing left of it?"""
    at = state.bMarks[line] + state.tShift[line] + 1
    column = state.bsCount[line] + state.sCount[line] + 1
    if state.src[at : at + 1] == " " or (state.src[at : at + 1] == "\t" and column % 4 == 3):
        at += 1
        column += 1
    elif state.src[at : at + 1] == "\t":
        column += 1  # the rest of the tab is indentation
        state.env["cut_tabs"][line] = at
    state.bMarks[line], state.bsCount[line] = at, column
    width = 0
    while at < state.eMarks[line] and state.src[at] in " \t":
        width += 4 - (width + column) % 4 if state.src[at] == "\t" else 1
        at += 1
    state.tShift[line], state.sCount[line] = at - state.bMarks[line], width
    return at >= state.eMarks[line]


def _list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return not _deep(state) and list_block(state, start, end, silent)


def _alert(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The kind of an alert, alone on the first line of a quote."""
    last = state.tokens[-1] if state.tokens else None
    if silent or last is None or last.type != "blockquote_open" or last.map is None or last.map[0] != start:
        return False
    mark = _ALERT.match(_text(state, start))
    if not mark:
        return False
    last.info = mark[1].lower()
    state.push("alert", "", 0)
    state.line = start + 1
    return True


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A footnote's definition, at the top level of the document alone."""
    at = _frame(state, start)
    mark = _FOOTNOTE.match(_text(state, start))
    if not mark or at is None or at[0] != 0 or at[1].details:
        return False
    if silent:
        return True
    token = state.push("note_open", "", 1)
    token.info = mark[1]
    token.map = [start, 0]
    parent = state.parentType
    state.parentType = "footnote"
    state.bMarks[start] += state.tShift[start] + mark.end()
    state.tShift[start] = 0
    state.blkIndent += 4
    state.sCount[start] = state.blkIndent
    state.md.block.tokenize(state, start, end)
    state.blkIndent -= 4
    state.parentType = parent
    state.push("note_close", "", -1)
    token.map[1] = state.line
    return True


def _details(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`<details>`, up to its end or that of its parent."""
    if silent and state.parentType != "table":
        return False
    at = _frame(state, start)
    mark = _DETAILS.match(_text(state, start))
    if not mark or at is None or _deep(state):
        return False
    if silent:
        return True
    token = state.push("details_open", "", 1)
    token.info = "open" if mark[1] else ""
    indent = state.blkIndent
    state.line = start + 1
    if len(_text(state, start)) > mark.end():
        state.bMarks[start] += state.tShift[start] + mark.end()
        state.tShift[start], state.sCount[start] = 0, indent
        state.md.block.tokenize(state, start, end)
    else:
        state.md.block.tokenize(state, start + 1, end)
    state.blkIndent = indent
    state.push("details_close", "", -1)
    return True


def _details_end(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    at = _frame(state, start)
    if at is None or not at[1].details or not _DETAILS_END.match(_text(state, start)):
        return False
    if not silent:
        state.line = start + 1
        state.blkIndent = _BEYOND  # no line belongs to them any more
    return True


# ---------------------------------------------------------------- leaves
def _summary(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`<summary>` on a line of its own, the first thing in its details."""
    if silent or not state.tokens or state.tokens[-1].type != "details_open" or _frame(state, start) is None:
        return False
    mark = _SUMMARY.match(_text(state, start))
    if not mark:
        return False
    token = state.push("summary", "", 0)
    token.content = mark[1].strip(" \t")
    token.map = [start, start + 1]
    state.line = start + 1
    return True


def _math(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula on lines of its own; one that does not end is a paragraph of its lines."""
    rest = _text(state, start).rstrip(" \t")
    if state.is_code_block(start) or not rest.startswith(("$$", "\\[")):
        return False
    close = "$$" if rest[0] == "$" else "\\]"
    at = rest.find(close, 2)
    if at >= 0 and at != len(rest) - 2:
        return False
    if silent:
        return True
    lines = [rest[2:]]
    line = start + 1
    while not (closed := lines[-1].rstrip(" \t").endswith(close)) and line < end and len(lines) < MAX_MATH:
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            break
        lines.append(state.getLines(line, line + 1, state.blkIndent, False))
        line += 1
    waits = not closed and line == state.env["open_at"]
    if closed:
        lines[-1] = lines[-1].rstrip(" \t")[:-2]
    elif not waits:
        lines = [rest, *(text.lstrip(" \t") for text in lines[1:])]
    token = state.push("math" if closed or waits else "literal", "", 0)
    token.markup, token.info, token.meta = rest[:2], rest, {"lines": lines, "open": waits}
    token.map = [start, line]
    state.line = line
    return True


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """markdown-it's tables, up to a width. The line of a task is no header."""
    if state.sCount[start] < state.blkIndent:
        return False
    width = len(alignments(_text(state, start + 1)) or ()) if start + 1 < end else 0
    if not width or _task(state, start):
        return False
    first = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    filled = 0
    for token in state.tokens[first:]:
        if token.type == "tr_open" and token.map is not None:
            cells = len(split_row(_text(state, token.map[0])))
            added = min(max(0, width - cells), MAX_FILLED - filled)
            filled += added
            token.meta["cells"] = cells + added
    return True


def _lazy(state: StateBlock, line: int) -> bool:
    """Can the line only go on with the paragraph before it? So it is where it would be code otherwise."""
    return _frame(state, line) is None


def _task(state: StateBlock, line: int) -> re.Match[str] | None:
    """The mark of a task, when the line is the first of a list item and begins with one."""
    last = state.tokens[-1] if state.tokens else None
    if last is None or last.type != "list_item_open" or last.map is None or last.map[0] != line:
        return None
    return _TASK.match(_text(state, line)) if state.env["tasks"] and not state.is_code_block(line) else None


def paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph or setext heading. Link definitions at its start are taken off."""
    terminators = state.md.block.ruler.getRules("paragraph")
    parent = state.parentType
    state.parentType = "paragraph"
    mark = _task(state, start)
    lines = [_text(state, start)[3:].lstrip(" \t") if mark else _text(state, start)]
    level = 0
    line = start + 1
    end = state.lineMax
    while line < end and not state.isEmpty(line):
        if not _lazy(state, line):
            if state.sCount[line] >= state.blkIndent and _SETEXT.match(_text(state, line)):
                lines = _undefined(state, lines)
                if lines:
                    level = 1 if _text(state, line)[0] == "=" else 2
                    break
            if any(rule(state, line, end, True) for rule in terminators):
                break
        lines.append(_text(state, line))
        line += 1
    state.parentType = parent
    state.line = line + 1 if level else line
    if not level:
        lines = _complete(state, lines) if line == state.env["open_at"] else _undefined(state, lines)
    if mark:
        state.tokens[-1].meta["task"] = mark[1]
    if not lines:
        return True
    token = state.push("setext" if level else "paragraph_open", "", 0 if level else 1)
    token.meta = {"lines": lines, "task": mark[1] if mark else None, "level": level}
    token.map = [start, state.line]
    if not level:
        # markdown-it looks for these three when it makes a list tight.
        state.push("inline", "", 0)
        state.push("paragraph_close", "", -1)
    return True


def _definitions(state: StateBlock, text: str) -> tuple[list[Reference], int]:
    """The link definitions at the start of a text, and their length."""
    found: list[Reference] = []
    at = 0
    while text.startswith("[", at):
        reference, length = definition(state.md, text[at:] if at else text)
        if reference is None:
            break
        found.append(reference)
        at += length
    return found, at


def _undefined(state: StateBlock, lines: list[str]) -> list[str]:
    """The lines without the link definitions at their start, which are noted."""
    text = "\n".join(lines)
    met, length = _definitions(state, text)
    state.env["found"] += met
    if not length:
        return lines
    return text[length:].split("\n") if text[length:].strip() else []


def _complete(state: StateBlock, lines: list[str]) -> list[str]:
    """The lines of a paragraph that may go on, without the link definitions before a line that could begin
    another: those are complete.
    """
    found: list[Reference] = state.env["found"]
    start = 0
    for i in range(1, len(lines)):
        if lines[i].startswith("[") and lines[start].startswith("["):
            text = "\n".join(lines[start:i])
            met, length = _definitions(state, text)
            if length == len(text):
                found += met
                start = i
    return lines[start:]
