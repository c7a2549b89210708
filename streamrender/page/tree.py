"""Nodes of a page: elements and text, as an HTML parser would build them.

Why not strings: operations address nodes, so both ends must agree on what the nodes are. A tree here is
normalised like the DOM after `normalize()`: no two adjacent text nodes, no empty ones. `serialize` writes
exactly what a browser's `innerHTML` reads back, and `parse` reads what `serialize` writes (it is not an HTML
parser).
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape

VOID = frozenset({"br", "hr", "img", "input", "wbr"})
ATOMIC = frozenset({"math"})
"""Elements that operations replace as a whole."""

Attrs = tuple[tuple[str, str | None], ...]


class Text:
    """A text node. It grows at its end in constant time, so that a text of any length can be streamed."""

    __slots__ = ("_live", "_settled")

    def __init__(self, data: str) -> None:
        self._settled: list[str] = []
        self._live = [data]

    @property
    def data(self) -> str:
        if len(self._settled) > 1:
            self._settled = ["".join(self._settled)]
        return self._settled[0] + self.live if self._settled else self.live

    @property
    def live(self) -> str:
        """The part behind the settled one; all of it, unless `settle` was called."""
        if len(self._live) > 1:
            self._live = ["".join(self._live)]
        return self._live[0]

    @live.setter
    def live(self, data: str) -> None:
        self._live = [data]

    def append(self, more: str) -> None:
        self._live.append(more)

    def settle(self, live: int) -> None:
        """From now on only the last `live` characters are the live part."""
        data = self.live
        cut = len(data) - live
        self._settled.append(data[:cut])
        self._live = [data[cut:]]

    def __repr__(self) -> str:
        return f"Text({self.data!r})"


class Element:
    """An element: `attrs` in the order they are written (None: an attribute without a value)."""

    __slots__ = ("attrs", "children", "tag")

    def __init__(self, tag: str, attrs: Attrs = (), children: "list[Node] | None" = None) -> None:
        self.tag = tag
        self.attrs = attrs
        self.children: list[Node] = [] if children is None else children

    def __repr__(self) -> str:
        return f"Element({serialize([self])!r})"


class Raw:
    """HTML that is passed on unread; only dialects that allow raw HTML make it. `block`: it stands among
    blocks.
    """

    __slots__ = ("block", "html")

    def __init__(self, html: str, block: bool = False) -> None:
        self.html = html
        self.block = block


Node = Text | Element | Raw

_TEXT = re.compile("[&<>\xa0]")
_ATTR = re.compile('[&<>"\xa0]')
_NAMES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\xa0": "&nbsp;"}


def escape_text(text: str) -> str:
    """Text as it stands between tags, written as browsers serialise it."""
    return _TEXT.sub(lambda m: _NAMES[m[0]], text) if _TEXT.search(text) else text


def escape_attr(text: str) -> str:
    """Text as it stands in a quoted attribute."""
    return _ATTR.sub(lambda m: _NAMES[m[0]], text) if _ATTR.search(text) else text


def open_tag(tag: str, attrs: Attrs) -> str:
    if not attrs:
        return f"<{tag}>"
    written = "".join(f' {name}="{escape_attr(value or "")}"' for name, value in attrs)
    return f"<{tag}{written}>"


def serialize(nodes: Iterable[Node]) -> str:
    """Nodes as HTML."""
    out: list[str] = []
    stack: list[Iterator[Node]] = [iter(nodes)]
    closing: list[str] = []
    while stack:
        for node in stack[-1]:
            if isinstance(node, Text):
                out.append(escape_text(node.data))
            elif isinstance(node, Raw):
                out.append(node.html)
            else:
                out.append(open_tag(node.tag, node.attrs))
                if node.tag not in VOID:
                    stack.append(iter(node.children))
                    closing.append(f"</{node.tag}>")
                    break
        else:
            stack.pop()
            if closing:
                out.append(closing.pop())
    return "".join(out)


def add_node(children: list[Node], node: Node) -> None:
    """Append, keeping the list normalised."""
    if isinstance(node, Text):
        data = node.data
        if not data:
            return
        if children and isinstance(last := children[-1], Text):
            last.append(data)
            return
    children.append(node)


def normalised(nodes: Iterable[Node]) -> list[Node]:
    """A normalised list of the nodes; text nodes are copied, elements are not entered."""
    out: list[Node] = []
    for node in nodes:
        add_node(out, Text(node.data) if isinstance(node, Text) else node)
    return out


def same(a: Node, b: Node) -> bool:
    """Structural equality, without recursion deeper than the stack allows."""
    pairs: list[tuple[Node, Node]] = [(a, b)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if isinstance(a, Text):
            if not isinstance(b, Text) or a.data != b.data:
                return False
        elif isinstance(a, Raw):
            if not isinstance(b, Raw) or a.html != b.html:
                return False
        elif (
            not isinstance(b, Element)
            or a.tag != b.tag
            or a.attrs != b.attrs
            or len(a.children) != len(b.children)
        ):
            return False
        else:
            pairs.extend(zip(a.children, b.children, strict=True))
    return True


def copy(node: Node) -> Node:
    if isinstance(node, Text):
        return Text(node.data)
    if isinstance(node, Raw):
        return Raw(node.html, node.block)
    return Element(node.tag, node.attrs, [copy(child) for child in node.children])


_TOKEN = re.compile(r'<(/?)([a-zA-Z][a-zA-Z0-9-]*)((?:\s+[^\s=<>"]+(?:="[^"]*")?)*)\s*>|([^<]+|<)')
_ATTRIBUTE = re.compile(r'([^\s=<>"]+)(?:="([^"]*)")?')


def parse(html: str) -> list[Node]:
    """The nodes of HTML that `serialize` wrote."""
    root: list[Node] = []
    stack: list[list[Node]] = [root]
    for closing, tag, attrs, text in _TOKEN.findall(html):
        if text:
            add_node(stack[-1], Text(unescape(text)))
        elif closing:
            if len(stack) > 1:
                stack.pop()
        else:
            element = Element(tag, tuple((n, unescape(v)) for n, v in _ATTRIBUTE.findall(attrs)))
            stack[-1].append(element)
            if tag not in VOID:
                stack.append(element.children)
    return root
