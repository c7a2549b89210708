"""Several processes behind one address: a tab that comes back finds the one that knows its answer."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.app import App, copied
from tests.browser.upstream import MODEL, Upstream
from tests.browser.visitors import Visitors
from tests.device.browser.test_prompt_api import DOUBLE, choose, set_script
from tests.faults.network import Network, network


class Door:
    """A network in front of servers, in a thread of its own."""

    def __init__(self, *urls: str) -> None:
        self._urls = urls
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with network(*self._urls) as self.net:
            self._ready.set()
            await self._over.wait()

    net: Network

    def cut(self) -> None:
        """Every connection dies."""
        self._loop.call_soon_threadsafe(self.net.reset)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(10)


@pytest.fixture
def pair(template: Path, tmp_path: Path, upstream: Upstream) -> Iterator[tuple[App, Door]]:
    """Two processes on one database, and the door that leads to them in turn."""
    data = copied(template, tmp_path / "data")
    settings = {"ANTHROPIC_BASE_URL": upstream.url, "ANTHROPIC_MODEL": MODEL, "STREAMRENDER_SEVERAL": "1"}
    apps = [App(data, **settings) for _ in range(2)]
    door = Door(*(app.url for app in apps))
    yield apps[0], door
    door.close()
    for app in apps:
        app.kill()


def test_the_tab_finds_its_process_again(pair: tuple[App, Door], visitors: Visitors) -> None:
    app, door = pair
    chat = visitors.visit(app, DOUBLE, locale="en")
    visitors.allow(r"WebSocket connection to", r"ERR_CONNECTION_", r"ERR_EMPTY_RESPONSE")
    chat.base = door.net.url
    choose(chat.open())
    pieces = [f"word{n} " for n in range(150)]
    set_script(chat, pieces=pieces, pause=15)
    chat.ask("Count.").says("word5 ")
    for _ in range(3):  # whichever process each new connection leads to
        door.cut()
        chat.page.wait_for_timeout(300)
    chat.ended()
    assert chat.answer.inner_text().split() == [piece.strip() for piece in pieces]
