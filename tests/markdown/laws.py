"""The laws of streaming Markdown as checks that can fail.

`stream` holds an engine against the renderings from scratch, for one text and one way to cut it. The engine
is a parameter, so that a broken one can be put in its place. It is the bare one: what catches its faults
(`guarded.py`) would hide them here.
"""

from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element as XmlElement

import html5lib

from streamrender.markdown import CHAT, Dialect, render_live, render_markdown
from streamrender.markdown.safety import violations
from streamrender.markdown.stream import Engine
from streamrender.page.ops import apply
from streamrender.page.tree import Element, Node, Text, parse, serialize


class Broken(AssertionError):
    """A law does not hold; `law` is its name."""

    def __init__(self, law: str, fed: str, got: object, want: object) -> None:
        super().__init__(f"{law}\n fed  {fed!r}\n got  {got!r}\n want {want!r}")
        self.law = law


def stream(text: str, cuts: Iterable[int], engine: type[Engine] = Engine, dialect: Dialect = CHAT) -> None:
    """Final, Live and the operations: every page is the one from scratch, and the operations lead to it."""
    markdown = engine(dialect)
    page = Element("root")
    before = 0
    for cut in [*cuts, len(text)]:
        if cut == before:
            continue
        ops = markdown.feed(text[before:cut])
        before = cut
        fed = text[:cut]
        _compare("live", fed, markdown.html, render_live(fed, dialect))
        _follow(page, ops, fed, markdown.html)
    ops = markdown.close()
    _compare("final", text, markdown.html, render_markdown(text, dialect))
    _follow(page, ops, text, markdown.html)


def _compare(law: str, fed: str, got: str, want: str) -> None:
    if got != want:
        raise Broken(law, fed, got, want)


def _follow(page: Element, ops: list[Any], fed: str, want: str) -> None:
    try:
        apply(page, ops)
    except Exception as error:
        raise Broken("ops", fed, repr(error), ops) from error
    _compare("ops", fed, serialize(page.children), want)


def safe(html: str) -> None:
    """Safe and Round trip: nothing outside the allow-list, and an HTML parser gives the same nodes back."""
    nodes = parse(html)
    found = violations(nodes)
    if found:
        raise Broken("safe", html, found, [])
    _compare("round trip", html, reparsed(html), html)


def reparsed(html: str) -> str:
    """What a browser's `innerHTML` gives back, by html5lib."""
    return serialize(_nodes(html5lib.parseFragment(html, container="div", treebuilder="etree")))


def _nodes(parent: XmlElement) -> list[Node]:
    out: list[Node] = [Text(parent.text)] if parent.text else []
    for child in parent:
        attrs = tuple((str(name), value) for name, value in child.attrib.items())
        out.append(Element(str(child.tag).rsplit("}", 1)[-1], attrs, _nodes(child)))
        if child.tail:
            out.append(Text(child.tail))
    return out


def every(text: str) -> range:
    """A cut at every character."""
    return range(1, len(text))
