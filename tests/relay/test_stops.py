"""Stop works whatever the turn is doing, and a slow database stalls nobody who does not ask it."""

import asyncio
import time
from typing import Any

import pytest

from chatsite.chats import thread
from chatsite.tools import registry
from tests.relay.upstream import answer, block, start, stop

CALL = [start(), *block(0, "tool_use", ["{}"], id="toolu_1", name="sleeper"), stop("tool_use")]


@pytest.fixture
def sleeper() -> Any:
    """A tool that never ends; the list says what became of it."""
    seen: list[str] = []

    async def run(given: dict[str, Any], progress: Any) -> registry.ToolOutcome:
        await progress("asleep")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return registry.ToolOutcome("never")

    registry.register(registry.Tool("sleeper", "Sleeps.", {"type": "object"}, run))
    yield seen
    registry.unregister("sleeper")


@pytest.mark.parametrize("state", ["waiting", "retry", "tool", "thinking"])
async def test_stop_in_every_state(open_page: Any, upstream: Any, sleeper: list[str], state: str) -> None:
    forever = asyncio.Event()
    script = {
        "waiting": [forever],
        "retry": (429, {"retry-after": "50"}, b"{}"),
        "tool": CALL,
        "thinking": [start(), *block(0, "thinking", ["hm ", "hm"])[:3], forever],
    }[state]
    async with upstream(script, answer("no")) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.state(turn) == state)
        if state == "tool":
            await page.until(lambda: page.turns[turn]["page"]["panes"][-1]["progress"])
        pressed = time.monotonic()
        answers = [await page.stop(turn), await page.stop(turn)]
        shown = await page.ended(turn)
        assert time.monotonic() - pressed < 5
        assert [a["type"] for a in answers] == ["ok", "ok"]
        assert shown["turn"]["ending"] == "stopped"
        assert len(fake.requests) == 1
        forever.set()
        if state == "tool":
            assert sleeper == ["cancelled"]
            assert shown["panes"][-1]["state"] == "stopped"
        # The conversation goes on, the unanswered call included.
        after = (await page.submit("And now?", parent=turn))["turn"]
        assert (await page.ended(after))["turn"]["ending"] == "complete"
        assert page.text(after) == "no"


async def test_slow_queries_stall_no_other_socket(open_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [await open_page() for _ in range(6)]
    quick = await open_page()

    def slow(*args: Any) -> None:
        time.sleep(0.4)

    monkeypatch.setattr(thread, "conversation_of", slow)
    for page in pages:
        await page.hello("00000000-0000-4000-8000-000000000000")
    worst = 0.0
    for n in range(10):
        sent = time.monotonic()
        await quick.send(type="ping", n=n)
        assert (await quick.next())["type"] == "pong"
        worst = max(worst, time.monotonic() - sent)
        await asyncio.sleep(0.02)
    assert worst < 0.3
    for page in pages:
        await page.until(lambda page=page: page.answers.get(None))
