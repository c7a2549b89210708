"""The short way of a frame to its socket: the same bytes in the same order as the long one."""

import json
import struct
from typing import Any

import pytest

from chatsite.chats.wire import Socket, header


class Kernel:
    """A transport of Twisted's kind that takes `room` bytes at once."""

    connected = True
    dataBuffer = b""

    def __init__(self, room: int | Exception) -> None:
        self._tempDataBuffer: list[bytes] = []
        self.room = room
        self.taken = b""

    def writeSomeData(self, data: bytes) -> int | Exception:
        """Take what there is room for."""
        if isinstance(self.room, Exception):
            return self.room
        self.taken += data[: self.room]
        return len(data[: self.room])

    def write(self, data: bytes) -> None:
        """Keep for later."""
        self._tempDataBuffer.append(data)


def socket(transport: Kernel) -> Any:
    """A socket that is open."""
    one: Any = Socket.__new__(Socket)
    one.state, one.send_queue, one._perMessageCompress = Socket.STATE_OPEN, [], None
    one.transport = transport
    return one


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536, 100_000])
def test_header_says_how_long_the_text_is(size: int) -> None:
    head = header(size)
    assert head[0] == 0x81
    if size < 126:
        assert head[1:] == bytes([size])
    elif size < 65536:
        assert head[1:] == b"\x7e" + struct.pack("!H", size)
    else:
        assert head[1:] == b"\x7f" + struct.pack("!Q", size)


def test_what_the_kernel_does_not_take_is_left_to_twisted_and_order_is_kept() -> None:
    kernel = Kernel(10)
    one = socket(kernel)
    texts = [json.dumps({"n": n, "é": "x" * 40}, ensure_ascii=False) for n in range(3)]
    assert all(one.write(text) for text in texts)
    sent = kernel.taken + b"".join(kernel._tempDataBuffer)
    assert sent == b"".join(header(len(text.encode())) + text.encode() for text in texts)
    assert len(kernel.taken) == 10


def test_lost_connection_is_left_to_the_reactor() -> None:
    kernel = Kernel(ConnectionError())
    assert socket(kernel).write("x")
    assert b"".join(kernel._tempDataBuffer) == b"\x81\x01x"


def test_closing_and_busy_sockets_take_the_long_way() -> None:
    one = socket(Kernel(10))
    one.send_queue = [(b"x", True)]
    assert not one.write("x")
    one.send_queue = []
    one.state = Socket.STATE_CLOSING
    assert not one.write("x")
