"""The HTTP side of the demo: POST /v1/messages on a free loopback port, a stream at a human pace.

A client that goes away cancels its handler at once, as a real upstream notices a closed connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
from collections import OrderedDict
from typing import Any

from aiohttp import web

from chatsite.providers.demo import MODEL, script
from chatsite.providers.demo.answer import Answer
from chatsite.providers.demo.events import encode, events
from chatsite.providers.demo.validate import problem
from chatsite.providers.pace import Cutter, Pacer

REFUSALS = 2
"""How often an overloaded demo refuses the same question before it works."""
REMEMBERED = 256
RETRY_SECONDS = "2"
LARGEST = 32 * 1024 * 1024


class DemoServer:
    """One running server. `open_streams` counts the answers that are being sent right now."""

    def __init__(self, speed: float | None = None, seed: int | None = None) -> None:
        self.base_url = ""
        self.open_streams = 0
        self._speed = speed
        self._rng = random.Random(seed)  # noqa: S311  pace, not secrets
        self._refused: OrderedDict[str, int] = OrderedDict()
        self._runner: web.AppRunner | None = None

    @classmethod
    async def started(cls, speed: float | None = None, seed: int | None = None) -> DemoServer:
        """A server that listens. speed: see STREAMRENDER_DEMO_SPEED, read at each request when None."""
        server = cls(speed, seed)
        app = web.Application(client_max_size=LARGEST)
        app.router.add_post("/v1/messages", server._handle)
        server._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await server._runner.setup()
        site = web.TCPSite(server._runner, "127.0.0.1", 0)
        await site.start()
        server.base_url = f"http://127.0.0.1:{server._runner.addresses[0][1]}"
        return server

    async def stop(self) -> None:
        """Stop listening and cut what is still open."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.json()
        except ValueError:
            body = None
        wrong = problem(body, {name.lower(): value for name, value in request.headers.items()})
        if wrong:
            return _error(400, "invalid_request_error", wrong)
        messages = body["messages"]
        if script.overloaded(messages) and self._refuses(json.dumps(messages)):
            return _error(529, "overloaded_error", "Overloaded", {"retry-after": RETRY_SECONDS})
        answer = script.answer(messages, body.get("tools") or [])
        self.open_streams += 1
        try:
            return await self._stream(request, answer, body)
        finally:
            self.open_streams -= 1

    async def _stream(self, request: web.Request, answer: Answer, body: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8"})
        response.headers["request-id"] = f"req_demo_{self._rng.getrandbits(64):016x}"
        pacer = Pacer(self._current_speed(), 0.7, self._rng)
        cutter = Cutter(self._rng)
        await pacer.pause(18)
        await response.prepare(request)
        planned = list(events(answer, body))
        last = planned.pop() if answer.broken == "cut" else None
        with contextlib.suppress(ConnectionResetError):  # the reader left, as Stop does
            for event in planned:
                await pacer.pause(self._length(event))
                if data := cutter.cut(encode(event)):
                    await response.write(data)
            if last is not None:
                await self._die(request, response, cutter.rest() + encode(last))
                return response
            if data := cutter.rest():
                await response.write(data)
            await response.write_eof()
        return response

    async def _die(self, request: web.Request, response: web.StreamResponse, data: bytes) -> None:
        """Die inside an event, as a killed process does: no end, not even of the transfer."""
        await response.write(data[: len(data) * 2 // 3])
        await asyncio.sleep(0.05)
        if request.transport is not None:
            request.transport.abort()

    def _length(self, event: dict[str, Any]) -> float:
        """How long an event takes, in average events; now and then a model stops to breathe."""
        if event["type"] == "content_block_start":
            return 8.0
        return 14.0 if self._rng.random() < 0.012 else 0.9

    def _current_speed(self) -> float:
        if self._speed is not None:
            return self._speed
        try:
            return float(os.environ.get("STREAMRENDER_DEMO_SPEED", "1"))
        except ValueError:
            return 1.0

    def _refuses(self, conversation: str) -> bool:
        """True for the first requests with this conversation, then false once, and so on."""
        count = self._refused.pop(conversation, 0)
        if count >= REFUSALS:
            return False
        self._refused[conversation] = count + 1
        while len(self._refused) > REMEMBERED:
            self._refused.popitem(last=False)
        return True


def _error(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> web.Response:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": f"req_demo_{MODEL}"}
    return web.json_response(body, status=status, headers=headers)
