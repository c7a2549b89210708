"""Titles made by the model: asked for once, in every wire, never in place of one that the user gave."""

import asyncio
import doctest
import json
from typing import Any

import pytest
from aiohttp import web
from asgiref.sync import sync_to_async

from chatsite.accounts.models import Preferences, User
from chatsite.chats import titles
from chatsite.chats.models import Conversation
from chatsite.providers import client
from chatsite.providers.registry import Choice, choices
from tests.relay.upstream import answer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def on(settings: Any) -> None:
    settings.MODEL_TITLES = True


async def kept() -> tuple[str, str]:
    return await Conversation.objects.values_list("title", "titled_by").aget()


async def settled() -> None:
    while titles._tasks:
        await asyncio.wait(list(titles._tasks))


async def test_the_first_answer_gives_the_title(open_page: Any, upstream: Any) -> None:
    async with upstream(answer("Because of Rayleigh."), answer('"Blue ', 'sky"'), answer("More.")) as fake:
        page = await open_page()
        turn = (await page.submit("Why is the sky blue?"))["turn"]
        await page.until(lambda: page.titles.get(page.conversation) == "Blue sky")
        assert await kept() == ("Blue sky", "model")
        asked = fake.requests[1]
        assert asked["max_tokens"] == titles.MOST_TOKENS
        assert asked.get("thinking", {"type": "disabled"})["type"] != "enabled"
        assert not asked.get("tools")
        assert "Because of Rayleigh." in json.dumps(asked["messages"])
        await page.ended((await page.submit("Go on", parent=turn))["turn"])
        await settled()
        assert len(fake.requests) == 3


@pytest.mark.parametrize("said", ["refused", "cut", "empty", "long"])
async def test_what_fails_leaves_the_first_words(open_page: Any, upstream: Any, said: str) -> None:
    second: Any = {
        "refused": (529, {}, b"{}"),
        "cut": answer("Half a ", reason="max_tokens"),
        "empty": answer("\n"),
        "long": answer("word " * 40),
    }[said]
    async with upstream(answer("Yes."), second) as fake:
        page = await open_page()
        await page.ended((await page.submit("Is it so?"))["turn"])
        await settled()
        assert await kept() == ("Is it so?", "words")
        assert len(fake.requests) == 2


async def test_a_title_of_the_user_stays(open_page: Any, upstream: Any) -> None:
    gate = asyncio.Event()
    async with upstream(answer("Yes."), [gate, *answer("Another")]) as fake:
        page = await open_page()
        await page.ended((await page.submit("Is it so?"))["turn"])
        while len(fake.requests) < 2:
            await asyncio.sleep(0.01)
        await Conversation.objects.aupdate(title="Mine", titled_by=Conversation.TitledBy.USER)
        gate.set()
        await settled()
        assert await kept() == ("Mine", "user")
        assert page.titles[page.conversation] == "Is it so?"


@pytest.mark.parametrize("off", ["server", "user"])
async def test_it_can_be_turned_off(open_page: Any, upstream: Any, settings: Any, off: str) -> None:
    settings.MODEL_TITLES = off != "server"
    async with upstream(answer("Yes."), answer("Never")) as fake:
        page = await open_page()
        if off == "user":
            ann = await User.objects.aget()
            await sync_to_async(Preferences.objects.create)(user=ann, model_titles=False)
        await page.ended((await page.submit("Is it so?"))["turn"])
        await settled()
        assert len(fake.requests) == 1


async def test_the_demo_is_never_asked(open_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page = await open_page()
    await page.ended((await page.submit("Hello"))["turn"])
    assert not titles._tasks
    assert (await kept())[1] == "words"


def data(*items: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(item).encode() + b"\n\n" for item in items)


def responses() -> bytes:
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    part = {"type": "output_text", "text": "A title", "annotations": []}
    done = {**message, "content": [part]}
    whole = {"id": "r", "object": "response", "status": "completed", "model": "x", "output": [done]}
    return data(
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**message, "content": []}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "A title"},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": whole},
    )


def chat() -> bytes:
    piece = {"id": "c", "object": "chat.completion.chunk", "model": "x"}
    return data(
        {**piece, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "A title"}}]},
        {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    )


def gemini() -> bytes:
    content = {"role": "model", "parts": [{"text": "A title"}]}
    return data({"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]})


WIRES = {
    "anthropic": ("ANTHROPIC", b"".join(answer("A title"))),
    "openai-responses": ("OPENAI", responses()),
    "openai-chat": ("OPENAI", chat()),
    "gemini": ("GEMINI", gemini()),
}


@pytest.mark.parametrize("wire", WIRES)
async def test_every_wire(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix, body = WIRES[wire]
    asked: list[dict[str, Any]] = []

    async def handle(request: web.Request) -> web.Response:
        asked.append(await request.json())
        return web.Response(body=body, headers={"content-type": "text/event-stream"})

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    monkeypatch.setenv(f"{prefix}_BASE_URL", f"http://127.0.0.1:{runner.addresses[0][1]}")
    monkeypatch.setenv(f"{prefix}_MODEL", "x")
    monkeypatch.setenv("OPENAI_WIRE", wire if prefix == "OPENAI" else "")
    choice: Choice = (await sync_to_async(choices)())[0]
    try:
        assert choice.wire == wire
        assert await titles._answer(choice, "User: Hi") == "A title"
    finally:
        await client.close()
        await runner.cleanup()
    said = json.dumps(asked[0])
    assert str(titles.MOST_TOKENS) in said
    assert "You name conversations" in said


def test_the_examples_hold() -> None:
    assert doctest.testmod(titles).failed == 0
