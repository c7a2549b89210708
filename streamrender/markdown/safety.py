"""The allow-list, written down once more, as a check.

The renderer can only make what `inline.py`, `render.py` and `tex.py` name. This table says the same
independently, so that tests and fuzzers can hold every page against it. It is not a sanitiser: nothing is
cleaned here.
"""

import re
from collections.abc import Iterable

from streamrender.markdown import tex
from streamrender.page.tree import Element, Node, Raw

_CLASS = re.compile(r"[a-z][a-z0-9-]{0,15}")
_LANGUAGE = re.compile(r"language-[\w+#.-]{1,40}")
_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f\"<>]*", re.I)
_NOTE = re.compile(r"#[\w.:-]{0,80}fn-\d+")
_CLASSES = {
    "a": {"image"},
    "code": {"math"},
    "div": {"alert alert-note", "alert alert-tip", "alert alert-important", "alert alert-warning"}
    | {"alert alert-caution", "math"},
    "li": {"task"},
    "section": {"footnotes"},
    "sup": {"footnote"},
}
_SPAN = {"math", "image", "image-alt", "image-host"}
_BARE = frozenset(
    [
        *(
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "br",
            "blockquote",
            "ul",
            "pre",
            "table",
            "thead",
            "tbody",
        ),
        *("tr", "em", "strong", "kbd", "mark", "u", "s", "ins", "del", "sub", "summary"),
    ]
)
_FIXED = {
    "rel": "noopener noreferrer nofollow ugc",
    "target": "_blank",
    "disabled": "",
    "checked": "",
    "open": "",
}
_ATTRIBUTES = {
    "a": {"class", "href", "title", "rel", "target"},
    "input": {"type", "disabled", "checked"},
    "ol": {"start"},
    "li": {"class", "id", "value"},
    "td": {"align"},
    "th": {"align"},
    "details": {"open"},
    "code": {"class"},
    "div": {"class"},
    "section": {"class"},
    "sup": {"class"},
    "span": {"class"},
}


def violations(nodes: Iterable[Node]) -> list[str]:
    """What in these nodes is not on the list, in words; empty when all is well."""
    found: list[str] = []
    stack: list[tuple[Node, bool, bool]] = [(node, False, False) for node in nodes]
    while stack:
        node, in_link, in_math = stack.pop()
        if isinstance(node, Raw):
            found.append(f"raw HTML {node.html[:40]!r}")
        if not isinstance(node, Element):
            continue
        if in_math or node.tag == "math":
            if node.tag not in tex.ELEMENTS or any(name not in tex.ATTRIBUTES for name, _ in node.attrs):
                found.append(f"in math: <{node.tag}>")
        elif node.tag not in _BARE and node.tag not in _ATTRIBUTES:
            found.append(f"<{node.tag}>")
        else:
            found.extend(
                f"<{node.tag} {n}={v!r}>" for n, v in node.attrs if not _allowed(node.tag, n, v or "")
            )
            if node.tag == "a" and in_link:
                found.append("a link in a link")
        link = in_link or node.tag == "a"
        stack.extend((child, link, in_math or node.tag == "math") for child in node.children)
    return found


def _allowed(tag: str, name: str, value: str) -> bool:
    if name not in _ATTRIBUTES.get(tag, ()):
        return False
    if name in _FIXED:
        return value == _FIXED[name]
    if name == "href":
        return bool(_LINK.fullmatch(value) or _NOTE.fullmatch(value))
    if name == "class":
        if tag == "span":
            return value in _SPAN or bool(_CLASS.fullmatch(value))
        return value in _CLASSES.get(tag, ()) or (tag == "code" and bool(_LANGUAGE.fullmatch(value)))
    if name == "align":
        return value in ("left", "right", "center")
    if name == "type":
        return value == "checkbox"
    return name == "title" or (name in ("start", "value") and value.isdigit()) or name == "id"
