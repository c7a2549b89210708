"""Serves recorded streams as an upstream, so that any recording can be watched in the page.

The wire is known from a recording's first event. Several recordings answer the successive rounds of a turn;
which round it is, the request says (how many tool rounds stand after its last question). After the last one
a turn that still brings tool results ends with a short text. Bytes are cut at random seeded places.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from chatsite.providers.pace import Cutter, Pacer, split_events
from chatsite.providers.recordings import UnknownRecording, closing, endpoint, tool_rounds, wire_of

ENVIRONMENT = {
    "anthropic": "ANTHROPIC_BASE_URL={url} ANTHROPIC_MODEL=replay",
    "gemini": "GEMINI_BASE_URL={url} GEMINI_MODEL=replay",
    "openai-chat": "OPENAI_BASE_URL={url}/v1 OPENAI_MODEL=replay",
    "openai-responses": "OPENAI_BASE_URL={url}/v1 OPENAI_MODEL=replay OPENAI_WIRE=openai-responses",
}
LARGEST = 32 * 1024 * 1024


class Replay:
    """An upstream that plays recordings of one wire.

    speed: 1 is about 60 events a second, 0 means without pauses; jitter: 0 to 1; seed: repeats cuts and
    pauses exactly. `requests` keeps the bodies it was sent.
    """

    def __init__(
        self, recordings: Sequence[bytes], *, speed: float = 1.0, jitter: float = 0.5, seed: int = 0
    ) -> None:
        if not recordings:
            raise ValueError("There is nothing to replay.")
        wires = {wire_of(recording) for recording in recordings}
        if len(wires) > 1:
            raise UnknownRecording(f"The recordings are of different wires: {', '.join(sorted(wires))}.")
        self.wire = wires.pop()
        self.base_url = ""
        self.requests: list[dict[str, Any]] = []
        self._recordings = list(recordings)
        self._speed = speed
        self._jitter = jitter
        self._seed = seed
        self._runner: web.AppRunner | None = None

    async def start(self, port: int = 0) -> str:
        """Listen on loopback (port 0: any free one); gives the base URL."""
        app = web.Application(client_max_size=LARGEST)
        app.router.add_post("/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self.base_url

    async def stop(self) -> None:
        """Stop listening; open streams are cut."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def environment(self) -> str:
        """The variables to start the app with, so that it talks to this server."""
        return ENVIRONMENT[self.wire].format(url=self.base_url)

    def pick(self, body: dict[str, Any]) -> bytes:
        """The stream that answers this request."""
        number = tool_rounds(self.wire, body)
        return self._recordings[number] if number < len(self._recordings) else closing(self.wire)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if endpoint(request.path) != self.wire:
            message = f"This server replays {self.wire}; nothing is at {request.path}."
            return web.json_response({"error": {"type": "not_found_error", "message": message}}, status=404)
        try:
            body = await request.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            message = "The request body is no JSON object."
            return web.json_response(
                {"error": {"type": "invalid_request_error", "message": message}}, status=400
            )
        self.requests.append(body)
        rng = random.Random(self._seed + len(self.requests))  # noqa: S311  cuts and pauses, no secrets
        pacer, cutter = Pacer(self._speed, self._jitter, rng), Cutter(rng)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        with contextlib.suppress(ConnectionResetError):  # the reader left, as Stop does
            for event in split_events(self.pick(body)):
                await pacer.pause()
                if data := cutter.cut(event):
                    await response.write(data)
            if data := cutter.rest():
                await response.write(data)
            await response.write_eof()
        return response


def load(paths: Sequence[str | Path]) -> list[bytes]:
    """The recordings in the named files."""
    return [Path(path).read_bytes() for path in paths]
