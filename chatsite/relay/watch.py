"""Which turns nobody runs any more, without trusting anybody's clock.

A lease is not compared with the time: clocks of two hosts differ, and one of them may jump. It has run out
when it has stood still for long enough by the monotonic clock of whoever looks. An owner on this host that is
certainly dead needs no waiting. After a pause in looking (this process was frozen, or the database away) the
wait begins anew: the owners may have had no chance to renew either.
"""

import time
from collections.abc import Callable, Iterable
from uuid import UUID

from chatsite.relay import limits, owner
from chatsite.relay.turns import Foreign

# A little less than the lease, so that the look that comes LEASE seconds after the first one counts.
STILL = limits.LEASE - limits.RENEW / 2


class Watch:
    """Remembers since when each lease has been as it is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[UUID, tuple[str, float]] = {}
        self._looked = clock()

    def abandoned(self, turns: Iterable[Foreign]) -> list[Foreign]:
        """Those whose owner is dead or has not renewed; `turns` are all that others run."""
        now = self._clock()
        if now - self._looked > 2 * limits.RENEW:
            self._since = {}
        self._looked = now
        since: dict[UUID, tuple[str, float]] = {}
        found = []
        for turn in turns:
            lease, first = self._since.get(turn.id, (turn.lease, now))
            since[turn.id] = (lease, first) if lease == turn.lease else (turn.lease, now)
            if owner.is_dead(turn.owner) or now - since[turn.id][1] >= STILL:
                found.append(turn)
        self._since = since
        return found
