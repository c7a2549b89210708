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

from streamrender.page.tree import ATOMIC, Element, Node, Text, add_node, copy, parse, same, serialize

Op = list[Any]


class Graft:
    """Stands in a new tree for an element that is on the page already and whose first `base` children
    stay.
    """

    __slots__ = ("base", "element", "tail")

    def __init__(self, element: Element, base: int, tail: "Sequence[Fresh]") -> None:
        self.element = element
        self.base = base
        self.tail = tail


class Grow:
    """Stands in a new tree for a text node that is on the page already: only its live part may have
    changed.
    """

    __slots__ = ("live", "text")

    def __init__(self, text: Text, live: str) -> None:
        self.text = text
        self.live = live


Fresh = Node | Graft | Grow


class _Place:
    """Where an element stands: how deep on the right edge (None: not on it), and its path, on demand."""

    __slots__ = ("at", "depth", "fixed", "parent", "siblings")

    def __init__(
        self,
        parent: "_Place | None",
        siblings: list[Node],
        at: int,
        depth: int | None,
        fixed: list[int] | None = None,
    ) -> None:
        self.fixed = fixed
        self.parent = parent
        self.siblings = siblings
        self.at = at
        self.depth = depth

    def path(self) -> list[int]:
        steps: list[int] = []
        place: _Place | None = self
        while place is not None and place.fixed is None and place.parent is not None:
            steps.append(sum(isinstance(node, Element) for node in place.siblings[: place.at]))
            place = place.parent
        return [*(place.fixed or []), *steps[::-1]] if place is not None else steps[::-1]


def patch(root: Element, base: int, tail: Sequence[Fresh]) -> list[Op]:
    """Make the children of `root` from `base` on equal to `tail`; return the operations that do the same."""
    ops: list[Op] = []
    _compare(root.children, base, tail, _Place(None, [], 0, 0), ops)
    root.children[base:] = [resolve(node) for node in tail]
    return ops


def edit(element: Element, path: list[int], tail: Sequence[Fresh]) -> list[Op]:
    """Make the children of the element at `path` equal to `tail`, with operations that name the path."""
    ops: list[Op] = []
    _compare(element.children, 0, tail, _Place(None, [], 0, None, path), ops)
    element.children[:] = [resolve(node) for node in tail]
    return ops


def diff(old: Element | list[Node], new: Element | list[Node]) -> list[Op]:
    """Operations that turn the children of `old` into those of `new`; neither is changed."""
    before = old.children if isinstance(old, Element) else old
    after = new.children if isinstance(new, Element) else new
    root = Element("root", (), [copy(node) for node in before])
    return patch(root, 0, [copy(node) for node in after])


def resolve(node: Fresh) -> Node:
    """The node that a placeholder stands for, brought up to date."""
    if isinstance(node, Graft):
        node.element.children[node.base :] = [resolve(child) for child in node.tail]
        return node.element
    if isinstance(node, Grow):
        node.text.live = node.live
        return node.text
    return node


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
    if isinstance(new, Grow):
        return new.text is old and new.text.live == new.live
    return not isinstance(new, Graft) and same(old, new)


def _growth(old: Node, new: Fresh) -> str | None:
    """What the old text node lacks at its end to become the new one; None: it is not that simple."""
    if not isinstance(old, Text):
        return None
    if isinstance(new, Grow):
        grown, was = new.live, old.live
        if new.text is not old:
            return None
    elif isinstance(new, Text):
        grown, was = new.data, old.data
    else:
        return None
    return grown[len(was) :] if grown.startswith(was) else None


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
                _compare(now.element.children, now.base, now.tail, inner, ops)
            elif isinstance(was, Element) and isinstance(now, Element):
                _compare(was.children, 0, now.children, inner, ops)
            i += 1
        else:
            break
    rest = tail[i - base :]
    if i == n and not rest:
        return
    end = 0
    while end < min(n - i, len(rest)) and _equal(old[n - 1 - end], rest[-1 - end]):
        end += 1
    if place.depth is None or any(isinstance(node, Element) for node in old[n - end :]):
        html = serialize(resolve(node) for node in rest[: len(rest) - end])
        ops.append(["s", place.path(), i, n - end - i, html])
        return
    more = _growth(old[i], rest[0]) if i < n and rest else None
    if more is not None:
        i, rest = i + 1, rest[1:]
        if i < n:
            ops.append(["p", place.depth, i, ""])
        if more:
            ops.append(["t", place.depth, more])
        if not rest:
            return
    ops.append(["p", place.depth, i, serialize(resolve(node) for node in rest)])


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


__all__ = ["Fresh", "Graft", "Grow", "Op", "apply", "apply_html", "diff", "edit", "patch", "resolve"]
