"""What the relay adds: N streams of thinking and Markdown through the real server, beside a bare relay.

    bin/bench relay [--streams 20,60] [--seconds 10] [--idle 100]

An upstream sends each stream 50 events a second, every one stamped with the monotonic clock; clients find the
stamps in what they are sent. The bare relay (aiohttp in and out, no journal, no rendering) is measured in the
same run, one after the other, so that the ratio says something on a busy machine. The server has one core,
upstream and clients another where there are two.
"""

import argparse
import asyncio
import itertools
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.load import streams  # noqa: E402
from tests.relay.served import copied, environment, prepare  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> int:
    """Resident bytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Server:
    """A process that prints its address, pinned to one core."""

    def __init__(self, command: list[str], env: dict[str, str], core: int = 0) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - our own commands
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
        )
        pin(self.process.pid, core)
        assert self.process.stdout is not None
        self.base = self.process.stdout.readline().split()[-1].rstrip("/")

    def end(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def pin(pid: int, core: int) -> None:
    """Keep a process on one core, where there is more than one."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(pid, {core})


async def measure(
    server: Server, kind: str, count: int, options: Any, headers: dict[str, str]
) -> dict[str, float]:
    """One run: `count` streams through a server; figures."""
    pid = server.process.pid
    before = memory(pid)
    async with streams.Crowd(server.base, kind, count, headers) as crowd:
        await crowd.started()
        await asyncio.sleep(1.5)
        crowd.begin()
        began = cpu(pid)
        await asyncio.sleep(options.seconds)
        used, events, delays = cpu(pid) - began, *crowd.end()
        grown = memory(pid) - before
    expected = count * streams.RATE * options.seconds
    return {
        "p50": streams.quantile(delays, 0.5), "p99": streams.quantile(delays, 0.99),
        "us": 1e6 * used / max(1, events), "share": events / expected, "kb": grown / 1024 / count,
        "first": streams.quantile(crowd.first, 0.5),
    }  # fmt: skip


async def idle(server: Server, count: int, headers: dict[str, str]) -> float:
    """Kilobytes that an idle socket costs."""
    async with streams.Crowd(server.base, "chat", count, headers, silent=True) as crowd:
        await crowd.connected()
        await asyncio.sleep(0.5)
        before = memory(server.process.pid)
        async with streams.Crowd(server.base, "chat", count, headers, silent=True) as more:
            await more.connected()
            await asyncio.sleep(0.5)
            return (memory(server.process.pid) - before) / 1024 / count


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bin/bench relay", description=__doc__)
    parser.add_argument(
        "--streams", default="20,60", help="how many at once, several with commas (at most 400)"
    )
    parser.add_argument("--seconds", type=float, default=10, help="of measurement for each (at most 60)")
    parser.add_argument("--idle", type=int, default=100, help="sockets for the memory of an idle one")
    options = parser.parse_args()
    options.seconds = min(options.seconds, 60)
    counts = [min(400, int(part)) for part in options.streams.split(",")]
    pin(os.getpid(), 1)
    with tempfile.TemporaryDirectory(prefix="streamrender-bench-") as folder:
        prepared = prepare(Path(folder) / "data")
        seconds = options.seconds + 8
        upstream = Server(
            [sys.executable, "-m", "tests.load.upstream", str(seconds)], dict(os.environ), core=1
        )
        url = upstream.base
        fresh = (copied(prepared, Path(folder) / str(n)) for n in itertools.count())

        def chat() -> Server:
            command = [sys.executable, "manage.py", "serve", "--port", "0"]
            return Server(command, environment(next(fresh), url, LOG_LEVEL="ERROR"))

        def bare() -> Server:
            return Server([sys.executable, "-m", "tests.load.bare", url], dict(os.environ))

        try:
            print("streams  relay            p50 ms   p99 ms  first ms  CPU us/event  delivered  kB/turn")
            for count in counts:
                found = {}
                for kind, start in (("bare", bare), ("chat", chat)):
                    server = start()
                    try:
                        headers = {"Cookie": f"sessionid={prepared.sessions['ann']}"}
                        found[kind] = one = await measure(server, kind, count, options, headers)
                        print(
                            f"{count:7}  {kind:14}  {one['p50']:7.1f}  {one['p99']:7.1f}  {one['first']:8.1f}"
                            f"  {one['us']:12.0f}  {one['share']:9.1%}  {one['kb']:7.0f}", flush=True,
                        )  # fmt: skip
                    finally:
                        server.end()
                ratio = found["chat"]["us"] / found["bare"]["us"]
                print(f"{count:7}  CPU ratio chat / bare: {ratio:.2f} (limit 3)", flush=True)
            server = chat()
            try:
                kb = await idle(server, options.idle, {"Cookie": f"sessionid={prepared.sessions['ann']}"})
                print(f"An idle socket: {kb:.0f} kB (limit 60)")
            finally:
                server.end()
        finally:
            upstream.end()


if __name__ == "__main__":
    asyncio.run(main())
