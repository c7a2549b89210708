"""The demo upstream: the whole product without a key.

A scripted model behind a real HTTP server on loopback, started on first use inside the running loop. It
speaks the Anthropic stream and judges requests as strictly as the real server, so the way from its bytes to
the page is the way of every other upstream.
"""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatsite.providers.demo.server import DemoServer

SCHEME = "demo:"
"""Stands in request URLs for the server's address, which is known only once it runs."""
MODEL = "streamrender-demo"

_servers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[DemoServer]] = (
    weakref.WeakKeyDictionary()
)


async def start() -> str:
    """The base URL ("http://127.0.0.1:port") of this loop's server, which is started when needed."""
    from chatsite.providers.demo.server import DemoServer

    loop = asyncio.get_running_loop()
    task = _servers.get(loop)
    if task is None:
        task = _servers[loop] = loop.create_task(DemoServer.started())
    # Shielded: whoever is cancelled while waiting must not take the server from the others.
    return (await asyncio.shield(task)).base_url


async def stop() -> None:
    """Stop this loop's server, if it runs; its open streams are cut."""
    task = _servers.pop(asyncio.get_running_loop(), None)
    if task is not None:
        await (await task).stop()
