"""The servers that are measured: processes of ours, pinned to a core, and what they use."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.corpus import ROOT
from tests.faults.cluster import grounds
from tests.relay.served import environment

TICKS = os.sysconf("SC_CLK_TCK")


def pin(pid: int, core: int) -> None:
    """Keep a process on one core, where there is more than one."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(pid, {core})


class Server:
    """A process that prints its address when it is ready."""

    def __init__(self, command: list[str], env: dict[str, str], core: int = 0) -> None:
        self._process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
        pin(self._process.pid, core)
        assert self._process.stdout is not None
        self.base = self._process.stdout.readline().split()[-1].rstrip("/")

    def cpu(self) -> float:
        """Seconds of CPU that it has used."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / TICKS

    def memory(self) -> int:
        """Its resident bytes."""
        pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


class Servers:
    """Processes that are one server to their clients, at `base`; `before` stand in front of them. Used as a
    context they end with it.
    """

    def __init__(self, *processes: Server, before: tuple[Server, ...] = ()) -> None:
        self._processes, self._before = processes, before
        self.base = (before or processes)[0].base

    @property
    def only(self) -> Server:
        """The one process."""
        (process,) = self._processes
        return process

    def cpu(self) -> float:
        """Seconds of CPU that all have used."""
        return sum(process.cpu() for process in self._processes)

    def memory(self) -> int:
        """Resident bytes of all."""
        return sum(process.memory() for process in self._processes)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (*self._before, *self._processes):
            process.end()


def bare(upstream: str) -> Servers:
    """The bare relay."""
    return Servers(Server([sys.executable, "-m", "tests.load.bare", upstream], dict(os.environ)))


def _serve(data: Path, upstream: str, **env: str) -> Server:
    command = [sys.executable, "manage.py", "serve", "--port", "0"]
    return Server(command, environment(data, upstream, LOG_LEVEL="ERROR", **env))


def chat(data: Path, upstream: str) -> Servers:
    """The real server, one process on SQLite."""
    return Servers(_serve(data, upstream))


@dataclass
class Ground:
    """A cluster's database: session keys, and `start` for the processes on it."""

    sessions: dict[str, str]
    start: Callable[[], Servers]


@contextmanager
def cluster(data: Path, upstream: str, count: int) -> Iterator[Ground]:
    """The real server, `count` processes on one PostgreSQL and one Valkey behind a TCP proxy."""
    with grounds(data) as on:

        def start() -> Servers:
            made = [_serve(data, upstream, **on.env) for _ in range(count)]
            proxy = [sys.executable, "-m", "tests.load.proxy", *(one.base for one in made)]
            return Servers(*made, before=(Server(proxy, dict(os.environ), core=1),))

        yield Ground(on.sessions, start)
