"""HTML as text for a model, in one pass whose time grows with the length alone.

No tree is built: a real HTML parser takes time quadratic in the depth of hostile nesting. What is lost (a `>`
inside an attribute ends the tag early) costs a few odd letters in text that a model reads.
"""

from __future__ import annotations

import html
import re

BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "br", "dd", "div", "dl", "dt", "figcaption",
        "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "li", "main", "ol",
        "option", "p", "pre", "section", "table", "tr", "ul",
    }
)  # fmt: skip
CELLS = frozenset({"td", "th"})
UNREAD = frozenset({"script", "style", "noscript", "template", "svg", "math", "iframe", "nav", "title"})
NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9-]{0,30})")


def readable(source: str, most: int = 1_000_000) -> str:
    """The text of a page, a line for each block; scripts, styles and navigation left out.

    Stops somewhere after `most` characters of text.

    >>> readable("<title>T</title><h1>A</h1><p>b <b>c</b> &lt; d</p><script>x</script><ul><li>e</ul>")
    'A\\nb c < d\\ne'
    """
    lower = source.lower()
    if len(lower) != len(source):
        # A few capitals change their length; the positions must stay those of the source.
        lower = source
    out: list[str] = []
    at, length = 0, 0
    while length <= most and (tag := source.find("<", at)) >= 0:
        out.append(_text(source[at:tag]))
        length += len(out[-1]) + 1
        if source.startswith("<!--", tag):
            end = source.find("-->", tag + 4)
            at = len(source) if end < 0 else end + 3
            continue
        named = NAME.match(source, tag + 1)
        if named is None and source[tag + 1 : tag + 2] not in ("!", "?", "/"):
            out.append("<")
            at = tag + 1
            continue
        end = source.find(">", tag)
        at = len(source) if end < 0 else end + 1
        name = named.group(1).lower() if named else ""
        if name in UNREAD and source[tag + 1] != "/":
            end = lower.find(f"</{name}", at)
            at = len(source) if end < 0 else end
        elif name in CELLS:
            out.append(" | " if source[tag + 1] == "/" else " ")
        elif name in BLOCKS:
            out.append("\n")
    if length <= most:
        out.append(_text(source[at:]))
    lines = (" ".join(line.split()) for line in "".join(out).split("\n"))
    return "\n".join(line for line in lines if line)


def title_of(source: str) -> str:
    """The title of a page, "" without one."""
    found = re.search(r"<title[^>]{0,200}>([^<]{0,300})", source[:20_000], re.I)
    return " ".join(html.unescape(found.group(1)).split()) if found else ""


def _text(piece: str) -> str:
    return html.unescape(piece).replace("\n", " ").replace("\r", " ")
