"""A client of the socket written from docs/protocol.md: keeps the turns of one conversation as the page does.

It applies changes with the reference of streamrender.page.changes, acknowledges, asks again after a gap, and
fails loudly when a frame breaks a rule of the protocol.
"""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from streamrender.page.changes import apply_changes


class Closed(Exception):
    """The server closed the socket; args[0] is the code."""


class Page:
    """`send(text)` and `receive() -> text` reach the server. `turns` maps turn id to its newest snapshot
    frame.
    """

    def __init__(
        self, send: Callable[[str], Awaitable[None]], receive: Callable[[], Awaitable[str]], ack: bool = True
    ) -> None:
        self._send, self._receive = send, receive
        self.ack = ack
        self.turns: dict[str, dict[str, Any]] = {}
        self.frames: list[dict[str, Any]] = []
        self.answers: dict[str | None, dict[str, Any]] = {}
        self.titles: dict[str, str] = {}
        self.conversation: str | None = None

    async def send(self, **frame: Any) -> None:
        """Send one frame."""
        await self._send(json.dumps(frame))

    async def hello(self, conversation: str | None = None) -> None:
        """Greet, saying where every shown turn is."""
        self.conversation = conversation or self.conversation
        at = {turn: {"epoch": f["epoch"], "rev": f["rev"]} for turn, f in self.turns.items()}
        await self.send(type="hello", v=1, conversation=self.conversation, turns=at)

    async def next(self, within: float = 30) -> dict[str, Any]:
        """Take one frame in."""
        frame: dict[str, Any] = json.loads(await asyncio.wait_for(self._receive(), within))
        self.frames.append(frame)
        await self._take(frame)
        return frame

    async def until(self, wanted: Callable[[], Any], within: float = 30) -> Any:
        """Take frames in until `wanted()` is true; its value."""
        async with asyncio.timeout(within):
            while not (value := wanted()):
                await self.next(within)
        return value

    async def until_closed(self, within: float = 30) -> int | None:
        """Take frames in until the server closes the socket; the code."""
        async with asyncio.timeout(within):
            while True:
                try:
                    await self.next(within)
                except Closed as closed:
                    code: int | None = closed.args[0]
                    return code

    async def submit(self, text: str = "Hi", **fields: Any) -> dict[str, Any]:
        """Submit a message; the answer frame."""
        frame = {
            "type": "submit", "id": str(uuid.uuid4()), "conversation": self.conversation, "parent": None,
            "text": text, "model": None, "retry": None, **fields,
        }  # fmt: skip
        await self.send(**frame)
        answer: dict[str, Any] = await self.until(lambda: self.answers.get(frame["id"]))
        if answer["type"] == "ok":
            self.conversation = answer["conversation"]
        return answer

    async def stop(self, turn: str) -> dict[str, Any]:
        """Stop a turn; the answer frame."""
        id_ = str(uuid.uuid4())
        await self.send(type="stop", id=id_, turn=turn)
        answer: dict[str, Any] = await self.until(lambda: self.answers.get(id_))
        return answer

    async def ended(self, turn: str, within: float = 30) -> dict[str, Any]:
        """Wait until a turn has ended; its page."""
        await self.until(lambda: self.state(turn) == "ended", within)
        page: dict[str, Any] = self.turns[turn]["page"]
        return page

    def state(self, turn: str) -> str | None:
        """The state of a turn, None when it is not shown yet."""
        return self.turns[turn]["page"]["turn"]["state"] if turn in self.turns else None

    def text(self, turn: str) -> str:
        """The Markdown source of a turn's text panes."""
        if turn not in self.turns:
            return ""
        return "".join(p["markdown"] for p in self.turns[turn]["page"]["panes"] if p["kind"] == "text")

    async def _take(self, frame: dict[str, Any]) -> None:
        kind = frame["type"]
        if kind == "snapshot":
            self.turns[frame["turn"]] = frame
            await self._acknowledge(frame["turn"])
        elif kind == "ops":
            await self._change(frame)
        elif kind in ("ok", "no"):
            self.answers[frame["id"]] = frame
        elif kind == "title":
            self.titles[frame["conversation"]] = frame["title"]
        elif kind == "ping":
            await self.send(type="pong", n=frame["n"])

    async def _change(self, frame: dict[str, Any]) -> None:
        shown = self.turns.get(frame["turn"])
        if shown is None or shown["epoch"] != frame["epoch"]:
            await self.hello()
        elif frame["to"] > shown["rev"]:
            if frame["from"] != shown["rev"]:
                await self.hello()
                return
            page = apply_changes(shown["page"], frame["changes"])
            self.turns[frame["turn"]] = {**shown, "page": page, "rev": frame["to"]}
            await self._acknowledge(frame["turn"])

    async def _acknowledge(self, turn: str) -> None:
        if self.ack:
            await self.send(type="ack", turn=turn, rev=self.turns[turn]["rev"])
