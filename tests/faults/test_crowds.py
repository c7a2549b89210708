"""Many tabs: all come back at once, some never read, two write at the same moment; and nothing leaks."""

import asyncio
import time
from typing import Any

from tests.faults.house import House, memory
from tests.faults.network import network
from tests.faults.scale import scale
from tests.faults.upstream import mixed, upstream_at
from tests.relay.upstream import answer, block, start, stop


async def test_everybody_comes_back_at_once(house: House) -> None:
    forever = asyncio.Event()
    script = [*mixed(1, 40, 1)[:30], forever]
    async with upstream_at(house.port, script) as fake, network(house.base) as net, house.tab() as first:
        turn = (await first.submit("Go"))["turn"]
        await first.until(lambda: first.text(turn))
        tabs = [house.tab(first.conversation, base=net.url, seed=n) for n in range(scale(60, 1000))]
        for tab in tabs:
            await tab.__aenter__()
        try:
            for tab in tabs:
                await tab.until(lambda tab=tab: turn in tab.turns)
            net.reset()
            began = time.monotonic()
            for tab in tabs:
                await tab.until(lambda tab=tab: tab.closes and tab.frames[-1]["type"] != "bye" and tab.socket)
            await first.stop(turn)
            for tab in tabs:
                await tab.ended(turn)
            assert time.monotonic() - began < scale(10, 30)
            await house.agree(str(first.conversation), first, *tabs[:5])
            assert len(fake.requests) == 1
        finally:
            for tab in tabs:
                await tab.__aexit__()
            forever.set()


async def test_readers_that_stop_reading(house: House) -> None:
    """They cost a window each, not the whole answer; the others see it as it comes."""
    count = scale(10, 50)
    piece = "lorem ipsum dolor sit amet " * 60 + "\n\n"
    steps: list[Any] = [start()]
    for chunk in block(0, "text", [piece] * scale(600, 3000)):
        steps += [chunk, 0.002]
    async with upstream_at(house.port, [*steps, stop()]), network(house.base) as net, house.tab() as good:
        turn = (await good.submit("Go"))["turn"]
        await good.until(lambda: good.text(turn))
        stuck = [house.tab(good.conversation, base=net.url) for _ in range(count)]
        for tab in stuck:
            await tab.__aenter__()
        try:
            for tab in stuck:
                await tab.until(lambda tab=tab: turn in tab.turns)
            before = memory(house.pid)
            net.flowing.clear()
            await good.ended(turn, 60)
            grown = memory(house.pid) - before
            written = len(good.text(turn))
            # The live page itself grows too, once; a queue for each reader would cost count x written.
            assert grown < 30 * written + count * 2**20
            assert grown < count * written or count < 20
            await asyncio.sleep(scale(0, 35))
            net.flowing.set()
            if scale(0, 1):
                for tab in stuck:
                    await tab.until(lambda tab=tab: tab.closes)
            for tab in stuck:
                await tab.ended(turn, 60)
            await house.agree(str(good.conversation), good, *stuck[:3])
        finally:
            for tab in stuck:
                await tab.__aexit__()


async def test_two_tabs_write_at_once(house: House) -> None:
    for n in range(scale(2, 30)):
        async with (
            upstream_at(house.port, mixed(1, 20, n, 0.01)) as fake,
            house.tab() as one,
            house.tab() as two,
        ):
            turn = (await one.submit("Go"))["turn"]
            await one.ended(turn)
            two.conversation = one.conversation
            await two.hello()
            answers = await asyncio.gather(one.submit("One", parent=turn), two.submit("Two", parent=turn))
            assert sorted(a["type"] for a in answers) == ["no", "ok"]
            assert [a["code"] for a in answers if a["type"] == "no"] == ["busy"]
            after = next(a["turn"] for a in answers if a["type"] == "ok")
            await asyncio.gather(one.ended(after), two.ended(after))
            pages = await house.agree(str(one.conversation), one, two)
            assert len(pages) == len(fake.requests) == 2


async def test_one_submit_from_everywhere(house: House) -> None:
    """The same message from five sockets at once, some of which die before the answer: one turn."""
    async with upstream_at(house.port, answer("Once.")) as fake, house.tab() as first:
        await first.until(lambda: first.frames)
        tabs = [house.tab(seed=n) for n in range(5)]
        for tab in tabs:
            await tab.__aenter__()
        try:
            for tab in tabs:
                await tab.until(lambda tab=tab: tab.frames)
            sent = await first.submit("Go", wait=False)
            frames = await asyncio.gather(*(tab.submit("Go", wait=False, id=sent["id"]) for tab in tabs))
            for tab in tabs[:3]:
                tab.cut()
            assert {frame["id"] for frame in frames} == {sent["id"]}
            for tab in [first, *tabs]:
                await tab.until(lambda tab=tab: tab.answers.get(sent["id"]))
            answers = [tab.answers[sent["id"]] for tab in [first, *tabs]]
            assert len({a["turn"] for a in answers}) == 1
            for tab in [first, *tabs]:
                await tab.ended(answers[0]["turn"])
            await house.agree(str(first.conversation), first, *tabs)
            assert len(await house.stored(str(first.conversation))) == len(fake.requests) == 1
            # Somebody whose answer was lost comes back when all is over.
            async with house.tab() as late:
                await late.until(lambda: late.frames)
                again = await late.submit("Go", id=sent["id"])
                assert again["duplicate"]
                await late.ended(again["turn"])
                await house.agree(str(first.conversation), late)
        finally:
            for tab in tabs:
                await tab.__aexit__()


async def test_coming_and_going_leaks_nothing(house: House) -> None:
    async def round_of(count: int) -> None:
        for _ in range(count):
            async with house.tab() as tab:
                await tab.until(lambda tab=tab: tab.frames)

    async with upstream_at(house.port, answer("x" * 2000)):
        await round_of(scale(20, 100))
        before = memory(house.pid)
        await round_of(scale(60, 3000))
        async with house.tab() as tab:
            for _ in range(scale(10, 15)):
                tab.conversation = None
                await tab.hello()
                await tab.ended((await tab.submit("Go"))["turn"])
        assert memory(house.pid) - before < scale(12, 30) * 2**20
