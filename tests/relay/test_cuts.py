"""The network dies at any moment, again and again: no gap, nothing twice, no message lost or doubled."""

import asyncio
import json
import random
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.relay.page import Closed, Page
from tests.relay.served import Prepared, Served, copied, serve
from tests.relay.upstream import answer, block, serving, start, stop

TEXT = "A **bold** word, `code`, a [link](https://a.example).\n\n- one\n- two\n\n```python\nx = 1\n```\n\n"


def slow_answer(rng: random.Random) -> list[Any]:
    """Thinking and Markdown in small pieces."""
    steps: list[Any] = [start()]
    whole = TEXT * 6
    cuts = sorted(rng.sample(range(len(whole)), 150))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    for chunk in [*block(0, "thinking", pieces[:40]), *block(1, "text", pieces)]:
        steps += [chunk, 0.01]
    return [*steps, stop()]


def cut(page: Page) -> None:
    """Drop the connection without a word: RST, as a dead network does."""
    socket: Any = page.socket  # type: ignore[attr-defined]
    socket._response.connection.transport.abort()


async def follow_through_cuts(
    server: Served, conversation: str | None, turn: str, rng: random.Random
) -> tuple[Page, int]:
    """A page that loses its connection every few frames until the turn has ended; it, and how often."""
    kept: Page | None = None
    cuts = 0
    while True:
        async with server.page() as page:
            if kept is not None:
                page.turns = kept.turns
            kept = page
            await page.hello(conversation)
            try:
                for _ in range(rng.randint(1, 8)):
                    await page.next()
                    if page.state(turn) == "ended":
                        return page, cuts
            except Closed:
                pass
            cut(page)
            cuts += 1


@pytest.mark.parametrize("seed", range(2))
async def test_page_survives_any_cut(seed: int, prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    rng = random.Random(seed)
    async with (
        serving(slow_answer(rng)) as upstream,
        serve(data, prepared, upstream.url) as server,
        server.page() as steady,
    ):
        turn = (await steady.submit("Go"))["turn"]
        shaken, quiet = await asyncio.gather(
            follow_through_cuts(server, steady.conversation, turn, rng), steady.ended(turn)
        )
        page, cuts = shaken
        assert cuts > 3
        assert page.turns[turn]["page"] == quiet
        assert page.text(turn) == TEXT * 6
        assert len(upstream.requests) == 1


async def test_lost_answers_to_a_submit(prepared: Prepared, tmp_path: Path) -> None:
    """Sent five times from two sockets that die before the answer: one message, one turn, one request."""
    data = copied(prepared, tmp_path / "data")
    async with serving(answer("Once.")) as upstream, serve(data, prepared, upstream.url) as server:
        frame = {
            "type": "submit", "id": str(uuid.uuid4()), "conversation": None, "parent": None, "text": "Go",
            "model": None, "retry": None,
        }  # fmt: skip
        for _ in range(4):
            async with server.page() as page, server.page() as other:
                await page.socket.send_str(json.dumps(frame))  # type: ignore[attr-defined]
                await other.socket.send_str(json.dumps(frame))  # type: ignore[attr-defined]
                cut(page)
                cut(other)
        async with server.page() as page:
            answered = await page.submit(**{key: frame[key] for key in ("text", "id")})
            assert answered["type"] == "ok"
            await page.hello(answered["conversation"])
            await page.ended(answered["turn"])
            assert page.text(answered["turn"]) == "Once."
            assert list(page.turns) == [answered["turn"]]
        assert len(upstream.requests) == 1
