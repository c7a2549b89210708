"""Three processes on PostgreSQL and Valkey behind a proxy: the guarantees of one process, whatever dies."""

import asyncio
import functools
import signal
import time
import uuid
from pathlib import Path
from typing import Any

import aiohttp
from channels_redis.core import RedisChannelLayer

from chatsite.relay.bell import GROUP
from tests.faults.cluster import Grounds, cluster
from tests.faults.house import House, end, restarted
from tests.faults.scale import patience, scale
from tests.faults.tab import Tab
from tests.faults.upstream import TEXT, mixed, upstream_at
from tests.relay.upstream import answer, block, start, stop


def endless(text: str) -> list[Any]:
    """An answer that never goes on after `text`."""
    return [start(), *block(0, "text", [text])[:2], asyncio.Event()]


async def begun(tab: Tab, others: list[Tab], text: str = "Go", **fields: Any) -> str:
    """Submit in one tab and let the others look at the conversation; the turn."""
    turn = str((await tab.submit(text, **fields))["turn"])
    for other in others:
        if other.conversation != tab.conversation:
            other.conversation = tab.conversation
            await other.hello()
    return turn


async def test_everything_is_seen_from_everywhere(land: Grounds) -> None:
    async with cluster(land) as one:
        house = one.house
        a, b, c = (house.tab(base=base) for base in one.bases)
        async with upstream_at(house.port, mixed(1, 80, 1, 0.02), endless("kept")) as fake, a, b, c:
            turn = await begun(a, [b, c])
            await b.until(lambda: b.text(turn))
            assert b.turn(turn)["state"] != "ended", "seen only at the end, not live"
            for tab in (a, b, c):
                await tab.ended(turn)
                assert tab.text(turn) == TEXT
            await house.agree(str(a.conversation), a, b, c)
            # A turn that begins in one is stopped from another; submitting twice makes one turn.
            after = await begun(a, [], "More", parent=turn)
            await c.until(lambda: c.text(after) == "kept")
            assert (await b.submit("Now?", parent=turn))["code"] == "busy"
            pressed = time.monotonic()
            assert (await c.stop(after))["type"] == "ok"
            # Committed, and said so, at once; the owner hears of it by a bell, or within one round of leases.
            assert time.monotonic() - pressed < 2 * patience()
            assert await c.ended(after, 20) == "stopped"
            await asyncio.wait_for(fake.closed_by_client.wait(), 30)
            await house.agree(str(a.conversation), a, b, c)
            assert len(fake.requests) == 2


async def test_what_was_said_is_found(land: Grounds) -> None:
    """PostgreSQL's index: words, beginnings, signs without spaces, phrases of them; of the owner alone."""
    async with cluster(land, 1) as one:
        house = one.house
        async with upstream_at(house.port, answer("冰的密度比水小，type it café \x00.")) as fake:
            for user, said in (("ann", "Why is the Sky blue?"), ("bob", "The sky is mine")):
                async with house.tab(user=user) as tab:
                    await tab.ended((await tab.submit(said))["turn"])
            assert len(fake.requests) == 2
        assert [hit["parts"] for hit in await found(house, "sky why") if hit["turn"]] == [
            ["", "Why", " is the Sky blue?"]
        ]
        for query, count in {
            "SK": 2, "sk blu": 2, "ky zzz": 0, "密度比水": 1, "密": 1, "水": 1, "度密": 0, "密度水": 0,
            "水小冰": 0, "cafe": 1, "Café": 1, "type": 1, "mine": 0,
            "signature": 0, "'; --": 0, "sky & ! | :*": 1,
            "\x00": 0, "x" * 300: 0,
        }.items():  # fmt: skip
            assert len(await found(house, query)) == count, query
        assert len(await found(house, "mine", "bob")) == 2


async def found(house: House, query: str, user: str = "ann") -> list[dict[str, Any]]:
    """What a search gives."""
    async with (
        aiohttp.ClientSession(headers=house.headers(user)) as http,
        http.get(f"{house.base}/search/", params={"q": query}) as response,
    ):
        assert response.status == 200, (query, response.status)
        hits: list[dict[str, Any]] = (await response.json())["found"]
        return hits


async def test_killed_owner(land: Grounds) -> None:
    async with cluster(land, 2) as one:
        house = one.house
        async with upstream_at(house.port, endless("mine"), answer("Again.")) as fake:
            async with house.tab(base=one.bases[0]) as here, house.tab(base=one.bases[1]) as there:
                turn = await begun(here, [there])
                await there.until(lambda: there.text(turn) == "mine")
                one.kill(0)
                assert await there.ended(turn, 15) == "interrupted"
                here.base = house.base
                await here.ended(turn)
                after = (await here.submit("Go on", parent=turn))["turn"]
                await there.ended(after)
                await here.ended(after)
                await house.agree(str(here.conversation), here, there)
            assert len(fake.requests) == 2


async def test_doorbells_may_be_lost(land: Grounds) -> None:
    """Valkey flushed, frozen, killed and started again in mid-turn: no bell is heard, nothing missed."""
    async with cluster(land, 2) as one:
        house = one.house
        async with (
            upstream_at(house.port, mixed(2, 120, 2, 0.025), endless("kept")) as fake,
            house.tab(base=one.bases[0]) as here,
            house.tab(base=one.bases[1]) as there,
        ):
            turn = await begun(here, [there])
            await there.until(lambda: there.text(turn))
            land.valkey.do("FLUSHALL")
            await asyncio.sleep(0.5)
            land.valkey.send(signal.SIGSTOP)
            seen = there.text(turn)
            await there.until(lambda: len(there.text(turn)) > len(seen))
            land.valkey.end(signal.SIGKILL)
            try:
                assert await here.ended(turn) == "complete"
                assert await there.ended(turn) == "complete"
                after = await begun(here, [], "More", parent=turn)
                await there.until(lambda: there.text(after) == "kept")
                pressed = time.monotonic()
                await there.stop(after)
                assert time.monotonic() - pressed < 2 * patience()
                assert await there.ended(after, 20) == "stopped"
                await asyncio.wait_for(fake.closed_by_client.wait(), 30)
            finally:
                await asyncio.to_thread(land.valkey.start)
            assert await here.ended(after) == "stopped"
            await house.agree(str(here.conversation), here, there)
            assert [code for tab in (here, there) for code in tab.closes] == []
            assert len(fake.requests) == 2


async def test_frozen_owner(land: Grounds) -> None:
    """The other takes its turn over, PostgreSQL starts anew, the owner thaws: it writes nothing more."""
    async with cluster(land, 2) as one:
        house, gate = one.house, asyncio.Event()
        parts = block(0, "text", ["mine ", "never"])
        script = [start(), *parts[:2], gate, *parts[2:], stop()]
        async with (
            upstream_at(house.port, script, answer("Again.")) as fake,
            house.tab(base=one.bases[0]) as here,
            house.tab(base=one.bases[1]) as there,
        ):
            turn = await begun(here, [there])
            await there.until(lambda: there.text(turn) == "mine ")
            one.processes[0].send_signal(signal.SIGSTOP)
            try:
                assert await there.ended(turn) == "interrupted"
                gate.set()
                land.postgres.end(signal.SIGINT)
                await asyncio.to_thread(land.postgres.start)
            finally:
                one.processes[0].send_signal(signal.SIGCONT)
            after = (await there.submit("Go on", parent=turn))["turn"]
            for tab in (there, here):
                assert await tab.ended(after) == "complete"
                assert await tab.ended(turn) == "interrupted"
                assert tab.text(turn) == "mine "
            await house.agree(str(here.conversation), here, there)
            assert len(fake.requests) == 2


async def test_full_channel_layer(land: Grounds) -> None:
    """More bells than the layer holds, senseless ones among them, while a process cannot listen."""
    layer = RedisChannelLayer(hosts=[land.valkey.url])
    async with cluster(land, 2) as one:
        house = one.house
        async with (
            upstream_at(house.port, mixed(1, 80, 5, 0.02)) as fake,
            house.tab(base=one.bases[0]) as here,
            house.tab(base=one.bases[1]) as there,
        ):
            turn = await begun(here, [there])
            await there.until(lambda: there.text(turn))
            one.processes[1].send_signal(signal.SIGSTOP)
            try:
                for n in range(300):
                    moved = "nonsense" if n % 50 == 0 else str(uuid.uuid4())
                    await layer.group_send(GROUP, {"type": "bell", "by": "nobody", "moved": moved})
            finally:
                one.processes[1].send_signal(signal.SIGCONT)
                await layer.close_pools()
            for tab in (here, there):
                assert await tab.ended(turn) == "complete"
            after = await begun(here, [], "More", parent=turn)
            assert await there.ended(after) == "complete"
            await house.agree(str(here.conversation), here, there)
            assert len(fake.requests) == 2


async def test_bells_that_lie(land: Grounds, tmp_path: Path) -> None:
    """Bells are dropped, doubled, late and out of order (tests/faults/unruly.py): all is seen."""
    env = {**land.env, "DJANGO_SETTINGS_MODULE": "tests.faults.unruly"}
    started = await asyncio.gather(
        *(restarted(land.folder, f"http://127.0.0.1:{land.port}", **env) for _ in range(2))
    )
    house = House(started[0][1], land.sessions, land.port, sql=functools.partial(land.postgres.sql, "chat"))
    try:
        endings: list[Any] = [endless("kept") if n % 3 == 2 else mixed(1, 40, n, 0.01) for n in range(6)]
        async with (
            upstream_at(house.port, *endings) as fake,
            house.tab(base=started[0][1]) as here,
            house.tab(base=started[1][1]) as there,
        ):
            turn = None
            for n in range(scale(3, 6)):
                writer, reader = (here, there) if n % 2 else (there, here)
                writer.conversation = here.conversation or there.conversation
                turn = await begun(writer, [reader], f"Turn {n}", parent=turn)
                await reader.until(lambda reader=reader, turn=turn: reader.text(turn))
                if n % 3 == 2:
                    await reader.stop(turn)
                for tab in (here, there):
                    assert await tab.ended(turn) == ("stopped" if n % 3 == 2 else "complete")
            await house.agree(str(here.conversation), here, there)
            assert len(fake.requests) == scale(3, 6)
            assert here.closes == there.closes == []
    finally:
        for process, _ in started:
            end(process)


async def test_database_goes_away_for_a_while(land: Grounds) -> None:
    """Nothing is shown that is not stored, sockets stay, and the turn goes on when the database is back."""
    async with cluster(land, 1) as one:
        house = one.house
        async with upstream_at(house.port, mixed(2, 100, 3, 0.025)) as fake, house.tab() as tab:
            turn = (await tab.submit("Go"))["turn"]
            await tab.until(lambda: tab.text(turn))
            land.postgres.end(signal.SIGINT)
            await asyncio.sleep(0.3)
            seen = tab.text(turn)
            await asyncio.sleep(scale(1.5, 9))
            assert tab.text(turn) == seen
            await asyncio.to_thread(land.postgres.start)
            ending = await tab.ended(turn, 40)
            assert tab.closes == []
            assert ending == "complete", tab.turn(turn)
            assert tab.text(turn) == TEXT * 2
            await house.agree(str(tab.conversation), tab)
            assert len(fake.requests) == 1


async def test_rolling_restart(land: Grounds) -> None:
    """Each process in turn is told to end and replaced, while people go on writing."""
    async with cluster(land, 2) as one:
        house = one.house
        tabs = [house.tab(seed=seed) for seed in range(scale(4, 12))]
        async with upstream_at(house.port, mixed(1, 30, 4, 0.01)) as fake:
            for tab in tabs:
                await tab.__aenter__()
            try:
                done = asyncio.Event()
                writing = asyncio.gather(*(writes(tab, done) for tab in tabs))
                for number in range(2):
                    one.processes[number].send_signal(signal.SIGTERM)
                    await asyncio.to_thread(one.processes[number].wait, 10)
                    await one.start(number)
                done.set()
                written = await writing
                for tab, (turns, longest) in zip(tabs, written, strict=True):
                    assert longest < 5 * patience()
                    assert set(turns) == set(await house.stored(str(tab.conversation)))
                    await house.agree(str(tab.conversation), tab)
                assert len(fake.requests) == sum(len(turns) for turns, _ in written)
            finally:
                for tab in tabs:
                    await tab.__aexit__()


async def writes(tab: Tab, done: asyncio.Event) -> tuple[list[str], float]:
    """Write on and on; the turns, and the longest wait for an answer to a submit."""
    turns: list[str] = []
    longest = 0.0
    while not done.is_set():
        began = time.monotonic()
        turns.append((await tab.submit("Go", parent=turns[-1] if turns else None))["turn"])
        longest = max(longest, time.monotonic() - began)
        await tab.ended(turns[-1])
        assert tab.turn(turns[-1])["ending"] in ("complete", "interrupted")
        await asyncio.sleep(0.5)
    return turns, longest


async def test_idle_sockets_stay(land: Grounds) -> None:
    """Newer clients of Redis close idle connections after five seconds, and sockets with them."""
    async with cluster(land, 1) as one, one.house.tab() as tab:
        await tab.until(lambda: tab.frames)
        await asyncio.sleep(scale(6, 70))
        assert tab.closes == []
        async with upstream_at(one.house.port, answer("Yes.")):
            assert await tab.ended((await tab.submit("Still there?"))["turn"]) == "complete"
