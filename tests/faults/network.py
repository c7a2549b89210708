"""A bad network in one process: a TCP proxy between two ends that cuts, stalls, slices and slows.

Poisons are fields that can be changed while connections run; they count for both directions.
"""

import asyncio
import contextlib
import itertools
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Network:
    """`targets`: (host, port) of the real ends, taken in turn, dead ones passed over."""

    targets: list[tuple[str, int]]
    url: str = ""
    down: bool = False  # new connections are refused
    slice: int = 0  # at most so many bytes travel together, each slice alone; 0: as they come
    rate: float = 0.0  # bytes a second and direction; 0: no limit
    latency: float = 0.0  # seconds
    connections: int = 0
    flowing: asyncio.Event = field(default_factory=asyncio.Event)  # cleared: nothing moves, nothing closes
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _seed: random.Random = field(default_factory=lambda: random.Random(0))
    _turn: "itertools.count[int]" = field(default_factory=itertools.count)

    def reset(self) -> None:
        """RST every connection."""
        for writer in list(self._open):
            writer.transport.abort()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection from its beginning to its end."""
        self.connections += 1
        ends = None if self.down else await self._connect()
        if ends is None:
            writer.transport.abort()
            return
        there_reader, there_writer = ends
        self._open |= {writer, there_writer}
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pipe(reader, there_writer))
                group.create_task(self._pipe(there_reader, writer))
        except* (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for one in (writer, there_writer):
                self._open.discard(one)
                one.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        first = next(self._turn)
        for n in range(len(self.targets)):
            host, port = self.targets[(first + n) % len(self.targets)]
            with contextlib.suppress(OSError):
                return await asyncio.open_connection(host, port)
        return None

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self.flowing.wait()
            if self.latency:
                await asyncio.sleep(self.latency)
            for piece in self._pieces(data):
                await self.flowing.wait()
                writer.write(piece)
                await writer.drain()
                if self.rate:
                    await asyncio.sleep(len(piece) / self.rate)
                elif self.slice:
                    await asyncio.sleep(0)
        # One end is done: the other one has to hear of it, and the connection is over.
        raise ConnectionResetError

    def _pieces(self, data: bytes) -> list[bytes]:
        largest = self.slice or (max(1, int(self.rate / 10)) if self.rate else len(data))
        pieces, at = [], 0
        while at < len(data):
            size = self._seed.randint(1, largest) if self.slice else largest
            pieces.append(data[at : at + size])
            at += size
        return pieces


@asynccontextmanager
async def network(*urls: str) -> AsyncIterator[Network]:
    """A network in front of these servers (http://host:port); `url` is its own address."""
    targets = [(host, int(port)) for host, port in (url.rpartition("/")[2].split(":") for url in urls)]
    net = Network(targets)
    net.flowing.set()
    server = await asyncio.start_server(net.handle, "127.0.0.1", 0)
    net.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield net
    finally:
        server.close()
        net.reset()
        await asyncio.sleep(0)
