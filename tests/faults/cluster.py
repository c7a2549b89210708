"""The full topology without containers: three server processes on PostgreSQL and Valkey, behind a proxy."""

import asyncio
import functools
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.corpus import ROOT
from tests.faults.engines import Postgres, Valkey, free_port, postgres, valkey
from tests.faults.house import House, end, restarted
from tests.faults.network import Network, network
from tests.relay.served import PREPARE, environment


@dataclass
class Grounds:
    """What a cluster stands on: engines, a database, a folder that all share, and processes that stay."""

    postgres: Postgres
    valkey: Valkey
    folder: Path
    sessions: dict[str, str]
    port: int  # of the upstream that a test starts
    env: dict[str, str]
    processes: list[subprocess.Popen[str]]
    bases: list[str]

    async def start(self, number: int) -> None:
        """Start a process (again), at a new port."""
        upstream = f"http://127.0.0.1:{self.port}"
        self.processes[number], self.bases[number] = await restarted(self.folder, upstream, **self.env)

    async def ready(self, count: int) -> None:
        """Start what is missing of the first `count` processes."""
        while len(self.processes) < count:
            self.processes.append(await asyncio.to_thread(_none))
            self.bases.append("")
        dead = [n for n in range(count) if self.processes[n].poll() is not None]
        await asyncio.gather(*(self.start(n) for n in dead))


def _none() -> subprocess.Popen[str]:
    """A process that is over."""
    process = subprocess.Popen(["true"], text=True)
    process.wait()
    return process


@contextmanager
def grounds(folder: Path) -> Iterator[Grounds]:
    """Start the engines and prepare the database."""
    with postgres() as database, valkey() as doorbells:
        database.sql("postgres", "CREATE DATABASE chat")
        env = {"DATABASE_URL": database.url("chat"), "REDIS_URL": doorbells.url}
        env |= {"STREAMRENDER_DRAIN": "3", "STREAMRENDER_LEASE": "4"}
        command = [sys.executable, "-c", PREPARE]
        done = subprocess.run(
            command, cwd=ROOT, env=environment(folder, **env), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        sessions = json.loads(done.stdout.splitlines()[-1])
        made = Grounds(database, doorbells, folder, sessions, free_port(), env, [], [])
        try:
            yield made
        finally:
            for process in made.processes:
                if process.poll() is None:
                    end(process)


@dataclass
class Cluster:
    """`house` is entered through the proxy `net`; `bases` are the processes themselves."""

    house: House
    net: Network
    on: Grounds

    @property
    def bases(self) -> list[str]:
        """Where the processes listen."""
        return self.on.bases

    @property
    def processes(self) -> list[subprocess.Popen[str]]:
        """The processes."""
        return self.on.processes

    def kill(self, number: int) -> None:
        """kill -9 one process."""
        end(self.processes[number], signal.SIGKILL)

    async def start(self, number: int) -> None:
        """Start a process again, at a new port behind the same proxy."""
        await self.on.start(number)
        host, port = self.bases[number].rpartition("/")[2].split(":")
        self.net.targets[number] = (host, int(port))


@asynccontextmanager
async def cluster(on: Grounds, count: int = 3) -> AsyncIterator[Cluster]:
    """`count` processes behind a proxy; those of an earlier test are used again."""
    await on.ready(count)
    async with network(*on.bases[:count]) as net:
        rows = functools.partial(on.postgres.sql, "chat")
        yield Cluster(House(net.url, on.sessions, on.port, sql=rows), net, on)
