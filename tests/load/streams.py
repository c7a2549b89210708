"""A crowd of clients that finds time stamps in whatever frames it is sent."""

import asyncio
import json
import re
import time
import uuid
from typing import Any, Self

import aiohttp

from tests.load.upstream import RATE

__all__ = ["RATE", "Crowd", "quantile"]

APART = 0.05  # seconds between two streams that begin
# When a page acknowledges (static/js/acks.js); a stream that never rests needs no timer.
FRAMES, LARGE, WITHIN = 15, 16 * 1024, 0.25
STAMP = re.compile(r"t=(\d+) ")


now = time.monotonic


def quantile(values: list[float], q: float) -> float:
    """The q-quantile, 0 for no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else 0.0


class Crowd:
    """`kind`: "chat" speaks docs/protocol.md, "bare" starts with any frame. Times are milliseconds."""

    def __init__(
        self,
        base: str,
        kind: str,
        count: int,
        headers: dict[str, str],
        silent: bool = False,
        watch: str | None = None,
    ) -> None:
        self._url = base.replace("http", "ws", 1) + "/ws/"
        self._headers = {**headers, "Origin": base}
        self._kind, self._count, self._silent = kind, count, silent
        self._tasks: list[asyncio.Task[None]] = []
        self._open = 0
        self._events = 0
        self._delays: list[float] = []
        self._recording = False
        self.first: list[float] = []
        self.conversations: list[str] = []
        self._watch = watch

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        for _ in range(self._count):
            self._tasks.append(asyncio.create_task(self._one()))
            await asyncio.sleep(APART if not (self._silent or self._watch) else 0.005)
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()

    async def connected(self) -> None:
        """Wait until every socket is open."""
        await self._when(lambda: self._open == self._count)

    async def started(self) -> None:
        """Wait until every stream has shown something."""
        await self._when(lambda: len(self.first) == self._count)

    def begin(self) -> None:
        """Record from now on."""
        self._recording = True

    def end(self) -> tuple[int, list[float]]:
        """Stop recording; the stamps that came, and how late each was."""
        self._recording = False
        return self._events, self._delays

    async def _when(self, wanted: Any, within: float = 60) -> None:
        async with asyncio.timeout(within):
            while not wanted():
                for task in self._tasks:
                    if task.done():
                        task.result()
                await asyncio.sleep(0.01)

    async def _one(self) -> None:
        async with self._session.ws_connect(self._url, headers=self._headers, max_msg_size=0) as socket:
            self._open += 1
            if not self._silent:
                await socket.send_str(json.dumps(self._opening()))
            fresh, unseen = True, (0, now())
            async for message in socket:
                if message.type != aiohttp.WSMsgType.TEXT:
                    return
                came = time.monotonic_ns()
                text: str = message.data
                # Snapshots repeat what ops have told.
                stamps = [] if text.startswith('{"type":"snapshot"') and not fresh else STAMP.findall(text)
                # The Markdown source and the page both carry a stamp: each counts once.
                unique = set(stamps)
                if unique and fresh:
                    fresh = False
                    self.first.append((came - int(min(unique, key=int))) / 1e6)
                if self._recording:
                    self._events += len(unique)
                    self._delays += [(came - int(stamp)) / 1e6 for stamp in unique]
                if self._kind == "chat":
                    unseen = await self._answer(socket, text, unseen)

    def _opening(self) -> dict[str, Any]:
        if self._kind == "bare":
            return {"type": "start"}
        if self._watch:
            return {"type": "hello", "v": 1, "conversation": self._watch, "turns": {}}
        return {
            "type": "submit", "id": str(uuid.uuid4()), "conversation": None, "parent": None, "text": "Go",
            "model": None, "retry": None,
        }  # fmt: skip

    async def _answer(
        self, socket: aiohttp.ClientWebSocketResponse, text: str, unseen: tuple[int, float]
    ) -> tuple[int, float]:
        """Pong, and acknowledge as the page does, some frames together. How many wait, and since when."""
        if text.startswith('{"type":"ok"'):
            self.conversations.append(json.loads(text)["conversation"])
        elif text.startswith('{"type":"ping"'):
            await socket.send_str(text.replace("ping", "pong", 1))
        elif text.startswith(('{"type":"ops"', '{"type":"snapshot"')):
            count, since = unseen if unseen[0] else (0, now())
            if count < FRAMES and len(text) < LARGE and now() - since < WITHIN:
                return count + 1, since
            frame = json.loads(text)
            rev = frame["to"] if frame["type"] == "ops" else frame["rev"]
            await socket.send_str(json.dumps({"type": "ack", "turn": frame["turn"], "rev": rev}))
            return 0, now()
        return unseen


async def lags(base: str, headers: dict[str, str], seconds: float) -> list[float]:
    """Milliseconds from ping to pong on a socket of its own, ten times a second."""
    found = []
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(
            base.replace("http", "ws", 1) + "/ws/", headers={**headers, "Origin": base}
        ) as socket,
    ):
        until = now() + seconds
        while now() < until:
            sent = now()
            await socket.send_str('{"type":"ping","n":7}')
            while json.loads(await socket.receive_str())["type"] != "pong":
                pass
            found.append((now() - sent) * 1000)
            await asyncio.sleep(0.1)
    return found
