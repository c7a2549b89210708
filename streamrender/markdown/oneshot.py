"""Rendering from scratch: the definition of what the incremental engine must show.

`render_markdown` is a complete text, `render_live` a text that is still arriving. Neither knows the engine.
"""

import re

from streamrender.markdown import live, render
from streamrender.markdown.context import Context
from streamrender.markdown.dialect import CHAT, Dialect
from streamrender.markdown.tokens import arriving, document
from streamrender.page.tree import Node, serialize

MAX_SIZE = 4_000_000
"""Characters of one text that are rendered; what comes behind them is not on the page."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Without U+0000 (CommonMark, "Insecure characters") and lone surrogates, which UTF-8 cannot carry."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def render_markdown(text: str, dialect: Dialect = CHAT, scope: str = "") -> str:
    """HTML of a complete text."""
    return serialize(markdown_nodes(text, dialect, scope))


def render_live(text: str, dialect: Dialect = CHAT, scope: str = "") -> str:
    """HTML of a text that is still arriving."""
    return serialize(live_nodes(text, dialect, scope))


def markdown_nodes(text: str, dialect: Dialect = CHAT, scope: str = "") -> list[Node]:
    text = clean(text[:MAX_SIZE]).replace("\r\n", "\n").replace("\r", "\n")
    whole, references = document(dialect.blocks, text, dialect.tasks)
    context = Context(dialect, scope)
    for reference in references:
        context.references.define(reference)
    found = render.definitions(whole)
    context.notes.defined = set(found)
    return [*render.document(whole, context), *render.footnotes(found, context)]


def live_nodes(text: str, dialect: Dialect = CHAT, scope: str = "") -> list[Node]:
    text = clean(text[:MAX_SIZE]).removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
    whole, newline, rest = text.rpartition("\n")
    whole, number = whole + newline, text.count("\n")
    seen, references, tip = arriving(dialect.blocks, whole, dialect.tasks, number)
    context = Context(dialect, scope)
    for reference in references:
        context.references.define(reference)
    if rest and not live.forming(tip, dialect, rest):
        seen, _, _ = arriving(dialect.blocks, whole + rest[: live.HEAD], dialect.tasks, number)
        number += 1
    else:
        rest = ""
    return render.document(seen, context, render.End(*live.last_leaf(seen, number, rest)))
