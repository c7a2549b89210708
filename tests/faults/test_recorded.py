"""Recorded streams of all wires, with faults at their event boundaries: nothing lost, nothing doubled.

Each stream runs once in peace and then again and again, with something going wrong wherever it stands still.
A run that ends as it should shows the page of the peaceful one and stores the message that the bytes say; a
run that is ended early shows and stores its beginning, and says how it ended.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chatsite.relay.pages import scope
from tests.faults.engines import free_port
from tests.faults.house import House, end, lite, restarted
from tests.faults.network import Network, network
from tests.faults.recordings import SPOKEN, WIRES, Walk, message_of, some, variables
from tests.faults.scale import scale
from tests.faults.tab import Tab
from tests.faults.upstream import upstream_at
from tests.relay.served import Prepared, copied
from tests.relay.upstream import CUT

pytestmark = pytest.mark.corpus

EACH = scale(1, 24)  # streams of a wire
DEADLY = ("kill", "upstream", "stop", "term")


@dataclass
class Ground:
    """A server that is killed and started again, at one address behind a bad network."""

    house: House
    net: Network
    wire: str
    process: subprocess.Popen[str]

    async def again(self) -> None:
        """Start the server again after its end."""
        url = f"http://127.0.0.1:{self.house.port}"
        env = {**variables(url, self.wire), "STREAMRENDER_DRAIN": "0.2"}
        port = int(self.house.base.rpartition(":")[2])
        self.process, _ = await restarted(self.house.data, url, ("127.0.0.1", port), **env)
        self.house.pid = self.process.pid


@contextlib.asynccontextmanager
async def ground(folder: Prepared, data: Path, wire: str) -> AsyncIterator[Ground]:
    """A fresh server for these wires."""
    house = House(f"http://127.0.0.1:{free_port()}", folder.sessions, free_port(), 0, copied(folder, data))
    async with network(house.base) as net:
        made = Ground(house, net, wire, await asyncio.to_thread(subprocess.Popen, ["true"], text=True))
        await made.again()
        try:
            yield made
        finally:
            end(made.process)


class Run:
    """One stream with faults: `steady` is left alone, `shaken` goes through the network."""

    def __init__(self, on: Ground, steady: Tab, shaken: Tab, rng: random.Random) -> None:
        self.on, self.steady, self.shaken, self.rng = on, steady, shaken, rng
        self.extra: list[Tab] = []
        self.turn = ""

    async def cut(self) -> None:
        """Every connection of the network is reset."""
        self.on.net.reset()

    async def stall(self) -> None:
        """Nothing moves for a while, then the line turns out to be dead."""
        self.on.net.flowing.clear()
        await asyncio.sleep(0.05)
        self.on.net.flowing.set()
        self.on.net.reset()

    async def reload(self) -> None:
        """F5: what was shown is gone, and is shown again."""
        self.shaken.turns.clear()
        self.shaken.cut()

    async def away(self) -> None:
        """Another conversation, and back."""
        self.shaken.conversation, self.shaken.turns = None, {}
        await self.shaken.hello()
        await asyncio.sleep(self.rng.uniform(0, 0.02))
        self.shaken.conversation = self.steady.conversation
        await self.shaken.hello()

    async def second(self) -> None:
        """One more tab."""
        if len(self.extra) < 2:
            tab = self.on.house.tab(self.steady.conversation)
            await tab.__aenter__()
            self.extra.append(tab)

    async def freeze(self) -> None:
        """The server stands still for a moment."""
        os.kill(self.on.house.pid, signal.SIGSTOP)
        await asyncio.sleep(0.05)
        os.kill(self.on.house.pid, signal.SIGCONT)

    async def lock(self) -> None:
        """Somebody else writes to the database for a moment."""
        other = sqlite3.connect(self.on.house.data / "db.sqlite3", isolation_level=None, timeout=10)
        other.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(0.1)
        other.execute("ROLLBACK")
        other.close()

    async def nothing(self) -> None:
        """No fault."""

    async def kill(self) -> None:
        """kill -9, and the server starts again."""
        end(self.on.process)
        await self.on.again()

    async def term(self) -> None:
        """SIGTERM, and the server starts again."""
        self.on.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(self.on.process.wait, 15)
        await self.on.again()

    async def stop(self) -> None:
        """The user presses Stop."""
        await self.steady.stop(self.turn)

    async def upstream(self) -> None:
        """The upstream drops the connection: its script says so."""


async def run(
    on: Ground, folder: str, data: bytes, rng: random.Random, faults: list[str], last: str
) -> tuple[str, Any, list[Any], int]:
    """How it ended, the page without times, the stored content, and the bytes that surely came."""
    _, model = WIRES[folder]
    walk = Walk(data, len(faults), rng, CUT if last == "upstream" else None)
    async with (
        upstream_at(on.house.port, walk.script) as fake,
        on.house.tab(seed=rng.randrange(99)) as steady,
        on.house.tab(base=on.net.url, seed=rng.randrange(99)) as shaken,
    ):
        one = Run(on, steady, shaken, rng)
        try:
            one.turn = (await steady.submit("Go", model=model))["turn"]
            shaken.conversation = steady.conversation
            await shaken.hello()
            seen = ""
            for number, fault in enumerate(faults[: len(walk.gates)]):
                await asyncio.wait_for(walk.reached[number].wait(), 60)
                await asyncio.sleep(rng.choice([0, 0.01, 0.05]))
                seen = steady.text(one.turn)
                await getattr(one, fault)()
                walk.gates[number].set()
                if fault in DEADLY and fault != "upstream":
                    break
            walk.open()
            tabs = [steady, shaken, *one.extra]
            endings = {await tab.ended(one.turn) for tab in tabs}
            assert len(endings) == 1
            assert steady.text(one.turn).startswith(seen)
            pages = await on.house.agree(str(steady.conversation), *tabs)
            assert len(fake.requests) == 1, "the upstream was asked twice"
            page = json.dumps(timeless(pages[one.turn])).replace(scope(one.turn), "scope")
            content = await asyncio.to_thread(stored, on.house.data, one.turn)
            return endings.pop(), page, content, len(walk.sent[-1]) if last == "upstream" else len(data)
        finally:
            for tab in one.extra:
                await tab.__aexit__()


def stored(data: Path, turn: str) -> list[Any]:
    """The content of the messages of a turn."""
    where = f"turn_id = '{turn.replace('-', '')}' ORDER BY number"
    rows = lite(data, f"SELECT content FROM chats_message WHERE {where}")
    return [block for (content,) in rows for block in json.loads(content)]


def timeless(value: Any) -> Any:
    """A page without what depends on the clock."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if not key.endswith("_at")}
    return [timeless(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("openai_wire", SPOKEN)
async def test_faults_at_event_boundaries(openai_wire: str, folder: Prepared, tmp_path: Path) -> None:
    rng = random.Random(openai_wire)
    mild = ["cut", "stall", "reload", "away", "second", "freeze", "lock"]
    ends = iter(["kill", "upstream", "stop", "term", "upstream"] * 100)
    async with ground(folder, tmp_path / "data", openai_wire) as on:
        for name in SPOKEN[openai_wire]:
            for path in some(name, EACH):
                data = path.read_bytes()
                whole = message_of(WIRES[name][0], data)["content"]
                ending, peaceful, content, _ = await run(on, name, data, rng, ["nothing"], "")
                assert content == whole, path
                for _ in range(scale(1, 2)):
                    rng.shuffle(mild)
                    shaken = await run(on, name, data, rng, mild[: scale(5, 7)], "")
                    assert shaken[:3] == (ending, peaceful, whole), path
                last = next(ends)
                faults = ["nothing"] * rng.randrange(3) + [last]
                early, _, content, came = await run(on, name, data, rng, faults, last)
                if last == "upstream":
                    assert content == message_of(WIRES[name][0], data[:came])["content"], path
                assert early in {
                    "kill": ("interrupted", ending), "term": ("interrupted", ending),
                    "upstream": ("cut_off", ending), "stop": ("stopped", ending),
                }[last], (path, early)  # fmt: skip
                assert begins(content, whole), path


def begins(content: list[Any], whole: list[Any]) -> bool:
    """Whether what was kept is a beginning of all that was said."""
    for kept, said in zip(content, whole, strict=False):
        for field in ("text", "thinking"):
            if field in said and not said[field].startswith(kept.get(field, "")):
                return False
    return len(content) <= len(whole)
