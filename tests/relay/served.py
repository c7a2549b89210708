"""The app as people run it: `manage.py serve` in a process of its own, on a data folder of its own."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from tests.corpus import ROOT
from tests.relay.page import Closed, Page

PREPARE = """
import json, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0, interactive=False)
from chatsite import collected
collected.refresh()
from tests.relay.conftest import new_user
print(json.dumps({name: new_user(name)[1] for name in ("ann", "bob")}))
"""


@dataclass(frozen=True)
class Prepared:
    """A migrated data folder to copy, and session keys by user name."""

    folder: Path
    sessions: dict[str, str]


def environment(data: Path, upstream: str = "http://127.0.0.1:9", **more: str) -> dict[str, str]:
    """The environment of a server with one upstream."""
    clean = {
        k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "GLM_", "GEMINI_", "OPENAI_"))
    }
    return {
        **clean,
        "DJANGO_SETTINGS_MODULE": "chatsite.settings",
        "STREAMRENDER_DATA": str(data),
        "ANTHROPIC_BASE_URL": upstream,
        "ANTHROPIC_MODEL": "fake-1",
        "PYTHONUNBUFFERED": "1",
        **more,
    }


def prepare(folder: Path) -> Prepared:
    """Migrate and make two users with sessions."""
    done = subprocess.run(
        [sys.executable, "-c", PREPARE], cwd=ROOT, env=environment(folder), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return Prepared(folder, json.loads(done.stdout.splitlines()[-1]))


class Served:
    """One running server process."""

    def __init__(self, process: asyncio.subprocess.Process, base: str, sessions: dict[str, str]) -> None:
        self.process = process
        self.base = base
        self.sessions = sessions

    def kill(self) -> None:
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM: drain."""
        self.process.send_signal(signal.SIGTERM)

    def headers(self, user: str = "ann") -> dict[str, str]:
        """What a browser of this user sends along."""
        return {"Cookie": f"sessionid={self.sessions[user]}", "Origin": self.base}

    @asynccontextmanager
    async def page(
        self, conversation: str | None = None, user: str = "ann", ack: bool = True
    ) -> AsyncIterator[Page]:
        """A page over a real socket that has greeted."""
        async with aiohttp.ClientSession() as session:
            url = self.base.replace("http", "ws") + "/ws/"
            async with session.ws_connect(url, headers=self.headers(user), max_msg_size=0) as socket:
                page = Page(lambda text: _say(socket, text), lambda: _text(socket), ack)
                page.socket = socket  # type: ignore[attr-defined]
                assert (await page.next())["type"] == "welcome"
                await page.hello(conversation)
                yield page


async def _say(socket: aiohttp.ClientWebSocketResponse, text: str) -> None:
    # What is said to a socket that is just closing is lost, as in a browser; the next receive tells.
    with suppress(ConnectionResetError):
        await socket.send_str(text)


async def _text(socket: aiohttp.ClientWebSocketResponse) -> str:
    message = await socket.receive()
    if message.type != aiohttp.WSMsgType.TEXT:
        raise Closed(socket.close_code)
    text: str = message.data
    return text


def copied(prepared: Prepared, folder: Path) -> Path:
    """A fresh copy of the prepared data folder."""
    shutil.copytree(prepared.folder, folder)
    return folder


@asynccontextmanager
async def serve(data: Path, prepared: Prepared, upstream: str, **env: str) -> AsyncIterator[Served]:
    """A server on `data`; it is killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "manage.py", "serve", "--port", "0", cwd=ROOT, env=environment(data, upstream, **env),
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
        assert line.startswith("Listening on "), line
        yield Served(process, line.split()[-1].rstrip("/"), prepared.sessions)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def stored(data: Path, code: str) -> Any:
    """What `code` (an expression over the models) gives in the database in `data`."""
    script = (
        "import json, django; django.setup()\n"
        "from chatsite.relay.models import *\nfrom chatsite.chats.models import *\n"
        "from chatsite.relay.exchange import exchange_bytes\n"
        f"print(json.dumps({code}, default=str))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment(data), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
