"""A turn's page, fed on the event loop, or by a thread where a feed is likely to take so long that others
would have to wait: one of the last ones did, or many events come at once. The first dear feed of a turn is
not foreseen.

Hostile or odd Markdown can take a tenth of a second to render, and nothing else of a process moves while its
event loop is busy. The interpreter lets the loop in between while a thread renders.

Invariants: feeds are made one after another, in order; `shown` is called on the event loop, once for each;
nobody reads the page while a thread writes it.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from chatsite.relay import limits, pages
from streamrender.events import Event
from streamrender.page.panes import TurnPage

log = logging.getLogger(__name__)

# One for all turns: there is one interpreter lock, and turns that are dear may wait for one another.
_thread = ThreadPoolExecutor(1, thread_name_prefix="render")

FADING = 0.9

Fed = tuple[list[Any], float]
"""The changes of a feed and the seconds of CPU that it took."""


class Rendering:
    """`shown(rev, changes, took)` gets what each feed brought; `broken` once a feed has failed."""

    def __init__(self, turn: str, shown: Callable[[int, list[Any], float], None]) -> None:
        self.broken = False
        self._turn = turn
        self._shown = shown
        self._page = TurnPage(scope=pages.scope(turn))
        self._loop = asyncio.get_running_loop()
        self._dearest = 0.0  # of the feeds of late: cheap and dear ones alternate
        self._work: Future[Fed] | None = None
        self._rev = 0

    @property
    def busy(self) -> bool:
        """True while a thread is at it."""
        return self._work is not None

    def feed(self, events: list[Event], rev: int) -> None:
        """Render the events up to `rev`: now, or in a thread where that seems dear."""
        if self._dearest > limits.DEAR or len(events) > limits.MANY:
            self.finish()
            self._rev = rev
            self._work = work = _thread.submit(self._feed, events)
            work.add_done_callback(self._tell)
        else:
            self.feed_now(events, rev)

    def feed_now(self, events: list[Event], rev: int) -> None:
        """Render them before this returns."""
        self.finish()
        self._show(rev, self._feed(events))

    def finish(self) -> None:
        """Stand still until the thread is done."""
        if self._work is not None:
            self._arrived(self._work)

    async def finished(self) -> None:
        """Return when the thread is done."""
        if self._work is not None:
            await asyncio.wait([asyncio.wrap_future(self._work)])
            self.finish()

    def snapshot(self) -> dict[str, Any]:
        """The page as it is."""
        self.finish()
        return self._page.snapshot()

    def _feed(self, events: list[Event]) -> Fed:
        # CPU time, not the clock's: a busy machine is no reason to show less often.
        began = time.thread_time()
        try:
            changes = self._page.feed(events)
        except Exception:
            # A fault of the renderer must not take the turn with it: what came is in the journal.
            log.exception("Turn %s: %d events could not be rendered", self._turn, len(events))
            changes, self.broken = [], True
        return changes, time.thread_time() - began

    def _tell(self, work: Future[Fed]) -> None:
        # In the thread. A loop that is closed has nobody to tell.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._arrived, work)

    def _arrived(self, work: Future[Fed]) -> None:
        if work is self._work:
            fed = work.result()
            self._work = None
            self._show(self._rev, fed)

    def _show(self, rev: int, fed: Fed) -> None:
        changes, took = fed
        self._dearest = max(took, FADING * self._dearest)
        self._shown(rev, changes, took)
