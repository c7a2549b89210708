"""Who may do what on a socket, and what becomes of frames that nobody should send."""

import asyncio
import json
import uuid
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import update_last_login
from django.test import Client

from chatsite.accounts.models import User
from chatsite.relay import process
from chatsite.relay.models import Turn
from tests.relay.conftest import new_user, socket
from tests.relay.upstream import answer, block, start, stop

Fixture = Any
UUIDS = str(uuid.uuid4())


async def close_code(communicator: Any) -> int:
    """Read until the server closes; the code."""
    while True:
        message = await communicator.receive_output(10)
        if message["type"] == "websocket.close":
            code: int = message["code"]
            return code


@pytest.mark.parametrize(
    "origin",
    ["", "null", "http://evil.example", "http://localhost:9", "https://localhost", "http://localhost.evil"],
)
async def test_other_origins_are_refused(transactional_db: None, origin: str) -> None:
    _, key = await sync_to_async(new_user)("ann")
    communicator = socket(key, origin)
    assert (await communicator.connect())[0]
    assert await close_code(communicator) == 4403


async def test_public_url_is_the_only_origin(transactional_db: None, settings: Any) -> None:
    settings.PUBLIC_ORIGIN = "https://chat.example.org"
    _, key = await sync_to_async(new_user)("ann")
    refused = socket(key)
    await refused.connect()
    assert await close_code(refused) == 4403
    accepted = socket(key, "https://chat.example.org")
    await accepted.connect()
    assert json.loads(await accepted.receive_from(10))["type"] == "welcome"
    await accepted.disconnect()
    await process.current().close()


async def test_login_is_required(transactional_db: None) -> None:
    for key in ("", "unknown"):
        communicator = socket(key)
        await communicator.connect()
        assert await close_code(communicator) == 4401


async def test_strangers_see_and_stop_nothing(open_page: Fixture, upstream: Fixture) -> None:
    forever = asyncio.Event()
    async with upstream([start(), *block(0, "text", ["secret"])[:2], forever]):
        ann = await open_page()
        turn = (await ann.submit("Go"))["turn"]
        await ann.until(lambda: ann.text(turn) == "secret")
        bob = await open_page("bob")
        assert (await bob.stop(turn))["code"] == "not_found"
        for extra in ({}, {"retry": turn}, {"parent": turn}):
            answered = await bob.submit("x", conversation=ann.conversation, **extra)
            assert answered["code"] == "not_found"
        await bob.hello(ann.conversation)
        assert await close_code(bob.socket) == 4404
        assert not bob.turns
        assert (await sync_to_async(Turn.objects.get)(id=turn)).stop_at is None
        forever.set()
        await ann.ended(turn)


BAD = [
    ("not json", 4400), ("[1]", 4400), ('"text"', 4400), ("[" * 50_000, 4400),
    ('{"type":"hello","v":1,"x":' + '{"a":' * 9 + "1" + "}" * 10, 4400),
    ('{"type":"hello","v":2,"conversation":null,"turns":{}}', 4400),
    ('{"type":"ping","n":1,"pad":"' + "x" * 70_000 + '"}', 4413),
]  # fmt: skip
ODD = [
    {}, {"type": "dance"}, {"type": ["x"]}, {"type": "submit"}, {"type": "ping"}, {"type": "ack", "turn": 1},
    {"type": "ack", "turn": UUIDS, "rev": -1}, {"type": "ack", "turn": UUIDS, "rev": True},
    {"type": "hello", "v": 1, "conversation": "x", "turns": {}},
    {"type": "hello", "v": 1, "conversation": None, "turns": [1]},
    {"type": "submit", "id": UUIDS, "conversation": None, "parent": None, "text": 5, "model": None},
    {"type": "submit", "id": UUIDS, "conversation": None, "parent": None, "text": "  ", "model": None},
    {"type": "submit", "id": UUIDS, "conversation": None, "text": "x" * 50_000, "model": None},
    {"type": "stop", "id": "1", "turn": "1"},
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), BAD)
async def test_bad_frames_close(open_page: Fixture, text: str, code: int) -> None:
    page = await open_page()
    await page.socket.send_to(text_data=text)
    assert (await page.next())["type"] == "no"
    assert await close_code(page.socket) == code


async def test_odd_frames_are_answered_and_forgiven(open_page: Fixture) -> None:
    page = await open_page()
    for frame in ODD:
        await page.send(**frame)
        answered = await page.next()
        assert answered["type"] == "no", frame
        assert answered["code"] in ("bad_frame", "too_large")
    await page.send(type="ping", n=7)
    assert (await page.next()) == {"type": "pong", "n": 7}


async def test_binary_frames_close(open_page: Fixture) -> None:
    page = await open_page()
    await page.socket.send_to(bytes_data=b"\x00")
    assert await close_code(page.socket) == 4400


async def test_flood_closes(open_page: Fixture) -> None:
    page = await open_page()
    for n in range(500):
        await page.send(type="pong", n=n)
    assert await close_code(page.socket) == 4429


async def test_mute_sockets_are_closed(open_page: Fixture) -> None:
    page = await open_page()
    relay = process.current()
    (viewer,) = relay.hub.viewers
    now = asyncio.get_running_loop().time()
    viewer.tick(now + 16)
    assert (await page.next())["type"] == "ping"
    viewer.heard = now
    viewer.tick(now + 26)
    assert await close_code(page.socket) == 4408


async def test_sockets_follow_logins(open_page: Fixture) -> None:
    ann = await open_page()
    bob = await open_page("bob")
    client = Client()
    client.cookies["sessionid"] = ann.session
    user = await sync_to_async(User.objects.get)(username="ann")
    await sync_to_async(update_last_login)(None, user)
    await sync_to_async(client.post)("/logout/")
    assert await close_code(ann.socket) == 4401
    his = await sync_to_async(User.objects.get)(username="bob")
    his.set_password("new")
    await sync_to_async(his.save)()
    assert await close_code(bob.socket) == 4401


async def test_two_pages_see_the_same(open_page: Fixture, upstream: Fixture) -> None:
    gate = asyncio.Event()
    parts = block(0, "text", [f"**bold {n}** and `code`\n\n" for n in range(30)])

    async with upstream([start(), *parts[:15], gate, *parts[15:], stop()]):
        one = await open_page()
        turn = (await one.submit("Go"))["turn"]
        await one.until(lambda: one.text(turn))
        two = await open_page(conversation=one.conversation)
        await two.until(lambda: turn in two.turns)
        gate.set()
        assert await one.ended(turn) == await two.ended(turn)
        # A turn that begins in one tab appears in the other, with its title.
        after = (await two.submit("More", parent=turn))["turn"]
        await one.ended(after)
        assert one.turns[after]["user"]["text"] == "More"
        three = await open_page(conversation=one.conversation)
        await three.until(lambda: after in three.turns)
        await three.until(lambda: turn in three.turns)
        assert {t: f["page"] for t, f in three.turns.items()} == {t: f["page"] for t, f in one.turns.items()}


async def test_repeated_submit_is_answered_again(open_page: Fixture, upstream: Fixture) -> None:
    async with upstream(answer("once")) as fake:
        page = await open_page()
        id_ = str(uuid.uuid4())
        first = await page.submit("Go", id=id_, conversation=None)
        await page.ended(first["turn"])
        page.answers.clear()
        again = await page.submit("Go", id=id_, conversation=None)
        assert (again["duplicate"], again["turn"]) == (True, first["turn"])
        assert len(fake.requests) == 1


async def test_deleting_stops(open_page: Fixture, upstream: Fixture) -> None:
    forever = asyncio.Event()
    async with upstream([start(), *block(0, "text", ["x"])[:2], forever]) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn))
        client = Client()
        client.cookies["sessionid"] = page.session
        await sync_to_async(client.post)(f"/c/{page.conversation}/rename/", {"title": "New name"})
        await page.until(lambda: page.titles.get(page.conversation) == "New name")
        await sync_to_async(client.post)(f"/c/{page.conversation}/delete/")
        assert (await page.ended(turn))["turn"]["ending"] == "stopped"
        await asyncio.wait_for(fake.closed_by_client.wait(), 30)
        forever.set()
