"""What a tab sends is a stranger's input: whatever it is, nothing but a well-made answer comes of it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from chatsite.relay import fed, fed_lines
from chatsite.relay.protocol import BadFrame, read
from tests.device.tab import DONE, Tab
from tests.relay.page import Page

OpenPage = Callable[..., Awaitable[Page]]


def frame(data: Any, **fields: Any) -> dict[str, Any]:
    return {"data": [json.dumps(line) for line in data], **fields}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"n": 3}, "out_of_order"),
        ({"data": ["not json"]}, "bad_frame"),
        ({"data": [7]}, "bad_frame"),
        ({"data": ['"fine"', "7"]}, "bad_frame"),
        ({"data": ['{"done":true}', '"behind the end"']}, "bad_frame"),
        ({"data": ['""'] * (fed.MOST_LINES + 1)}, "too_large"),
        (frame([{"tool": {"id": "a", "name": "b", "input": {}}}] * 2), "bad_frame"),
    ],
    ids=["gap", "no-json", "no-text", "number", "behind-the-end", "lines", "same-call"],
)
async def test_a_bad_frame_is_refused_whole(open_page: OpenPage, fields: dict[str, Any], code: str) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("a")
    await tab.send("x", **fields)
    assert await tab.refused() == code
    tab.n = 1
    await tab.feed("b", DONE)
    await page.ended(tab.turn)
    assert page.text(tab.turn) == "ab"


async def test_only_the_tab_with_the_secret_feeds(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("mine")
    for user, secret in (("ann", "0" * 36), ("bob", tab.secret), ("bob", "0" * 36)):
        thief = Tab(await open_page(user=user))
        thief.turn, thief.secret, thief.n = tab.turn, secret, 1
        await thief.send("stolen")
        await thief.told("unfed")
        await thief.page.send(type="feed", turn=tab.turn, secret=secret, gone=True)
        await thief.page.send(type="ping", n=1)
        await thief.page.until(lambda thief=thief: thief.page.frames[-1]["type"] == "pong")
        assert not [f for f in thief.page.frames if f["type"] in ("prompt", "chunks_ok")]
    await tab.feed("!", DONE)
    assert (await page.ended(tab.turn))["turn"]["ending"] == "complete"
    assert page.text(tab.turn) == "mine!"


async def test_no_other_turn_can_be_fed(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("a", DONE)
    await page.ended(tab.turn)
    other = Tab(await open_page())
    await other.submit()
    await other.send("x", turn=tab.turn)
    tab.page = other.page
    await tab.told("unfed")
    await other.page.stop(other.turn)
    await other.page.ended(other.turn)


async def test_between_rounds_nothing_is_taken(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("a", DONE)
    await tab.send("late")
    # Either the round is over, or the turn is already gone; never is anything added.
    await page.ended(tab.turn)
    await tab.told("unfed")
    assert page.text(tab.turn) == "a"


async def test_an_answer_without_end(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fed, "MOST_BYTES", 1000)
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    for _ in range(9):
        await tab.feed("x" * 100)
    await tab.send("x" * 100)
    assert await tab.refused() == "too_large"
    error = (await page.ended(tab.turn))["turn"]["error"]
    assert error["type"] == "too_large"
    assert page.text(tab.turn) == "x" * 900


async def test_a_flood_of_frames_closes_the_socket(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fed, "LEASE", 0.05)
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    other = await open_page(conversation=page.conversation)
    for n in range(450):
        await tab.send("x", n=n + 1)
    closed = asyncio.get_running_loop().create_task(page.until_closed())
    # Taken until the limit struck, kept, and shown to whoever else looks.
    await other.until(lambda: other.text(tab.turn).startswith("xxx"))
    closed.cancel()
    await page.socket.disconnect()  # type: ignore[attr-defined]
    assert (await other.ended(tab.turn))["turn"]["ending"] == "cut_off"
    assert len(other.text(tab.turn)) < 450


BAD = [
    "",
    "null",
    "7",
    "[]",
    "{}",
    "NaN",
    "[" * 100_000,
    '"' + "x" * fed_lines.LONGEST_LINE + '"',
    '{"style":"other"}',
    '{"style":["delta"]}',
    '{"done":false}',
    '{"done":1}',
    '{"done":true,"stop_reason":"pause_turn"}',
    '{"done":true,"stop_reason":{}}',
    '{"done":true,"more":1}',
    '{"error":"text"}',
    '{"error":{"message":7}}',
    '{"error":{"status":500}}',
    '{"tool":{"id":"a","name":"b"}}',
    '{"tool":{"id":"","name":"b","input":{}}}',
    '{"tool":{"id":"a","name":"b\\n","input":{}}}',
    '{"tool":{"id":"a","name":"b","input":[]}}',
    '{"tool":{"id":"a","name":"b","input":{"x":NaN}}}',
    '{"tool":{"id":"a","name":"b","input":{"x":' + "[" * 30 + "]" * 30 + "}}}",
]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_lines_that_are_none(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  which one does not matter
        fed_lines.read(text)


def test_lines_are_written_anew() -> None:
    line = fed_lines.read(' { "tool" : {"id":"a", "name":"b", "input":{"x":[1,{"y":"\\ud83d"}]}} }\n')
    assert line.data == b'{"tool":{"id":"a","name":"b","input":{"x":[1,{"y":"\\ud83d"}]}}}\n'
    assert (line.call, line.last) == ("a", False)
    assert fed_lines.read('{"error":{"message":"no"}}').data == (
        b'{"error":{"name":"UnknownError","message":"no"}}\n'
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"turn": "x"},
        {"secret": "short"},
        {"secret": "é" * 30},
        {"secret": 7},
        {"n": -1},
        {"n": 1.5},
        {"n": True},
        {"data": "text"},
        {"data": None},
    ],
)
def test_frames_with_wrong_fields(fields: dict[str, Any]) -> None:
    good = {
        "type": "chunks",
        "turn": "6f2b6c1e-0000-4000-8000-000000000001",
        "secret": "s" * 36,
        "n": 1,
        "data": [],
    }
    read(json.dumps(good))
    with pytest.raises(BadFrame):
        read(json.dumps({**good, **fields}))
