"""Changes to what is settled: a definition that comes late, a footnote that never comes, a list that turns
loose.

These are the only three. Each is made where it is, by an operation with a path, and costs what it changes:
leaves are found by the labels that they looked up in vain.
"""

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from streamrender.markdown import blocks as b
from streamrender.markdown import render
from streamrender.markdown.blocks import Block
from streamrender.markdown.context import Context
from streamrender.markdown.views import View, view_of
from streamrender.page.ops import Op, edit
from streamrender.page.tree import Element, Node, Text, add_node, serialize


class _Leaf:
    """A settled leaf that may change: `row` for a table row, otherwise prose of which `source` is the
    text.
    """

    __slots__ = ("bare", "block", "element", "index", "source", "texts", "view")

    def __init__(self, block: Block, view: View, bare: bool, source: str) -> None:
        self.block = block
        self.view = view
        self.bare = bare
        self.source = source
        self.element: Element | None = None
        self.texts: list[str] = []
        self.index = 0


class Late:
    """Remembers which leaves depend on what is not there yet."""

    def __init__(self, context: Context, page: Element) -> None:
        self.context = context
        self.page = page
        self.waiting: dict[str, dict[int, _Leaf]] = {}
        self.notes: dict[str, dict[int, _Leaf]] = {}
        self.overdue: dict[int, _Leaf] = {}
        self._places: dict[int, dict[int, int]] = {}

    # ---------------------------------------------------------------- remembering
    @contextmanager
    def _watch(self) -> Iterator[tuple[set[str], set[str]]]:
        references, notes = self.context.references, self.context.notes
        found: tuple[set[str], set[str]] = (set(), set())
        references.missed, notes.used = found
        try:
            yield found
        finally:
            references.missed = notes.used = None

    @contextmanager
    def watch(self, block: Block, view: View, bare: bool, source: str | None = None) -> Iterator[None]:
        """Note what the finished leaf that is painted inside depends on."""
        if block.tentative or not block.closed:
            yield
            return
        with self._watch() as (missed, used):
            yield
        missed |= {label[1:] for label in view.labels if label[0] == "r"}
        used |= {label[1:] for label in view.labels if label[0] == "n"}
        if missed or used:
            text = block.content().strip(" \t\n\r") if source is None else source
            leaf = _Leaf(block, view, bare, text)
            self._remember(leaf, missed, used)
            if any(label in self.context.references for label in missed):
                self.overdue[id(leaf)] = leaf  # it came after a piece of this leaf was painted

    @contextmanager
    def segment(self, view: View) -> Iterator[None]:
        """The same for a settled piece of a paragraph that is still open."""
        with self._watch() as (missed, used):
            yield
        view.labels |= {"r" + label for label in missed} | {"n" + label for label in used}

    def row(self, block: Block, index: int, context: Context) -> Element:
        """Paint a finished row of a table."""
        if context is not self.context:
            return render.row(block, index, context, False)
        with self._watch() as (missed, used):
            made = render.row(block, index, context, False)
        if missed or used:
            view = view_of(block)
            leaf = _Leaf(view.block, view, False, "")
            leaf.element, leaf.texts, leaf.index = made, block.rows[index], index
            self._remember(leaf, missed, used)
        return made

    def _remember(self, leaf: _Leaf, missed: Iterable[str], used: Iterable[str]) -> None:
        for label in missed:
            self.waiting.setdefault(label, {})[id(leaf)] = leaf
        for label in used:
            self.notes.setdefault(label, {})[id(leaf)] = leaf

    # ---------------------------------------------------------------- changing
    def defined(self, labels: Iterable[str]) -> list[Op]:
        """These link definitions have come: paint the leaves again that looked for them."""
        leaves: dict[int, _Leaf] = {}
        for label in labels:
            leaves.update(self.waiting.pop(label, {}))
        return self._again(leaves)

    def catch_up(self) -> list[Op]:
        """Paint the leaves again of which a piece was painted before a definition that is there by now."""
        leaves, self.overdue = self.overdue, {}
        return self._again(leaves) if leaves else []

    def undefined(self, labels: Iterable[str]) -> list[Op]:
        """These footnotes never came: what refers to them is text."""
        leaves: dict[int, _Leaf] = {}
        for label in labels:
            leaves.update(self.notes.pop(label, {}))
        return self._again(leaves)

    def _again(self, leaves: dict[int, _Leaf]) -> list[Op]:
        ops: list[Op] = []
        self._places.clear()
        for leaf in leaves.values():
            with self._watch() as (missed, used):
                ops += self._repaint(leaf)
            self._remember(leaf, missed, used)
        self._places.clear()
        return ops

    def _repaint(self, leaf: _Leaf) -> list[Op]:
        if leaf.element is not None:
            return self._repaint_row(leaf, leaf.element)
        out: list[Node] = list(render.checkbox(leaf.block.task))
        for node in render.inline(leaf.source, self.context):
            add_node(out, node)
        element = leaf.view.element
        parent = leaf.block.parent
        if leaf.bare and element is None and parent is not None:
            return self._repaint_bare(leaf, parent, out)
        if element is None:
            element = next((node for node in leaf.view.nodes or [] if isinstance(node, Element)), None)
        if element is None:
            return []
        return edit(
            element, [*self._path(parent), self._place(view_element(parent, self.page), element)], out
        )

    def _repaint_row(self, leaf: _Leaf, row: Element) -> list[Op]:
        made = Block(b.TABLE, 0)
        made.aligns, made.rows = leaf.block.aligns, [leaf.texts, leaf.texts]
        fresh = render.row(made, min(leaf.index, 1), self.context, False)
        table = leaf.view.element
        group = leaf.view.inner if leaf.index else None
        if table is not None and not leaf.index:
            group = next((node for node in table.children if isinstance(node, Element)), None)
        if table is None or group is None:
            return []
        path = [*self._path(leaf.block), self._place(table, group), self._place(group, row)]
        return edit(row, path, fresh.children)

    def _repaint_bare(self, leaf: _Leaf, item: Block, nodes: list[Node]) -> list[Op]:
        element = view_element(item, self.page)
        if item.parent is not None and view_of(item.parent).loose:
            inside = [node for node in element.children if isinstance(node, Element)]
            return edit(inside[leaf.view.ordinal], [*self._path(item), leaf.view.ordinal], nodes)
        parts = split_item(element.children)
        if leaf.view.ordinal >= len(parts):
            return []
        parts[leaf.view.ordinal] = (True, nodes)
        leaf.view.reset()
        if leaf.view.nodes is not None:
            leaf.view.nodes = [*nodes]
        made = render.tight_children(parts)
        outer = view_of(item)
        if leaf.view.ordinal < outer.shown:
            outer.base += len(made) - len(element.children)
        ops = edit(element, self._path(item), made)
        self._places.pop(id(element), None)
        return ops

    # ---------------------------------------------------------------- lists
    def restyle(self, block: Block, view: View) -> list[Op]:
        """The list has turned loose (or, while only tried out, tight again)."""
        self._places.clear()
        view.loose = block.loose
        ops: list[Op] = []
        element = view.element
        if element is None:
            return ops
        path = self._path(block)
        items = [node for node in element.children if isinstance(node, Element)]
        changed = {id(view_of(item).element): view_of(item) for item in view.block.children}
        changed |= {id(view_of(item).element): view_of(item) for item in block.children}
        for i, item in enumerate(items):
            if block.loose:
                ops += _loosen(item, [*path, i], changed.get(id(item)))
            else:
                ops += _tighten(item, [*path, i], changed.get(id(item)))
        return ops

    # ---------------------------------------------------------------- paths
    def _path(self, block: Block | None) -> list[int]:
        """The path of a block's element from the page."""
        steps: list[int] = []
        while block is not None and block.parent is not None:
            steps.append(self._place(view_element(block.parent, self.page), view_element(block, self.page)))
            block = block.parent
        return steps[::-1]

    def _place(self, parent: Element, child: Element) -> int:
        places = self._places.get(id(parent))
        if places is None:
            elements = [node for node in parent.children if isinstance(node, Element)]
            places = self._places[id(parent)] = {id(node): i for i, node in enumerate(elements)}
        return places[id(child)]


def view_element(block: Block | None, page: Element) -> Element:
    if block is None or block.parent is None:
        return page
    element = view_of(block).element
    if element is None:
        raise LookupError(f"a {block.kind} that is not on the page")
    return element


def split_item(children: list[Node]) -> list[tuple[bool, list[Node]]]:
    """The parts of an item of a tight list: runs of inline nodes, and blocks (`tight_children` backwards)."""
    parts: list[tuple[bool, list[Node]]] = []
    run: list[Node] = []

    def end_run(before_block: bool) -> None:
        nodes = run[:]
        run.clear()
        if parts and nodes and isinstance(first := nodes[0], Text) and first.data.startswith("\n"):
            nodes[0] = Text(first.data[1:])
        if before_block and nodes and isinstance(last := nodes[-1], Text) and last.data.endswith("\n"):
            nodes[-1] = Text(last.data[:-1])
        nodes = [node for node in nodes if not isinstance(node, Text) or node.data]
        if nodes:
            parts.append((True, nodes))

    for node in children:
        if render.is_block(node):
            end_run(True)
            parts.append((False, [node]))
        else:
            run.append(node)
    end_run(False)
    return parts


def _loosen(item: Element, path: list[int], view: View | None) -> list[Op]:
    """Give the paragraphs of an item their elements."""
    parts = split_item(item.children)
    made: list[Node] = [Text("\n")] if parts else []
    paragraphs: list[Element | None] = []
    for bare, nodes in parts:
        paragraphs.append(Element("p", (), nodes) if bare else None)
        made += [paragraphs[-1] or nodes[0], Text("\n")]
    ops = _swap(item, path, made)
    if view is not None:
        _follow(view, paragraphs)
    return ops


def _follow(view: View, paragraphs: list[Element | None]) -> None:
    """Tell the views of an item's open part where its nodes are now."""
    view.base = 1 + 2 * view.shown if view.shown else 0
    view.newline = False
    for child in view.block.children:
        inner = view_of(child)
        if child.kind == b.PARAGRAPH and 0 <= inner.ordinal < len(paragraphs):
            element = paragraphs[inner.ordinal]
            inner.reset()
            inner.element = element
            if inner.nodes is not None and element is not None:
                inner.nodes = [element]
            child.restore()


def _tighten(item: Element, path: list[int], view: View | None) -> list[Op]:
    parts: list[tuple[bool, list[Node]]] = []
    for node in item.children:
        if isinstance(node, Element):
            bare = node.tag == "p"
            parts.append((bare, node.children if bare else [node]))
    made = render.tight_children(parts)
    if view is not None:
        settled = render.tight_children(parts[: view.shown])
        following = view.shown < len(parts) and parts[view.shown][0]
        view.newline = bool(following and settled)
        view.base = len(settled) - view.newline
        for child in view.block.children:
            inner = view_of(child)
            if child.kind == b.PARAGRAPH:
                inner.reset()
                inner.element = None
                if inner.nodes is not None and 0 <= inner.ordinal < len(parts):
                    inner.nodes = [*parts[inner.ordinal][1]]
                child.restore()
    return _swap(item, path, made)


def _swap(item: Element, path: list[int], made: list[Node]) -> list[Op]:
    """Replace the children of an item without touching its blocks: from the end, each run between two of
    them.
    """
    old = item.children
    kept = [node for node in made if any(node is other for other in old) and isinstance(node, Element)]
    ops: list[Op] = []
    edges = [(-1, -1)]
    edges += [(_index(old, node), _index(made, node)) for node in kept]
    edges.append((len(old), len(made)))
    for (i, j), (k, m) in reversed(list(itertools.pairwise(edges))):
        was, now = old[i + 1 : k], made[j + 1 : m]
        if serialize(was) != serialize(now):
            ops.append(["s", path, i + 1, len(was), serialize(now)])
    item.children = made
    return ops


def _index(nodes: list[Node], node: Node) -> int:
    return next(i for i, other in enumerate(nodes) if other is node)
