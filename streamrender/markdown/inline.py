"""Inline tokens to nodes, through the allow-list: what is not named here cannot come out."""

import re
from typing import Any
from urllib.parse import urlsplit

from markdown_it.token import Token

from streamrender.markdown import tex
from streamrender.markdown.context import Context
from streamrender.page.tree import Attrs, Element, Node, Raw, Text, add_node

MAX_DEPTH = 24
"""Inline elements inside each other; deeper ones are left out, their content stays."""
REL = "noopener noreferrer nofollow ugc"

SPECIAL = re.compile(r"[!$&*:<\[\\_`~]")
"""A text without these is nothing but text and line breaks."""
_BREAK = re.compile(r" ?\n[ \t]*")

_OPEN = {"em_open": "em", "strong_open": "strong", "s_open": "s"}
_CLOSE = frozenset({"em_close", "strong_close", "s_close", "link_close"})


class _Tag(Text):
    """An inert tag that has not found its partner yet; as text it is its own source."""

    __slots__ = ("close", "name")

    def __init__(self, name: str, close: bool, source: str) -> None:
        super().__init__(source)
        self.name = name
        self.close = close


def text_nodes(text: str, context: Context, env: dict[str, Any]) -> list[Node]:
    """The nodes of the inline text of a leaf; `env` is from `context.env`. Plain text is not parsed."""
    if context.dialect.extended and not SPECIAL.search(text) and "  \n" not in text:
        env["plain_end"] = True
        if "\n" in text:
            text = _BREAK.sub("\n", text)
        return [Text(text.replace("\r", " "))] if text else []
    if context.parsed is not None and context.parsed[0] == text and "live" not in env:
        return inline_nodes(context.parsed[1], context)
    return inline_nodes(context.dialect.inline(text, env), context, "live" in env)


def inline_nodes(tokens: list[Token], context: Context, live: bool = False) -> list[Node]:
    """The nodes of inline tokens, normalised."""
    stack: list[tuple[Element | None, list[Node]]] = [(None, [])]
    links = 0
    for token in tokens:
        kind = token.type
        out = stack[-1][1]
        if kind in ("text", "text_special"):
            if token.content:
                out.append(Text(token.content.replace("\r", " ") if "\r" in token.content else token.content))
        elif kind == "softbreak":
            out.append(Text("\n"))
        elif kind == "code_inline":
            out.append(Element("code", (), [Text(token.content)] if token.content else []))
        elif kind in _OPEN:
            deep = len(stack) > MAX_DEPTH
            context.capped |= deep and not live
            stack.append((None, out) if deep else (Element(_OPEN[kind]), []))
        elif kind == "link_open":
            links += 1
            deep = len(stack) > MAX_DEPTH
            context.capped |= deep and not live
            stack.append((None, out) if deep else (Element("a", _link_attrs(token, context)), []))
        elif kind in _CLOSE:
            links -= kind == "link_close"
            element, children = stack.pop()
            if element is not None:
                element.children = _pair(children, live)
                stack[-1][1].append(element)
        elif kind == "hardbreak":
            out += [Element("br"), Text("\n")]
        elif kind == "image":
            out.append(_image(token, context, links > 0))
        elif kind == "tag":
            out.append(
                Element("br") if token.tag == "br" else _Tag(token.tag, token.info == "/", token.markup)
            )
        elif kind == "footnote":
            out.append(_footnote(token, context, links > 0))
        elif kind == "math":
            out.append(tex.inline(token.content, token.markup, token.block))
        elif kind == "open_math":
            out.append(Element("span", (("class", "math"),), [Text(token.content)]))
        elif kind == "html_inline":
            out.append(Raw(token.content))
    return _pair(stack[0][1], live)


def _pair(nodes: list[Node], live: bool) -> list[Node]:
    """Match inert tags that stand side by side in one parent; the ones without a partner become text."""
    if not any(isinstance(node, _Tag) for node in nodes):
        out: list[Node] = []
        for node in nodes:
            add_node(out, node)
        return out
    levels: list[tuple[_Tag | None, list[Node]]] = [(None, [])]
    waiting: dict[str, int] = {}
    for node in nodes:
        if not isinstance(node, _Tag):
            add_node(levels[-1][1], node)
        elif not node.close:
            if len(levels) > MAX_DEPTH // 2:
                add_node(levels[-1][1], Text(node.data))
                continue
            levels.append((node, []))
            waiting[node.name] = waiting.get(node.name, 0) + 1
        elif waiting.get(node.name):
            while True:
                tag, children = levels.pop()
                if tag is None:
                    break
                waiting[tag.name] -= 1
                if tag.name == node.name:
                    levels[-1][1].append(Element(tag.name, (), children))
                    break
                _unwrap(levels[-1][1], tag, children)
        else:
            add_node(levels[-1][1], Text(node.data))
    while len(levels) > 1:
        tag, children = levels.pop()
        if tag is not None and live and children:
            levels[-1][1].append(Element(tag.name, (), children))
        elif tag is not None and not live:
            _unwrap(levels[-1][1], tag, children)
    return levels[0][1]


def _unwrap(out: list[Node], tag: _Tag, children: list[Node]) -> None:
    add_node(out, Text(tag.data))
    for child in children:
        add_node(out, child)


def _link_attrs(token: Token, context: Context) -> Attrs:
    href = token.attrs.get("href")
    if href is None or (not href and not context.dialect.html):
        return ()
    title = token.attrs.get("title")
    named = (("title", str(title)),) if title else ()
    if context.dialect.html:
        return (("href", str(href)), *named)
    return (("href", str(href)), *named, ("rel", REL), ("target", "_blank"))


def _image(token: Token, context: Context, inside_link: bool) -> Element | Raw:
    """A placeholder: the alternative text and the host. Nothing is requested before somebody clicks."""
    if token.meta.get("unfinished"):
        return Element("span", (("class", "image"),), _image_parts(token.content, ""))
    alt = _plain(token.children or [])
    src = str(token.attrs.get("src", ""))
    if context.dialect.html:
        title = token.attrs.get("title")
        attrs: Attrs = (("src", src), ("alt", alt))
        return Element("img", (*attrs, ("title", str(title))) if title else attrs)
    parts = _image_parts(alt, urlsplit(src).hostname or "" if src.lower().startswith("http") else "")
    if inside_link or not src.lower().startswith("http"):
        return Element("span", (("class", "image"),), parts)
    attrs = (("class", "image"), ("href", src), ("rel", REL), ("target", "_blank"))
    return Element("a", attrs, parts)


def _image_parts(alt: str, host: str) -> list[Node]:
    parts: list[Node] = []
    if alt:
        parts.append(Element("span", (("class", "image-alt"),), [Text(alt)]))
    if host:
        parts.append(Element("span", (("class", "image-host"),), [Text(host)]))
    return parts


def _plain(tokens: list[Token]) -> str:
    """The text of tokens, as an image's alternative text."""
    out: list[str] = []
    for token in tokens:
        if token.type == "image":
            out.append(_plain(token.children or []))
        elif token.type in ("softbreak", "hardbreak"):
            out.append("\n")
        elif token.type in ("text", "text_special", "code_inline", "html_inline", "math"):
            out.append(token.content)
    return "".join(out)


def _footnote(token: Token, context: Context, inside_link: bool) -> Node:
    label = token.content
    number = context.notes.number(label)
    if not context.notes.shows(label):
        return Text(token.markup)
    mark: Node = Text(str(number))
    if not inside_link:
        mark = Element("a", (("href", f"#{context.scope}fn-{number}"),), [mark])
    return Element("sup", (("class", "footnote"),), [mark])
