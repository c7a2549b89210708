"""One server process that many tests share, and the comparison that ends them all: every tab against the
database.
"""

import asyncio
import contextlib
import functools
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import aiohttp

from chatsite.relay.messages import messages_of
from tests.corpus import ROOT
from tests.faults.tab import Tab, comparable
from tests.relay.served import environment

EMBEDDED = re.compile(r'<script id="conversation" type="application/json">(.*?)</script>', re.S)


@dataclass
class House:
    """Where a server listens, who may enter, the port of its upstream, and its own folder. `pid` 0: not one
    process.
    """

    base: str
    sessions: dict[str, str]
    port: int = 0
    pid: int = 0
    data: Path = Path()
    connector: Callable[[], aiohttp.TCPConnector] | None = None
    sql: Callable[[str], list[Any]] | None = None  # of the database, where it is not SQLite in `data`

    def headers(self, user: str = "ann") -> dict[str, str]:
        """The login of a user."""
        return {"Cookie": f"sessionid={self.sessions[user]}"}

    def tab(self, conversation: str | None = None, user: str = "ann", base: str = "", **more: Any) -> Tab:
        """A tab of this user; `base` where the way leads through something else."""
        return Tab(base or self.base, self.headers(user), conversation, connector=self.connector, **more)

    def http(self, user: str = "ann") -> aiohttp.ClientSession:
        """Requests of a user."""
        connector = self.connector() if self.connector else None
        return aiohttp.ClientSession(headers=self.headers(user), connector=connector)

    async def stored(self, conversation: str, user: str = "ann") -> dict[str, dict[str, Any]]:
        """The snapshot frames that the page of a conversation embeds: what the database says, by turn."""
        async with self.http(user) as http, http.get(f"{self.base}/c/{conversation}/") as response:
            assert response.status == 200, response.status
            html = await response.text()
        found = EMBEDDED.search(html)
        assert found is not None
        return {frame["turn"]: frame for frame in json.loads(unescape(found[1]))["turns"]}

    async def agree(self, conversation: str, *tabs: Tab, within: float = 10) -> dict[str, dict[str, Any]]:
        """Every tab shows what the database says, and applied nothing twice; the pages, by turn."""
        stored = await self.stored(conversation)
        pages = {turn: comparable(frame["page"]) for turn, frame in stored.items()}
        for tab in tabs:
            at = {turn: (frame["epoch"], frame["rev"]) for turn, frame in stored.items()}
            await tab.until(lambda tab=tab, at=at: positions(tab) == at, within)
            for turn, page in pages.items():
                assert (wrong := difference(tab.page(turn), page)) is None, f"turn {turn}: {wrong}"
            once(tab)
        await asyncio.to_thread(self._kept, conversation)
        return pages

    def _kept(self, conversation: str) -> None:
        """The stored messages of every ended turn are those that its stored events assemble to."""
        rows = self.sql or (functools.partial(lite, self.data) if self.data != Path() else None)
        if rows is None:
            return
        which = f"conversation_id = '{conversation.replace('-', '')}' AND status = 'ended'"
        for turn, record in rows(f"SELECT id, record FROM relay_turn WHERE {which}"):
            events = json.loads(zlib.decompress(bytes(record)))
            assert [e["type"] for e in events].count("turn_end") == 1
            text = f"FROM chats_message WHERE turn_id = '{turn}' ORDER BY number"
            stored = [_plain(content) for (content,) in rows(f"SELECT content {text}")]
            made = [message["content"] for message in messages_of(events)]
            assert stored == json.loads(json.dumps(made).replace("\\u0000", "\\ufffd"))
            assert rows(f"SELECT count(*) FROM relay_journalrow WHERE turn_id = '{turn}'")[0][0] == 0


def _plain(content: Any) -> Any:
    return json.loads(content) if isinstance(content, str) else content


def lite(data: Path, text: str) -> list[Any]:
    """One statement on the SQLite database of a data folder; its rows."""
    with contextlib.closing(sqlite3.connect(data / "db.sqlite3", timeout=10)) as connection:
        return connection.execute(text).fetchall()


def difference(shown: Any, wanted: Any, path: str = "") -> str | None:
    """Where two pages first differ, None where they do not."""
    if shown == wanted:
        return None
    if isinstance(shown, dict) and isinstance(wanted, dict) and shown.keys() == wanted.keys():
        inner = [(key, shown[key], wanted[key]) for key in shown]
    elif isinstance(shown, list | tuple) and isinstance(wanted, list | tuple) and len(shown) == len(wanted):
        inner = [(str(n), *pair) for n, pair in enumerate(zip(shown, wanted, strict=True))]
    else:
        return f"{path or 'page'} is {shown!r:.300}, not {wanted!r:.300}"
    found = (difference(a, b, f"{path}.{key}") for key, a, b in inner)
    return next((text for text in found if text is not None), None)


def positions(tab: Tab) -> dict[str, tuple[str, int]]:
    """Where every turn of a tab is."""
    return {turn: (one["epoch"], one["rev"]) for turn, one in tab.turns.items()}


def once(tab: Tab) -> None:
    """No event was applied twice, and none was left out: ops start where the page was."""
    at: dict[tuple[str, str], int] = {}
    for turn, epoch, start, end in tab.applied:
        before = at.get((turn, epoch))
        if start is not None:
            assert start == before, f"applied {start}-{end} at {before}"
            assert end > start
        at[turn, epoch] = end


def memory(pid: int) -> int:
    """Resident bytes of a process."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def sockets(pid: int) -> set[str]:
    """Open sockets of a process; a later one has another name."""
    links = [_link(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    return {link for link in links if link.startswith("socket:")}


async def freed(pid: int, held: set[str], count: int, within: float) -> None:
    """Wait until the process let go of so many of the sockets that it held; new ones do not matter."""
    async with asyncio.timeout(within):
        while len(held - sockets(pid)) < count:
            await asyncio.sleep(0.5)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""


def threads(pid: int) -> int:
    """Threads of a process."""
    return len(os.listdir(f"/proc/{pid}/task"))


async def ping(tab: Tab) -> float:
    """Seconds until the server answers a ping: what its loop makes others wait."""
    number = sum(frame["type"] == "pong" for frame in tab.frames)
    began = time.monotonic()
    await tab.until(lambda: tab.socket)
    await tab.send({"type": "ping", "n": number})
    await tab.until(lambda: any(f == {"type": "pong", "n": number} for f in reversed(tab.frames)))
    return time.monotonic() - began


def quantile(values: list[float], q: float) -> float:
    """The value below which `q` of the values lie."""
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def start_server(
    data: Path, upstream: str, at: tuple[str, int] = ("127.0.0.1", 0), **env: str
) -> tuple[subprocess.Popen[str], str]:
    """`manage.py serve` on `data`; the process and its address. What it logs goes to `log_of(data)`."""
    with log_of(data).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--host", at[0], "--port", str(at[1])], text=True,
            cwd=ROOT, env=environment(data, upstream, **env), stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("Listening on "), line
    return process, line.split()[-1].rstrip("/")


def log_of(data: Path) -> Path:
    """Where the servers of a data folder log: beside it."""
    return data.parent / f"{data.name}.log"


def tracebacks(data: Path) -> list[str]:
    """The stacks that the servers of a data folder logged."""
    text = log_of(data).read_text(errors="replace")
    return [part.partition("\n20")[0] for part in text.split("Traceback (most recent call last)")[1:]]


def end(process: subprocess.Popen[str], how: int = signal.SIGKILL) -> None:
    """Signal a process and wait for it."""
    process.send_signal(how)
    process.wait(40)


async def restarted(
    data: Path, upstream: str, at: tuple[str, int] = ("127.0.0.1", 0), **env: str
) -> tuple[subprocess.Popen[str], str]:
    """`start_server` without standing in the way of the loop."""
    return await asyncio.to_thread(start_server, data, upstream, at, **env)
