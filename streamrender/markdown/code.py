"""Highlighting as a fold over complete lines.

The lexer's state is carried from line to line, so a line's colours never depend on a later one and never
change; live and finished code go through the same function. The unfinished line is plain. A lexer that cannot
be driven line by line colours the whole code when it is complete.

Behind its first `LINES` lines, code stands in groups of as many, each in an element of its own: when a line
comes, a browser lays out the last group again and not the whole block.
"""

import re
from functools import lru_cache

from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Token, _TokenType
from pygments.util import ClassNotFound

from streamrender.page.tree import Element, Node, Text, add_node

MAX_LINE = 2000
"""Longer lines stay plain: a lexer's regular expressions are not to be trusted with them."""
LINES = 64
"""Lines in a group."""
MAX_WHOLE = 100_000
"""Longer code stays plain where the lexer needs all of it at once."""
_PLAIN = frozenset({"", "w", "n", "o", "p", "err", "esc", "x", "l", "ld"})
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")


def language(info: str) -> str:
    """The language that the information string of a fence names, "" if none."""
    word = info.split(None, 1)[0] if info.strip() else ""
    word = word.split(",", 1)[0].split("{", 1)[0]
    return word.lower() if _LANGUAGE.fullmatch(word) else ""


@lru_cache(64)
def _lexer(name: str) -> Lexer | None:
    if name in ("", "text", "plain", "plaintext", "txt", "output"):
        return None
    try:
        lexer: Lexer = get_lexer_by_name(name)
    except ClassNotFound:
        return None
    return lexer


@lru_cache(256)
def _css(token: _TokenType) -> str:
    kind: _TokenType | None = token
    while kind is not None and kind not in STANDARD_TYPES:
        kind = kind.parent
    name = str(STANDARD_TYPES.get(kind, "")) if kind is not None else ""
    return "" if name in _PLAIN or not name.isalnum() else name


def group(children: list[Node]) -> Element:
    """A group of lines; the style sheet makes it a block."""
    return Element("span", (("class", "lines"),), children)


def starts_group(line: int) -> bool:
    """Does a group start with the line of this index?"""
    return line > 0 and line % LINES == 0


def grouped(nodes: list[Node]) -> list[Node]:
    """Complete code in groups; `nodes`: texts, and spans that hold one text. A span that reaches over the end
    of a group is split there.
    """
    out: list[Node] = []
    into, line = out, 0
    fresh = False
    for node in nodes:
        inside = node.children[0] if isinstance(node, Element) else node
        parts = inside.data.split("\n") if isinstance(inside, Text) else []
        for i, part in enumerate(parts):
            piece = part + "\n" if i < len(parts) - 1 else part
            if not piece:
                continue
            if fresh:
                out.append(group(into := []))
                fresh = False
            _add(into, piece, node)
            if i < len(parts) - 1:
                line += 1
                fresh = starts_group(line)
    return out


def _add(into: list[Node], piece: str, like: Node) -> None:
    """Append a piece of a text or of a span, to what is there where it is of the same kind."""
    if not isinstance(like, Element):
        add_node(into, Text(piece))
    elif into and isinstance(last := into[-1], Element) and last.attrs == like.attrs:
        add_node(last.children, Text(piece))
    else:
        into.append(Element("span", like.attrs, [Text(piece)]))


class Highlighter:
    """Colours of one code block. `line` must get every complete line once, in order, with its newline."""

    __slots__ = ("_lexer", "_override", "_stack", "folds", "whole")

    def __init__(self, name: str) -> None:
        self._lexer = _lexer(name)
        self._stack: list[str] = ["root"]
        lexer = self._lexer
        self.folds = isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer)
        self._override = False
        own = getattr(type(lexer), "get_tokens_unprocessed", None)
        if self.folds and own is not RegexLexer.get_tokens_unprocessed:
            code = getattr(own, "__code__", None)
            self._override = code is not None and "stack" in code.co_varnames[: code.co_argcount]
            self.folds = self._override
        self.whole = lexer is not None and not self.folds

    def fork(self) -> "Highlighter":
        twin = Highlighter.__new__(Highlighter)
        twin._lexer, twin._override = self._lexer, self._override
        twin._stack, twin.folds, twin.whole = list(self._stack), self.folds, self.whole
        return twin

    def line(self, text: str) -> list[Node]:
        """The nodes of the next complete line."""
        if not self.folds or len(text) > MAX_LINE:
            return [Text(text)]
        before = tuple(self._stack)
        try:
            found = self._step(text)
            if self._override and self._lexer is not None:
                found = [(kind, value) for _, kind, value in self._lexer.get_tokens_unprocessed(text, before)]
        except Exception:  # a broken lexer must not break the page
            self._stack = list(before)
            return [Text(text)]
        return _nodes(found, text)

    def all(self, text: str) -> list[Node]:
        """The nodes of complete code, for lexers that do not fold."""
        if self._lexer is None or len(text) > MAX_WHOLE:
            return [Text(text)] if text else []
        try:
            found = [(kind, value) for _, kind, value in self._lexer.get_tokens_unprocessed(text)]
        except Exception:  # as above
            return [Text(text)]
        return _nodes(found, text)

    def _step(self, text: str) -> list[tuple[_TokenType, str]]:
        """Pygments' own loop (RegexLexer.get_tokens_unprocessed), which keeps its state stack to itself."""
        lexer, stack = self._lexer, self._stack
        states = lexer._tokens  # type: ignore[union-attr]
        rules = states[stack[-1]]
        out: list[tuple[_TokenType, str]] = []
        pos, idle = 0, 0
        while pos < len(text) and idle < 50:
            for match, action, new_state in rules:
                found = match(text, pos)
                if not found:
                    continue
                if action is not None:
                    if type(action) is _TokenType:
                        out.append((action, found.group()))
                    else:
                        out.extend((kind, value) for _, kind, value in action(lexer, found))
                idle = idle + 1 if found.end() == pos else 0
                pos = found.end()
                if new_state is not None:
                    _move(stack, new_state)
                    rules = states[stack[-1]]
                break
            else:
                if text[pos] == "\n":
                    stack[:] = ["root"]
                    rules = states["root"]
                    out.append((Token.Text, "\n"))
                else:
                    out.append((Token.Error, text[pos]))
                pos += 1
        return out


def _move(stack: list[str], new_state: object) -> None:
    if isinstance(new_state, tuple):
        for state in new_state:
            if state == "#pop":
                if len(stack) > 1:
                    stack.pop()
            elif state == "#push":
                stack.append(stack[-1])
            else:
                stack.append(state)
    elif isinstance(new_state, int):
        if abs(new_state) >= len(stack):
            del stack[1:]
        else:
            del stack[new_state:]
    elif new_state == "#push":
        stack.append(stack[-1])
    elif isinstance(new_state, str):
        stack.append(new_state)
    del stack[64:]


def _nodes(found: list[tuple[_TokenType, str]], text: str) -> list[Node]:
    """Spans for what has a colour, bare text for the rest. If the lexer lost a character, all is bare
    text.
    """
    if "".join(value for _, value in found) != text:
        return [Text(text)]
    out: list[Node] = []
    for kind, value in found:
        css = _css(kind)
        if not css or not value.strip():
            add_node(out, Text(value))
        else:
            _add(out, value, Element("span", (("class", css),)))
    return out
