"""A viewer written for the tests alone: the oracle for changes. It shares no code with streamrender.

HTML is parsed by html5lib into a DOM, as a browser would in the context of the element it enters; the
operations work on DOM nodes. Two pages are equal when their trees are, so how HTML is written out does
not matter.
"""

import json
from typing import Any
from xml.dom.minidom import Element, Node

import html5lib


def parse(html: str, container: str = "div") -> Element:
    """The fragment's nodes under a root element, adjacent text merged."""
    root = html5lib.parseFragment(html, container=container, treebuilder="dom", namespaceHTMLElements=False)
    root.normalize()
    return root


def serialise(root: Node) -> str:
    """The tree as HTML."""
    walker = html5lib.getTreeWalker("dom")
    writer = html5lib.serializer.HTMLSerializer(
        omit_optional_tags=False, quote_attr_values="always", alphabetical_attributes=True
    )
    return "".join(writer.serialize(walker(root)))


def _elements(node: Node) -> list[Any]:
    return [child for child in node.childNodes if child.nodeType == Node.ELEMENT_NODE]


def _insert(node: Any, at: int, html: str) -> None:
    before = node.childNodes[at] if at < len(node.childNodes) else None
    container = getattr(node, "tagName", None) or "div"
    for child in list(parse(html, container).childNodes):
        node.insertBefore(child, before)


def html_ops(root: Node, ops: list[Any]) -> None:
    """Do Markdown operations on the tree, in place."""
    for verb, where, *rest in ops:
        node: Any = root
        if verb == "s":
            for i in where:
                node = _elements(node)[i]
            start, drop, html = rest
            for child in list(node.childNodes)[start : start + drop]:
                node.removeChild(child)
            _insert(node, start, html)
        else:
            for _ in range(where):
                node = _elements(node)[-1]
            if verb == "t":
                assert node.childNodes[-1].nodeType == Node.TEXT_NODE, "t needs a text node at the end"
                node.childNodes[-1].data += rest[0]
            else:
                assert verb == "p", verb
                for child in list(node.childNodes)[rest[0] :]:
                    node.removeChild(child)
                _insert(node, len(node.childNodes), rest[1])
        root.normalize()


class Viewer:
    """A page built from one snapshot and the changes after it."""

    def __init__(self, snapshot: dict[str, Any]) -> None:
        snapshot = json.loads(json.dumps(snapshot))
        self.turn: dict[str, Any] = snapshot["turn"]
        self.panes: list[dict[str, Any]] = []
        for pane in snapshot["panes"]:
            self._append(pane)

    def _append(self, pane: dict[str, Any]) -> None:
        assert pane["id"] not in [other["id"] for other in self.panes], "pane ids are unique"
        if "html" in pane:
            pane["html"] = parse(pane["html"])
        self.panes.append(pane)

    def _pane(self, pane_id: str) -> dict[str, Any]:
        (pane,) = [pane for pane in self.panes if pane["id"] == pane_id]
        return pane

    def apply(self, changes: list[Any]) -> None:
        """Do what the changes say. They pass through JSON first, as over a socket."""
        for change in json.loads(json.dumps(changes)):
            match change:
                case ["turn", dict(fields)]:
                    self.turn |= fields
                case ["pane", dict(pane)]:
                    self._append(pane)
                case ["set", str(name), dict(fields)]:
                    self._pane(name).update(fields)
                case ["grow", str(name), str(field), str(text)]:
                    pane = self._pane(name)
                    pane[field] = "".join([pane[field] or "", text])
                case ["arg", str(name), int(i), str(key), str(text), bool(complete)]:
                    rows = self._pane(name)["args"]
                    rows[i:] = [[key, (rows[i][1] if i < len(rows) else "") + text, complete], *rows[i + 1 :]]
                case ["ops", str(name), list(ops)]:
                    html_ops(self._pane(name)["html"], ops)
                case _:
                    raise AssertionError(f"not a change: {change!r}")

    def page(self) -> dict[str, Any]:
        """What is shown, with HTML in one way of writing."""
        panes = [{k: serialise(v) if k == "html" else v for k, v in pane.items()} for pane in self.panes]
        return {"turn": self.turn, "panes": panes}
