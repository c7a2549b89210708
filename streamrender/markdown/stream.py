"""The incremental engine: text in, operations out.

After every `feed` of a prefix p the page is `render_live(p)`, and after `close` it is `render_markdown` of
the whole text; what an operation costs grows with what is new, not with what is there. Complete lines go
through the line grammar once. The incomplete one is tried out on a fork of the open chain. Letters that
follow letters in open prose need neither: they are appended to the last text node.
"""

import re
from dataclasses import dataclass

from streamrender.markdown import blocks as b
from streamrender.markdown import live, render
from streamrender.markdown.blocks import Block
from streamrender.markdown.context import Context
from streamrender.markdown.dialect import CHAT, Dialect
from streamrender.markdown.late import Late
from streamrender.markdown.lines import Lines
from streamrender.markdown.oneshot import clean
from streamrender.markdown.paint import Painter
from streamrender.markdown.views import View, view_of
from streamrender.page.ops import Op, patch
from streamrender.page.tree import Element, Text, serialize

_LETTERS = re.compile(
    r"[0-9A-Za-z ,.;?'\"()/=+@%\u00a1-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff"
    r"\u3001-\ud7ff\uf900-\ufefe\uff00-\uffef\U00010000-\U0010ffff]+"
)
_HELD = re.compile(rf"((?:{_LETTERS.pattern})?)([*_~]+|`+)")
"""Letters, then marks that are held back until it is known what follows them."""
_HOLDING = frozenset({"p", "li", "strong", "em", "h1", "h2", "h3", "h4", "h5", "h6"})
_SAFE_END = (",", ".", ";", "?", ")")
_VERBATIM = re.compile("[^\r\n\0\ud800-\udfff]+")
_SCHEME = re.compile(r"https?", re.I)
_DECIDED = re.compile(r"[^#`~*+\-_=<>|:\[$\\0-9\s]|[*_]+[^\s*_]|`{1,2}[^`]|~{1,2}[^~]|\d{1,9}[^\d.)]")
"""A line that begins so is text of its paragraph, whatever follows on it."""


def end_of(lines: Lines, text: str) -> tuple[Lines, Block | None, bool]:
    """The chain with the incomplete line `text` tried out, the leaf at its end, and whether the line counts.

    `lines` is not changed.
    """
    if text and not live.forming(lines.tip, lines.dialect, text):
        lines = lines.fork()
        lines.line(text[: live.HEAD])
    else:
        text = ""
    return (lines, *live.last_leaf(lines.document, lines.number, text))


@dataclass
class _Open:
    """A paragraph whose incomplete line is decided. `leaf` is on trial and knows `length` characters of that
    line; its text is in the element `host`, `depth` steps down; `bare`: it has no element of its own.
    """

    leaf: Block
    length: int
    host: Element
    depth: int
    bare: bool


class Engine:
    """Text in, operations out. `scope` goes before the identifiers of footnotes."""

    def __init__(self, dialect: Dialect = CHAT, scope: str = "") -> None:
        self._page = Element("root")
        self._context = Context(dialect, scope)
        self._late = Late(self._context, self._page)
        self._painter = Painter(self._context, self._late)
        self._lines = Lines(dialect)
        self._pieces: list[str] = []  # the incomplete line
        self._short = ""  # the same without what is settled in its middle
        self._carried: list[View] = []
        self._return = False
        self._shown = True  # the incomplete line is on the page, or may be
        self._fast: tuple[Text, int, str] | None = None
        self._room = 0
        self._pattern = _LETTERS
        self._raw = False
        self._spaces = ""  # at the end of the text, not shown before something follows
        self._closed = False
        self._marks = ""  # those that are held back behind letters that are appended as they are
        self._open: _Open | None = None
        view_of(self._lines.document).element = self._page

    @property
    def html(self) -> str:
        """The page."""
        return serialize(self._page.children)

    @property
    def caps(self) -> list[str]:
        """["depth"] where text shows as written because its marks would stand too deep in each other."""
        return ["depth"] if self._lines.capped or self._context.capped else []

    def feed(self, text: str) -> list[Op]:
        """Take more text; the operations that bring the page up to date."""
        if self._closed:
            raise ValueError("the stream is closed")
        if not text:
            return []
        if "\0" in text:  # it would keep the quick way from being taken
            text = clean(text)
        fast = None if self._return else self._fast
        if fast is not None and len(text) < self._room and self._pattern.fullmatch(text):
            node, depth, end = fast
            if self._pattern is _VERBATIM and not self._raw:
                self._pieces.append(text)
                self._short += text
                self._room -= len(text)
                node.append(text)
                return [["t", depth, text]]
            end += text
            if self._raw or not _SCHEME.search(end):
                self._pieces.append(text)
                self._short += text
                self._room -= len(text)
                self._fast = (node, depth, end[-6:])
                text = self._spaces + text
                shown = text.rstrip(" \t")
                self._spaces = text[len(shown) :]
                node.append(shown)
                return [["t", depth, shown]] if shown else []
        elif fast is not None and self._marks and len(text) < self._room:
            held = _HELD.fullmatch(text)
            if held and held[2][0] in self._marks and not _SCHEME.search(fast[2] + held[1]):
                return self._hold(fast, held[1], text)
        if self._return:
            text = "\r" + text
        text = clean(text)
        self._return = text.endswith("\r")
        if self._return:
            text = text[:-1]
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if "\n" in text:
            return self._take(text) + self._paint(True)
        self._pieces.append(text)
        self._short += text
        if self._open is not None and self._open.leaf.view.dropped == len(self._open.leaf.dropped):
            return self._continue(self._open)
        return self._paint(False)

    def _hold(self, fast: tuple[Text, int, str], letters: str, text: str) -> list[Op]:
        """Marks behind letters of an open paragraph do not show yet, the spaces before them do."""
        node, depth, _ = fast
        self._pieces.append(text)
        self._short += text
        self._fast = None
        shown = self._spaces + letters
        node.append(shown)
        return [["t", depth, shown]] if shown else []

    def close(self) -> list[Op]:
        """The text is complete; the operations that make the page `render_markdown` of it."""
        if self._closed:
            return []
        self._closed = True
        ops = self._take("\n") if self._return or self._pieces else []
        self._lines.finish()
        ops += self._define()
        found = render.definitions(self._lines.document)
        found = self._painter.notes | {k: v for k, v in found.items() if k not in self._painter.notes}
        notes = self._context.notes
        notes.defined = set(found)
        ops += self._patch(self._lines.document, render.End())
        ops += self._late.undefined([label for label in notes.numbers if label not in found])
        if section := render.footnotes(found, self._context):
            ops += patch(self._page, len(self._page.children), section)
        return ops

    # ---------------------------------------------------------------- lines
    def _take(self, text: str) -> list[Op]:
        """Take the text up to its last line break into the document."""
        self._open = None
        first, *more = text.split("\n")
        rest = more.pop()
        self._pieces.append(first)
        skipped = sum(map(len, self._pieces)) - len(self._short) - len(first)
        lines = self._lines
        lines.line("".join(self._pieces))
        self._adopt(lines.document, lines.number)
        for view in self._carried:
            view.cut += skipped if view.at is not None else 0
        self._carried = []
        for line in more:
            lines.line(line)
        self._pieces, self._short = [rest] if rest else [], rest
        return self._define()

    def _define(self) -> list[Op]:
        """Take up the link definitions that were met."""
        found, self._lines.found = self._lines.found, []
        new = [reference[0] for reference in found if self._context.references.define(reference)]
        return self._late.defined(new) if new else []

    # ---------------------------------------------------------------- the page
    def _paint(self, taken: bool) -> list[Op]:
        if (
            not taken
            and not self._shown
            and live.forming(self._lines.tip, self._context.dialect, self._short)
        ):
            return []
        for block in self._lines.chain():
            view_of(block)
        lines, leaf, partial = end_of(self._lines, self._short)
        if partial:
            self._adopt(lines.document, lines.number)
        ops = self._patch(lines.document, render.End(leaf, partial))
        self._carried = []
        self._shown = lines is not self._lines
        if partial:
            self._carried = [
                view_of(block) for block in _end(lines.document)[1:] if block.first == lines.number
            ]
        length = len(self._short)
        self._shorten(leaf, partial)
        self._open = self._opened(leaf, partial) if length == len(self._short) else None
        self._quicken(leaf, partial)
        return ops

    def _opened(self, leaf: Block | None, partial: bool) -> "_Open | None":
        """The paragraph that the incomplete line belongs to, if all that may follow on the line does too."""
        if leaf is None or not partial or leaf.kind != b.PARAGRAPH or leaf.closed or self._painter.trial:
            return None
        line, parent, view = leaf.lines[-1], leaf.parent, view_of(leaf)
        if parent is None or not _DECIDED.match(line) or (view.at is None and leaf.lines[0][:1] == "["):
            return None
        host, bare = view.element, False
        if parent.kind == b.ITEM and parent.parent is not None and not parent.parent.loose:
            outer, bare = view_of(parent), True
            if outer.shown or outer.newline or outer.base or len(parent.children) != 1:
                return None
            host = outer.element
        element, depth = self._page, 0
        while element is not host:
            inner = next((node for node in reversed(element.children) if isinstance(node, Element)), None)
            if inner is None or depth > 100:
                return None
            element, depth = inner, depth + 1
        return _Open(leaf, len(self._short), element, depth, bare)

    def _continue(self, opened: "_Open") -> list[Op]:
        """The incomplete line has become longer and can only belong to its paragraph: paint that alone."""
        leaf, painter = opened.leaf, self._painter
        leaf.lines[-1] += self._short[opened.length :]
        opened.length = len(self._short)
        base, tail = painter.again(leaf, render.End(leaf, True), opened.bare)
        ops = patch(opened.host, base, tail)
        for op in ops:
            if op[0] == "s":
                op[1] = [*self._edge(opened.depth), *op[1]]
            else:
                op[1] += opened.depth
        for action in painter.after:
            action()
        self._shorten(leaf, True)
        if opened.length != len(self._short):
            self._open = None
        self._quicken(leaf, True)
        return ops

    def _edge(self, depth: int) -> list[int]:
        """The path that goes `depth` times to the last child element."""
        path, element = [], self._page
        for _ in range(depth):
            elements = [node for node in element.children if isinstance(node, Element)]
            path.append(len(elements) - 1)
            element = elements[-1]
        return path

    def _patch(self, document: Block, end: render.End) -> list[Op]:
        painter = self._painter
        base, tail = painter.tail(document, end)
        ops = painter.before + patch(self._page, base, tail)
        for action in painter.after:
            action()
        return ops + self._late.catch_up() if self._late.overdue else ops

    def _adopt(self, document: Block, number: int) -> None:
        """The incomplete line was painted before: what it opened then and opens now is the same on the
        page.
        """
        views = iter(self._carried)
        for block in _end(document)[1:]:
            if block.first != number or block.view is not None:
                continue
            view = next(views, None)
            if view is None or not _alike(view.block, block):
                break
            view.block = block
            block.view = view

    def _shorten(self, leaf: Block | None, partial: bool) -> None:
        """Forget the settled middle of a very long incomplete line."""
        if leaf is None or not partial or leaf.kind != b.PARAGRAPH or leaf.view is None:
            return
        if len(self._short) <= live.HEAD + 1024:
            return
        view: View = leaf.view
        line = leaf.lines[-1]
        behind = len(line) - (view.cut - sum(len(other) + 1 for other in leaf.lines[:-1]))
        cut = len(self._short) - behind
        if view.at is not None and cut > live.HEAD + 1024 and not line.startswith("<"):
            self._short = self._short[: live.HEAD] + self._short[cut:]
            view.cut -= cut - live.HEAD
            view.memo = []

    def _quicken(self, leaf: Block | None, partial: bool) -> None:
        """Find out whether letters that come next can be appended to the last text node as they are."""
        self._fast = None
        room = self._painter.room
        if not room or not partial or leaf is None:
            return
        code = leaf.kind in (b.FENCE, b.CODE)
        if not code and not self._context.dialect.extended:
            return  # it shows half an entity, which a letter may complete
        self._raw = raw = room < 0
        room = abs(room)
        self._pattern = _VERBATIM if code or raw else _LETTERS
        text = self._short if code else self._short.rstrip(" \t" if raw else " ")
        last, start = text[-1:], text.lstrip(" \t>")[:1]
        marked = start in "<~[$\\" or text.lstrip(" \t>").startswith("``")
        if room < 8 or (not code and not raw and (not (last.isalnum() or last in _SAFE_END) or marked)):
            return
        if start == "|" and leaf.kind not in (b.TABLE, b.FENCE, b.CODE):
            return
        self._spaces = self._short[len(text) :]
        self._marks = ""
        if self._open is not None and not raw and "  " not in self._spaces:
            self._marks = "*_~" if "`" in "\n".join(leaf.lines)[leaf.view.cut :] else "*_~`"
        element, depth = self._page, 0
        for _ in range(100):
            end = element.children[-1] if element.children else None
            if isinstance(end, Text) and end.data == "\n" and len(element.children) > 1:
                end = element.children[-2]
                if not isinstance(end, Element):
                    return
            if isinstance(end, Text):
                if end.live.endswith(last):
                    self._fast, self._room = (end, depth, self._short[-6:]), room
                    if element.tag not in _HOLDING:
                        self._marks = ""
                return
            if not isinstance(end, Element):
                return
            element, depth = end, depth + 1


def _end(document: Block) -> list[Block]:
    """The last child of the last child, and so on."""
    chain = [document]
    while chain[-1].children:
        chain.append(chain[-1].children[-1])
    return chain


def _alike(a: Block, c: Block) -> bool:
    return (a.kind, a.ordered, a.number, a.label, a.level, a.task, a.first, a.info) == (
        c.kind,
        c.ordered,
        c.number,
        c.label,
        c.level,
        c.task,
        c.first,
        c.info,
    )
