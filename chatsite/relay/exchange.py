"""One request to an upstream and its raw answer, as it happened: for the inspector, and to be replayed."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from chatsite.relay import limits


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
    started_at: datetime = field(default_factory=timezone.now)
    _began: float = field(default_factory=time.monotonic)
    _body: bytearray = field(default_factory=bytearray)
    _received: int = 0
    _arrivals: list[list[int]] = field(default_factory=list)

    def take(self, data: bytes) -> None:
        """Bytes that came just now. What exceeds limits.RAW is timed but not kept."""
        at = int((time.monotonic() - self._began) * 1000)
        if self._arrivals and self._arrivals[-1][0] == at:
            self._arrivals[-1][1] += len(data)
        else:
            self._arrivals.append([at, len(data)])
        self._received += len(data)
        if len(self._body) < limits.RAW:
            self._body += data[: limits.RAW - len(self._body)]

    @property
    def received(self) -> int:
        """Bytes that came so far."""
        return self._received

    def fields(self) -> dict[str, Any]:
        """The fields of an Exchange, request and response plain."""
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
            "response": bytes(self._body),
            "arrivals": self._arrivals,
        }
