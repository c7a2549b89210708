"""The unsettled end of a document as nodes and placeholders, and what settles after it is on the page.

`Painter.tail` gives what must stand behind the settled children of a block. Closed blocks are painted once.
An open container that is on the page already is a `Graft`: its settled children are neither visited nor
compared. The same holds inside long leaves: lines of code, rows of a table, pieces of a paragraph that can be
cut off.

Invariant: the page that results is what `render.document` makes of the same blocks from scratch.
"""

from collections.abc import Callable
from functools import partial as bind

from streamrender.markdown import blocks as b
from streamrender.markdown import live, longleaves, render
from streamrender.markdown.blocks import Block
from streamrender.markdown.context import Context
from streamrender.markdown.inline import text_nodes
from streamrender.markdown.late import Late
from streamrender.markdown.render import End
from streamrender.markdown.views import View, add_fresh, view_of
from streamrender.page.ops import Fresh, Graft, Grow, Op, resolve
from streamrender.page.tree import Element, Text


class Painter:
    """Paints one document. `after` holds what is to be done once the painted nodes are on the page."""

    def __init__(self, context: Context, late: Late) -> None:
        self.context = context
        self.late = late
        self.end = End()
        self.notes: dict[str, Block] = {}  # footnote definitions in settled blocks
        self.after: list[Callable[[], None]] = []
        self.before: list[Op] = []
        self.trial: Context | None = None
        self.room = 0  # how many letters could be added to the last text as they are

    def tail(self, document: Block, end: End) -> tuple[int, list[Fresh]]:
        """The number of settled nodes of the page and what must follow them."""
        self.end = end
        self.after, self.before = [], []
        self.room = 0
        self.trial = None
        return self._children(document, view_of(document))

    def again(self, leaf: Block, end: End, bare: bool) -> tuple[int, list[Fresh]]:
        """The same for the paragraph at the end alone, as children of the element that holds its text."""
        self.end = end
        self.after, self.before = [], []
        self.room = 0
        view = view_of(leaf)
        at = view.at or 0
        made = self._prose(leaf, view, bare, True)
        if bare:
            return at, made
        graft = made[0]
        if not isinstance(graft, Graft):
            raise TypeError("an open paragraph has lost its element")
        return graft.base, [*graft.tail]

    # ---------------------------------------------------------------- containers
    def _children(self, block: Block, view: View, tight: bool = False) -> tuple[int, list[Fresh]]:
        if tight and block.kind == b.ITEM:
            return self._tight(block, view)
        inner = block.kind == b.LIST and not block.loose
        out: list[Fresh] = []
        if not view.base and block.kind != b.DOCUMENT:
            out.append(Text("\n"))
        last = counted = shown = 0
        real = len(view.block.children)
        for i, child in enumerate(block.children):
            if i < real:
                last, counted = len(out), shown
            part = self._block(child, inner)
            if part:
                out.extend(part)
                out.append(Text("\n"))
                shown += 1
        if block.kind == b.ITEM and not view.shown and not shown:
            return 0, []
        if 1 < real <= len(block.children):
            self.after.append(bind(self._settle, view, view.base + last, view.shown + counted, False))
        return view.base, out

    def _tight(self, block: Block, view: View) -> tuple[int, list[Fresh]]:
        out: list[Fresh] = [Text("\n")] if view.newline else []
        base = view.base
        first = not view.shown
        shown = view.shown
        found = (base, shown, view.newline)
        real = len(view.block.children)
        for i, child in enumerate(block.children):
            bare = child.kind == b.PARAGRAPH
            view_of(child).ordinal = shown
            part = self._block(child, tight=True, cuts=first and not out)
            mark, newline, settled = base + len(out), False, shown
            if bare:
                at = view_of(child).at
                if at is not None and first:
                    base = at
                elif out and isinstance(out[-1], Text):
                    mark, newline = mark - 1, True
                for node in part:
                    add_fresh(out, node)
            elif part:
                if not out and base:
                    pass
                elif not (out and _ends_line(out[-1])):
                    add_fresh(out, Text("\n"))
                mark = base + len(out)
                out.extend(part)
                out.append(Text("\n"))
            first = False
            shown += bool(part)
            if i < real:
                found = (mark, settled, newline)
        if 1 < real <= len(block.children):
            self.after.append(bind(self._settle, view, *found))
        return base, out

    def _settle(self, view: View, base: int, shown: int, newline: bool) -> None:
        """All children but the last are done with."""
        real = view.block
        for child in real.children[:-1]:
            if not child.closed or child.tentative:
                return
        view.base, view.shown, view.newline = base, shown, newline
        for child in real.children[:-1]:
            for label, note in render.definitions(child).items():
                self.notes.setdefault(label, note)
        del real.children[:-1]

    def _block(self, block: Block, tight: bool, cuts: bool = True) -> list[Fresh]:
        if block.kind == b.FOOTNOTE:
            return []
        view = view_of(block)
        if view.nodes is not None:
            return view.nodes
        if render.hidden(block, self.context, self.end):
            return []
        made = self._paint(block, view, tight, cuts)
        if block.closed and not block.tentative:
            view.nodes = [resolve_later(node) for node in made]
        return made

    def _paint(self, block: Block, view: View, tight: bool, cuts: bool) -> list[Fresh]:
        kind = block.kind
        if kind in b.CONTAINERS:
            if kind == b.LIST and view.element is not None and view.loose != block.loose:
                self.before += self.late.restyle(block, view)
            base, tail = self._children(block, view, tight)
            if view.element is not None:
                return [Graft(view.element, base, tail)]
            view.element = render.shell(block)
            view.element.children = [resolve(node) for node in tail]
            view.loose = block.loose
            return [view.element]
        if kind == b.FENCE or kind == b.CODE:
            return [longleaves.code(self, block, view)]
        if kind == b.TABLE:
            return [longleaves.table(self, block, view)]
        if kind == b.PARAGRAPH or kind == b.HEADING:
            return self._prose(block, view, tight and kind == b.PARAGRAPH, cuts)
        with self.late.watch(block, view, False):
            made: list[Fresh] = [*render.leaf(block, self.context_of(block), self.end)]
        return made

    def context_of(self, block: Block) -> Context:
        """The context for a leaf that is closed: one for all that only an incomplete line closes."""
        if not block.tentative:
            return self.context
        if self.trial is None:
            self.trial = (self.trial or self.context).tentative()
        return self.trial

    def _ahead(self) -> bool:
        """Has a leaf that only the incomplete line closes been given footnote numbers?"""
        return self.trial is not None and len(self.trial.notes.numbers) > len(self.context.notes.numbers)

    # ---------------------------------------------------------------- paragraphs
    def _prose(self, block: Block, view: View, bare: bool, cuts: bool) -> list[Fresh]:
        tag = "p" if block.kind == b.PARAGRAPH else f"h{block.level}"
        unfinished = block is self.end.leaf
        content = block.content()
        if view.dropped != len(block.dropped) or (
            view.at is not None
            and (
                view.cut > len(content)
                or bare != (view.element is None)  # a heading in an item has an element, a paragraph may not
                or (view.element is not None and view.element.tag != tag)
            )
        ):
            block.restore()
            view.block.restore()
            content = block.content()
            view.reset()
            view.element = None
        if view.element is not None and view.element.tag != tag:
            view.element = None
        if view.at is None and (not cuts or not unfinished or self._ahead() or live.may_define(content)):
            return self._whole(block, view, bare, unfinished)
        if unfinished and block.kind == b.PARAGRAPH and block.lines[-1].startswith("|"):
            content = "\n".join(block.lines[:-1])
        text = content[view.cut :].rstrip(" \t\n\r")
        out: list[Fresh] = []
        at = view.at or 0
        if view.grow and view.at is not None:
            out.append(Grow(self._growing(view), ""))
        elif view.at is None:
            out.extend(render.checkbox(block.task))
        start = 0
        if unfinished:
            size, run = view.size or live.FIRST, view.run
            while True:
                cut, size = live.next_cut(text, start, self.context, size)
                if cut is None:
                    break
                with self.late.segment(view):
                    piece = text_nodes(text[start:cut], self.context, self.context.env())
                run = live.run_after(run, piece)
                for node in piece:
                    add_fresh(out, node)
                view.parts.append(text[start:cut])
                start = cut
            view.size, view.run = size, run
            settled = len(out)
            nodes, room = live.last_segment(text[start:], self.context, run, view.memo, view.cut + start)
        else:
            settled = 0
            with self.late.watch(block, view, bare, "".join(view.parts) + text):
                nodes, room = render.inline(text, self.context_of(block)), 0
        for node in nodes:
            add_fresh(out, node)
        if start:
            head = nodes[0] if nodes else None
            merged = settled > 0 and isinstance(out[settled - 1], Text | Grow)
            length = len(head.data) if merged and isinstance(head, Text) else 0
            self.after.append(bind(self._cut, view, at + settled - merged, merged, length, view.cut + start))
        if unfinished:
            self.room = room
        if bare:
            view.element = None
            return out
        return [self._host(view, tag, at, out)]

    def _host(self, view: View, tag: str, at: int, out: list[Fresh]) -> Fresh:
        if view.element is not None:
            return Graft(view.element, at, out)
        view.element = Element(tag, (), [resolve(node) for node in out])
        return view.element

    def _growing(self, view: View) -> Text:
        host = view.element if view.element is not None else self._item_of(view)
        node = host.children[view.at or 0]
        if not isinstance(node, Text):
            raise TypeError("the settled text of a paragraph has left its place")
        return node

    @staticmethod
    def _item_of(view: View) -> Element:
        parent = view.block.parent
        element: Element | None = view_of(parent).element if parent is not None else None
        if element is None:
            raise TypeError("a paragraph of a tight list has no item")
        return element

    def _whole(self, block: Block, view: View, bare: bool, unfinished: bool) -> list[Fresh]:
        """A paragraph that is painted anew as long as it is open."""
        if unfinished:
            nodes = render.prose(block, self.trial or self.context, True)
        else:
            with self.late.watch(block, view, bare):
                nodes = render.prose(block, self.context_of(block), False)
        if bare:
            return [*nodes]
        tag = "p" if block.kind == b.PARAGRAPH else f"h{block.level}"
        return [self._host(view, tag, 0, [*nodes])]

    def _cut(self, view: View, at: int, merged: bool, length: int, cut: int) -> None:
        """The pieces before the last one of a paragraph are settled: remember where the rest begins."""
        view.at, view.grow, view.cut, view.memo = at, merged, cut, []
        if merged:
            self._growing(view).settle(length)
        block = view.block
        while len(block.lines) > 1 and view.cut > len(block.lines[0]):
            block.own()
            view.cut -= len(block.lines[0]) + 1
            block.dropped.append(block.lines.pop(0))
        view.dropped = len(block.dropped)


def resolve_later(node: Fresh) -> Fresh:
    """What stands for a painted node once it is on the page."""
    if isinstance(node, Graft):
        return node.element
    return node.text if isinstance(node, Grow) else node


def _ends_line(node: Fresh) -> bool:
    if isinstance(node, Grow):
        return node.live.endswith("\n")
    return isinstance(node, Text) and node.data.endswith("\n")
