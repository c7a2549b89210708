"""Who watches what, in this process. No token ever goes through a channel layer: turns feed their viewers
directly.
"""

import asyncio
from collections import defaultdict
from typing import Any
from uuid import UUID

from chatsite.relay import limits, protocol
from chatsite.relay.live import LiveTurn
from chatsite.relay.viewer import Viewer


class Hub:
    """Running turns (and those that ended a moment ago) and the sockets that watch. Event loop only."""

    def __init__(self) -> None:
        self.live: dict[str, LiveTurn] = {}
        self.viewers: set[Viewer] = set()
        self.left: set[str] = set()  # turns that this process gave up unfinished
        self._watching: defaultdict[UUID, set[Viewer]] = defaultdict(set)
        self._loop = asyncio.get_running_loop()

    def join(self, viewer: Viewer) -> None:
        """A socket opened."""
        self.viewers.add(viewer)

    def leave(self, viewer: Viewer) -> None:
        """A socket is gone."""
        self.look_at(viewer, None)
        self.viewers.discard(viewer)

    def look_at(self, viewer: Viewer, conversation: UUID | None) -> None:
        """From now on the viewer hears of new turns of this conversation, and of no other."""
        if viewer.conversation is not None:
            watching = self._watching[viewer.conversation]
            watching.discard(viewer)
            if not watching:
                del self._watching[viewer.conversation]
        for live in self.live.values():
            live.detach(viewer)
        viewer.forget_debts()
        viewer.conversation = conversation
        if conversation is not None:
            self._watching[conversation].add(viewer)

    def open(self, live: LiveTurn) -> None:
        """A turn begins: everybody who watches its conversation sees it."""
        self.live[live.turn] = live
        for viewer in list(self._watching.get(UUID(live.heading["conversation"]), ())):
            live.attach(viewer, None)

    def watched(self) -> list[UUID]:
        """The conversations that somebody looks at."""
        return list(self._watching)

    def forget(self, live: LiveTurn) -> None:
        """A turn is shown from the database from now on."""
        self._drop(live)

    def close(self, live: LiveTurn) -> None:
        """A turn has ended; it is kept a moment for whoever is just joining."""
        live.end()
        self._loop.call_later(limits.KEEP_ENDED, self._drop, live)

    def lost(self, live: LiveTurn) -> None:
        """Another owner has the turn, or will end it: whoever watches asks again."""
        self._drop(live)
        self.left.add(live.turn)
        for viewer in list(live.viewers):
            viewer.end(protocol.Close.DRAIN)

    def tell(self, owner: int, frame: dict[str, Any]) -> None:
        """A control frame for all sockets of one owner."""
        for viewer in self.viewers:
            if viewer.owner == owner:
                viewer.tell(frame)

    def end_session(self, session: str, code: int) -> None:
        """Close the sockets that one login opened."""
        for viewer in [viewer for viewer in self.viewers if viewer.session == session]:
            viewer.end(code)

    def end_owner(self, owner: int, code: int) -> None:
        """Close all sockets of one owner."""
        for viewer in [viewer for viewer in self.viewers if viewer.owner == owner]:
            viewer.end(code)

    def tick(self) -> None:
        """Heartbeats of all sockets."""
        now = self._loop.time()
        for viewer in list(self.viewers):
            viewer.tick(now)

    def _drop(self, live: LiveTurn) -> None:
        if self.live.get(live.turn) is live:
            del self.live[live.turn]
