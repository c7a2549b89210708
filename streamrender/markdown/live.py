"""The unfinished end of a text: which lines count yet, and what its last leaf shows.

Everything here is a function of the text alone, never of how it was cut or when it came. docs/markdown.md has
the rules as a table.
"""

import re

from markdown_it import MarkdownIt

from streamrender.markdown import blocks as b
from streamrender.markdown import unfinished
from streamrender.markdown.blocks import Block
from streamrender.markdown.context import Context
from streamrender.markdown.dialect import Dialect
from streamrender.markdown.inline import SPECIAL, text_nodes
from streamrender.markdown.references import definition
from streamrender.markdown.table import alignments, split_row
from streamrender.page.tree import Node, Text, add_node, serialize

FIRST, REACH = 32, 32
"""The first length at which a long text is cut if it can be, and how far behind it a place is looked for."""
BACK_OFF = 1024
"""From this length on, an end that cannot be settled is parsed again only each time it has grown by an
eighth.
"""

LIMIT = 8192
"""So much of an end that cannot be settled is parsed while it is open. Only text made to be slow has more."""

HEAD = 4096
"""An incomplete line longer than this is taken for what its start is."""

_MARKERS = r"^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*"
_FORMING = re.compile(
    _MARKERS + r"(?:[-*_=+~`|: \t>]+|\#{1,6}[ \t]*|\d{1,9}[.)]?[ \t]*|\[[ xX]?\]?[ \t]*"
    r"|\[\^[\w.:-]{0,64}\]?:?[ \t]*|\[![A-Za-z]{0,9}\]?[ \t]*|</?[a-z]{0,7}>?[ \t]*"
    r"|<details[ \t]+[a-z]{0,4}>?|<summary>.{0,200}|\${1,2}[ \t]*|\\\[?[ \t]*|`{3,}[^`]*|~{3,}.*)?$",
    re.S,
)
_FENCE = re.compile(r"^[ \t>]*(`+|~+)[ \t]*$")
_DEFINING = re.compile(
    r"^\[(?:[^\\\[\]]|\\.){1,999}\]:(?:[ \t]*\n?[ \t]*\S*|[^\n]*?\S[ \t\n]+[\"'(][^\n]*)$", re.S
)
_NO_DEFINITION = re.compile(r"\[(?:(?:[^\\\[\]]|\\.){0,999}(?:\[|\](?!:|$))|(?:[^\\\[\]]|\\.){1000})", re.S)
_FORMULA = re.compile(r"\$(?![\s\d])")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_CANDIDATE = re.compile(rf"(?<=[\w.,;)])[ \n](?=\w)|(?<=[{_CJK}])(?=[{_CJK}])")
_OPEN_ANGLE = re.compile(r"<[^\s<>]*$")


def forming(tip: Block, dialect: Dialect, text: str) -> bool:
    """Is this incomplete line, behind lines whose innermost open block is `tip`, so far only what may become
    a mark? Then it is not there yet.
    """
    text = text[:HEAD]
    if not text.strip(" \t>"):
        return True
    if tip.kind == b.FENCE:
        mark = _FENCE.match(text)
        if mark is not None and mark[1][0] == tip.bullet:
            return True
    inside = tip.kind != b.CODE or text.startswith(("    ", "\t"))
    top = tip.parent is not None and tip.parent.kind == b.DOCUMENT
    if tip.kind in b.VERBATIM and top and inside:
        return False
    if tip.kind == b.PARAGRAPH and dialect.extended and (columns := alignments(text.lstrip(" \t>"))):
        header = tip.lines[-1]
        if "|" in header and len(split_row(header)) == len(columns):
            return False
    if tip.kind == b.TABLE and text.lstrip(" \t>")[:1] == "|":
        return not text.strip(" \t>|")
    return len(text) < 4000 and _FORMING.match(text) is not None


def last_leaf(document: Block, number: int, rest: str) -> tuple[Block | None, bool]:
    """The leaf at the end of a document that more may be added to, and whether its last line is incomplete.

    `number` is that of the document's last line, `rest` the incomplete line that was read as its last one;
    empty: there was none, or it does not count yet.
    """
    block = document
    while block.kind in b.CONTAINERS and block.children:
        block = block.children[-1]
    within = bool(rest) and block.last == number
    if block.kind in b.CONTAINERS or (block.closed and not within):
        return None, False
    partial = within and (block.kind not in b.VERBATIM or bool(block.lines))
    if partial and len(rest) > HEAD and block.lines:
        block.own()
        block.lines[-1] += rest[HEAD:]
    return block, partial


def shown(paragraph: Block, md: MarkdownIt) -> str:
    """The text of an open paragraph or heading that counts: without definitions and without a table's first
    line.
    """
    lines = paragraph.lines
    if paragraph.kind == b.PARAGRAPH and not paragraph.closed and lines and lines[-1].startswith("|"):
        lines = lines[:-1]
    text = "\n".join(lines)
    at = 0
    while text.startswith("[", at):
        rest = text[at:] if at else text
        if _DEFINING.match(rest):
            return ""
        _, length = definition(md, rest)
        if not length:
            break
        at += length
    return text[at:].strip(" \t\n\r")


def inline(text: str, context: Context) -> list[Node]:
    """The nodes of unfinished inline text."""
    out: list[Node] = []
    start = run = 0
    while (cut := next_cut(text, start, context)[0]) is not None:
        nodes = text_nodes(text[start:cut], context, context.env())
        run = run_after(run, nodes)
        for node in nodes:
            add_node(out, node)
        start = cut
    nodes, room = last_segment(text[start:], context, run)
    context.room = room
    for node in nodes:
        add_node(out, node)
    return out


def run_after(run: int, nodes: list[Node]) -> int:
    """The length of the plain text at the end of `nodes`, when a run of `run` characters stands before
    them.
    """
    last = nodes[-1] if nodes else None
    if not isinstance(last, Text):
        return 0 if nodes else run
    return len(last.data) + (run if len(nodes) == 1 else 0)


Memo = tuple[int, int, list[Node]]
"""The length and the nodes of a parsed end, and where it starts."""


def last_segment(
    text: str, context: Context, run: int, memo: list[Memo] | None = None, start: int = 0
) -> tuple[list[Node], int]:
    """The nodes of the part behind the last cut, and how many letters could be added to the last of them as
    they are.

    The second is 0 where what comes next has to be looked at, and negative where so many characters of any
    kind can be added, because the end is shown as it is written. `memo` keeps what was parsed of an end that
    starts at `start`.
    """
    parsed = text[: parsed_length(len(text))]
    rest = text[len(parsed) :]
    if "[" in parsed:
        context = context.tentative()
    if rest and memo and memo[0][:2] == (start, len(parsed)):
        return [*memo[0][2], Text(rest)], len(text) - _next_length(len(parsed))
    parsed = parsed if rest else unfinished.trim(parsed)
    env = context.env(True, run)
    out = text_nodes(parsed, context, env)
    if rest and memo is not None:
        memo[:] = [(start, len(parsed), out)]
    if rest:
        return [*out, Text(rest)], len(text) - _next_length(len(parsed))
    if len(parsed) != len(text) or not env.get("plain_end"):
        return out, 0
    if "](" in text and "](" in serialize(out):
        return out, 0  # a bracket may complete the link
    return out, min(env.get("room", BACK_OFF), BACK_OFF - len(text))


def parsed_length(length: int) -> int:
    """How much of an end of this length is parsed; the rest is shown as it is written."""
    if length <= BACK_OFF:
        return length
    step = BACK_OFF
    while (following := _next_length(step)) <= length:
        step = following
    return step


def _next_length(parsed: int) -> int:
    """The length at which an end of which so much is parsed is parsed again."""
    return parsed * 9 // 8 if parsed * 9 // 8 <= LIMIT else 2**40


def next_cut(text: str, start: int, context: Context, size: int = FIRST) -> tuple[int | None, int]:
    """Where the text behind `start` can be cut in two that do not know of each other, whatever follows.

    `size` is the first length to try; the second result is the one to try when more text has come.
    """
    if not context.dialect.extended:  # its markdown-it does not tell whether an emphasis is open
        return None, size
    if plain := plain_cut(text, start):
        return plain, FIRST
    while size <= LIMIT and len(text) - start > size + REACH + 1:
        found = _CANDIDATE.search(text, start + size, start + size + REACH)
        if found and separable(text[start : found.end()], context):
            return found.end(), FIRST
        size += size // 4
    return None, size


def plain_cut(text: str, start: int) -> int:
    """The last place before anything but plain words; 0: there is none. Words do not know of each other."""
    special = SPECIAL.search(text, start)
    end = special.start() if special else len(text)
    broken = text.find("  \n", start, end)
    if broken >= 0:
        end = broken
    near = max(start, end - REACH)
    places = [*_CANDIDATE.finditer(text, near, end)] or [*_CANDIDATE.finditer(text, start, end)]
    return places[-1].end() if places and places[-1].end() > start else 0


def may_define(text: str) -> bool:
    """Could this start of a paragraph still be, or become, a link definition?"""
    return text.startswith("[") and not _NO_DEFINITION.match(text)


def separable(text: str, context: Context) -> bool:
    """Does nothing in this text of the chat dialect wait for something that may follow?"""
    if not SPECIAL.search(text) and "  \n" not in text:
        return True
    env = context.env()
    env["open"] = False
    parsed = context.dialect.inline(text, env)
    context.parsed = (text, parsed) if "[" not in text else None
    if env["open"] or "held" in env or _OPEN_ANGLE.search(text):
        return False
    depth = 0
    tags = 0
    for token in parsed:
        if token.type == "tag":
            tags += -1 if token.info else token.tag != "br"
            if tags < 0:
                tags = 0
        elif token.type == "text":
            content = token.content
            # Behind "](" an address and a title may still be coming.
            if "`" in content or "](" in content or _FORMULA.search(content):
                return False
            if "[" in content or "]" in content:
                for char in content:
                    depth = depth + 1 if char == "[" else max(depth - 1, 0) if char == "]" else depth
        elif token.type == "text_special" and token.markup in ("\\(", "\\["):
            return False
    return depth == 0 and tags == 0
