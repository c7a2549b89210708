"""One request to an upstream and its raw answer, as it happened: for the inspector, and to be replayed.

While it runs, its bytes are stored with the events they make (Raw, RawChunk), so that they survive the
process; when it is over they are one compressed field of the Exchange.
"""

import asyncio
import json
import logging
import time
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from chatsite.relay import db, limits
from chatsite.relay.models import Exchange, RawChunk
from chatsite.relay.pages import packed

log = logging.getLogger(__name__)

SOON = 0.25  # a request that is answered sooner is stored once, with its answer

Arrivals = list[list[int]]
"""[[milliseconds since the request, bytes], …]"""


@dataclass(slots=True)
class Raw:
    """Bytes of one exchange on their way into the journal."""

    number: int
    data: bytearray = field(default_factory=bytearray)
    arrivals: Arrivals = field(default_factory=list)

    def add(self, at: int, data: bytes) -> None:
        """Bytes that came at `at`."""
        self.data += data
        _arrived(self.arrivals, at, len(data))


def _arrived(arrivals: Arrivals, at: int, length: int) -> None:
    if arrivals and arrivals[-1][0] == at:
        arrivals[-1][1] += length
    else:
        arrivals.append([at, length])


@dataclass
class Capture:
    """Fill it while the answer comes; `fields()` is what is stored. Never holds a secret: `request` is
    redacted.
    """

    turn: UUID
    number: int
    wire: str
    request: dict[str, Any]
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    over: bool = False
    started_at: datetime = field(default_factory=timezone.now)
    _began: float = field(default_factory=time.monotonic)
    _body: bytearray = field(default_factory=bytearray)
    _received: int = 0
    _arrivals: Arrivals = field(default_factory=list)

    def take(self, data: bytes) -> int:
        """Bytes that came just now; the milliseconds since the request. What exceeds limits.RAW is timed but
        not kept.
        """
        at = int((time.monotonic() - self._began) * 1000)
        _arrived(self._arrivals, at, len(data))
        self._received += len(data)
        if len(self._body) < limits.RAW:
            self._body += data[: limits.RAW - len(self._body)]
        return at

    @property
    def received(self) -> int:
        """Bytes that came so far."""
        return self._received

    def fields(self) -> dict[str, Any]:
        """The fields of an Exchange, request and response plain. The response is empty until it is over."""
        return {
            "turn_id": self.turn,
            "number": self.number,
            "wire": self.wire,
            "url": self.request.get("url", ""),
            "request": self.request,
            "status": self.status,
            "headers": self.headers,
            "error": self.error,
            "started_at": self.started_at,
            "response": bytes(self._body) if self.over else b"",
            "arrivals": self._arrivals if self.over else [],
        }


class Keeper:
    """Stores the exchanges of one turn: the request soon after it was sent, the whole when it is over."""

    def __init__(self) -> None:
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._over: dict[int, asyncio.Event] = {}

    def changed(self, capture: Capture) -> None:
        """A request was sent, or is over."""
        over = self._over.setdefault(capture.number, asyncio.Event())
        if capture.over:
            over.set()
        task = self._tasks.get(capture.number)
        if task is None or task.done():
            self._tasks[capture.number] = asyncio.create_task(self._save(capture, over))

    async def settled(self) -> None:
        """Wait until all is stored."""
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    async def _save(self, capture: Capture, over: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(SOON):
                await over.wait()
        except TimeoutError:
            pass
        while True:
            fields, whole = capture.fields(), capture.over
            try:
                await db.run(keep_exchange, fields, whole)
            except Exception:
                log.exception("Exchange %s of turn %s could not be stored", capture.number, capture.turn)
            if whole == capture.over:
                return


def keep_exchange(fields: dict[str, Any], whole: bool = True) -> None:
    """Store one exchange, or what is known of it: `request` and `response` are given plain. Synchronous."""
    key = {"turn_id": fields["turn_id"], "number": fields["number"]}
    stored = {"request": packed(fields["request"]), "response": zlib.compress(fields["response"], 6)}
    Exchange.objects.update_or_create(**key, defaults={**fields, **stored})
    if whole:
        RawChunk.objects.filter(**key).delete()


def fold_chunks(turn: UUID) -> None:
    """Give the exchanges of a turn that ends the bytes that came before their process died. Synchronous."""
    if not RawChunk.objects.filter(turn=turn).exists():
        return
    for exchange in Exchange.objects.filter(turn=turn):
        if not zlib.decompress(bytes(exchange.response)):
            body, exchange.arrivals = exchange_bytes(exchange)
            exchange.response = zlib.compress(body, 6)
            exchange.save(update_fields=["response", "arrivals"])
    RawChunk.objects.filter(turn=turn).delete()


def exchange_bytes(exchange: Exchange) -> tuple[bytes, Arrivals]:
    """The response of an exchange as far as it came, running or over, and its arrivals. Synchronous."""
    body = zlib.decompress(bytes(exchange.response))
    if body:
        return body, exchange.arrivals
    chunks = RawChunk.objects.filter(turn=exchange.turn_id, number=exchange.number).order_by("seq")
    parts = [(bytes(chunk.data), json.loads(chunk.arrivals)) for chunk in chunks]
    if not parts:
        return body, exchange.arrivals
    return b"".join(data for data, _ in parts), [one for _, arrivals in parts for one in arrivals]
