"""Which MCP servers there are: those of `mcp.json`, and those of the admin.

`mcp.json` is in the usual form, `{"mcpServers": {name: {"command", "args", "env", "cwd"} | {"url",
"headers"}}}`, each also with "seconds" and "disabled". STREAMRENDER_MCP names the file; without it, it is
`mcp.json` in the data folder. The file is read again when it has changed. A server of the file wins over one
of the admin with its name.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatsite.datadir import data_dir

SECONDS = 60.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Server:
    """One server: a command to start, or the address of a streamable HTTP endpoint."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    seconds: float = SECONDS


class BadConfig(ValueError):
    """The file cannot be used; the message says what is wrong with it, in one line."""


def path() -> Path:
    """Where the file is, or would be."""
    named = os.environ.get("STREAMRENDER_MCP", "").strip()
    return Path(named).expanduser() if named else data_dir() / "mcp.json"


def configured() -> list[Server]:
    """The enabled servers, by name. Reads the database: call it from a database thread."""
    found = {server.name: server for server in [*_stored(), *from_file(path())]}
    return [found[name] for name in sorted(found)]


def from_file(file: Path) -> list[Server]:
    """The servers of a file; none when it is absent, and none but a line in the log when it is broken."""
    try:
        return parse(file.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        log.error("%s cannot be used: %s", file, error)
        return []


def parse(text: str) -> list[Server]:
    """The servers of a file's text. Raises BadConfig.

    >>> parse('{"mcpServers": {"files": {"command": "npx", "args": ["-y", "files"]}}}')[0].args
    ('-y', 'files')
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise BadConfig(f"it is no JSON ({error})") from error
    servers = data.get("mcpServers") if isinstance(data, dict) else None
    if not isinstance(servers, dict):
        raise BadConfig('it has no object "mcpServers"')
    return [
        _server(name, entry)
        for name, entry in servers.items()
        if not (isinstance(entry, dict) and entry.get("disabled"))
    ]


def _server(name: str, entry: Any) -> Server:
    if not isinstance(entry, dict):
        raise BadConfig(f"{name}: an object is expected")
    command, url = entry.get("command") or "", entry.get("url") or ""
    if not all(isinstance(value, str) for value in (command, url)) or bool(command) == bool(url):
        raise BadConfig(f'{name}: either "command" or "url" is expected')
    if url and not url.startswith(("http://", "https://")):
        raise BadConfig(f"{name}: the url must begin with http:// or https://")
    args = entry.get("args") or []
    if not isinstance(args, list):
        raise BadConfig(f'{name}: "args" must be a list')
    seconds = entry.get("seconds", SECONDS)
    if not isinstance(seconds, int | float) or seconds <= 0:
        raise BadConfig(f'{name}: "seconds" must be a number above 0')
    return Server(
        name=name,
        command=command,
        args=tuple(str(one) for one in args),
        env=_words(name, entry, "env"),
        cwd=entry.get("cwd") or None,
        url=url,
        headers=_words(name, entry, "headers"),
        seconds=float(seconds),
    )


def _words(name: str, entry: dict[str, Any], key: str) -> dict[str, str]:
    value = entry.get(key) or {}
    if not isinstance(value, dict):
        raise BadConfig(f'{name}: "{key}" must be an object')
    return {str(one): str(value[one]) for one in value}


def _stored() -> list[Server]:
    from chatsite.sealed import CannotOpen
    from chatsite.tools.models import McpServer

    found = []
    for row in McpServer.objects.filter(enabled=True):
        try:
            found.append(row.server())
        except CannotOpen as error:
            log.error("MCP server %s cannot be used: %s", row.name, error)
    return found
