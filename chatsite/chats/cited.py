"""Cited text for exports: the blocks of one text joined, with the marks and numbered sources of the page."""

import re
from itertools import groupby
from typing import Any

from streamrender.page.panes import TurnPage

Block = dict[str, Any]
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~$])")


def joined(blocks: list[Block]) -> list[Block]:
    """The blocks, each cited text as one: what stands between two cited spans belongs to their sentence."""
    found: list[Block] = []
    for is_text, group in groupby(blocks, lambda block: block.get("type") == "text"):
        run = list(group)
        cites = is_text and any(block.get("citations") for block in run)
        found += _texts(run) if cites else run
    return found


def sources(cited: list[dict[str, Any]]) -> str:
    """A numbered list in Markdown of sources as the page has them.

    >>> sources([{"url": "https://a.example/", "title": "A [b]", "quote": "so"}])
    'Sources:\\n\\n1. [A \\\\[b\\\\]](<https://a.example/>): so'
    """
    lines = [f"{number}. {_source(source)}" for number, source in enumerate(cited, 1)]
    return "Sources:\n\n" + "\n".join(lines) if lines else ""


def _texts(run: list[Block]) -> list[Block]:
    page = TurnPage(engine=_Unseen)
    for index, block in enumerate(run):
        page.feed([{"type": "content_block_start", "index": index, "content_block": block}])
        page.feed([{"type": "content_block_stop", "index": index}])
    panes = page.snapshot()["panes"]
    parts = (filter(None, [pane["markdown"], sources(pane["citations"])]) for pane in panes)
    return [{"type": "text", "text": "\n\n".join(part)} for part in parts]


def _source(source: dict[str, Any]) -> str:
    name = plain(source["title"] or source["url"] or source["quote"])
    url = source["url"]
    if url and not re.search(r"[<>\s\\]", url):
        name = f"[{name}](<{url}>)"
    said = source["quote"] if source["title"] or url else ""
    return f"{name}: {plain(said)}" if said else name


def plain(text: str) -> str:
    """A stranger's text as one line of Markdown that marks nothing up."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


class _Unseen:
    """An engine for pages of which only the source counts."""

    html = ""
    caps = ()

    def __init__(self, scope: str) -> None:
        """Nothing is rendered."""

    def feed(self, text: str, /) -> list[Any]:
        """No operations."""
        return []

    def close(self) -> list[Any]:
        """No operations."""
        return []
