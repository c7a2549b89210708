"""Daphne's side of a socket, with a short way out.

The long way of a frame (consumer, Channels, Daphne, Autobahn, Twisted's buffer, the reactor's next round)
costs more than making the frame. The short way writes it to the kernel at once and leaves to Twisted what the
kernel does not take. Both keep the order of what they are given.
"""

import struct
from typing import Any

from daphne.ws_protocol import WebSocketProtocol

TEXT = 0x81  # the last frame of a message, text (RFC 6455, section 5.2)


def header(size: int) -> bytes:
    """The first bytes of an unmasked text frame of so many bytes."""
    if size < 126:
        return bytes((TEXT, size))
    if size < 65536:
        return struct.pack("!BBH", TEXT, 126, size)
    return struct.pack("!BBQ", TEXT, 127, size)


class Socket(WebSocketProtocol):  # type: ignore[misc]
    """One socket of the server."""

    maxMessagePayloadSize: int

    def write(self, text: str) -> bool:
        """Send a text message, now; False where the long way must be taken."""
        busy = self.muted or self.send_queue or self._perMessageCompress is not None
        if busy or self.state != self.STATE_OPEN:
            return False
        payload = text.encode()
        self._put(header(len(payload)) + payload)
        return True

    def _put(self, data: bytes) -> None:
        transport: Any = self.transport
        if not transport.dataBuffer and not transport._tempDataBuffer and transport.connected:
            taken = transport.writeSomeData(data)
            # A connection that is lost is noticed by the reactor, at its next read or write.
            if isinstance(taken, int) and taken > 0:
                data = data[taken:]
        if data:
            transport.write(data)

    def sendMessage(self, payload: bytes, *args: Any, **options: Any) -> None:
        """Send a message of any size: Autobahn holds what goes out to the limit of what may come in, and the
        page of a long turn is larger than that.
        """
        limit = self.maxMessagePayloadSize
        self.maxMessagePayloadSize = 0
        try:
            super().sendMessage(payload, *args, **options)
        finally:
            self.maxMessagePayloadSize = limit
