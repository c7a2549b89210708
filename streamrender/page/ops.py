"""Operations that turn one tree into the next, and the reference `apply`.

A pane's page is the list of nodes under its root element. Operations:

- `["p", depth, keep, html]`: from the root go `depth` times to the last child element; remove every child
  node after the first `keep`; append `html`.
- `["t", depth, text]`: the same way down; append `text` to the last child node, which is a text node.
- `["s", [i, j, ...], start, drop, html]`: follow child *element* indexes from the root; remove `drop` child
  nodes from `start` on; insert `html` there.

Invariant: `apply(old, diff(old, new))` equals `new`, and a node that did not change is not rebuilt. `diff`
works on the nodes behind a settled prefix, so its cost is that of the unsettled end, not of the page.
"""

from collections.abc import Sequence
from typing import Any

from streamrender.page.tree import ATOMIC, Element, Node, Raw, Text, add_node, copy, parse, same, serialize

Op = list[Any]


class Graft:
    """Stands in a new tree for an element that is on the page already and whose first `base` children stay."""

    __slots__ = ("base", "element", "tail")

    def __init__(self, element: Element, base: int, tail: "Sequence[Fresh]") -> None:
        self.element = element
        self.base = base
        self.tail = tail


Fresh = Node | Graft


class _Place:
    """Where an element stands: how deep on the right edge (None: not on it), and its path, on demand."""

    __slots__ = ("at", "depth", "parent", "siblings")

    def __init__(self, parent: "_Place | None", siblings: list[Node], at: int, depth: int | None) -> None:
        self.parent = parent
        self.siblings = siblings
        self.at = at
        self.depth = depth

    def path(self) -> list[int]:
        steps: list[int] = []
        place: _Place | None = self
        while place is not None and place.parent is not None:
            steps.append(sum(isinstance(node, Element) for node in place.siblings[: place.at]))
            place = place.parent
        return steps[::-1]


def patch(root: Element, base: int, tail: Sequence[Fresh]) -> list[Op]:
    """Make the children of `root` from `base` on equal to `tail`; return the operations that do the same."""
    ops: list[Op] = []
    _patch(root, base, tail, _Place(None, [], 0, 0), ops)
    return ops


def diff(old: Element | list[Node], new: Element | list[Node]) -> list[Op]:
    """Operations that turn the children of `old` into those of `new`; neither is changed."""
    before = old.children if isinstance(old, Element) else old
    after = new.children if isinstance(new, Element) else new
    root = Element("root", (), [copy(node) for node in before])
    return patch(root, 0, [copy(node) for node in after])


def _resolve(node: Fresh) -> Node:
    return node.element if isinstance(node, Graft) else node


def _patch(element: Element, base: int, tail: Sequence[Fresh], place: _Place, ops: list[Op]) -> None:
    _compare(element.children, base, tail, place, ops)
    element.children[base:] = [_resolve(node) for node in tail]


def _enter(old: Node, new: Fresh) -> bool:
    """Can the old element stay, with changes inside?"""
    if not isinstance(old, Element):
        return False
    if isinstance(new, Graft):
        return new.element is old
    return (
        isinstance(new, Element) and new.tag == old.tag and new.attrs == old.attrs and old.tag not in ATOMIC
    )


def _equal(old: Node, new: Fresh) -> bool:
    return not isinstance(new, Graft) and same(old, new)


def _compare(old: list[Node], base: int, tail: Sequence[Fresh], place: _Place, ops: list[Op]) -> None:
    i, n, m = base, len(old), len(tail)
    while i < n and i - base < m:
        was, now = old[i], tail[i - base]
        if _equal(was, now):
            i += 1
        elif _enter(was, now):
            edge = place.depth is not None and not any(isinstance(node, Element) for node in old[i + 1 :])
            inner = _Place(place, old, i, place.depth + 1 if edge and place.depth is not None else None)
            if isinstance(now, Graft):
                _patch(now.element, now.base, now.tail, inner, ops)
            elif isinstance(was, Element) and isinstance(now, Element):
                _compare(was.children, 0, now.children, inner, ops)
            i += 1
        else:
            break
    if i == n and i - base == m:
        return
    if (
        i == n - 1
        and i - base < m
        and place.depth is not None
        and isinstance(was := old[i], Text)
        and isinstance(now := tail[i - base], Text)
        and now.data.startswith(was.data)
    ):
        ops.append(["t", place.depth, now.data[len(was.data) :]])
        i += 1
        if i - base == m:
            return
    end = 0
    while end < min(n - i, m - (i - base)) and _equal(old[n - 1 - end], tail[m - 1 - end]):
        end += 1
    html = serialize(_resolve(node) for node in tail[i - base : m - end])
    unchanged = any(isinstance(node, Element) for node in old[n - end :])
    if place.depth is not None and not unchanged:
        rest = serialize(_resolve(node) for node in tail[m - end :])
        ops.append(["p", place.depth, i, html + rest])
    else:
        ops.append(["s", place.path(), i, n - end - i, html])


def apply(root: Element, ops: list[Op]) -> None:
    """Apply operations to the children of `root` in place. The reference for the page's own `apply`."""
    for op in ops:
        element = root
        if op[0] == "s":
            for index in op[1]:
                element = [node for node in element.children if isinstance(node, Element)][index]
            start, drop, html = op[2], op[3], op[4]
            _replace(element, start, drop, parse(html))
            continue
        for _ in range(op[1]):
            element = next(node for node in reversed(element.children) if isinstance(node, Element))
        if op[0] == "p":
            _replace(element, op[2], len(element.children) - op[2], parse(op[3]))
        elif op[0] == "t":
            last = element.children[-1]
            if not isinstance(last, Text):
                raise ValueError("a t operation needs a text node at the end")
            last.append(op[2])
        else:
            raise ValueError(f"unknown operation {op[0]!r}")


def _replace(element: Element, start: int, drop: int, nodes: list[Node]) -> None:
    children = element.children
    after = children[start + drop :]
    del children[start:]
    for node in [*nodes, *after]:
        add_node(children, node)


def apply_html(html: str, ops: list[Op]) -> str:
    """The HTML of a pane after operations: `parse`, `apply`, `serialize`."""
    root = Element("root", (), parse(html))
    apply(root, ops)
    return serialize(root.children)


__all__ = ["Graft", "Op", "Raw", "apply", "apply_html", "diff", "patch"]
