"""The HTML of a pane as docs/protocol.md describes it, on html5lib: shares no code with the product."""

from typing import Any
from xml.dom import Node

import html5lib

Shape = tuple[Any, ...] | str


class Tree:
    """A pane's tree: what an HTML parser makes of `html`, changed by ops."""

    def __init__(self, html: str) -> None:
        self.root = _fragment(html, "div")

    def apply(self, op: list[Any]) -> None:
        """One op of the table in docs/protocol.md."""
        match op:
            case ["p", depth, keep, html]:
                parent = self._last(depth)
                for child in list(parent.childNodes)[keep:]:
                    parent.removeChild(child)
                _insert(parent, html, None)
            case ["t", depth, text]:
                parent = self._last(depth)
                last = parent.lastChild
                assert last is not None, "text for an empty element"
                assert last.nodeType == Node.TEXT_NODE, "text for what is no text"
                last.data += text
            case ["s", path, start, drop, html]:
                parent = self.root
                for index in path:
                    parent = _elements(parent)[index]
                children = list(parent.childNodes)
                after = children[start + drop] if start + drop < len(children) else None
                for child in children[start : start + drop]:
                    parent.removeChild(child)
                _insert(parent, html, after)
            case _:
                raise AssertionError(f"unknown op {op!r}")

    def shape(self) -> Shape:
        """The tree as nested tuples, to compare."""
        return _shape(self.root)

    def _last(self, depth: int) -> Any:
        parent = self.root
        for _ in range(depth):
            parent = _elements(parent)[-1]
        return parent


def _fragment(html: str, context: str) -> Any:
    found = html5lib.parseFragment(html, container=context, treebuilder="dom", namespaceHTMLElements=False)
    found.normalize()
    return found


def _insert(parent: Any, html: str, before: Any) -> None:
    context = parent.tagName if parent.nodeType == Node.ELEMENT_NODE else "div"
    for node in list(_fragment(html, context).childNodes):
        parent.insertBefore(node, before)
    parent.normalize()


def _elements(parent: Any) -> list[Any]:
    return [child for child in parent.childNodes if child.nodeType == Node.ELEMENT_NODE]


def _shape(node: Any) -> Shape:
    if node.nodeType == Node.TEXT_NODE:
        return str(node.data)
    inside = tuple(_shape(child) for child in node.childNodes)
    if node.nodeType != Node.ELEMENT_NODE:
        return inside
    return (node.tagName, tuple(sorted(node.attributes.items())), *inside)
