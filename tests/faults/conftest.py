"""Fixtures of the fault tests: a prepared data folder, one shared server, and the relay in this process."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.cluster import Grounds, grounds
from tests.faults.house import House, end, start_server
from tests.relay.conftest import open_page, upstream
from tests.relay.served import Prepared, copied, prepare

__all__ = ["open_page", "upstream"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A data folder that is migrated once."""
    return prepare(tmp_path_factory.mktemp("faults") / "data")


@pytest.fixture(scope="session")
def house(folder: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server that stays; its upstream is whatever a test starts with `upstream_at(house.port, …)`."""
    data = copied(folder, tmp_path_factory.mktemp("house") / "data")
    port = free_port()
    process, base = start_server(data, f"http://127.0.0.1:{port}")
    try:
        yield House(base, folder.sessions, port, process.pid, data)
    finally:
        end(process)


@pytest.fixture(scope="session")
def land(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounds]:
    """PostgreSQL and Valkey, and processes that outlive a test."""
    with grounds(tmp_path_factory.mktemp("cluster") / "data") as found:
        yield found


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def data(folder: Prepared, tmp_path: Path) -> Path:
    """A fresh copy of the prepared folder, for a test with servers of its own."""
    return copied(folder, tmp_path / "data")
