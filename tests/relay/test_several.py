"""Several processes, one database: a turn is seen, stopped and survived from any of them."""

import asyncio
import signal
import time
from pathlib import Path
from typing import Any

from tests.relay.served import Prepared, copied, serve
from tests.relay.upstream import answer, block, serving, start, stop


def gated(gate: asyncio.Event, before: str = "one ", after: str = "two") -> list[Any]:
    """An answer that waits in the middle."""
    parts = block(0, "text", [before, after])
    return [start(), *parts[:2], gate, *parts[2:], stop()]


async def test_turn_is_seen_and_stopped_from_another_process(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    gate, forever = asyncio.Event(), asyncio.Event()
    async with (
        serving(gated(gate), gated(forever, "kept")) as upstream,
        serve(data, prepared, upstream.url, STREAMRENDER_SEVERAL="1") as one,
        serve(data, prepared, upstream.url, STREAMRENDER_SEVERAL="1") as two,
        one.page() as here,
    ):
        turn = (await here.submit("Go"))["turn"]
        await here.until(lambda: here.text(turn) == "one ")
        async with two.page(here.conversation) as there:
            await there.until(lambda: there.text(turn) == "one ")
            gate.set()
            assert await there.ended(turn) == await here.ended(turn)
            # A turn that begins here appears there, and is stopped from there.
            after = (await here.submit("More", parent=turn))["turn"]
            await there.until(lambda: there.text(after) == "kept")
            pressed = time.monotonic()
            assert (await there.stop(after))["type"] == "ok"
            assert (await here.ended(after))["turn"]["ending"] == "stopped"
            assert time.monotonic() - pressed < 10
            assert await there.ended(after) == await here.ended(after)
            await asyncio.wait_for(upstream.closed_by_client.wait(), 30)
            forever.set()


async def test_frozen_owner_loses_its_turn_and_writes_nothing_more(
    prepared: Prepared, tmp_path: Path
) -> None:
    data = copied(prepared, tmp_path / "data")
    gate = asyncio.Event()
    async with (
        serving(gated(gate, "mine "), answer("again")) as upstream,
        serve(data, prepared, upstream.url, STREAMRENDER_SEVERAL="1") as one,
        serve(data, prepared, upstream.url, STREAMRENDER_SEVERAL="1") as two,
        one.page() as here,
    ):
        turn = (await here.submit("Go"))["turn"]
        await here.until(lambda: here.text(turn) == "mine ")
        async with two.page(here.conversation) as there:
            await there.until(lambda: there.text(turn) == "mine ")
            one.process.send_signal(signal.SIGSTOP)
            try:
                shown = await there.ended(turn, within=60)
            finally:
                one.process.send_signal(signal.SIGCONT)
            gate.set()
            assert (shown["turn"]["ending"], there.text(turn)) == ("interrupted", "mine ")
            assert await here.until_closed() == 4412
            await there.hello()
            after = (await there.submit("Once more", parent=turn))["turn"]
            await there.ended(after)
        async with one.page(here.conversation) as back:
            assert await back.ended(turn) == shown
            assert back.text(turn) == "mine "
    assert len(upstream.requests) == 2


async def test_killed_owner_is_noticed_by_the_others(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    forever = asyncio.Event()
    async with (
        serving(gated(forever, "mine ")) as upstream,
        serve(data, prepared, upstream.url, STREAMRENDER_SEVERAL="1") as one,
        serve(data, prepared, upstream.url, STREAMRENDER_SEVERAL="1") as two,
        one.page() as here,
    ):
        turn = (await here.submit("Go"))["turn"]
        await here.until(lambda: here.text(turn) == "mine ")
        async with two.page(here.conversation) as there:
            await there.until(lambda: there.text(turn) == "mine ")
            one.kill()
            killed = time.monotonic()
            shown = await there.ended(turn)
            assert time.monotonic() - killed < 60
            assert (shown["turn"]["ending"], there.text(turn)) == ("interrupted", "mine ")
        forever.set()
