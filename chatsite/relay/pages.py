"""The page of a turn from what is stored: the compact record of a finished one, the journal of any other.

A revision is the number of the last event rendered, and the page at a revision depends on the events up to it
alone, so every process gives the same.
"""

import json
import zlib
from collections import OrderedDict
from typing import Any

from chatsite.relay.models import Turn
from streamrender.events import Event
from streamrender.page.panes import TurnPage

KEPT_PAGES = 200
_finished: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()


def packed(value: Any) -> bytes:
    """JSON, zlib: the form of records and stored requests."""
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), 6)


def unpacked(data: bytes | memoryview) -> Any:
    """What `packed` was given."""
    return json.loads(zlib.decompress(bytes(data)))


def journaled(turn: Turn) -> tuple[int, list[Event]]:
    """The revision and events of a turn as stored; queries only for a turn without a record."""
    if turn.record is not None:
        return turn.last_seq, unpacked(turn.record)
    events: list[Event] = []
    last = 0
    for row in turn.journal.order_by("seq"):
        events.extend(json.loads(row.events))
        last = row.last
    return last, events


def page_of(turn: Turn) -> tuple[int, dict[str, Any]]:
    """Revision and page snapshot {"turn", "panes"} of a stored turn; finished pages are remembered."""
    key = (str(turn.id), turn.fence)
    if turn.record is not None and (page := _finished.get(key)) is not None:
        return turn.last_seq, page
    rev, events = journaled(turn)
    page = rendered(events)
    if turn.record is not None:
        _finished[key] = page
        while len(_finished) > KEPT_PAGES:
            _finished.popitem(last=False)
    return rev, page


def rendered(events: list[Event]) -> dict[str, Any]:
    """The page snapshot after `events`."""
    page = TurnPage()
    page.feed(events)
    return page.snapshot()
