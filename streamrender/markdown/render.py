"""Blocks to nodes.

White space between blocks is part of the page and follows one rule per kind of parent, `Assembly`, which the
incremental engine uses as well, so that a page that grew block by block has the same text nodes as one made
at once.
"""

from dataclasses import dataclass

from markdown_it.common.utils import unescapeAll

from streamrender.markdown import blocks as b
from streamrender.markdown import live as ends
from streamrender.markdown import tex
from streamrender.markdown.blocks import Block
from streamrender.markdown.code import Highlighter, group, grouped, language, starts_group
from streamrender.markdown.context import Context
from streamrender.markdown.inline import text_nodes
from streamrender.page.tree import Attrs, Element, Node, Raw, Text, add_node, normalised

BLOCK_TAGS = frozenset(
    {
        "p",
        "ul",
        "ol",
        "blockquote",
        "pre",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "table",
        "div",
        "details",
    }
)


def is_block(node: Node) -> bool:
    """Does the node stand among blocks, not inside a paragraph?"""
    if isinstance(node, Raw):
        return node.block
    return isinstance(node, Element) and node.tag in BLOCK_TAGS


@dataclass(frozen=True)
class End:
    """The unfinished end of a document: its leaf, and whether that leaf's last line is incomplete."""

    leaf: Block | None = None
    partial: bool = False


CLOSED = End()


def document(block: Block, context: Context, end: End = CLOSED) -> list[Node]:
    """The nodes of a whole document, footnotes left out."""
    out: list[Node] = []
    for child in block.children:
        for node in nodes(child, context, end):
            add_node(out, node)
        if child.kind != b.FOOTNOTE and not hidden(child, context, end):
            add_node(out, Text("\n"))
    return out


def hidden(block: Block, context: Context, end: End) -> bool:
    """Is there nothing to show of this block (yet)?"""
    if block.kind == b.FOOTNOTE:
        return True
    if block is not end.leaf or block.kind != b.PARAGRAPH or block.dropped:
        return False  # a paragraph whose first lines are on the page shows, whatever its next one looks like
    return not ends.shown(block, context.dialect.md)


def nodes(block: Block, context: Context, end: End = CLOSED, tight: bool = False) -> list[Node]:
    """The nodes of one block, without the white space around it; nothing for one that is hidden.

    `tight`: it is the item of a tight list.
    """
    if hidden(block, context, end):
        return []
    if block.kind in b.CONTAINERS:
        element = shell(block)
        inner = block.kind == b.LIST and not block.loose
        made = [(child, nodes(child, context, end, inner)) for child in block.children]
        element.children = assemble(block, made, tight)
        return [element]
    return leaf(block, context, end)


def shell(block: Block) -> Element:
    """The element of a container, empty."""
    kind = block.kind
    if kind == b.LIST:
        start: Attrs = (("start", str(block.number)),) if block.ordered and block.number != 1 else ()
        return Element("ol" if block.ordered else "ul", start)
    if kind == b.ITEM:
        return Element("li", (("class", "task"),) if block.task is not None else ())
    if kind == b.DETAILS:
        return Element("details", (("open", ""),) if block.label else ())
    if block.label:
        return Element("div", (("class", f"alert alert-{block.label}"),))
    return Element("blockquote")


def assemble(block: Block, made: list[tuple[Block, list[Node]]], tight: bool) -> list[Node]:
    """The children of a container from those of its blocks, white space included."""
    shown = [(child, part) for child, part in made if part]
    if tight:
        parts: list[tuple[bool, list[Node]]] = []
        for child, part in shown:
            bare = child.kind == b.PARAGRAPH and isinstance(part[0], Element)
            parts.append((bare, part[0].children if bare and isinstance(part[0], Element) else part))
        return tight_children(parts)
    if block.kind == b.ITEM and not shown:
        return []
    out: list[Node] = [Text("\n")]
    for _, part in shown:
        out.extend(part)
        out.append(Text("\n"))
    return normalised(out)


def tight_children(parts: list[tuple[bool, list[Node]]]) -> list[Node]:
    """The children of an item of a tight list: paragraphs lose their element (`parts`: is it one, its inline
    nodes).
    """
    out: list[Node] = []
    for bare, part in parts:
        if bare:
            for node in part:
                add_node(out, Text(node.data) if isinstance(node, Text) else node)
        else:
            if not out or not (isinstance(out[-1], Text) and out[-1].data.endswith("\n")):
                add_node(out, Text("\n"))
            out.extend(part)
            out.append(Text("\n"))
    return out


# ---------------------------------------------------------------- leaves
def leaf(block: Block, context: Context, end: End) -> list[Node]:
    kind = block.kind
    unfinished = block is end.leaf
    if kind == b.PARAGRAPH or kind == b.LITERAL:
        return [Element("p", (), prose(block, context, unfinished))]
    if kind == b.HEADING:
        return [Element(f"h{block.level}", (), prose(block, context, unfinished))]
    if kind == b.BREAK:
        return [Element("hr")]
    if kind == b.FENCE or kind == b.CODE:
        return [code(block, context, unfinished and end.partial)]
    if kind == b.TABLE:
        return [table(block, context, unfinished and end.partial)]
    if kind == b.MATH:
        return [math(block)]
    if kind == b.SUMMARY:
        return [Element("summary", (), inline(block.content(), context))]
    return [Raw("\n".join(block.lines).rstrip("\n"), block=True)]


def prose(block: Block, context: Context, unfinished: bool) -> list[Node]:
    """The inline content of a paragraph or heading."""
    out: list[Node] = list(checkbox(block.task))
    if unfinished:
        out += ends.inline(ends.shown(block, context.dialect.md), context)
    else:
        out += inline(block.content().strip(" \t\n\r"), context)
    return normalised(out)


def checkbox(task: str | None) -> list[Node]:
    if task is None:
        return []
    checked: Attrs = (("checked", ""),) if task == "x" else ()
    return [Element("input", (("type", "checkbox"), ("disabled", ""), *checked)), Text(" ")]


def inline(text: str, context: Context) -> list[Node]:
    """Finished inline text."""
    return text_nodes(text, context, context.env())


def code_shell(block: Block, context: Context) -> tuple[Element, Element]:
    """The elements of a code block: `pre` and the `code` inside it."""
    name = language(block.info) if block.kind == b.FENCE else ""
    if context.dialect.html and block.info:
        name = unescapeAll(block.info).split()[0]
    inner = Element("code", (("class", f"language-{name}"),) if name else ())
    return Element("pre", (), [inner]), inner


def colours(block: Block, context: Context) -> Highlighter:
    """The highlighter of a code block, at its start."""
    return Highlighter(language(block.info) if block.kind == b.FENCE and not context.dialect.html else "")


def code(block: Block, context: Context, partial: bool) -> Element:
    """A code block; with `partial` its last line is incomplete and therefore plain."""
    outer, inner = code_shell(block, context)
    lines = block.lines
    fold = colours(block, context)
    if block.kind == b.CODE:
        while lines and not lines[-1].strip(" \t"):
            lines = lines[:-1]
            partial = False
    if fold.whole and block.closed and not block.tentative:
        inner.children = grouped(fold.all("".join(line + "\n" for line in lines)))
        return outer
    into = inner.children
    for i, line in enumerate(lines):
        unfinished = partial and i == len(lines) - 1
        if starts_group(i) and not context.dialect.html and (line or not unfinished):
            inner.children.append(group(into := []))
        for node in [Text(line)] if unfinished else fold.line(line + "\n"):
            add_node(into, node)
    return outer


def math(block: Block) -> Element:
    """Display maths; while it is open its source is shown."""
    source = "\n".join(block.lines)
    if block.level == 0:
        return Element("div", (("class", "math"),), normalised([Text(source.rstrip("$\\ \n").lstrip("\n"))]))
    close = "$$" if block.bullet == "$$" else "\\]"
    return tex.block(source, f"{block.bullet}{source}{close}")


def table(block: Block, context: Context, partial: bool) -> Element:
    """A table; with `partial` the last cell of its last row is unfinished."""
    head = Element("thead", (), [Text("\n"), row(block, 0, context, False), Text("\n")])
    out: list[Node] = [Text("\n"), head, Text("\n")]
    if len(block.rows) > 1:
        body = Element("tbody", (), [Text("\n")])
        for i in range(1, len(block.rows)):
            body.children += [row(block, i, context, partial and i == len(block.rows) - 1), Text("\n")]
        out += [body, Text("\n")]
    return Element("table", (), out)


def row(block: Block, index: int, context: Context, partial: bool) -> Element:
    cells: list[Node] = [Text("\n")]
    tag = "td" if index else "th"
    texts = block.rows[index]
    if partial:
        while texts and not texts[-1]:
            texts = texts[:-1]
    last = max((i for i, text in enumerate(texts) if text), default=-1) if partial else -1
    for i, text in enumerate(texts):
        align: Attrs = (("align", block.aligns[i]),) if block.aligns[i] else ()
        content = ends.inline(text, context) if i == last else inline(text, context)
        cells += [Element(tag, align, content), Text("\n")]
    return Element("tr", (), cells)


# ---------------------------------------------------------------- footnotes
def footnotes(definitions: dict[str, Block], context: Context) -> list[Node]:
    """The section of footnotes, in the order of their numbers. Definitions may refer to further ones."""
    items: list[Node] = []
    labels: list[str] = []
    done = 0
    while done < len(context.notes.numbers):
        if done == len(labels):
            labels = list(context.notes.numbers)
        label = labels[done]
        done += 1
        block = definitions.get(label)
        if block is None:
            continue
        number = context.notes.numbers[label]
        position = len(items) // 2 + 1
        value: Attrs = (("value", str(number)),) if number != position else ()
        item = Element("li", (("id", f"{context.scope}fn-{number}"), *value), [Text("\n")])
        for child in block.children:
            item.children += nodes(child, context)
            item.children.append(Text("\n"))
        items += [Element("li", item.attrs, normalised(item.children)), Text("\n")]
    if not items:
        return []
    ordered = Element("ol", (), [Text("\n"), *items])
    return [Element("section", (("class", "footnotes"),), [Text("\n"), ordered, Text("\n")]), Text("\n")]


def definitions(block: Block) -> dict[str, Block]:
    """The footnote definitions of a document by label; the first of each wins."""
    found: dict[str, Block] = {}
    stack = [block]
    while stack:
        current = stack.pop()
        if current.kind == b.FOOTNOTE:
            found.setdefault(current.label, current)
        stack.extend(reversed(current.children))
    return found
