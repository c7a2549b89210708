"""A running turn as this process shows it: committed events in, one rendering for all viewers out.

Invariants: nothing is rendered before it is committed; the page at `rev` is that of the events up to `rev`;
a frame leads from one revision to the next without a hole. What a beat committed is rendered at once
(beat.py), more rarely where rendering this one turn takes long, and not before anybody looks.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chatsite.relay import limits, protocol
from chatsite.relay.protocol import Position
from chatsite.relay.rendering import Rendering
from streamrender.events import Event
from streamrender.page.between import changes_between

if TYPE_CHECKING:
    from chatsite.relay.viewer import Viewer


@dataclass(slots=True, frozen=True)
class Frame:
    """Rendered changes from one revision to another, as text."""

    start: int
    end: int
    text: str


class LiveTurn:
    """`heading` is what protocol.heading gives, `epoch` names the writer, `spent` is told the seconds of CPU
    that each rendering took.
    """

    def __init__(
        self, heading: dict[str, Any], epoch: str, spent: Callable[[float], None] = lambda _: None
    ) -> None:
        self.heading = heading
        self.turn: str = heading["turn"]
        self.epoch = epoch
        self.rev = 0
        self.ended = False
        self.viewers: set[Viewer] = set()
        self.renders = 0
        self._rendering = Rendering(self.turn, self._rendered)
        self._final: dict[str, Any] | None = None
        self._pending: list[Event] = []
        self._pending_rev = 0
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._cost = 0.0
        self._spent = spent
        self._log: deque[Frame] = deque()
        self._log_bytes = 0
        self._snapshot: tuple[int, str] | None = None

    @property
    def broken(self) -> bool:
        """True when something could not be rendered."""
        return self._rendering.broken

    def committed(self, events: list[Event], last: int) -> None:
        """Events that are in the journal, the newest with number `last`."""
        self._pending += events
        self._pending_rev = last
        self._schedule()

    def conclude(self, rev: int, page: dict[str, Any]) -> bool:
        """Come to the page that the turn ended with, where only that page is known; False where the changes
        that lead to it cannot be told or are not worth it.
        """
        self._render_now()
        shown = self._rendering.snapshot()
        if _length(page) > limits.LARGEST_DIFF:
            return False
        try:
            changes = changes_between(shown, page)
        except ValueError:
            return False
        self._final = page
        self._show(rev, changes)
        return True

    async def rendered(self) -> None:
        """Return when all that was committed is shown."""
        while self._pending or self._rendering.busy:
            self.render()
            await self._rendering.finished()

    def end(self) -> None:
        """Render what is left, now."""
        self._render_now()
        self.ended = True

    def _schedule(self) -> None:
        if not self._pending or (not self.viewers and len(self._pending) < limits.UNSEEN):
            return
        wait = self._due - self._loop.time()
        if wait <= 0:
            self.render()
        elif self._timer is None:
            self._timer = self._loop.call_later(wait, self.render)

    def render(self) -> None:
        """Feed the page what is pending; `_rendered` offers the changes to every viewer."""
        self._stop_timer()
        # What a thread is at comes first, and what came meanwhile goes out together after it.
        if self._pending and not self._rendering.busy:
            events, self._pending = self._pending, []
            self._rendering.feed(events, self._pending_rev)

    def _render_now(self) -> None:
        # Taken first, so that a thread which is done has nothing to begin again with.
        events, self._pending = self._pending, []
        self._stop_timer()
        self._rendering.finish()
        if events:
            self._rendering.feed_now(events, self._pending_rev)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rendered(self, rev: int, changes: list[Any], took: float) -> None:
        began = time.thread_time()
        self.renders += 1
        self._show(rev, changes)
        took += time.thread_time() - began
        self._spent(took)
        self._cost += 0.2 * (took - self._cost)
        # Beats are a frame apart; a turn that takes a good part of that by itself is shown more rarely.
        wait = 3 * self._cost
        self._due = self._loop.time() + (min(wait, limits.SLOWEST_FRAME) if wait > limits.FRAME else 0)
        self._schedule()

    def _show(self, rev: int, changes: list[Any]) -> None:
        frame = Frame(
            self.rev, rev, protocol.encode(protocol.ops(self.turn, self.epoch, self.rev, rev, changes))
        )
        self.rev = rev
        self._keep(frame)
        for viewer in list(self.viewers):
            self._offer(viewer, frame)

    def attach(self, viewer: "Viewer", position: Position | None) -> None:
        """Let a viewer follow from `position` (None: from nothing) on."""
        if not self.viewers:
            self.render()
        self.viewers.add(viewer)
        if position is not None:
            viewer.cursors[self.turn] = position
        else:
            viewer.cursors.pop(self.turn, None)
        viewer.owe(self)

    def detach(self, viewer: "Viewer") -> None:
        """The viewer is gone or looks elsewhere."""
        self.viewers.discard(viewer)

    def deliver(self, viewer: "Viewer") -> None:
        """Bring a viewer to the present: the missing frames where the log has them all and they are no more
        than the page itself, otherwise a snapshot.
        """
        at = viewer.cursors.get(self.turn)
        if at is not None and at.epoch == self.epoch:
            if at.rev > self.rev:
                # A page made from the journal can be a few milliseconds ahead of what is rendered here.
                self.render()
            if at.rev == self.rev:
                return
            missing = self._since(at.rev)
            if missing and sum(len(frame.text) for frame in missing) <= len(self.snapshot_text()):
                for frame in missing:
                    viewer.push(self.turn, Position(self.epoch, frame.end), frame.text)
                return
        if self._rendering.busy:
            # The page is being written. What comes of it finds this viewer lost and comes back here.
            viewer.cursors.pop(self.turn, None)
            return
        viewer.push(self.turn, Position(self.epoch, self.rev), self.snapshot_text())

    def snapshot(self) -> dict[str, Any]:
        """The snapshot frame of the present revision."""
        page = self._rendering.snapshot() if self._final is None else self._final
        return protocol.snapshot(self.heading, self.epoch, self.rev, page)

    def snapshot_text(self) -> str:
        """The same as text, made once for a revision however many ask."""
        if self._snapshot is None or self._snapshot[0] != self.rev:
            self._snapshot = (self.rev, protocol.encode(self.snapshot()))
        return self._snapshot[1]

    def _offer(self, viewer: "Viewer", frame: Frame) -> None:
        if viewer.open and viewer.cursors.get(self.turn) == Position(self.epoch, frame.start):
            viewer.push(self.turn, Position(self.epoch, frame.end), frame.text)
        else:
            viewer.owe(self)

    def _keep(self, frame: Frame) -> None:
        self._log.append(frame)
        self._log_bytes += len(frame.text)
        while self._log and (self._log_bytes > limits.LOG_BYTES or len(self._log) > limits.LOG_FRAMES):
            self._log_bytes -= len(self._log.popleft().text)

    def _since(self, rev: int) -> list[Frame]:
        """The frames from revision `rev` to now; empty where the log no longer has them."""
        frames = [frame for frame in self._log if frame.start >= rev]
        return frames if frames and frames[0].start == rev else []


def _length(page: dict[str, Any]) -> int:
    return sum(len(pane.get("html") or "") for pane in page["panes"])


class StoredTurn:
    """A turn that no process of ours is running, as one snapshot frame."""

    def __init__(self, frame: dict[str, Any]) -> None:
        self.turn: str = frame["turn"]
        self._frame = frame

    def deliver(self, viewer: "Viewer") -> None:
        """Send the snapshot."""
        position = Position(self._frame["epoch"], self._frame["rev"])
        viewer.push(self.turn, position, protocol.encode(self._frame))
