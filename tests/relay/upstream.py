"""A scripted Anthropic-speaking upstream on loopback: each request gets the next script.

A script is a list of steps: bytes to send, an asyncio.Event to wait for, a float to sleep, a function to
call, or CUT to drop the connection. A script may instead be a (status, headers, body) refusal.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

CUT = object()
Script = list[Any] | tuple[int, dict[str, str], bytes]


def sse(*events: dict[str, Any]) -> bytes:
    """Events as they look on the Anthropic wire."""
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)


def start(name: str = "msg_1") -> bytes:
    """The opening of a message."""
    message = {
        "id": name, "type": "message", "role": "assistant", "model": "fake-1", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
    }  # fmt: skip
    return sse({"type": "message_start", "message": message})


def block(index: int, kind: str, pieces: Iterable[str], **extra: Any) -> list[bytes]:
    """A content block, a chunk for each part: text, thinking, or tool_use (id and name in extra)."""
    fields = {"text": ["text"], "thinking": ["thinking", "signature"], "tool_use": []}
    empty: dict[str, Any] = dict.fromkeys(fields[kind], "")
    if kind == "tool_use":
        empty["input"] = {}
    delta = {
        "text": ("text_delta", "text"),
        "thinking": ("thinking_delta", "thinking"),
        "tool_use": ("input_json_delta", "partial_json"),
    }[kind]
    chunks = [
        sse(
            {"type": "content_block_start", "index": index, "content_block": {"type": kind, **empty, **extra}}
        )
    ]
    chunks += [
        sse({"type": "content_block_delta", "index": index, "delta": {"type": delta[0], delta[1]: piece}})
        for piece in pieces
    ]
    if kind == "thinking":
        signature = {"type": "signature_delta", "signature": "c2lnbmVk"}
        chunks.append(sse({"type": "content_block_delta", "index": index, "delta": signature}))
    chunks.append(sse({"type": "content_block_stop", "index": index}))
    return chunks


def stop(reason: str = "end_turn", tokens: int = 20, **delta: Any) -> bytes:
    """The close of a message."""
    end = {"stop_reason": reason, "stop_sequence": None, **delta}
    return sse(
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": tokens}}, {"type": "message_stop"}
    )


def answer(*pieces: str, reason: str = "end_turn") -> list[Any]:
    """A whole answer of one text block."""
    return [start(), *block(0, "text", pieces), stop(reason)]


class FakeUpstream:
    """`scripts` are used up in order, the last one again and again; `requests` holds the bodies that came."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.requests: list[dict[str, Any]] = []
        self.closed_by_client = asyncio.Event()
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        self.requests.append(await request.json())
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        if isinstance(script, tuple):
            status, headers, body = script
            return web.Response(status=status, headers=headers, body=body)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        try:
            for step in script:
                await self._step(step, request, response)
        except (ConnectionError, asyncio.CancelledError):
            self.closed_by_client.set()
            raise
        return response

    async def _step(self, step: Any, request: web.Request, response: web.StreamResponse) -> None:
        if isinstance(step, bytes):
            await response.write(step)
            # A turn of the loop lets every chunk travel alone.
            await asyncio.sleep(0.001)
        elif isinstance(step, asyncio.Event):
            await step.wait()
        elif step is CUT:
            assert request.transport is not None
            request.transport.abort()
            raise ConnectionResetError
        elif callable(step):
            step()
        else:
            await asyncio.sleep(step)


@asynccontextmanager
async def serving(*scripts: Script) -> AsyncIterator[FakeUpstream]:
    """A FakeUpstream that listens; `url` is its base URL."""
    upstream = FakeUpstream(*scripts)
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/{path:.*}", upstream.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    upstream.url = f"http://127.0.0.1:{port}"
    try:
        yield upstream
    finally:
        await runner.cleanup()
