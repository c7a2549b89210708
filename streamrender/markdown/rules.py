"""Inline rules on top of markdown-it's: flanking beside CJK text, addresses, footnotes, maths, inert tags.

`env["live"]` is set when the text is the unfinished end of a stream; then what is open is shown as if it were
closed. A rule never looks at anything but the text and `env`.
"""

import re
import unicodedata
from functools import lru_cache

from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned

INERT = ("br", "sub", "sup", "kbd", "mark", "u", "s", "ins", "del")
_INERT = re.compile(r"<(/?)(br|sub|sup|kbd|mark|u|s|ins|del)[ \t]*(/?)>", re.I)
_OPEN_MATH = 1000
"""Characters of an open formula that show as its source; a longer one is text until it is closed."""
_NOTE = re.compile(r"\[\^([\w.:-]{1,64})\]")
_HOST = re.compile(
    r"://(?:[A-Za-z0-9_~!$&'()*+,;=%-]*@)?(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?"
)
_PATH = re.compile(
    r"[/?#][^\s<>\"`|\u3000-\u303f\uff00-\uff20\uff3b-\uff40\uff5b-\uff65\u2018-\u201f\u2026\xa0]*"
)
_TOUCHING = re.compile(r"[!-~]*")
_BEFORE = re.compile(r"(?:^|[^A-Za-z0-9.+-])(https?)$", re.I)
_TRAIL = ".,:;!?*_~'\")]}"
_OPENER = {")": "(", "]": "[", "}": "{"}


# ---------------------------------------------------------------- emphasis
@lru_cache(4096)
def _class(char: str) -> tuple[bool, bool, bool]:
    """Is it white space, punctuation that is not CJK, CJK?"""
    if char in " \t\n\r\f\v":
        return True, False, False
    category = unicodedata.category(char)
    if category == "Zs" and char != "\u3000":
        return True, False, False
    cjk = unicodedata.east_asian_width(char) in "WFH" and not (category == "So" and char >= "\U0001f000")
    if char == "\u3000":
        return True, False, True
    return False, category[0] in "PS" and not cjk, cjk


def scan_delimiters(src: str, start: int, end: int, split_word: bool) -> Scanned:
    """CommonMark's flanking rules, amended so that CJK punctuation does not count as punctuation.

    `**（注）**文` and `**中文。**后面` are bold: scripts without spaces give the standard rule nothing
    to hold on to. The rule is that of the cjk-friendly amendment that other renderers have adopted.
    """
    marker = src[start]
    at = start
    while at < end and src[at] == marker:
        at += 1
    before, after = src[start - 1] if start else " ", src[at] if at < end else " "
    space_before, mark_before, cjk_before = _class(before)
    space_after, mark_after, cjk_after = _class(after)
    left = not space_after and (not mark_after or space_before or mark_before or cjk_before)
    right = not space_before and (not mark_before or space_after or mark_after or cjk_after)
    if split_word:
        return Scanned(left, right, at - start)
    return Scanned(left and (not right or mark_before), right and (not left or mark_after), at - start)


# ---------------------------------------------------------------- addresses
def address(state: StateInline, silent: bool) -> bool:
    """A bare http(s) address. It ends at CJK punctuation, and its host at the first CJK character."""
    src, pos = state.src, state.pos
    if silent or src[pos] != ":" or state.linkLevel > 0 or not src.startswith("://", pos):
        return False
    scheme = _BEFORE.search(state.pending[-6:])
    if not scheme or not (host := _HOST.match(src, pos, state.posMax)):
        return False
    path = _PATH.match(src, host.end(), state.posMax)
    end = path.end() if path else host.end()
    at_end = end == len(src)
    if at_end or _TOUCHING.fullmatch(src, end):
        state.env["held"] = True  # what comes next may still belong to it
    text = _trim(src[pos:end])
    url = state.md.normalizeLink(scheme[1] + text)
    if len(text) <= 3 or not state.md.validateLink(url):
        return False
    state.pending = state.pending[: -len(scheme[1])]
    token = state.push("link_open", "a", 1)
    if not (at_end and state.env.get("live")):
        token.attrs = {"href": url}
    token = state.push("text", "", 0)
    token.content = scheme[1] + text
    state.push("link_close", "a", -1)
    state.pos = pos + len(text)
    return True


def _trim(text: str) -> str:
    """Without the punctuation that belongs to the sentence; a bracket stays if it was opened inside."""
    balance = {close: text.count(close) - text.count(opener) for close, opener in _OPENER.items()}
    end = len(text)
    while end and (last := text[end - 1]) in _TRAIL:
        if last in _OPENER:
            if balance[last] <= 0:
                break
            balance[last] -= 1
        end -= 1
    return text[:end]


# ---------------------------------------------------------------- footnotes, maths, tags
def footnote(state: StateInline, silent: bool) -> bool:
    mark = _NOTE.match(state.src, state.pos, state.posMax)
    if not mark or "notes" not in state.env:
        return False
    if not silent:
        token = state.push("footnote", "", 0)
        token.content = mark[1]
        token.markup = mark[0]
    state.pos = mark.end()
    return True


def math(state: StateInline, silent: bool) -> bool:
    """`$x$`, `$$x$$`, `\\(x\\)`, `\\[x\\]`. A dollar before a digit or a space, or closed before a digit, is
    money.
    """
    src, pos, end = state.src, state.pos, state.posMax
    first = src[pos]
    if first == "$":
        double = src.startswith("$$", pos)
        mark = close = "$$" if double else "$"
    elif first == "\\" and pos + 1 < end and src[pos + 1] in "([":
        mark, close, double = src[pos : pos + 2], "\\)" if src[pos + 1] == "(" else "\\]", src[pos + 1] == "["
    else:
        return False
    start = pos + len(mark)
    if mark == "$" and (start >= end or src[start] in " \t\n0123456789$"):
        return False
    whole = end == len(src)
    hopeless = whole and f"never {close}" in state.env
    found = -1 if hopeless else _closing(src, start, end, close)
    if found < 0:
        if whole and close != "$":
            state.env[f"never {close}"] = True  # nor will it for what stands further on
        return _open_math(state, silent, mark, start)
    if not src[start:found].strip():
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content = src[start:found]
        token.markup = src[pos : found + len(close)]
        token.block = double
    state.pos = found + len(close)
    return True


def _closing(src: str, start: int, end: int, close: str) -> int:
    """Where the closing mark is, -1 if nowhere; a single dollar must touch its formula and stand before no
    digit.
    """
    if close != "$":
        found = src.find(close, start, end)
        return found
    at = start
    while (at := src.find("$", at, end)) >= 0:
        if src[at - 1] not in " \t\n\\" and not src[at + 1 : at + 2].isdigit():
            return at
        if src[at - 1] != "\\":
            return -1  # a dollar that can only open: the first one was money
        at += 1
    return -1


def _open_math(state: StateInline, silent: bool, mark: str, start: int) -> bool:
    """At the end of a live text a formula that is still open shows its source."""
    if not state.env.get("live") or state.posMax != len(state.src) or state.level:
        return False
    if len(state.src) - start > _OPEN_MATH:
        return False
    source = state.src[start:]
    if not source.strip() or (mark == "$" and not re.search(r"[\\^{]", source)):
        return False
    if not silent:
        token = state.push("open_math", "", 0)
        token.content = source
    state.env["held"] = True
    state.pos = state.posMax
    return True


def inert_tag(state: StateInline, silent: bool) -> bool:
    """One of the tags that cannot do anything. Pairs are matched later, inside one parent."""
    if state.src[state.pos] != "<" or not (tag := _INERT.match(state.src, state.pos, state.posMax)):
        return False
    name = tag[2].lower()
    if (tag[1] and (tag[3] or name == "br")) or (tag[3] and name != "br"):
        return False
    if not silent:
        token = state.push("tag", name, 0)
        token.markup = tag[0]
        token.info = "/" if tag[1] else ""
    state.pos = tag.end()
    return True
