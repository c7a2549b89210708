"""The scripted upstream of tests/relay at a port that stays, for servers that outlive one test; any path."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.relay.upstream import FakeUpstream, Script, block, start, stop

THOUGHTS = "Let me see: **two** things, `one` and the other.\n\n- first\n- second\n\n"
TEXT = (
    "Some **bold** text, `code` and a [link](https://example.org).\n\n1. one\n2. two\n   - inner\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = [n for n in range(3)]\n```\n\n"
    "> quoted $x^2$ 中文 🙂\n\n"
)


@asynccontextmanager
async def upstream_at(port: int, *scripts: Script) -> AsyncIterator[FakeUpstream]:
    """Answer every POST on this port (0: any) with the next script."""
    fake = FakeUpstream(*scripts)
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/{path:.*}", fake.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, reuse_address=True).start()
    fake.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield fake
    finally:
        await runner.cleanup()


def pieces(text: str, count: int, seed: int = 0) -> list[str]:
    """The text cut at random into so many pieces."""
    rng = random.Random(seed)
    cuts = sorted(rng.sample(range(1, len(text)), count - 1))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def mixed(times: int = 1, count: int = 60, seed: int = 0, pause: float = 0.0) -> list[Any]:
    """Thinking and every kind of Markdown, `times` over, in about `count` pieces with a pause after each."""
    chunks = [
        *block(0, "thinking", pieces(THOUGHTS * times, max(2, count // 4), seed)),
        *block(1, "text", pieces(TEXT * times, count, seed)),
    ]
    steps: list[Any] = [start()]
    for chunk in chunks:
        steps += [chunk, pause] if pause else [chunk]
    return [*steps, stop()]
