"""Two processes behind real proxies with the files of deploy/: pages, sockets, reloads, restarts."""

import asyncio
import contextlib
import functools
import re
import signal
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults.engines import free_port
from tests.faults.house import House, end, restarted, tracebacks
from tests.faults.proxies import SITE, Caddy, Names, Nginx, Place, answers
from tests.faults.upstream import TEXT, mixed, upstream_at
from tests.relay.served import Prepared, copied
from tests.relay.upstream import answer, block, start, stop


@dataclass
class Street:
    """Two processes and what leads to them."""

    place: Place
    data: Path
    sessions: dict[str, str]
    upstream: int
    processes: dict[int, subprocess.Popen[str]]

    async def serve(self, number: int) -> None:
        """Start a process (again) where it listens."""
        env = {"PUBLIC_URL": self.place.base, "STREAMRENDER_SEVERAL": "1", "STREAMRENDER_DRAIN": "2"}
        upstream = f"http://127.0.0.1:{self.upstream}"
        self.processes[number], _ = await restarted(self.data, upstream, self.place.processes[number], **env)

    def house(self, proxy: Nginx | Caddy) -> House:
        """The whole behind a proxy."""
        connector = functools.partial(self.place.connector, proxy.host)
        return House(self.place.base, self.sessions, self.upstream, data=self.data, connector=connector)


@pytest.fixture
async def street(folder: Prepared, tmp_path: Path) -> AsyncIterator[Street]:
    """Processes, and a name server that knows them."""
    names, loop = Names(["127.0.0.1", "127.0.0.2"]), asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: names, ("127.0.0.1", 0))
    resolver = transport.get_extra_info("sockname")[1]
    inner = free_port()
    (tmp_path / "proxy").mkdir()
    at = [("127.0.0.1", inner), ("127.0.0.2", inner)]
    place = Place(tmp_path / "proxy", free_port(), free_port(), at, resolver)
    street = Street(place, copied(folder, tmp_path / "data"), folder.sessions, free_port(), {})
    try:
        await asyncio.gather(street.serve(0), street.serve(1))
        yield street
        assert tracebacks(street.data) == []
    finally:
        for process in street.processes.values():
            end(process)
        transport.close()


@pytest.fixture
async def proxies(street: Street) -> AsyncIterator[list[Nginx | Caddy]]:
    """Both, side by side before the same processes."""
    async with contextlib.AsyncExitStack() as stack:
        started: list[Nginx | Caddy] = []
        for kind in (Nginx, Caddy):
            started.append(kind(street.place))
            stack.callback(started[-1].end)
        for proxy in started:
            for port in (street.place.port, street.place.plain):
                await asyncio.to_thread(answers, proxy.host, port)
        yield started


async def test_behind_proxies(street: Street, proxies: list[Nginx | Caddy]) -> None:
    """One walk with both, because what costs is to put it up."""
    houses = [street.house(proxy) for proxy in proxies]
    for house in houses:
        await pages(house)
        await plain_requests(street, house)
    for house, proxy in zip(houses, proxies, strict=True):
        await streams(house, proxy)
    await restarts(street, houses)


async def pages(house: House) -> None:
    """Pages and static files, over TLS, as the app means them."""
    async with house.http() as http:
        async with http.get(house.base + "/") as response:
            assert response.status == 200
            html = await response.text()
        for path in re.findall(r'(?:src|href)="(/static/[^"]+\.(?:js|css))"', html)[:5]:
            async with http.get(house.base + path) as response:
                assert response.status == 200
                assert len(await response.read()) > 100
        # The app knows that it is reached over TLS, whatever a client says: such a form needs a Referer.
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', html)
        assert token is not None
        form = {"csrfmiddlewaretoken": token[1], "language": "en"}
        cookie = {"Cookie": f"{house.headers()['Cookie']}; csrftoken={token[1]}"}
        for extra, status in (
            ({}, 403), ({"X-Forwarded-Proto": "http"}, 403),
            ({"Referer": house.base + "/"}, 302), ({"Origin": house.base}, 302),
            ({"Origin": "https://evil.example"}, 403),
        ):  # fmt: skip
            async with http.post(
                house.base + "/language/", data=form, headers={**cookie, **extra}, allow_redirects=False
            ) as response:
                assert response.status == status, extra


async def plain_requests(way: Street, house: House) -> None:
    """HTTP leads to HTTPS."""
    async with house.http() as http:
        url = f"http://{SITE}:{way.place.plain}/login/"
        async with http.get(url, allow_redirects=False) as response:
            assert response.status in (301, 308)
            assert response.headers["Location"].startswith(f"https://{SITE}")


async def streams(house: House, proxy: Any) -> None:
    """A socket shows each piece when it comes, and outlives a reload of the proxy."""
    gates = [asyncio.Event() for _ in range(3)]
    parts = block(0, "text", ["one ", "two ", "three ", "four"])
    script = [start(), *parts[:2], gates[0], parts[2], gates[1], parts[3], gates[2], *parts[4:], stop()]
    async with upstream_at(house.port, script) as fake, house.tab() as tab:
        turn = (await tab.submit("Go"))["turn"]
        await tab.until(lambda: tab.text(turn) == "one ")
        gates[0].set()
        await tab.until(lambda: tab.text(turn) == "one two ")
        await asyncio.to_thread(proxy.reload)
        await asyncio.sleep(0.3)
        gates[1].set()
        await tab.until(lambda: tab.text(turn) == "one two three ")
        async with house.tab(tab.conversation) as late:
            await late.until(lambda: late.text(turn) == "one two three ")
            gates[2].set()
            assert await late.ended(turn) == await tab.ended(turn) == "complete"
            await house.agree(str(tab.conversation), tab, late)
        assert tab.closes == []
        assert len(fake.requests) == 1


async def restarts(way: Street, houses: list[House]) -> None:
    """One process is told to end, then the other is killed, so that none is left: the tabs come back."""
    stuck = [start(), *block(0, "text", ["kept"])[:2], asyncio.Event()]
    quick, last = mixed(1, 40, 1, 0.02), answer("Last.")
    async with (
        upstream_at(way.upstream, quick, quick, stuck, stuck, last) as fake,
        houses[0].tab() as one,
        houses[1].tab() as two,
    ):
        tabs = [one, two]
        turns = [(await tab.submit("Go"))["turn"] for tab in tabs]
        for tab, turn in zip(tabs, turns, strict=True):
            await tab.until(lambda tab=tab, turn=turn: tab.text(turn))
        way.processes[0].send_signal(signal.SIGTERM)
        for tab, turn in zip(tabs, turns, strict=True):
            assert await tab.ended(turn) == "complete"
            assert tab.text(turn) == TEXT
        await asyncio.to_thread(way.processes[0].wait, 10)
        for house in houses:
            assert await statuses(house, 4) == {200}, "the proxy asked nobody else"
        after = [
            (await tab.submit("More", parent=turn))["turn"] for tab, turn in zip(tabs, turns, strict=True)
        ]
        for tab, turn in zip(tabs, after, strict=True):
            await tab.until(lambda tab=tab, turn=turn: tab.text(turn) == "kept")
        end(way.processes[1], signal.SIGKILL)
        assert await statuses(houses[0], 1) <= {502, 503}
        await way.serve(0)
        for tab, turn in zip(tabs, after, strict=True):
            assert await tab.ended(turn, 20) == "interrupted"
            assert tab.text(turn) == "kept"
        for house, tab, turn in zip(houses, tabs, after, strict=True):
            assert await tab.ended((await tab.submit("And?", parent=turn))["turn"]) == "complete"
            await house.agree(str(tab.conversation), tab)
        assert len(fake.requests) == 6


async def statuses(house: House, count: int) -> set[int]:
    """What requests for a page are answered with."""
    found = set()
    async with house.http() as http:
        for _ in range(count):
            async with http.get(house.base + "/") as response:
                found.add(response.status)
    return found
