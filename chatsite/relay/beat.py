"""The clock that all turns of a process share: whatever waits to be written is written together.

Between two beats events gather. A beat hands them to the journal in one transaction, and what it committed is
rendered and sent in one go, so that a process of many turns wakes up, commits and writes to its sockets a few
dozen times a second however many events come. The more of the time rendering takes, the longer the beat:
under load everything is shown a little more rarely, and nothing queues.
"""

import asyncio
from collections.abc import Callable

from chatsite.relay import limits


class Beat:
    """Event loop only. At most one beat in `period` seconds; the first one after a rest comes at once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[Callable[[], None], None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._last = 0.0
        self._spent = 0.0
        self.period = limits.FRAME

    def join(self, work: Callable[[], None]) -> None:
        """Call `work` once, with the next beat."""
        self._waiting[work] = None
        if self._timer is None:
            # Not before the loop has read what else has come.
            self._timer = self._loop.call_at(max(self._last + self.period, self._loop.time()), self._strike)

    def spent(self, seconds: float) -> None:
        """CPU time that rendering for viewers took."""
        self._spent += seconds

    def close(self) -> None:
        """No more beats."""
        if self._timer is not None:
            self._timer.cancel()
        self._waiting.clear()

    def _strike(self) -> None:
        self._timer = None
        now = self._loop.time()
        calm = min(self._spent / limits.CALM, limits.CROWDED_BEAT)
        needed = min(max(limits.FRAME, calm, self._spent / limits.RENDERING), limits.SLOWEST_BEAT)
        self.period = (self.period + needed) / 2
        self._last, self._spent = now, 0.0
        waiting, self._waiting = self._waiting, {}
        for work in waiting:
            work()
