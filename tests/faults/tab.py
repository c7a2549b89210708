"""An independent client, written only from docs/protocol.md: a browser tab that outlives every connection.

It reconnects for ever, keeps submits until they are answered, writes down every revision it applied, and
fails at once when the server breaks a rule: a pane twice, a snapshot that goes back, text where none is.
"""

import asyncio
import contextlib
import json
import random
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import aiohttp

from tests.faults.html import Tree
from tests.faults.scale import patience

SILENCE = 30.0
FINAL = (4400, 4401, 4403, 4404)  # of the document's codes, those after which nobody comes back
PAUSE = {4429: 10.0}


class Applied(NamedTuple):
    """One frame that changed the page. `start` is None for a snapshot."""

    turn: str
    epoch: str
    start: int | None
    end: int


class Tab:
    """`async with Tab(base, headers) as tab`. Set `base` anew when the server moves."""

    def __init__(
        self,
        base: str,
        headers: dict[str, str],
        conversation: str | None = None,
        seed: int = 0,
        ack: bool = True,
        pong: bool = True,
        connector: Callable[[], aiohttp.TCPConnector] | None = None,
    ) -> None:
        self.base, self.headers, self.conversation = base, headers, conversation
        self.ack, self.pong = ack, pong
        self._connector = connector
        self._after = 0.0
        self.online = asyncio.Event()
        self.online.set()
        self.reading = asyncio.Event()
        self.reading.set()
        self.turns: dict[str, dict[str, Any]] = {}
        self.applied: list[Applied] = []
        self.frames: list[dict[str, Any]] = []
        self.answers: dict[str | None, dict[str, Any]] = {}
        self.closes: list[int | None] = []
        self.titles: dict[str, str] = {}
        self.keep_trying = True
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self._outbox: dict[str, dict[str, Any]] = {}
        self._random = random.Random(seed)
        self._changed = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._live())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        broken = self._task.done() and not self._task.cancelled() and self._task.exception()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if broken:
            raise broken

    # What the person does.

    async def submit(self, text: str = "Hi", wait: bool = True, **fields: Any) -> dict[str, Any]:
        """Submit a message; the answer frame, or the frame that was sent when not waiting."""
        frame = {
            "type": "submit", "id": str(uuid.uuid4()), "conversation": self.conversation, "parent": None,
            "text": text, "model": None, "retry": None, **fields,
        }  # fmt: skip
        self._outbox[frame["id"]] = frame
        await self.send(frame)
        if not wait:
            return frame
        answer: dict[str, Any] = await self.until(lambda: self.answers.get(frame["id"]))
        return answer

    async def stop(self, turn: str) -> dict[str, Any]:
        """Press Stop; the answer frame."""
        frame = {"type": "stop", "id": str(uuid.uuid4()), "turn": turn}
        await self.send(frame)
        answer: dict[str, Any] = await self.until(lambda: self.answers.get(frame["id"]))
        return answer

    async def send(self, frame: dict[str, Any]) -> None:
        """Send a frame if there is a connection; a lost one takes it along."""
        if self.socket is not None and not self.socket.closed:
            with contextlib.suppress(ConnectionError, aiohttp.ClientError):
                await self.socket.send_str(json.dumps(frame))

    def cut(self) -> None:
        """RST: the connection is gone without a word."""
        if self.socket is not None and (connection := self.socket._response.connection) is not None:
            assert connection.transport is not None
            connection.transport.abort()

    def go_offline(self) -> None:
        """Cut, and stay away until `online.set()`."""
        self.online.clear()
        self.cut()

    # What the person sees.

    async def until(self, wanted: Callable[[], Any], within: float = 30) -> Any:
        """Wait until `wanted()` is true after some frame; its value. A busy machine is waited for longer."""
        async with asyncio.timeout(within * patience()), self._changed:
            while not (value := wanted()):
                assert self._task is not None
                if self._task.done() and not self._task.cancelled():
                    raise self._task.exception() or AssertionError(f"the tab gave up: {self.closes}")
                await self._changed.wait()
        return value

    async def ended(self, turn: str, within: float = 30) -> str:
        """Wait until the turn has ended; how."""
        await self.until(lambda: self.turn(turn).get("state") == "ended", within)
        return str(self.turn(turn)["ending"])

    def turn(self, turn: str) -> dict[str, Any]:
        """The fields of a turn, empty when it is not shown."""
        return self.turns[turn]["page"]["turn"] if turn in self.turns else {}

    def text(self, turn: str) -> str:
        """The Markdown source of the turn's answer so far."""
        panes = self.turns[turn]["page"]["panes"] if turn in self.turns else []
        return "".join(pane["markdown"] for pane in panes if pane["kind"] == "text")

    def page(self, turn: str) -> dict[str, Any]:
        """What is shown of a turn, in a form that can be compared."""
        return comparable(self.turns[turn]["page"])

    # The protocol.

    async def _live(self) -> None:
        pause = 0.0
        connector = self._connector() if self._connector else None
        async with aiohttp.ClientSession(connector=connector) as session:
            while self.keep_trying:
                await self.online.wait()
                try:
                    began, closed = len(self.frames), len(self.closes)
                    await self._connected(session)
                    pause = pause if len(self.frames) == began else 0.0
                except (OSError, aiohttp.ClientError, TimeoutError):
                    pass
                pause = min(10.0, 2 * pause + self._random.uniform(0, 0.1))
                await self._notify()
                code = self.closes[-1] if len(self.closes) > closed else None
                if code in FINAL:
                    return
                await asyncio.sleep(max(pause, self._after, PAUSE.get(code, 0.0)))
                self._after = 0.0

    async def _connected(self, session: aiohttp.ClientSession) -> None:
        url = self.base.replace("http", "ws", 1) + "/ws/"
        headers = {"Origin": self.base, **self.headers}
        limits = aiohttp.ClientWSTimeout(ws_close=0.2)
        async with asyncio.timeout(8):
            socket = await session.ws_connect(url, headers=headers, max_msg_size=0, timeout=limits)
        self.socket = socket
        try:
            while True:
                await self.reading.wait()
                try:
                    message = await socket.receive(SILENCE)
                except TimeoutError:
                    self.closes.append(None)
                    return
                if message.type != aiohttp.WSMsgType.TEXT:
                    self.closes.append(socket.close_code)
                    return
                frame = json.loads(message.data)
                self.frames.append(frame)
                await self._take(frame)
                await self._notify()
        finally:
            self.socket = None
            await socket.close()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def hello(self) -> None:
        """Say what is shown."""
        at = {turn: {"epoch": one["epoch"], "rev": one["rev"]} for turn, one in self.turns.items()}
        await self.send({"type": "hello", "v": 1, "conversation": self.conversation, "turns": at})

    async def _take(self, frame: dict[str, Any]) -> None:
        match frame["type"]:
            case "welcome":
                assert frame["v"] == 1, "a page of another version reloads"
                await self.hello()
                for waiting in list(self._outbox.values()):
                    await self.send(waiting)
            case "snapshot":
                await self._snapshot(frame)
            case "ops":
                await self._ops(frame)
            case "ok" | "no":
                self.answers[frame["id"]] = frame
                sent = self._outbox.pop(frame["id"], None)
                if sent is not None and frame["type"] == "ok":
                    self.conversation = frame["conversation"]
            case "bye":
                self._after = frame["after_ms"] / 1000
            case "title":
                self.titles[frame["conversation"]] = frame["title"]
            case "ping" if self.pong:
                await self.send({"type": "pong", "n": frame["n"]})

    async def _snapshot(self, frame: dict[str, Any]) -> None:
        shown = self.turns.get(frame["turn"])
        if shown is not None and shown["epoch"] == frame["epoch"]:
            assert frame["rev"] >= shown["rev"], "a snapshot went back"
        page = frame["page"]
        panes = [_grown(pane) for pane in page["panes"]]
        self.turns[frame["turn"]] = {**frame, "page": {"turn": dict(page["turn"]), "panes": panes}}
        self.applied.append(Applied(frame["turn"], frame["epoch"], None, frame["rev"]))
        await self._acknowledge(frame["turn"])

    async def _ops(self, frame: dict[str, Any]) -> None:
        shown = self.turns.get(frame["turn"])
        if shown is None or shown["epoch"] != frame["epoch"]:
            await self.hello()
        elif frame["to"] > shown["rev"]:
            if frame["from"] != shown["rev"]:
                await self.hello()
                return
            for change in frame["changes"]:
                _change(shown["page"], change)
            shown["rev"] = frame["to"]
            self.applied.append(Applied(frame["turn"], frame["epoch"], frame["from"], frame["to"]))
            await self._acknowledge(frame["turn"])

    async def _acknowledge(self, turn: str) -> None:
        if self.ack:
            await self.send({"type": "ack", "turn": turn, "rev": self.turns[turn]["rev"]})


def _grown(pane: dict[str, Any]) -> dict[str, Any]:
    return {**pane, "html": Tree(pane["html"])} if "html" in pane else dict(pane)


def _change(page: dict[str, Any], change: list[Any]) -> None:
    """One change of the table in docs/protocol.md."""
    if change[0] == "pane":
        pane = dict(change[1])
        assert all(old["id"] != pane["id"] for old in page["panes"]), "a pane came twice"
        page["panes"].append(_grown(pane))
        return
    if change[0] == "turn":
        page["turn"].update(change[1])
        return
    pane = next(pane for pane in page["panes"] if pane["id"] == change[1])
    match change:
        case ["set", _, fields]:
            pane.update({key: Tree(value) if key == "html" else value for key, value in fields.items()})
        case ["grow", _, field, text]:
            pane[field] = (pane[field] or "") + text
        case ["arg", _, i, key, text, complete]:
            rows = pane["args"] = [list(row) for row in pane["args"]]
            if i == len(rows):
                rows.append([key, text, complete])
            else:
                rows[i] = [key, rows[i][1] + text, complete]
        case ["ops", _, ops]:
            for op in ops:
                pane["html"].apply(op)
        case _:
            raise AssertionError(f"unknown change {change!r}")


def comparable(page: dict[str, Any]) -> dict[str, Any]:
    """A page with its trees as plain shapes; takes pages from frames and from tabs."""

    def plain(pane: dict[str, Any]) -> dict[str, Any]:
        if "html" not in pane:
            return {**pane, **({"args": [list(row) for row in pane["args"]]} if "args" in pane else {})}
        tree = pane["html"] if isinstance(pane["html"], Tree) else Tree(pane["html"])
        return {**pane, "html": tree.shape()}

    return {"turn": page["turn"], "panes": [plain(pane) for pane in page["panes"]]}
