"""One turn's way into the journal: numbers and times events, keeps one commit in flight, then lets them be
shown.

Invariant: `shown` gets every event exactly once, in order, and only after its commit. Events wait for the
beat of the process (beat.py), but for the first token, and for what somebody waits to see settled.
"""

import asyncio
import time
from collections.abc import Callable
from uuid import UUID

from chatsite.relay import limits
from chatsite.relay.exchange import Raw
from chatsite.relay.journal import Journal, Row
from streamrender.events import Event


class Recorder:
    """`shown(events, last)` is called after each commit; `failed(error)` once, when a commit was refused."""

    def __init__(
        self,
        turn: UUID,
        fence: int,
        journal: Journal,
        shown: Callable[[list[Event], int], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._turn = turn
        self._fence = fence
        self._journal = journal
        self._shown = shown
        self._failed = failed
        self._began = time.monotonic()
        self._seq = 0
        self._pending: list[Event] = []
        self._raw: list[Raw] = []
        self._in_flight = False
        self._token = False
        self._hurry = False
        self._waiters: list[asyncio.Future[None]] = []
        self.error: Exception | None = None

    def at(self) -> int:
        """Milliseconds since the turn began."""
        return int((time.monotonic() - self._began) * 1000)

    def record(self, events: list[Event]) -> None:
        """Take events over (they get their `at`); raises the error of an earlier refused commit."""
        if self.error is not None:
            raise self.error
        if not events:
            return
        at = self.at()
        for event in events:
            event["at"] = at
        self._pending += events
        if not self._token and any(event["type"] == "content_block_delta" for event in events):
            self._token = self._hurry = True
        self._next()

    def go_on(self, events: list[Event], at: int) -> None:
        """Begin with events of an earlier turn, at their own times; the clock goes on from its end, `at`."""
        self._began -= at / 1000
        self._pending += events
        self._hurry = True
        self._next()

    def raw(self, number: int, at: int, data: bytes) -> None:
        """Bytes of an exchange, to be stored with the events that they make."""
        if not self._raw or self._raw[-1].number != number:
            self._raw.append(Raw(number))
        self._raw[-1].add(at, data)

    async def settled(self, at_most: int = 0) -> None:
        """Return when no more than `at_most` events wait for their commit. Raises the error of a refused
        one.
        """
        while self.error is None and len(self._pending) + self._in_flight > at_most:
            self._hurry = True
            self._next()
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        if self.error is not None:
            raise self.error

    @property
    def crowded(self) -> bool:
        """True when the upstream should not be read any faster."""
        return len(self._pending) > limits.BACKLOG

    def _next(self) -> None:
        """See to it that what is pending gets written: now, with the next beat, or after what is on its
        way.
        """
        if self._in_flight or not self._pending:
            return
        if self._hurry:
            self._write()
        else:
            self._journal.beat.join(self._write)

    def _write(self) -> None:
        if self._in_flight or not self._pending:
            return
        self._hurry = False
        batch, self._pending = self._pending, []
        raw, self._raw = self._raw, []
        first, self._seq = self._seq + 1, self._seq + len(batch)
        last = self._seq
        self._in_flight = True

        def done(error: Exception | None) -> None:
            self._in_flight = False
            if error is None:
                self._shown(batch, last)
                self._next()
            elif self.error is None:
                self.error = error
                self._failed(error)
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)
            self._waiters.clear()

        self._journal.append(Row(self._turn, self._fence, first, last, batch, done, raw))
