"""Human pace for scripted and recorded streams, and awkward cuts in their bytes.

Everything random comes from one seeded generator, so a run can be repeated.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

EVENTS_PER_SECOND = 60.0
SHORTEST_SLEEP = 0.004


class Pacer:
    """Pauses between events: about EVENTS_PER_SECOND × speed, each off by up to ± jitter of its length.

    Pauses too short for a timer are saved up. A speed of 0 means without pauses.
    """

    def __init__(self, speed: float, jitter: float, rng: random.Random) -> None:
        self.speed = speed
        self.jitter = jitter
        self.rng = rng
        self._owed = 0.0

    async def pause(self, events: float = 1.0) -> None:
        """Wait as long as `events` events take."""
        if self.speed <= 0:
            await asyncio.sleep(0)
            return
        spread = 1 + self.jitter * self.rng.uniform(-1, 1)
        self._owed += events * spread / (EVENTS_PER_SECOND * self.speed)
        if self._owed >= SHORTEST_SLEEP:
            owed, self._owed = self._owed, 0.0
            await asyncio.sleep(owed)


class Cutter:
    """Turns whole events into writes that end in awkward places: inside a character, a key, a line end.

    What it holds back goes out with the next write; `rest` gives the last of it.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._held = b""

    def cut(self, event: bytes) -> bytes:
        """The bytes to write now, possibly none."""
        data = self._held + event
        luck = self.rng.random()
        if luck < 0.12:
            keep = len(data)
        elif luck < 0.45:
            keep = len(data) - self._place(data)
        else:
            keep = 0
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def rest(self) -> bytes:
        """All that is still held back."""
        data, self._held = self._held, b""
        return data

    def _place(self, data: bytes) -> int:
        """Where to cut: inside a multi-byte character when there is one, half of the times."""
        inside = [n for n, byte in enumerate(data) if 0x80 <= byte < 0xC0]
        if inside and self.rng.random() < 0.5:
            return self.rng.choice(inside)
        return self.rng.randint(1, max(1, len(data) - 1))


def split_events(data: bytes) -> Iterator[bytes]:
    """A recorded stream as its events, with their blank lines; a piece without one at the end too."""
    piece = b""
    for line in data.splitlines(keepends=True):
        piece += line
        if not line.strip(b"\r\n"):
            yield piece
            piece = b""
    if piece:
        yield piece
