"""Faults that need a real process: kill -9, SIGTERM, a second start, a client that does not read."""

import asyncio
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.corpus import ROOT
from tests.relay.served import Prepared, copied, environment, serve, stored
from tests.relay.upstream import answer, block, serving, start, stop


def long_answer(words: int = 400, pause: float = 0.005) -> list[Any]:
    """An answer that takes a while."""
    steps: list[Any] = [start()]
    for chunk in block(0, "text", [f"word{n} " for n in range(words)]):
        steps += [chunk, pause]
    return [*steps, stop()]


def words(count: int = 400) -> str:
    """The text of `long_answer`."""
    return "".join(f"word{n} " for n in range(count))


@pytest.mark.parametrize("seed", range(3))
async def test_what_was_seen_survives_kill_9(seed: int, prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    rng = random.Random(seed)
    async with serving(long_answer()) as upstream:
        async with serve(data, prepared, upstream.url) as server, server.page() as page:
            turn = (await page.submit("Go"))["turn"]
            kill_at = rng.randint(1, 2000)
            await page.until(lambda: len(page.text(turn)) >= kill_at)
            server.kill()
            await page.until_closed()
            seen = page.text(turn)
        began = time.monotonic()
        async with (
            serve(data, prepared, upstream.url) as server,
            server.page(page.conversation) as again,
        ):
            shown = await again.ended(turn)
            assert time.monotonic() - began < 60
            assert shown["turn"]["ending"] == "interrupted"
            assert again.text(turn).startswith(seen)
            assert words().startswith(again.text(turn))
            # A page that saw the turn before comes to the same.
            again.turns = dict(page.turns)
            await again.hello()
            await again.ended(turn)
            assert again.text(turn).startswith(seen)
            # And the conversation goes on.
            upstream.scripts = [answer("Again.")]
            after = (await again.submit("And now?", parent=turn))["turn"]
            await again.ended(after)
        sent = [m["role"] for m in upstream.requests[-1]["messages"]]
        assert sent == ["user", "assistant", "user"]
        assert len(upstream.requests) == 2
    kept = stored(data, f"[list(Message.objects.filter(turn='{turn}').values_list('content', flat=True))]")
    assert kept[0][0][0]["text"].startswith(seen)
    assert stored(data, f"JournalRow.objects.filter(turn='{turn}').count()") == 0


async def test_sigterm_lets_turns_finish(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    async with (
        serving(long_answer(200)) as upstream,
        serve(data, prepared, upstream.url) as server,
        server.page() as page,
        server.page() as idle,
    ):
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn))
        server.terminate()
        assert await idle.until_closed() == 4412
        assert idle.frames[-1]["type"] == "bye"
        assert await page.until_closed() == 4412
        assert page.turns[turn]["page"]["turn"]["ending"] == "complete"
        assert page.text(turn) == words(200)
        assert await asyncio.wait_for(server.process.wait(), 30) == 0


async def test_sigterm_keeps_what_cannot_finish(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    forever = asyncio.Event()
    async with (
        serving([start(), *block(0, "text", ["kept"])[:2], forever]) as upstream,
        serve(data, prepared, upstream.url, STREAMRENDER_DRAIN="1") as server,
        server.page() as page,
    ):
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn) == "kept")
        server.terminate()
        assert await page.until_closed() == 4412
        assert page.turns[turn]["page"]["turn"]["ending"] == "interrupted"
        assert await asyncio.wait_for(server.process.wait(), 30) == 0
        forever.set()
    assert stored(
        data, f"[Turn.objects.get(id='{turn}').ending, Exchange.objects.filter(turn='{turn}').count()]"
    ) == [
        "interrupted",
        1,
    ]


async def test_reader_that_stops_costs_little_and_comes_back(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    steps: list[Any] = [start()]
    for chunk in block(0, "text", ["lorem ipsum dolor sit amet " * 80 + "\n\n"] * 300):
        steps += [chunk, 0.002]
    async with (
        serving([*steps, stop()]) as upstream,
        serve(data, prepared, upstream.url) as server,
        server.page() as page,
    ):
        turn = (await page.submit("Go"))["turn"]
        async with server.page(page.conversation, ack=False) as mute:
            await mute.until(lambda: turn in mute.turns)
            await page.ended(turn, 30)
            # Nothing was acknowledged: one window has been sent and no more.
            got = 0
            try:
                while True:
                    await mute.next(0.5)
                    got += len(json.dumps(mute.frames[-1]))
            except TimeoutError:
                pass
            assert mute.state(turn) != "ended"
            assert got < 900_000
            mute.ack = True
            await mute.send(type="ack", turn=turn, rev=mute.turns[turn]["rev"])
            assert (await mute.ended(turn)) == page.turns[turn]["page"]


async def test_taken_port_is_said_in_one_line(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    async with serving(answer("x")) as upstream:
        port = upstream.url.rpartition(":")[2]
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "manage.py", "serve", "--port", port],
            cwd=ROOT, env=environment(data), capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.strip().count("\n") == 0
    assert f"Cannot listen on 127.0.0.1:{port}" in done.stderr


async def test_pages_over_http(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    async with (
        serving(answer("**Hello**")) as upstream,
        serve(data, prepared, upstream.url) as server,
        aiohttp.ClientSession(headers=server.headers()) as http,
        server.page() as page,
    ):
        turn = (await page.submit("Hi"))["turn"]
        await page.ended(turn)
        async with http.get(f"{server.base}/livez") as response:
            assert (response.status, await response.text()) == (200, "ok")
        async with http.get(f"{server.base}/c/{page.conversation}/") as response:
            html = await response.text()
            policy = response.headers["Content-Security-Policy"]
        assert response.status == 200
        embedded = html.partition('id="conversation" type="application/json">')[2].partition("</script>")[0]
        (frame,) = json.loads(embedded)["turns"]
        assert frame == {**page.turns[turn], "type": "snapshot"}
        assert "'unsafe-inline'" not in policy
        assert "'unsafe-eval'" not in policy
        async with http.get(f"{server.base}/c/{page.conversation}/export.md") as response:
            assert "**Hello**" in await response.text()
        async with http.get(f"{server.base}/ws/") as response:
            assert response.status == 404
        for asset in [part.split('"')[0] for part in html.split('"/static/')[1:]]:
            async with http.get(f"{server.base}/static/{asset}") as response:
                assert response.status == 200, asset
                assert "Access-Control-Allow-Origin" not in response.headers


async def test_raw_bytes_of_a_running_exchange_survive_kill(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    forever = asyncio.Event()
    parts = [start(), *block(0, "text", ["one ", "two ", "three "])[:4]]
    async with serving([*parts, forever]) as upstream:
        read = "[[body.decode(), at] for body, at in map(exchange_bytes, Exchange.objects.all())]"
        async with serve(data, prepared, upstream.url) as served, served.page() as page:
            turn = (await page.submit("Go"))["turn"]
            await page.until(lambda: page.text(turn) == "one two three ")
            for _ in range(100):
                if stored(data, "Exchange.objects.count()"):
                    break
            ((body, arrivals),) = stored(data, read)
            assert body == b"".join(parts).decode()
            served.kill()
            await served.process.wait()
        async with serve(data, prepared, upstream.url) as served, served.page(page.conversation) as page:
            assert (await page.ended(turn))["turn"]["ending"] == "interrupted"
            assert stored(data, read) == [[body, arrivals]]
            assert sum(length for _, length in arrivals) == len(body)
            assert stored(data, "RawChunk.objects.count()") == 0
        forever.set()
