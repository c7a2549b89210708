"""Frames that nobody should send, at a real server; the process lives and others do not notice."""

import asyncio
import json
import os
import random
import struct
import uuid
from typing import Any

import aiohttp
import pytest

from tests.corpus import ROOT
from tests.faults.house import House, ping
from tests.faults.scale import scale
from tests.faults.upstream import mixed, upstream_at
from tests.relay.upstream import answer, block, start, stop


def raw_frame(payload: bytes, opcode: int = 1) -> bytes:
    """A masked frame of the WebSocket protocol, with whatever bytes."""
    mask = os.urandom(4)
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
    elif size < 65536:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
    return head + mask + bytes(byte ^ mask[n & 3] for n, byte in enumerate(payload))


async def send_raw(house: House, data: bytes) -> int | None:
    """Send bytes on a fresh socket; the close code, None where the connection was simply dropped."""
    async with aiohttp.ClientSession() as session:
        url = house.base.replace("http", "ws") + "/ws/"
        async with session.ws_connect(url, headers={**house.headers(), "Origin": house.base}) as socket:
            connection = socket._response.connection
            assert connection is not None
            assert connection.transport is not None
            connection.transport.write(data)
            async with asyncio.timeout(60):
                while True:
                    message = await socket.receive()
                    if message.type != aiohttp.WSMsgType.TEXT:
                        return socket.close_code


DEEP = b'{"type":"ping","n":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
BAD: dict[str, tuple[bytes, set[int | None]]] = {
    "64 kB and one": (raw_frame(b'{"type":"ping","n":1,"x":"' + b"x" * 65_537 + b'"}'), {4413}),
    "two megabytes": (raw_frame(b"x" * 2 * 2**20), {1006, 1009, None, 4413}),
    "binary": (raw_frame(b"\x00\x01", 2), {4400}),
    "invalid UTF-8": (raw_frame(b'{"type":"\xff\xfe"}'), {1007, 4400, 1006}),
    "deep": (raw_frame(DEEP), {4400}),
    "reserved opcode": (raw_frame(b"x", 11), {1002, 1006}),
    "not masked": (b"\x81\x02{}", {1002, 1006}),
    "version 2": (raw_frame(b'{"type":"hello","v":2,"conversation":null,"turns":{}}'), {4400}),
    "flood": (b"".join(raw_frame(b'{"type":"ping","n":1}') for _ in range(600)), {4429}),
}


async def test_bad_frames_hurt_nobody_else(house: House) -> None:
    async with upstream_at(house.port, mixed(1, 100, 1, 0.02)), house.tab() as tab:
        turn = (await tab.submit("Go"))["turn"]
        for name, (data, codes) in BAD.items():
            assert await send_raw(house, data) in codes, name
        assert await tab.ended(turn) == "complete"
        assert tab.closes == []
        await house.agree(str(tab.conversation), tab)


ERRORS: dict[str, tuple[dict[str, Any], str, int | None]] = {
    "another version": ({"type": "hello", "v": 2, "conversation": None, "turns": {}}, "version", 4400),
    "no version": ({"type": "hello", "conversation": None, "turns": {}}, "version", 4400),
    "another type": ({"type": "dance", "id": "1"}, "bad_frame", None),
    "no type": ({"id": "1"}, "bad_frame", None),
    "another shape": ({"type": "stop", "id": "1", "turn": ["x"]}, "bad_frame", None),
}


@pytest.mark.parametrize("name", ERRORS)
async def test_errors_are_clear(house: House, name: str) -> None:
    """What is not understood is answered in words, and closes only where the page cannot go on."""
    frame, code, close = ERRORS[name]
    async with house.tab() as tab:
        await tab.until(lambda: tab.frames)
        await tab.send(frame)
        said = await tab.until(lambda: next((f for f in tab.frames if f["type"] == "no"), None))
        assert (said["code"], said["id"]) == (code, frame.get("id"))
        assert said["message"]
        if close is not None:
            await tab.until(lambda: tab.closes)
            assert tab.closes == [close]
        else:
            assert await ping(tab) < 10
            assert tab.closes == []


async def test_every_field_is_in_the_document(house: House) -> None:
    """What servers send, in frames, pages and changes, is named in docs/protocol.md."""
    document = (ROOT / "docs" / "protocol.md").read_text()
    script = [start(), *block(0, "tool_use", ['{"expression": "1+1"}'], id="t1", name="calculator")]
    async with (
        upstream_at(house.port, [*script, stop("tool_use")], mixed(1, 40, 1, 0.01)),
        house.tab() as tab,
    ):
        await tab.ended((await tab.submit("Go"))["turn"])
        await ping(tab)
    assert {frame["type"] for frame in tab.frames} >= {"welcome", "snapshot", "ops", "ok", "title", "pong"}
    stripped = [{**f, "page": None} if f["type"] == "snapshot" else f for f in tab.frames]
    pages = [frame["page"] for frame in tab.frames if frame["type"] == "snapshot"]
    named = keys(stripped) | {key for page in pages for key in [*page, *page["turn"]]}
    named |= {key for page in pages for pane in page["panes"] for key in pane}
    assert {name for name in named if f'"{name}"' not in document and f"`{name}`" not in document} == set()


def keys(value: Any) -> set[str]:
    """All names of fields in there."""
    if isinstance(value, dict):
        return set(value) | {key for item in value.values() for key in keys(item)}
    return {key for item in value for key in keys(item)} if isinstance(value, list) else set()


async def test_random_frames(house: House) -> None:
    """Frames of the protocol with fields missing, doubled or of other kinds: answered or closed."""
    rng = random.Random(7)
    values: list[Any] = [None, True, -1, 0, 2**70, 1.5, "", "x", str(uuid.uuid4()), [], {}, [[]], {"a": 1}]
    fields = [
        "id",
        "conversation",
        "parent",
        "text",
        "model",
        "retry",
        "turn",
        "rev",
        "n",
        "v",
        "turns",
        "call",
    ]
    kinds = ["hello", "submit", "stop", "approve", "ack", "ping", "pong", "snapshot", "", None, 5]
    for _ in range(scale(3, 60)):
        frames = [
            {"type": rng.choice(kinds), **{field: rng.choice(values) for field in rng.sample(fields, 5)}}
            for _ in range(60)
        ]
        data = b"".join(raw_frame(json.dumps(frame).encode()) for frame in frames)
        code = await send_raw(house, data + raw_frame(b"", 8))
        assert code in (4400, 4404, 4413, 4429, 1000, 1005), code
    async with upstream_at(house.port, answer("Alive.")), house.tab() as tab:
        assert await tab.ended((await tab.submit("Still?"))["turn"]) == "complete"


async def test_strangers_get_nothing(house: House) -> None:
    forever = asyncio.Event()
    async with (
        upstream_at(house.port, [start(), *block(0, "text", ["secret"])[:2], forever]),
        house.tab() as ann,
    ):
        turn = (await ann.submit("Go"))["turn"]
        await ann.until(lambda: ann.text(turn))
        async with house.tab(user="bob") as bob:
            await bob.until(lambda: bob.frames)
            assert (await bob.stop(turn))["code"] == "not_found"
            assert (await bob.submit("x", conversation=ann.conversation))["code"] == "not_found"
            bob.keep_trying = False
            bob.conversation = ann.conversation
            await bob.hello()
            await bob.until(lambda: bob.closes)
            assert bob.closes == [4404]
            assert not bob.turns
        async with aiohttp.ClientSession(headers=house.headers("bob")) as http:
            for path in ("", "export.md"):
                async with http.get(f"{house.base}/c/{ann.conversation}/{path}") as response:
                    assert response.status == 404
            async with http.post(f"{house.base}/c/{ann.conversation}/delete/") as response:
                assert response.status == 403, "no CSRF token"
        assert ann.turn(turn)["state"] == "answering"
        await ann.stop(turn)
        await ann.ended(turn)
        forever.set()


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
async def test_other_origins(house: House, origin: str) -> None:
    async with aiohttp.ClientSession() as session:
        url = house.base.replace("http", "ws") + "/ws/"
        async with session.ws_connect(url, headers={**house.headers(), "Origin": origin}) as socket:
            message = await socket.receive(10)
            assert message.type == aiohttp.WSMsgType.CLOSE
            assert socket.close_code == 4403
