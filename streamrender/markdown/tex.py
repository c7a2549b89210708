"""TeX to MathML.

latex2mathml passes markup and `javascript:` through and raises on much of what models write. So only its
element tree is used: every element goes through the allow-list below, text is escaped by the serialiser, and
any failure shows the source instead.
"""

import re
from functools import lru_cache
from xml.etree.ElementTree import Element as XmlElement

from latex2mathml.converter import convert_to_element

from streamrender.page.tree import Attrs, Element, Node, Text, add_node, copy

MAX_SOURCE = 4000
MAX_DEPTH = 60
ELEMENTS = frozenset(
    [
        *(
            "math",
            "mrow",
            "mi",
            "mn",
            "mo",
            "ms",
            "mtext",
            "mspace",
            "mfrac",
            "msqrt",
            "mroot",
            "msub",
            "msup",
        ),
        *(
            "msubsup",
            "munder",
            "mover",
            "munderover",
            "mmultiscripts",
            "mprescripts",
            "none",
            "mtable",
            "mtr",
        ),
        *("mtd", "mstyle", "mpadded", "mphantom", "menclose", "merror"),
    ]
)
_CODE = re.compile(r"&#x([0-9A-Fa-f]{2,6});")
_VALUE = re.compile(r"[#\w.%+ -]{1,40}")
ATTRIBUTES = frozenset(
    [
        *("display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "separator", "form"),
        *(
            "lspace",
            "rspace",
            "minsize",
            "maxsize",
            "movablelimits",
            "accent",
            "accentunder",
            "linethickness",
        ),
        *(
            "width",
            "height",
            "depth",
            "columnalign",
            "rowalign",
            "columnspacing",
            "rowspacing",
            "columnlines",
        ),
        *("rowlines", "columnspan", "symmetric", "largeop", "notation", "voffset"),
    ]
)


class _Unsafe(Exception):
    """The converter made something that is not on the list."""


def inline(source: str, written: str, block: bool) -> Element:
    """A formula inside a line; `written` is what the text says, delimiters included."""
    math = _convert(source.strip(), block)
    if math is None:
        return Element("code", (("class", "math"),), [Text(written)])
    return Element("span", (("class", "math"),), [copy(math)])


def block(source: str, written: str) -> Element:
    """A formula on its own."""
    math = _convert(source.strip(), True)
    inner: Node = Element("code", (), [Text(written)]) if math is None else copy(math)
    return Element("div", (("class", "math"),), [inner])


@lru_cache(256)
def _convert(source: str, display: bool) -> Element | None:
    if not source or len(source) > MAX_SOURCE or source.count("{") > 400:
        return None
    try:
        made = convert_to_element(source, display="block" if display else "inline")
        return _clean(made, 0)
    except Exception:  # the converter raises anything, IndexError and RecursionError included
        return None


def _clean(made: XmlElement, depth: int) -> Element:
    if depth > MAX_DEPTH or made.tag not in ELEMENTS:
        raise _Unsafe(made.tag)
    attrs: Attrs = tuple(
        (name, value) for name, value in made.attrib.items() if name in ATTRIBUTES and _VALUE.fullmatch(value)
    )
    children: list[Node] = []
    for text in (made.text, *(part for child in made for part in (child, child.tail))):
        if isinstance(text, XmlElement):
            children.append(_clean(text, depth + 1))
        elif text:
            add_node(children, Text(_decode(text)))
    return Element(made.tag, attrs, children)


def _decode(text: str) -> str:
    """The converter writes operators as character references; only those are decoded."""
    return (
        re.sub(r"&#x([0-9A-Fa-f]{2,6});", lambda m: _char(int(m[1], 16)), text).replace("\r", " ").strip("\n")
    )


def _char(code: int) -> str:
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF else "\ufffd"
