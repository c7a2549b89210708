"""Turns whose model runs in a tab of the user: what the tab sends up is the turn's upstream.

The process of the socket that submitted the turn owns it and its feed. The tab proves itself by a secret that
it made for this turn, so that no other tab, and nobody else, can write into the answer. It is alive as long
as its socket is, and may be away for LEASE seconds; then the turn ends as cut off, with what had come.
Invariants: frames are taken in the order of their numbers, each once; nothing is taken after the end of a
round until the next one has begun.
"""

import asyncio
import dataclasses
import hmac
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import UUID

from django.conf import settings

from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import Choice
from chatsite.relay import db, fed_lines, limits, turns
from chatsite.relay.fed_choice import FedChoice
from chatsite.relay.process import Relay
from chatsite.relay.protocol import Chunks, Feeding, Tab, no
from chatsite.relay.viewer import Viewer

LEASE = limits.LEASE
MOST_BYTES = 8 * 1024 * 1024  # of one turn; cumulative pieces count whole
MOST_LINES = 2000  # of one frame
MOST_CALLS = 64  # of one turn
GONE = "The tab that ran the model was closed, or lost its connection for too long."


class Refused(Exception):
    """A frame that is not taken: `code` of the `no` frame, and a message for developers."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Round:
    """What the tab sends in one round, as the agent loop reads an HTTP response."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.ended = False
        self._lines: deque[bytes] = deque()
        self._wake = asyncio.Event()

    def put(self, data: bytes, last: bool) -> None:
        """Lines of the tab; with `last` the round is over."""
        self._lines.append(data)
        self.ended = self.ended or last
        self._wake.set()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._lines:
                yield self._lines.popleft()
            if self.ended:
                return


class Feed:
    """The tab's end of one turn. Event loop only."""

    def __init__(self, turn: UUID, owner: int, secret: str, gone: Callable[[], None]) -> None:
        """`gone()` is called when the tab does not come back."""
        self.turn = turn
        self._owner = owner
        self._secret = secret
        self._gone = gone
        self._viewer: Viewer | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._round: Round | None = None
        self._number = 0
        self._opening: dict[str, Any] | None = None
        self._last = 0
        self._bytes = 0
        self._calls: set[str] = set()

    def admits(self, owner: int, secret: str) -> bool:
        """Whether this user's tab with this secret may feed."""
        return owner == self._owner and hmac.compare_digest(secret.encode(), self._secret.encode())

    def attach(self, viewer: Viewer) -> None:
        """The tab's socket: it is told where the turn is, and how the round begins if it sent nothing yet."""
        self._viewer = viewer
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        self._acknowledge()
        if self._opening is not None:
            viewer.tell(self._opening)

    def detach(self, viewer: Viewer) -> None:
        """The socket is gone; the tab may come back."""
        if self._viewer is viewer:
            self._viewer = None
            self._leaving = asyncio.get_running_loop().call_later(LEASE, self._gone)

    def leave(self) -> None:
        """The tab says that it closes."""
        self._gone()

    def open(self, body: dict[str, Any]) -> Round:
        """Begin a round: the tab is told, and told again if it must come back before it began."""
        self._round = Round()
        self._number += 1
        kind = "results" if "results" in body else "prompt"
        self._opening = {"type": kind, "turn": str(self.turn), "round": self._number, **body}
        if self._viewer is not None:
            self._viewer.tell(self._opening)
        return self._round

    def take(self, frame: Chunks) -> None:
        """Lines of the tab. Raises Refused; then nothing of the frame was taken."""
        if frame.n > self._last:
            self._take(frame)
        self._acknowledge()

    def close(self) -> None:
        """The turn is over, however: the tab's model has nobody to write for any more."""
        if self._leaving is not None:
            self._leaving.cancel()
        if self._viewer is not None:
            self._viewer.tell({"type": "unfed", "turn": str(self.turn)})

    def _take(self, frame: Chunks) -> None:
        if frame.n != self._last + 1:
            raise Refused("out_of_order", f"Frame {self._last + 1} is the next.")
        if self._round is None or self._round.ended:
            raise Refused("out_of_order", "No round is open.")
        if len(frame.data) > MOST_LINES:
            raise Refused("too_large", f"A frame may hold {MOST_LINES} lines.")
        try:
            lines = [fed_lines.read(text) for text in frame.data]
        except ValueError as error:
            raise Refused("bad_frame", f"A line is wrong: {error}"[:200]) from None
        if any(line.last for line in lines[:-1]):
            raise Refused("bad_frame", "Lines stand behind the end of the round.")
        calls = [line.call for line in lines if line.call]
        if len({*calls, *self._calls}) < len(calls) + len(self._calls):
            raise Refused("bad_frame", "A call has the id of another.")
        data = b"".join(line.data for line in lines)
        if self._bytes + len(data) > MOST_BYTES or len(self._calls) + len(calls) > MOST_CALLS:
            self._overflow()
            raise Refused("too_large", "The turn holds no more.")
        self._last = frame.n
        self._bytes += len(data)
        self._calls.update(calls)
        self._opening = None
        self._round.put(data, bool(lines) and lines[-1].last)

    def _overflow(self) -> None:
        assert self._round is not None
        line = fed_lines.read('{"error":{"name":"too_large","message":"The answer has no end."}}')
        self._round.put(line.data, True)

    def _acknowledge(self) -> None:
        if self._viewer is not None:
            self._viewer.tell({"type": "chunks_ok", "turn": str(self.turn), "n": self._last})


class Feeds:
    """The fed turns of this process."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._feeds: dict[UUID, Feed] = {}

    def start(
        self, viewer: Viewer, tab: Tab, heading: dict[str, Any], fence: int, choice: FedChoice, prompt: Prompt
    ) -> None:
        """Run a turn, fed by the tab behind this socket."""
        turn = UUID(heading["turn"])
        feed = self._feeds[turn] = Feed(turn, viewer.owner, tab.secret, lambda: self._gone(turn))
        feed.attach(viewer)
        self._relay.runner.start(heading, fence, dataclasses.replace(choice, source=feed), prompt)
        self._relay.runner.runs[turn].task.add_done_callback(lambda _: self._feeds.pop(turn).close())

    async def hear(self, viewer: Viewer, frame: Chunks | Feeding) -> None:
        """A frame of a tab that feeds, or says so."""
        feed = self._feeds.get(frame.turn)
        if feed is None and settings.SEVERAL_PROCESSES:
            elsewhere = await db.run(turns.elsewhere, viewer.owner, frame.turn)
            viewer.tell({"type": "unfed", "turn": str(frame.turn), "elsewhere": elsewhere})
        elif feed is None or not feed.admits(viewer.owner, frame.secret):
            # Also for strangers: who does not know the secret learns nothing about the turn.
            viewer.tell({"type": "unfed", "turn": str(frame.turn)})
        elif isinstance(frame, Feeding):
            feed.leave() if frame.gone else feed.attach(viewer)
        else:
            try:
                feed.take(frame)
            except Refused as refused:
                viewer.tell(no(f"feed {frame.turn}", refused.code, str(refused)))

    def detach(self, viewer: Viewer) -> None:
        """A socket is gone."""
        for feed in self._feeds.values():
            feed.detach(viewer)

    def _gone(self, turn: UUID) -> None:
        if (run := self._relay.runner.runs.get(turn)) is not None:
            run.end("cut_off", GONE)


_feeds: weakref.WeakKeyDictionary[Relay, Feeds] = weakref.WeakKeyDictionary()


def feeds(relay: Relay) -> Feeds:
    """The feeds of a relay."""
    if relay not in _feeds:
        _feeds[relay] = Feeds(relay)
    return _feeds[relay]


def start(
    relay: Relay,
    viewer: Viewer,
    tab: Tab | None,
    heading: dict[str, Any],
    fence: int,
    choice: Choice,
    prompt: Prompt,
) -> None:
    """Run a turn that was begun in the database by this process, whoever writes its answer."""
    if isinstance(choice, FedChoice) and tab is not None:
        feeds(relay).start(viewer, tab, heading, fence, choice, prompt)
    else:
        relay.runner.start(heading, fence, choice, prompt)
