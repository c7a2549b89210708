"""The relay in this process, on a real SQLite file, a scripted upstream, and sockets without a network."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from chatsite.accounts.models import User
from chatsite.accounts.views import BACKEND
from chatsite.relay import lifecycle, process
from chatsite.routing import sockets
from tests.relay.page import Page
from tests.relay.served import Prepared, prepare
from tests.relay.upstream import FakeUpstream, Script, serving

ORIGIN = "http://localhost"


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A data folder that is migrated once, for tests that start servers of their own."""
    return prepare(tmp_path_factory.mktemp("prepared") / "data")


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`async with upstream(script, …) as fake`: the only configured upstream is this one."""

    @asynccontextmanager
    async def make(*scripts: Script) -> AsyncIterator[FakeUpstream]:
        async with serving(*scripts) as fake:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
            monkeypatch.setenv("ANTHROPIC_MODEL", "fake-1")
            yield fake

    return make


def new_user(name: str) -> tuple[User, str]:
    """A user and the key of a session that is logged in."""
    user = User.objects.create_user(name, password=name)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = BACKEND
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    assert session.session_key
    return user, session.session_key


def socket(key: str, origin: str = ORIGIN) -> WebsocketCommunicator:
    """A socket of this session, not connected yet."""
    headers = [
        (b"host", b"localhost"),
        (b"origin", origin.encode()),
        (b"cookie", f"sessionid={key}".encode()),
    ]
    return WebsocketCommunicator(sockets, "/ws/", headers=headers)


@pytest.fixture
async def open_page(
    transactional_db: None, request: pytest.FixtureRequest
) -> AsyncIterator[Callable[..., Awaitable[Page]]]:
    """`await open_page(user="ann", conversation=None)`: a page that has greeted. All is closed at the end."""
    keys: dict[str, str] = {}
    async with AsyncExitStack() as stack:

        async def make(user: str = "ann", conversation: str | None = None, ack: bool = True) -> Page:
            if user not in keys:
                keys[user] = (await sync_to_async(new_user)(user))[1]
            communicator = socket(keys[user])
            connected, _ = await communicator.connect()
            assert connected
            page = Page(lambda text: communicator.send_to(text_data=text), communicator.receive_from, ack)
            page.socket = communicator  # type: ignore[attr-defined]
            page.session = keys[user]  # type: ignore[attr-defined]
            stack.push_async_callback(communicator.disconnect)
            assert (await page.next())["type"] == "welcome"
            await page.hello(conversation)
            return page

        yield make
    lifecycle.set_draining(False)
    await process.current().close()
