"""The socket between a page and the relay: checks, looks up, hands on. It never waits for a turn.

Each handler returns within a database round trip, because a consumer handles one message at a time: one that
waited for a stream could not hear Stop. Every id in a frame is looked up through the owner of the session.
"""

import asyncio
import logging
import os
from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer

from chatsite.accounts import door
from chatsite.chats import origin, thread, titles
from chatsite.chats.catchup import lacking
from chatsite.chats.follow import Foreign, follower
from chatsite.chats.logins import listen
from chatsite.chats.submit import Refused, submit
from chatsite.relay import db, fed, lifecycle, process, protocol, turns
from chatsite.relay.live import StoredTurn
from chatsite.relay.pace import Pace
from chatsite.relay.protocol import (
    Ack,
    Approve,
    BadFrame,
    Chunks,
    Close,
    Feeding,
    Hello,
    Ping,
    Pong,
    Stop,
    Submit,
)
from chatsite.relay.viewer import WRITE, Viewer
from chatsite.tools.mcp import servers

log = logging.getLogger(__name__)

PROCESS = f"{os.getpid()}"


class ChatConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One socket. `viewer` exists from the accepted handshake on."""

    viewer: Viewer | None = None
    # No such layer: sockets hear through the relay, and must not fall when the layer's server does.
    channel_layer_alias = "none"

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Call the handler directly: Channels' own dispatch makes a thread hop for every message."""
        await getattr(self, get_handler_name(message))(message)

    async def connect(self) -> None:
        """Accept, then say why not: a refused handshake would tell the page nothing."""
        await self.accept()
        headers = self.scope["headers"]
        if not origin.allowed(headers, self.scope.get("scheme") in ("wss", "https")):
            log.warning(
                "Socket refused: origin %r", dict(headers).get(b"origin", b"").decode("latin-1")[:200]
            )
            await self.close(int(Close.ORIGIN))
            return
        key = door.session_key(headers)
        user = await db.run(door.user_of, key)
        if user is None or key is None:
            await self.close(int(Close.LOGIN))
            return
        if lifecycle.draining():
            await self.close(int(Close.DRAIN))
            return
        self.relay = process.current()
        listen(self.relay)
        self.frames, self.submits = Pace(50, 400), Pace(0.5, 20)
        send, close = (lambda text: self.send(text)), (lambda code: self.close(code))
        self.viewer = Viewer(user.pk, key, send, close, *self.scope.get(WRITE, ()))
        self.relay.hub.join(self.viewer)
        self.pump = asyncio.create_task(self._pump(self.viewer), name="socket")
        self.viewer.tell(protocol.welcome(PROCESS))
        servers.begin()

    async def _pump(self, viewer: Viewer) -> None:
        try:
            await viewer.pump()
        except Exception as error:
            # A socket that is just closing refuses to be written to; that is the end of it, and of nothing
            # else.
            log.info("Socket gone while writing: %r", error)
            self.relay.hub.leave(viewer)

    async def disconnect(self, code: int) -> None:
        """The socket is gone; nothing else is."""
        if self.viewer is not None:
            self.relay.hub.leave(self.viewer)
            fed.feeds(self.relay).detach(self.viewer)
            self.pump.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """One frame of the client."""
        viewer = self.viewer
        if viewer is None or viewer.ending:
            return
        viewer.heard = asyncio.get_running_loop().time()
        if not self.frames.take():
            viewer.tell(protocol.no(None, "rate", "Too many frames."))
            viewer.end(Close.RATE)
            return
        try:
            if text_data is None:
                raise BadFrame("bad_frame", "Frames are text.", Close.BAD_FRAME)
            await self._handle(viewer, protocol.read(text_data))
        except BadFrame as bad:
            viewer.tell(protocol.no(bad.id, bad.code, bad.message))
            if bad.close is not None:
                viewer.end(bad.close)

    async def _handle(self, viewer: Viewer, frame: protocol.Incoming) -> None:
        match frame:
            case Ack(turn, rev):
                viewer.acknowledge(turn, rev)
            case Ping(n):
                viewer.tell({"type": "pong", "n": n})
            case Pong():
                pass
            case Hello():
                await self._hello(viewer, frame)
            case Submit():
                await self._submit(viewer, frame)
            case Stop():
                await self._stop(viewer, frame)
            case Approve():
                await self._approve(viewer, frame)
            case Chunks() | Feeding():
                await fed.feeds(self.relay).hear(viewer, frame)

    async def _hello(self, viewer: Viewer, hello: Hello) -> None:
        if hello.conversation is None:
            self.relay.hub.look_at(viewer, None)
            return
        # Watching begins before looking, so that a turn that begins in between is not missed.
        self.relay.hub.look_at(viewer, hello.conversation)
        known = dict(hello.turns)
        live, left = set(self.relay.hub.live), set(self.relay.hub.left)
        frames = await db.run(lacking, viewer.owner, hello.conversation, known, live, left)
        if frames is None:
            viewer.tell(protocol.no(None, "not_found", "There is no such conversation."))
            viewer.end(Close.NOT_FOUND)
            return
        if viewer.conversation != hello.conversation:
            return
        # No await from here on: nothing can happen between looking at a turn and following it.
        for turn, stored in frames:
            running = self.relay.hub.live.get(turn)
            if running is not None:
                running.attach(viewer, known.get(turn))
            elif isinstance(stored, Foreign):
                follower(self.relay).follow(stored)
            elif stored is not None:
                viewer.owe(StoredTurn(stored))
        follower(self.relay).wake()

    async def _submit(self, viewer: Viewer, frame: Submit) -> None:
        if lifecycle.draining():
            # No answer: the page keeps the message and sends it again to the next process.
            viewer.end(Close.DRAIN)
            return
        if not self.submits.take():
            viewer.tell(protocol.no(str(frame.id), "rate", "Too many messages."))
            return
        try:
            accepted = await db.run(submit, viewer.owner, frame)
        except Refused as refused:
            viewer.tell(protocol.no(str(frame.id), refused.code, refused.message))
            return
        turn = accepted.turn
        viewer.tell(
            protocol.ok(
                str(frame.id), str(turn.conversation_id), str(turn.id), duplicate=accepted.prompt is None
            )
        )
        if viewer.conversation is None:
            if accepted.prompt is None:
                # Sent again after its answer was lost: the turn may run elsewhere by now, or be over.
                await self._hello(viewer, Hello(turn.conversation_id))
                return
            self.relay.hub.look_at(viewer, turn.conversation_id)
            # Others may go on with it in another process.
            follower(self.relay).wake()
        if accepted.choice is not None and accepted.prompt is not None:
            fed.start(
                self.relay,
                viewer,
                frame.feed,
                thread.heading(turn),
                turn.fence,
                accepted.choice,
                accepted.prompt,
            )
            titles.follow(self.relay, turn, accepted.choice)
        if accepted.title is not None:
            self.relay.tell(viewer.owner, protocol.title(str(turn.conversation_id), accepted.title))

    async def _stop(self, viewer: Viewer, frame: Stop) -> None:
        found = await db.run(turns.stop, viewer.owner, frame.turn)
        if found is None:
            viewer.tell(protocol.no(frame.id, "not_found", "There is no such turn."))
            return
        turn, already = found
        self.relay.stop(turn.id)
        viewer.tell(protocol.ok(frame.id, str(turn.conversation_id), str(turn.id), duplicate=already))

    async def _approve(self, viewer: Viewer, frame: Approve) -> None:
        answer = (frame.call, frame.granted, frame.always)
        found = await db.run(turns.approve, viewer.owner, frame.turn, *answer)
        if found is None:
            viewer.tell(protocol.no(frame.id, "not_found", "There is no such turn."))
            return
        turn, late = found
        if not late:
            self.relay.approve(turn.id, frame.call, frame.granted)
        viewer.tell(protocol.ok(frame.id, str(turn.conversation_id), str(turn.id), duplicate=late))
