"""Leaves that may become very long: code line by line, tables row by row.

What is complete is painted once and then forgotten; the rest is painted again with each feed.
"""

from __future__ import annotations

from functools import partial as bind
from typing import TYPE_CHECKING

from streamrender.markdown import blocks as b
from streamrender.markdown import live, render
from streamrender.markdown.blocks import Block
from streamrender.markdown.code import group, grouped, starts_group
from streamrender.markdown.views import View, add_fresh
from streamrender.page.ops import Fresh, Graft, Grow, resolve
from streamrender.page.tree import Element, Text

if TYPE_CHECKING:
    from streamrender.markdown.paint import Painter


def code(painter: Painter, block: Block, view: View) -> Fresh:
    """A code block; its complete lines settle."""
    partial = block is painter.end.leaf and painter.end.partial
    lines = block.lines
    if block.kind == b.CODE:
        while lines and not lines[-1].strip(" \t"):
            lines, partial = lines[:-1], False
    complete = lines[:-1] if partial else lines
    new = view.element is None
    if new:
        view.element, view.inner = render.code_shell(block, painter.context)
        view.fold = render.colours(block, painter.context)
    outer, inner, fold = view.element, view.inner, view.fold
    if outer is None or inner is None or fold is None:
        raise TypeError("code without a highlighter")
    held = outer.children[0]
    if not isinstance(held, Element):
        raise TypeError("code without its element")
    if fold.whole:
        view.source.extend(line + "\n" for line in complete)
        if block.closed and not block.tentative:
            whole = grouped(fold.all("".join(view.source)))
            if new:
                held.children = whole
            return outer if new else Graft(outer, 0, [Graft(held, 0, whole)])
    base, count = view.at or 0, view.lines
    plain = painter.context.dialect.html
    parts: list[list[Fresh]] = [[]]  # what goes on in `inner`, and the groups behind it
    if view.grow and isinstance(last := inner.children[base], Text):
        parts[0].append(Grow(last, ""))
    for line in complete:
        if starts_group(count) and not plain:
            parts.append([])
        for node in fold.line(line + "\n"):
            add_fresh(parts[-1], node)
        count += 1
    home, settled = len(parts) - 1, len(parts[-1])
    merged = settled > 0 and isinstance(parts[-1][-1], Text | Grow)
    rest = lines[-1] if partial else ""
    apart = bool(rest) and starts_group(count) and not plain
    if apart:
        parts.append([])
    add_fresh(parts[-1], Text(rest))
    if partial and rest.strip(" \t`~"):
        painter.room = live.HEAD
    groups = [group([resolve(node) for node in part]) for part in parts[1:]]
    tail: list[Fresh] = [*parts[0], *groups]
    at = base if inner is held else view.index
    if inner is not held:
        tail[: len(parts[0])] = [Graft(inner, base, parts[0])]
    if home:
        view_index, base = at + len(tail) - len(groups) + home - 1, 0
        inner = groups[home - 1]
    else:
        view_index = view.index
    place = (inner, view_index, base + settled - merged, merged)
    painter.after.append(bind(_lines, view, *place, 0 if apart else len(rest), len(complete)))
    if new:
        held.children = [resolve(node) for node in tail]
        return outer
    return Graft(outer, 0, [Graft(held, at, tail)])


def _lines(view: View, inner: Element, index: int, at: int, merged: bool, length: int, count: int) -> None:
    """So many complete lines are on the page, the last of them in `inner`: drop them."""
    view.inner, view.index, view.at, view.grow = inner, index, at, merged
    view.lines += count
    if merged and isinstance(last := inner.children[at], Text):
        last.settle(length)
    block = view.block
    block.own()
    del block.lines[:count]


def table(painter: Painter, block: Block, view: View) -> Fresh:
    """A table; its complete rows settle."""
    partial = block is painter.end.leaf and painter.end.partial
    context = painter.context_of(block) if view.block is block else painter.context
    head = Element("thead", (), [Text("\n")])
    if view.element is None:  # before the rows: footnotes are numbered in the order of the text
        head.children += [painter.late.row(block, 0, context), Text("\n")]
    rows: list[Fresh] = []
    count = len(block.rows) - 1
    for i in range(1, len(block.rows)):
        unfinished = partial and i == count
        if unfinished:
            trial = (painter.trial or painter.context).tentative()
            row = render.row(block, i, trial, True)
            painter.room = max(trial.room, 0)
        else:
            row = painter.late.row(block, i, context)
        rows += [row, Text("\n")]
    keep = count - 1 if partial else count
    painter.after.append(bind(_rows, view, keep))
    if view.element is None:
        view.element = Element("table", (), [Text("\n"), head, Text("\n")])
        if rows:
            view.inner = Element("tbody", (), [Text("\n"), *(resolve(row) for row in rows)])
            view.element.children += [view.inner, Text("\n")]
        return view.element
    if view.inner is not None:
        body: Fresh = Graft(view.inner, view.at or 1, rows)
    elif rows:
        body = view.inner = Element("tbody", (), [Text("\n"), *(resolve(row) for row in rows)])
    else:
        return Graft(view.element, 3, [])
    if not rows and view.at is None:
        view.inner = None
        return Graft(view.element, 3, [])
    return Graft(view.element, 3, [body, Text("\n")])


def _rows(view: View, count: int) -> None:
    view.at = (view.at or 1) + 2 * count
    block = view.block
    block.own()
    del block.rows[1 : 1 + count]
