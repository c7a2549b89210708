"""What the relay adds: N streams of thinking and Markdown through the real server, beside a bare relay.

    bin/bench relay [--streams 20,60,100] [--seconds 10] [--processes 1,3] [--idle 100] [--viewers 50]

An upstream sends each stream 50 events a second, every one stamped with the monotonic clock; clients find the
stamps in what they are sent. The bare relay (aiohttp in and out, no journal, no rendering) is measured in the
same run, one after the other, so that the ratio says something on a busy machine. The server has one core,
upstream and clients another where there are two. CPU is that of all server processes. Three processes share
that core, a PostgreSQL and a Valkey, and stand behind a TCP proxy, which has the core of the clients.

`lag` is how long an idle socket waits for the answer to a ping, while the streams run: what the event loop
makes everybody wait. `load` is the machine's load average: on a busy machine times are worth little, ratios
more.
"""

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.load import streams  # noqa: E402
from tests.load.servers import Server, Servers, bare, chat, cluster, pin  # noqa: E402
from tests.relay.served import Prepared, copied, prepare  # noqa: E402

HEADING = "proc  streams  relay   p50 ms   p99 ms  first ms  lag p99  CPU us/event  delivered  kB/turn  load"
Found = dict[str, float]


async def measure(server: Servers, kind: str, count: int, options: Any, headers: dict[str, str]) -> Found:
    """One run: `count` streams through a server; figures."""
    before = server.memory()
    async with streams.Crowd(server.base, kind, count, headers) as crowd:
        await crowd.started()
        await asyncio.sleep(1.5)
        crowd.begin()
        began = server.cpu()
        lags = (
            asyncio.create_task(streams.lags(server.base, headers, options.seconds))
            if kind == "chat"
            else None
        )
        await asyncio.sleep(options.seconds)
        used, events, delays = server.cpu() - began, *crowd.end()
        grown = server.memory() - before
        lag = await lags if lags else []
    expected = count * streams.RATE * options.seconds
    return {
        "p50": streams.quantile(delays, 0.5), "p99": streams.quantile(delays, 0.99),
        "us": 1e6 * used / max(1, events), "share": events / expected, "kb": grown / 1024 / count,
        "first": streams.quantile(crowd.first, 0.5), "lag": streams.quantile(lag, 0.99),
    }  # fmt: skip


def row(processes: int, count: int, kind: str, one: Found) -> None:
    """Print one run."""
    lag = f"{one['lag']:7.1f}" if kind == "chat" else "      -"
    times = f"{one['p50']:7.1f}  {one['p99']:7.1f}  {one['first']:8.1f}  {lag}"
    rest = f"{one['us']:12.0f}  {one['share']:9.1%}  {one['kb']:7.0f}  {os.getloadavg()[0]:4.1f}"
    print(f"{processes:4}  {count:7}  {kind:5}  {times}  {rest}", flush=True)


def verdict(what: str, value: float, limit: float, unit: str) -> None:
    """Print a figure beside its limit."""
    word = "pass" if value <= limit else "MISS"
    print(f"      {word}  {what}: {value:.4g}{unit} (limit {limit:g}{unit})", flush=True)


async def sockets(server: Servers, options: Any, headers: dict[str, str]) -> tuple[float, float]:
    """Kilobytes that an idle socket costs, and one more viewer of a running turn."""
    async with streams.Crowd(server.base, "chat", options.idle, headers, silent=True) as crowd:
        await crowd.connected()
        await asyncio.sleep(0.5)
        before = server.memory()
        async with streams.Crowd(server.base, "chat", options.idle, headers, silent=True) as more:
            await more.connected()
            await asyncio.sleep(0.5)
            idle = (server.memory() - before) / 1024 / options.idle
    async with streams.Crowd(server.base, "chat", 1, headers) as crowd:
        await crowd.started()
        await asyncio.sleep(1)
        watched = crowd.conversations[0]
        async with streams.Crowd(server.base, "chat", options.viewers, headers, watch=watched) as first:
            await first.started()
            before = server.memory()
            async with streams.Crowd(server.base, "chat", options.viewers, headers, watch=watched) as more:
                await more.started()
                await asyncio.sleep(1)
                return idle, (server.memory() - before) / 1024 / options.viewers


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bin/bench relay", description=__doc__)
    parser.add_argument(
        "--streams", default="20,60,100", help="how many at once, several with commas (to 400)"
    )
    parser.add_argument("--seconds", type=float, default=10, help="of measurement for each (at most 60)")
    parser.add_argument("--processes", default="1", help="of the server: 1, 3 or both with a comma")
    parser.add_argument("--idle", type=int, default=100, help="sockets for the memory of an idle one")
    parser.add_argument("--viewers", type=int, default=50, help="sockets for the memory of one more viewer")
    options = parser.parse_args()
    options.seconds = min(options.seconds, 60)
    counts = [min(400, int(part)) for part in options.streams.split(",")]
    pin(os.getpid(), 1)
    with tempfile.TemporaryDirectory(prefix="streamrender-bench-") as folder, ExitStack() as stack:
        seconds = options.seconds + 8 + max(counts) * streams.APART
        command = [sys.executable, "-m", "tests.load.upstream", str(seconds)]
        upstream = Server(command, dict(os.environ), core=1)
        stack.callback(upstream.end)
        prepared = prepare(Path(folder) / "data")
        fresh = (copied(prepared, Path(folder) / str(n)) for n in itertools.count())
        print(HEADING)
        for processes in (int(part) for part in options.processes.split(",")):
            await runs(processes, counts, options, upstream.base, prepared, fresh)


async def runs(
    processes: int, counts: list[int], options: Any, upstream: str, prepared: Prepared, fresh: Any
) -> None:
    """All that is measured with so many server processes."""
    with ExitStack() as stack:
        sessions = prepared.sessions
        if processes == 1:
            start = lambda: chat(next(fresh), upstream)  # noqa: E731 - two ways to do one thing
        else:
            ground = stack.enter_context(cluster(next(fresh), upstream, processes))
            sessions, start = ground.sessions, ground.start
        headers = {"Cookie": f"sessionid={sessions['ann']}"}
        for count in counts:
            found = {}
            for kind, begin in (("bare", lambda: bare(upstream)), ("chat", start)):
                with begin() as server:
                    found[kind] = await measure(server, kind, count, options, headers)
                    row(processes, count, kind, found[kind])
            chats, bares = found["chat"], found["bare"]
            verdict("CPU per event, times the bare relay's", chats["us"] / bares["us"], 3, "")
            verdict("first token later than the bare relay's", chats["first"] - bares["first"], 10, " ms")
            verdict("p99", chats["p99"], 150, " ms")
            verdict("fell behind by", max(0.0, 100 * (1 - chats["share"])), 2, " %")
        with start() as server:
            idle, viewer = await sockets(server, options, headers)
            verdict("an idle socket", idle, 60, " kB")
            print(f"            one more viewer of a running turn: {viewer:.0f} kB", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
