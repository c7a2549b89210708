"""Many tabs: all come back at once, some never read, two write at the same moment; and nothing leaks."""

import asyncio
from typing import Any

from chatsite.relay.limits import NO_ACK
from tests.faults.house import House, freed, memory, ping, quantile, sockets, threads
from tests.faults.network import network
from tests.faults.scale import patience, scale
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
                await tab.until(lambda tab=tab: turn in tab.turns, scale(30, 120))
            net.reset()
            for tab in tabs:
                await tab.until(lambda tab=tab: tab.closes and tab.socket, scale(30, 120))
            await first.stop(turn)
            for tab in tabs:
                await tab.ended(turn, scale(30, 120))
            await house.agree(str(first.conversation), first, *tabs[:5])
            assert len(fake.requests) == 1
        finally:
            for tab in tabs:
                await tab.__aexit__()
            forever.set()


async def test_readers_that_stop_reading(house: House) -> None:
    """They cost a window each, not the whole answer; the others see it as it comes, and no later."""
    count = scale(10, 50)
    piece = "lorem ipsum dolor sit amet " * 60 + "\n\n"
    steps: list[Any] = [start()]
    for chunk in block(0, "text", [piece] * scale(300, 3000)):
        steps += [chunk, 0.002]
    alone, quiet = await told(house, [*steps, stop()], 0)
    crowded, waits = await told(house, [*steps, stop()], count)
    # What the page itself takes was measured without them.
    assert crowded - max(alone, 0) < count * 2**20
    assert quantile(waits, 0.9) < 10 * quantile(quiet, 0.9) + 0.1 * patience()


async def told(house: House, script: list[Any], count: int) -> tuple[int, list[float]]:
    """How many bytes the server grew by while `count` tabs did not read an answer; how long pings took."""
    async with upstream_at(house.port, script), network(house.base) as net, house.tab() as good:
        turn = (await good.submit("Go"))["turn"]
        await good.until(lambda: good.text(turn))
        stuck = [house.tab(good.conversation, base=net.url) for _ in range(count)]
        for tab in stuck:
            await tab.__aenter__()
        try:
            for tab in stuck:
                await tab.until(lambda tab=tab: turn in tab.turns)
            before, held = memory(house.pid), sockets(house.pid)
            net.flowing.clear()
            waits: list[float] = []
            async with house.tab() as other:
                while good.turn(turn)["state"] != "ended":
                    waits.append(await ping(other))
                    await asyncio.sleep(0.01)
            grown = memory(house.pid) - before
            if count and scale(0, 1):
                # Nobody answers pings or acknowledges: the server lets go of them.
                await freed(house.pid, held, count - 2, NO_ACK + 30)
            net.flowing.set()
            if count and scale(0, 1):
                for tab in stuck:
                    await tab.until(lambda tab=tab: tab.closes)
            for tab in stuck:
                await tab.ended(turn, 60)
            await house.agree(str(good.conversation), good, *stuck[:3])
            return grown, waits
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
    """Neither memory nor descriptors nor threads grow with sockets and turns that are over."""

    async def coming(count: int) -> None:
        async def one() -> None:
            async with house.tab() as tab:
                await tab.until(lambda: tab.frames)

        for _ in range(count // 20):
            await asyncio.gather(*(one() for _ in range(20)))

    async def talking(count: int) -> None:
        # A new socket now and then: one may not submit for ever.
        for _ in range(-(-count // 15)):
            async with house.tab() as tab:
                for _ in range(15):
                    tab.conversation, tab.turns = None, {}
                    await tab.hello()
                    await tab.ended((await tab.submit("Go"))["turn"])

    async with upstream_at(house.port, answer("x" * 2000)):
        await coming(scale(60, 500))
        await talking(scale(15, 150))
        before, open_before, threads_before = memory(house.pid), len(sockets(house.pid)), threads(house.pid)
        await coming(scale(120, 5000))
        await talking(scale(15, 500))
        half = memory(house.pid)
        await coming(scale(120, 5000))
        await talking(scale(15, 500))
        after = memory(house.pid)
        # Ended turns stay in memory for a minute; beyond that the second half costs nothing.
        assert half - before < scale(12, 40) * 2**20
        assert after - half < scale(6, 8) * 2**20
        assert len(sockets(house.pid)) <= open_before + 2
        assert threads(house.pid) <= threads_before + 4


async def test_mute_peers_are_let_go(house: House) -> None:
    """Nothing comes from them and nothing reaches them: the server frees their sockets, the turn goes on."""
    async with (
        upstream_at(house.port, mixed(1, 60, 1, scale(0.01, 0.7))) as fake,
        network(house.base) as net,
        house.tab() as good,
    ):
        turn = (await good.submit("Go"))["turn"]
        await good.until(lambda: good.text(turn))
        mute = [house.tab(good.conversation, base=net.url) for _ in range(5)]
        for tab in mute:
            await tab.__aenter__()
        for tab in mute:
            await tab.until(lambda tab=tab: turn in tab.turns)
        held = sockets(house.pid)
        net.flowing.clear()
        if scale(0, 1):
            await freed(house.pid, held, 5, 25 + 30)
        net.flowing.set()
        net.reset()
        assert await good.ended(turn, 60) == "complete"
        for tab in mute:
            await tab.ended(turn)
            await tab.__aexit__()
        await house.agree(str(good.conversation), good, *mute[:2])
        assert len(fake.requests) == 1
