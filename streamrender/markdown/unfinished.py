"""What a reader sees of inline text that is still arriving.

These rules act only where `env["live"]` is set, and only at the end of the text: what cannot be shown yet is
held back, what is open is shown as if it were closed. They work on delimiters and tokens rather than by
appending closing marks to the text, because a closing mark after CJK punctuation or a half word would not
close anything.
"""

import re

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.balance_pairs import processDelimiters
from markdown_it.rules_inline.state_inline import Delimiter

MAX_OPEN = 8
"""How many open emphases are shown as closed; more are literal until they are closed."""
LONG_RUN = 512
"""Behind this much plain text a link is held back until it is complete, so that the text never has to shrink.
"""

_HOLD = {
    "*": re.compile(r"[*_~]+$"),
    "_": re.compile(r"[*_~]+$"),
    "~": re.compile(r"[*_~]+$"),
    "&": re.compile(r"&[#\w]{0,32}$"),
    "<": re.compile(r"<(?:[/A-Za-z][^\s<>]{0,60})?$|<br[ \t]*/?$"),
    "\\": re.compile(r"\\[(\[]?$"),
    "!": re.compile(r"!$"),
    "$": re.compile(r"\$+$"),
    "[": re.compile(r"\[(?:\^[\w.:-]{0,64}|\d{0,6})\]?$"),
}
_LABEL = r"((?:[^\[\]\\]|\\.|\[[^\[\]]{0,200}\]){0,300})"
_LINK = re.compile(r"\[" + _LABEL + r"(?:\](?:\([^()\n]{0,2000}|\[[^\[\]]{0,200})?)?$", re.S)
_IMAGE = re.compile(r"!\[" + _LABEL + r"(?:\](?:\([^()\n]{0,2000}|\[[^\[\]]{0,200})?)?$", re.S)
_SCHEME = re.compile(r"(?<![A-Za-z0-9.+-])https?(?::/{0,2})?$", re.I)
_CODE = 400


def trim(text: str) -> str:
    """The live text without its end that could still be anything: white space, the start of an address."""
    text = text.rstrip(" \t\n")
    if text[-1:] in ("p", "s", ":", "/", "P", "S") and (
        scheme := _SCHEME.search(text, max(0, len(text) - 9))
    ):
        text = text[: scheme.start()].rstrip(" \t\n")
    return text


def hold(state: StateInline, silent: bool) -> bool:
    """Hold back marks at the very end, and show an open code span as code."""
    if silent or not state.env.get("live") or state.posMax != len(state.src):
        return False
    char = state.src[state.pos]
    if char == "`":
        return _code(state)
    if char == "!" and (image := _IMAGE.match(state.src, state.pos)):
        if not _long_run(state):
            token = state.push("image", "img", 0)
            token.content = image[1]
            token.meta = {"unfinished": True}
        return _held(state)
    pattern = _HOLD.get(char)
    if pattern is None or not pattern.match(state.src, state.pos):
        return False
    return _held(state)


def _held(state: StateInline) -> bool:
    state.env["held"] = True
    state.pos = state.posMax
    return True


def _code(state: StateInline) -> bool:
    src, start = state.src, state.pos
    pos = start
    while pos < state.posMax and src[pos] == "`":
        pos += 1
    run = src[start:pos]
    if start and src[start - 1].isalnum() and len(run) == 1 and pos < state.posMax:
        return False
    end = len(src)
    while src[end - 1] == "`" and end > pos:
        end -= 1
    if end - pos > _CODE or re.compile(r"(?<!`)" + run + r"(?!`)").search(src, pos):
        return False
    content = src[pos:end]
    _held(state)
    if content.strip():
        token = state.push("code_inline", "code", 0)
        content = content.replace("\n", " ")
        token.content = content[1:] if content[0] == " " else content
        state.env["room"] = _CODE - len(content)
    return True


def link(state: StateInline, silent: bool) -> bool:
    """Show the text of a link whose address has not arrived as a link that leads nowhere yet."""
    if silent or state.src[state.pos] != "[" or not state.env.get("live") or state.posMax != len(state.src):
        return False
    found = _LINK.match(state.src, state.pos)
    if not found or not found[1].strip() or state.linkLevel:
        return False
    if not _long_run(state):
        start, end = found.span(1)
        state.push("link_open", "a", 1)
        state.pos, state.posMax = start, end
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        processDelimiters(state, state.delimiters)
        _close(state, state.delimiters)
        for mark in state.delimiters:
            mark.close = False  # the rule that pairs them runs again at the end: nothing is left for it
        state.push("link_close", "a", -1)
        state.posMax = len(state.src)
    return _held(state)


def _long_run(state: StateInline) -> bool:
    run = len(state.pending)
    for token in reversed(state.tokens):
        if token.type != "text":
            return run > LONG_RUN
        run += len(token.content)
        if run > LONG_RUN:
            return True
    return run + int(state.env.get("run", 0)) > LONG_RUN


def close_emphasis(state: StateInline) -> None:
    """Give the emphases that are open at the end of a live text a closing mark that is not in the text.

    Where `env["open"]` is there, it tells afterwards whether any emphasis waits for its end.
    """
    if state.env.get("live"):
        if state.delimiters:
            _close(state, state.delimiters)
    elif "open" in state.env:
        state.env["open"] = any(mark.open and mark.end < 0 for mark in state.delimiters)


def _close(state: StateInline, delimiters: list[Delimiter]) -> None:
    end = len(state.tokens)
    reach = -1
    opened: list[int] = []
    last = _last_shown(state, {mark.token for mark in delimiters}, end)
    for i, mark in enumerate(delimiters):
        crossing = reach > i
        reach = max(reach, mark.end)
        if mark.end >= 0 or not mark.open or crossing:
            continue
        if last < mark.token:
            state.tokens[mark.token].content = ""  # there is nothing to emphasise yet
            continue
        if mark.close and mark.length == 1:
            continue  # one mark inside a word: literal until it is really closed
        opened.append(i)
    for i in reversed(opened[:MAX_OPEN]):
        mark = delimiters[i]
        token = state.push("text", "", 0)
        if mark.marker == 0x7E:
            token.content = state.tokens[mark.token].content
        delimiters.append(Delimiter(mark.marker, mark.length, len(state.tokens) - 1, -1, False, False))
        mark.end = len(delimiters) - 1
        mark.close = False


def _last_shown(state: StateInline, marks: set[int], end: int) -> int:
    """The last token that shows something; the marks themselves do not count."""
    for at in range(end - 1, -1, -1):
        token = state.tokens[at]
        if at not in marks and (token.type != "text" or token.content):
            return at
    return -1
