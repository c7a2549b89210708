"""The connections of this process to its MCP servers.

`configure` (a database thread) says which servers are wanted; `ready` (the event loop) connects to them and
leaves the others; `close` ends all. Tools of a server that is away stay offered: a call says what is wrong.
"""

from __future__ import annotations

import asyncio
import logging
import weakref

from chatsite.tools import registry
from chatsite.tools.mcp.config import Server, configured
from chatsite.tools.mcp.connection import Connection
from chatsite.tools.registry import Tool

PATIENCE = 3.0
"""Seconds that a turn waits for servers that are not there yet."""

log = logging.getLogger(__name__)
_wanted: list[Server] = []
_beginning: set[asyncio.Task[bool]] = set()
_open: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Connection]] = (
    weakref.WeakKeyDictionary()
)


def configure() -> None:
    """Read which servers there are; from a database thread."""
    _wanted[:] = configured()


async def ready(seconds: float = PATIENCE) -> bool:
    """Connect to the wanted servers, waiting `seconds` for those that are slow; True if there are any."""
    mine = _open.setdefault(asyncio.get_running_loop(), {})
    wanted = {server.name: server for server in list(_wanted)}
    for name in [name for name, one in mine.items() if wanted.get(name) != one.server]:
        registry.offer(name, [])
        await mine.pop(name).close()
    for name, server in wanted.items():
        if name not in mine:
            mine[name] = Connection(server, lambda tools, name=name: _offer(name, tools))  # type: ignore[misc]
    if mine:
        opening = [asyncio.create_task(one.open(patient=False)) for one in mine.values()]
        await asyncio.wait(opening, timeout=seconds)
    return bool(mine)


def begin() -> None:
    """Connect to the wanted servers without waiting, so that the first turn need not."""
    if _wanted:
        task = asyncio.create_task(ready(), name="mcp servers")
        _beginning.add(task)
        task.add_done_callback(_beginning.discard)


def absent() -> list[str]:
    """The wanted servers of which no tool is known yet: they could not be reached, or are slow."""
    mine = _open.get(asyncio.get_running_loop(), {})
    away = {name for name, one in mine.items() if not one.connected}
    return [server.name for server in _wanted if server.name in away and not registry.has(server.name)]


def problems() -> dict[str, str]:
    """What is wrong with the servers that could not be reached, by name."""
    return {name: one.problem for mine in _open.values() for name, one in mine.items() if one.problem}


async def close() -> None:
    """Leave all servers; processes that were started are ended."""
    mine = _open.pop(asyncio.get_running_loop(), {})
    for name in mine:
        registry.offer(name, [])
    await asyncio.gather(*(one.close() for one in mine.values()), return_exceptions=True)


def _offer(name: str, tools: list[Tool]) -> None:
    registry.offer(name, tools)
