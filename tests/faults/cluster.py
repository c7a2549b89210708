"""The full topology without containers: three server processes on PostgreSQL and Valkey, behind a proxy."""

import asyncio
import json
import signal
import subprocess
import sys
import uuid
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
    """What a cluster stands on: engines, a prepared database, and a folder for what processes share."""

    postgres: Postgres
    valkey: Valkey
    folder: Path
    sessions: dict[str, str]


@contextmanager
def grounds(folder: Path) -> Iterator[Grounds]:
    """Start the engines and prepare the database `prepared`."""
    with postgres() as database, valkey() as doorbells:
        database.sql("postgres", "CREATE DATABASE prepared")
        env = environment(folder, DATABASE_URL=database.url("prepared"))
        command = [sys.executable, "-c", PREPARE]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        yield Grounds(database, doorbells, folder, json.loads(done.stdout.splitlines()[-1]))


@dataclass
class Cluster:
    """`house` is entered through the proxy `net`; `bases` are the processes themselves."""

    house: House
    net: Network
    processes: list[subprocess.Popen[str]]
    bases: list[str]
    env: dict[str, str]
    folder: Path
    upstream: str
    database: str

    def kill(self, number: int) -> None:
        """kill -9 one process."""
        end(self.processes[number], signal.SIGKILL)

    async def start(self, number: int) -> None:
        """Start a process again, at a new port behind the same proxy."""
        self.processes[number], base = await restarted(self.folder, self.upstream, **self.env)
        self.bases[number] = base
        host, port = base.rpartition("/")[2].split(":")
        self.net.targets[number] = (host, int(port))


@asynccontextmanager
async def cluster(on: Grounds, count: int = 3, redis: str | None = None) -> AsyncIterator[Cluster]:
    """`count` processes on a fresh copy of the prepared database; `redis`: another REDIS_URL."""
    name = f"t{uuid.uuid4().hex[:8]}"
    url = await asyncio.to_thread(on.postgres.copy, "prepared", name)
    port = free_port()
    upstream = f"http://127.0.0.1:{port}"
    env = {"DATABASE_URL": url, "REDIS_URL": on.valkey.url if redis is None else redis}
    env["STREAMRENDER_DRAIN"] = "3"
    started = await asyncio.gather(*(restarted(on.folder, upstream, **env) for _ in range(count)))
    processes, bases = [one[0] for one in started], [one[1] for one in started]
    try:
        async with network(*bases) as net:
            house = House(net.url, on.sessions, port)
            yield Cluster(house, net, processes, bases, env, on.folder, upstream, name)
    finally:
        for process in processes:
            if process.poll() is None:
                end(process)
