"""The server dies at an event's boundary, or is told to end with twenty turns running."""

import asyncio
import signal
import time
from pathlib import Path

import pytest

from tests.faults.house import House, end, restarted
from tests.faults.scale import patience, scale
from tests.faults.upstream import TEXT, mixed, upstream_at
from tests.relay.served import Prepared
from tests.relay.upstream import answer, block, start, stop

CHUNKS = [
    start(),
    *block(0, "thinking", ["I **think**", " hard"]),
    *block(1, "text", ["Some **bo", "ld** text\n\n```py", "thon\nx = 1\n", "```\n"]),
    *block(2, "tool_use", ['{"expression": "1', '+1"}'], id="t1", name="calculator"),
    stop("tool_use"),
]


@pytest.mark.parametrize("boundary", scale([9], list(range(len(CHUNKS)))))
async def test_kill_at_a_boundary(boundary: int, data: Path, folder: Prepared) -> None:
    forever = asyncio.Event()
    async with upstream_at(0, [*CHUNKS[: boundary + 1], forever], answer("Again.")) as fake:
        process, base = await restarted(data, fake.url)
        house = House(base, folder.sessions, data=data)
        try:
            async with house.tab() as one, house.tab() as two:
                turn = (await one.submit("Go"))["turn"]
                two.conversation = one.conversation
                await two.hello()
                await two.until(lambda: turn in two.turns)
                await asyncio.sleep(0.3)
                end(process)
                seen = one.text(turn)
                began = time.monotonic()
                process, house.base = await restarted(data, fake.url)
                one.base = two.base = house.base
                for tab in (one, two):
                    assert await tab.ended(turn) == "interrupted"
                assert time.monotonic() - began < 15 * patience()
                assert one.text(turn).startswith(seen)
                after = (await one.submit("Go on", parent=turn))["turn"]
                assert await two.ended(after) == "complete"
                await house.agree(str(one.conversation), one, two)
                assert len(fake.requests) == 2
        finally:
            end(process)


async def test_told_to_end_with_many_turns(data: Path, folder: Prepared) -> None:
    """Those that can finish do; the rest is kept as interrupted; nobody comes back at the same moment."""
    forever = asyncio.Event()
    quick, stuck = mixed(1, 40, 1, 0.02), [start(), *block(0, "text", ["kept"])[:2], forever]
    scripts = [quick if n % 2 else stuck for n in range(20)]
    async with upstream_at(0, *scripts) as fake:
        process, base = await restarted(data, fake.url, STREAMRENDER_DRAIN="2.5")
        house = House(base, folder.sessions, data=data)
        tabs = [house.tab() for _ in range(20)]
        try:
            for tab in tabs:
                await tab.__aenter__()
            answers = await asyncio.gather(*(tab.submit("Go") for tab in tabs))
            turns = [answer_["turn"] for answer_ in answers]
            for tab, turn in zip(tabs, turns, strict=True):
                await tab.until(lambda tab=tab, turn=turn: tab.text(turn))
                tab.keep_trying = False
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(process.wait, 30)
            assert time.monotonic() - began < 2.5 + 15 * patience()
            assert process.returncode == 0
            endings = []
            for tab, turn in zip(tabs, turns, strict=True):
                await tab.until(lambda tab=tab: tab.closes)
                assert tab.closes == [4412]
                endings.append(tab.turn(turn)["ending"])
                assert tab.text(turn) == (TEXT if endings[-1] == "complete" else "kept")
            assert sorted(set(endings)) == ["complete", "interrupted"]
            assert endings.count("complete") == 10
            back = [f["after_ms"] for tab in tabs for f in tab.frames if f["type"] == "bye"]
            assert max(back) - min(back) >= 3000
        finally:
            for tab in tabs:
                await tab.__aexit__()
            end(process)
            forever.set()
