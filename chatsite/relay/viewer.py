"""One socket's view: a cursor for each turn, and a window of what is sent but not acknowledged.

A viewer is never queued for: with its window open and its cursor at a frame's start it gets the frame,
otherwise the turn is noted as owed and delivered later, from the log or as one snapshot. So a client that
stops reading costs at most one window and one delivery, whatever the server in front of it buffers.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from chatsite.relay import limits, protocol
from chatsite.relay.protocol import Close, Position

# Key of an ASGI scope under which a server may offer a `write` for Viewer, in a list of one.
WRITE = "streamrender.write"


class Source(Protocol):
    """Something that can bring a viewer up to date with one turn."""

    @property
    def turn(self) -> str: ...

    def deliver(self, viewer: "Viewer") -> None:
        """Send what the viewer lacks, at least up to the present."""


@dataclass(slots=True, frozen=True)
class _Sent:
    turn: str
    rev: int
    size: int
    at: float


class Viewer:
    """`send(text)` and `close(code)` reach the socket; everything here runs on the event loop.

    `write(text)`, where the server in front offers it, is the short way: at once and without a task; it gives
    False when it did not take the text.
    """

    def __init__(
        self,
        owner: int,
        session: str,
        send: Callable[[str], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
        write: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.owner = owner
        self.session = session
        self.conversation: UUID | None = None
        self.cursors: dict[str, Position] = {}
        self._owed: dict[str, Source] = {}
        self._send = send
        self._close = close
        self._write = write
        self._loop = asyncio.get_running_loop()
        self._out: deque[str] = deque()
        self._wake = asyncio.Event()
        self._closing: int | None = None
        self._unacked: deque[_Sent] = deque()
        self._unacked_bytes = 0
        self._pings = 0
        self._pinged = self.heard = self._loop.time()

    # What turns do.

    @property
    def open(self) -> bool:
        """True while the window takes another frame."""
        return self._unacked_bytes < limits.WINDOW_BYTES and len(self._unacked) < limits.WINDOW_FRAMES

    @property
    def unacked_bytes(self) -> int:
        """Bytes sent and not acknowledged."""
        return self._unacked_bytes

    def push(self, turn: str, position: Position, text: str) -> None:
        """Send a frame of a turn that brings the viewer to `position`."""
        self.cursors[turn] = position
        size = len(text) if text.isascii() else len(text.encode())
        self._unacked.append(_Sent(turn, position.rev, size, self._loop.time()))
        self._unacked_bytes += size
        self._put(text)

    def owe(self, source: Source) -> None:
        """Deliver this source now, or when the window opens; order is kept."""
        self._owed.setdefault(source.turn, source)
        self._catch_up()

    def forget_debts(self) -> None:
        """The viewer looks elsewhere: nothing is owed any more."""
        self._owed.clear()
        self.cursors.clear()

    # What the client says.

    def acknowledge(self, turn: str, rev: int) -> None:
        """The client's page has `turn` at `rev`, and with it all that was sent before."""
        count = 0
        for number, sent in enumerate(self._unacked, 1):
            if sent.turn == turn and sent.rev <= rev:
                count = number
        for _ in range(count):
            self._unacked_bytes -= self._unacked.popleft().size
        if count:
            self._catch_up()

    def tell(self, frame: dict[str, Any]) -> None:
        """Send a control frame, outside the window."""
        self._put(protocol.encode(frame))

    def end(self, code: int) -> None:
        """Close the socket after what is already on its way."""
        if self._closing is None:
            # Autobahn takes a plain int and nothing else.
            self._closing = int(code)
            self._owed.clear()
            self._wake.set()

    @property
    def ending(self) -> bool:
        """True once the socket is to be closed: what still comes from it is not heard."""
        return self._closing is not None

    def tick(self, now: float) -> None:
        """Heartbeat, called about every second."""
        if self.ending:
            return
        owes = self._unacked and now - self._unacked[0].at > limits.NO_ACK
        if owes or now - self.heard > protocol.HEARTBEAT + protocol.PONG_WITHIN:
            self.end(Close.SLOW)
        elif now - self._pinged >= protocol.HEARTBEAT:
            self._pinged = now
            self._pings += 1
            self.tell({"type": "ping", "n": self._pings})

    async def pump(self) -> None:
        """Write frames out until the socket is to be closed; runs as a task of the consumer."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._out:
                await self._send(self._out.popleft())
            if self._closing is not None:
                await self._close(self._closing)
                return

    def _put(self, text: str) -> None:
        if self._closing is not None or (not self._out and self._write(text)):
            return
        self._out.append(text)
        self._wake.set()

    def _catch_up(self) -> None:
        while self._owed and self.open and self._closing is None:
            turn = next(iter(self._owed))
            self._owed.pop(turn).deliver(self)
