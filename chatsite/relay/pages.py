"""The page of a turn from what is stored: the compact record of a finished one, the journal of any other.

A revision is the number of the last event rendered, and the page at a revision depends on the events up to it
alone, so every process gives the same.
"""

import hashlib
import json
import logging
import zlib
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import streamrender
from chatsite.relay.models import Turn
from streamrender.events import Event
from streamrender.page.panes import TurnPage
from streamrender.page.prose import Engine

log = logging.getLogger(__name__)


def _renderer() -> str:
    """Names the code that makes pages: when any of it changes, kept pages are made again."""
    digest = hashlib.sha256()
    for path in sorted(Path(streamrender.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


RENDERER = _renderer()


def packed(value: Any) -> bytes:
    """JSON, zlib: the form of records and stored requests."""
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), 6)


def unpacked(data: bytes | memoryview) -> Any:
    """What `packed` was given."""
    return json.loads(zlib.decompress(bytes(data)))


def journaled(turn: Turn) -> tuple[int, list[Event]]:
    """The revision and events of a turn as stored."""
    if turn.status == Turn.Status.ENDED and turn.record is not None:
        return turn.last_seq, unpacked(turn.record)
    events: list[Event] = []
    last = 0
    for row in turn.journal.order_by("seq"):
        events.extend(json.loads(row.events))
        last = row.last
    return last, events


def page_of(turn: Turn) -> tuple[int, dict[str, Any]]:
    """Revision and page snapshot {"turn", "panes"} of a stored turn.

    The page of an ended turn is kept with it, made anew only when the renderer has changed. Should the
    renderer fail, the text is shown plain: one odd answer must not close a whole conversation.
    """
    if turn.page is not None and turn.page_by == RENDERER:
        return turn.last_seq, unpacked(turn.page)
    rev, events = journaled(turn)
    try:
        page = rendered(turn, events)
    except Exception:
        log.exception("Turn %s could not be rendered", turn.id)
        return rev, rendered(turn, events, engine=Plain)
    if turn.status == Turn.Status.ENDED:
        Turn.objects.filter(id=turn.id, fence=turn.fence).update(page=packed(page), page_by=RENDERER)
    return rev, page


def scope(turn: str) -> str:
    """What tells identifiers inside this turn (of footnotes) from those of other turns."""
    return f"t{turn[-8:]}"


def rendered(turn: Turn, events: list[Event], **engine: Callable[[str], Engine]) -> dict[str, Any]:
    """The page snapshot of `turn` after `events`."""
    page = TurnPage(scope=scope(str(turn.id)), **engine)
    page.feed(events)
    return page.snapshot()


class Plain:
    """An engine that shows the source as it is."""

    caps = ()

    def __init__(self, scope: str) -> None:
        self._source = ""

    @property
    def html(self) -> str:
        """The source as preformatted text."""
        return f"<pre><code>{escape(self._source)}</code></pre>"

    def feed(self, text: str) -> list[Any]:
        """More source."""
        self._source += text
        return [["p", 0, 0, self.html]]

    def close(self) -> list[Any]:
        """Nothing is left to say."""
        return []
