"""A raw response taken apart again, with the time at which each piece arrived.

Recorded bytes and their arrivals are enough to say when each frame and each event was whole: that is what
an inspector shows. Invariant: the frames and events are those that the live decoder saw, since neither
depends on how the bytes are cut.
"""

from collections.abc import Iterable, Iterator
from typing import TypedDict

from streamrender.events import Event
from streamrender.wire import decode
from streamrender.wire.sse import SSE, Frame

Arrival = tuple[int, int] | list[int]
"""[milliseconds since the request, bytes]."""


class Raw(TypedDict):
    """One frame: `at` and `gap` (since the frame before) in milliseconds, `size` in bytes of its data."""

    n: int
    at: int
    gap: int
    size: int
    kind: str
    name: str
    data: str


def frames(wire: str, body: bytes, arrivals: Iterable[Arrival]) -> list[Raw]:
    """The frames of a response, numbered from 1. `kind` as in `streamrender.wire.sse`; on the `chunks` wire
    each line is an "event".
    """
    parser: SSE | _Lines = _Lines() if wire == "chunks" else SSE()
    found: list[Raw] = []
    before = last = 0

    def take(at: int, new: list[Frame]) -> None:
        nonlocal before
        for kind, name, data in new:
            size = len(data.encode("utf-8", "surrogatepass"))
            numbered: Raw = {
                "n": len(found) + 1,
                "at": at,
                "gap": at - before if found else 0,
                "size": size,
                "kind": kind,
                "name": name,
                "data": data,
            }
            found.append(numbered)
            before = at

    for at, piece in pieces(body, arrivals):
        last = at
        take(at, parser.feed(piece))
    take(last, parser.close())
    return found


def events(wire: str, body: bytes, arrivals: Iterable[Arrival]) -> list[Event]:
    """The events that the decoder of `wire` makes of a response, each with its `at`."""
    decoder = decode(wire)
    found: list[Event] = []
    last = 0
    for at, piece in pieces(body, arrivals):
        last = at
        found += [{**event, "at": at} for event in decoder.feed(piece)]
    return found + [{**event, "at": last} for event in decoder.close()]


def pieces(body: bytes, arrivals: Iterable[Arrival]) -> Iterator[tuple[int, bytes]]:
    """The bytes as they arrived. Bytes beyond the last arrival count as part of it; arrivals beyond the bytes
    (a body that was not kept whole) are left out.
    """
    start = at = 0
    for at, length in arrivals:
        if start >= len(body):
            return
        yield at, body[start : start + length]
        start += length
    if start < len(body):
        yield at, body[start:]


class _Lines:
    """The frames of a wire that is one JSON value a line."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Frame]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        return [("event", "", line.decode("utf-8", "replace")) for line in whole if line.strip()]

    def close(self) -> list[Frame]:
        rest, self._rest = self._rest, b""
        return [("tail", "", rest.decode("utf-8", "replace"))] if rest.strip() else []
