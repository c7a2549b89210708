"""The network between browser and server: reset, away, slow, in slivers, mute."""

import asyncio
import random
from typing import Any

import pytest

from tests.faults.house import House
from tests.faults.network import network
from tests.faults.scale import scale
from tests.faults.upstream import TEXT, mixed, upstream_at
from tests.relay.upstream import answer, block, start, stop


@pytest.mark.parametrize("seed", range(scale(1, 8)))
async def test_resets_at_any_moment(house: House, seed: int) -> None:
    rng = random.Random(seed)
    async with (
        upstream_at(house.port, mixed(3, 150, seed, 0.01)) as fake,
        network(house.base) as net,
        house.tab() as steady,
        house.tab(base=net.url, seed=seed) as shaken,
    ):
        turn = (await steady.submit("Go"))["turn"]
        shaken.conversation = steady.conversation
        resets = 0
        while steady.turn(turn).get("state") != "ended":
            await asyncio.sleep(rng.uniform(0.01, 0.12))
            net.reset()
            resets += 1
        await shaken.ended(turn)
        assert resets > 5
        assert steady.text(turn) == TEXT * 3
        await house.agree(str(steady.conversation), steady, shaken)
        assert len(fake.requests) == 1


async def test_away_while_it_ends(house: House) -> None:
    async with (
        upstream_at(house.port, mixed(1, 60, 1, 0.01)) as fake,
        house.tab() as tab,
        house.tab() as other,
    ):
        turn = (await tab.submit("Go"))["turn"]
        await tab.until(lambda: len(tab.text(turn)) > 20)
        tab.go_offline()
        seen = tab.text(turn)
        other.conversation = tab.conversation
        await other.hello()
        await other.ended(turn)
        await asyncio.sleep(scale(0.2, 30))
        tab.online.set()
        await tab.ended(turn)
        assert tab.text(turn) == TEXT
        assert TEXT.startswith(seen)
        await house.agree(str(tab.conversation), tab, other)
        assert len(fake.requests) == 1


async def test_closed_tab_and_another_device(house: House) -> None:
    async with upstream_at(house.port, mixed(1, 40, 2, 0.005)) as fake:
        async with house.tab() as tab:
            turn = (await tab.submit("Go"))["turn"]
            await tab.until(lambda: tab.text(turn))
            conversation = tab.conversation
        async with house.tab(conversation) as elsewhere:
            assert await elsewhere.ended(turn) == "complete"
            assert elsewhere.text(turn) == TEXT
            await house.agree(str(conversation), elsewhere)
        assert len(fake.requests) == 1


async def test_reload_in_every_phase(house: House) -> None:
    phases = [asyncio.Event() for _ in range(6)]
    thinking = block(0, "thinking", ["I **think**", " hard"])
    call = block(1, "tool_use", ['{"expression": "1', '+1"}'], id="t1", name="calculator")
    text = block(0, "text", ["It is **2", "**."])
    script = [
        [phases[0], start(), *thinking[:2], phases[1], *thinking[2:], *call[:2], phases[2], *call[2:],
         stop("tool_use")],
        [phases[3], start("msg_2"), *text[:2], phases[4], *text[2:], phases[5], stop()],
    ]  # fmt: skip
    async with upstream_at(house.port, *script) as fake, house.tab() as steady:
        turn = (await steady.submit("Go"))["turn"]
        for number, phase in enumerate([*phases, None]):
            await house_rests(steady, turn)
            async with house.tab(steady.conversation) as late:
                await late.until(lambda late=late: turn in late.turns)
                await late.until(lambda late=late: late.turns[turn]["rev"] == steady.turns[turn]["rev"])
                assert late.page(turn) == steady.page(turn), number
                # Another conversation is looked at, and this one again.
                late.conversation, late.turns = None, {}
                await late.hello()
                late.conversation = steady.conversation
                await late.hello()
                await late.until(lambda late=late: turn in late.turns)
                assert late.page(turn) == steady.page(turn), number
            if phase is not None:
                phase.set()
        assert await steady.ended(turn) == "complete"
        await house.agree(str(steady.conversation), steady)
        assert len(fake.requests) == 2


async def house_rests(tab: Any, turn: str) -> None:
    """Wait until the tab hears nothing new of the turn."""
    await tab.until(lambda: turn in tab.turns)
    rev = -1
    while rev != tab.turns[turn]["rev"]:
        rev = tab.turns[turn]["rev"]
        await asyncio.sleep(0.25)


async def test_narrow_road(house: House) -> None:
    """Far less than what is written gets through: the page comes late, in few and large steps, and whole."""
    async with (
        upstream_at(house.port, mixed(scale(60, 400), scale(800, 6000), 3)) as fake,
        network(house.base) as net,
        house.tab() as steady,
        house.tab(base=net.url) as slow,
    ):
        net.rate = scale(20_000, 2_000)
        turn = (await steady.submit("Go"))["turn"]
        slow.conversation = steady.conversation
        await slow.hello()
        await steady.ended(turn)
        await asyncio.sleep(scale(0.5, 20))
        assert slow.turn(turn).get("state") != "ended"
        net.rate = 0
        await slow.ended(turn)
        await house.agree(str(steady.conversation), steady, slow)
        assert len(fake.requests) == 1
        assert len(slow.applied) <= len(steady.applied) + 1
        # More than the window and the log of frames hold: only a snapshot brings it up to date.
        assert scale(True, [one.start for one in slow.applied].count(None) > 1)


async def test_slivers_both_ways(house: House) -> None:
    """Between browser and server, and between server and upstream, at most 10 bytes travel together."""
    async with upstream_at(0, mixed(1, 30, 4)) as fake, network(fake.url) as up:
        up.slice = 10
        async with moved(house.port, up), network(house.base) as net, house.tab(base=net.url) as tab:
            net.slice = 10
            turn = (await tab.submit("Go 中文 🙂"))["turn"]
            assert await tab.ended(turn) == "complete"
            assert tab.text(turn) == TEXT
            assert tab.turns[turn]["user"]["text"] == "Go 中文 🙂"
            await house.agree(str(tab.conversation), tab)


class moved:
    """Let the shared server's upstream port lead into a network."""

    def __init__(self, port: int, net: Any) -> None:
        self._port, self._net = port, net

    async def __aenter__(self) -> None:
        self._server = await asyncio.start_server(self._net.handle, "127.0.0.1", self._port)

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self._net.reset()
        await asyncio.sleep(0)


async def test_dead_line_is_left_and_found_again(house: House) -> None:
    """Nothing moves and nothing closes: the tab looks elsewhere, and the server's turn does not care."""
    async with (
        upstream_at(house.port, mixed(1, 30, 5, 0.01), answer("More.")) as fake,
        network(house.base) as net,
        house.tab(base=net.url) as tab,
    ):
        turn = (await tab.submit("Go"))["turn"]
        await tab.until(lambda: tab.text(turn))
        net.flowing.clear()
        await asyncio.sleep(scale(0.5, 40))
        net.flowing.set()
        net.reset()
        assert await tab.ended(turn) == "complete"
        await tab.ended((await tab.submit("And?", parent=turn))["turn"])
        await house.agree(str(tab.conversation), tab)
        assert len(fake.requests) == 2
