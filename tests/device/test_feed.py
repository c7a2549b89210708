"""A turn whose model runs in a tab: fed, shown, stopped, lost, gone on with, like any other."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from chatsite.relay import fed
from chatsite.relay.models import Exchange, Turn
from chatsite.tools import registry
from chatsite.tools.registry import Tool, ToolOutcome
from streamrender import decode
from tests.device.tab import DONE, Tab
from tests.relay.page import Page
from tests.relay.served import Prepared, copied, serve

OpenPage = Callable[..., Awaitable[Page]]


async def test_a_turn_from_prompt_to_ending(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    prompt = await tab.submit("Why is the sky blue?")
    assert prompt["round"] == 1
    assert prompt["messages"] == [{"role": "user", "content": "Why is the sky blue?"}]
    assert {tool["name"] for tool in prompt["tools"]} >= {"calculator"}
    await tab.feed({"style": "delta"}, "It is **", "bl")
    await page.until(lambda: page.text(tab.turn) == "It is **bl")
    await tab.feed("ue**.", DONE)
    shown = await page.ended(tab.turn)
    assert (shown["turn"]["ending"], page.text(tab.turn)) == ("complete", "It is **blue**.")
    assert shown["panes"][0]["html"] == "<p>It is <strong>blue</strong>.</p>\n"
    assert (shown["turn"]["provider"], shown["turn"]["model"]) == ("device", "Prompt API · tiny")
    await tab.told("unfed")

    other = await open_page(conversation=page.conversation)
    assert (await other.ended(tab.turn)) == shown
    exchange = await Exchange.objects.aget(turn=tab.turn)
    assert (exchange.wire, exchange.url) == ("chunks", "device:prompt-api")
    assert decode("chunks").feed(__import__("zlib").decompress(exchange.response))


async def test_the_next_turn_is_told_of_the_one_before(open_page: OpenPage) -> None:
    page = await open_page()
    first = Tab(page)
    await first.submit("One?")
    await first.feed("Un.", DONE)
    await page.ended(first.turn)
    again = Tab(page)
    prompt = await again.submit("Two?", parent=first.turn)
    assert [(m["role"], m["content"]) for m in prompt["messages"]] == [
        ("user", "One?"), ("assistant", "Un."), ("user", "Two?"),
    ]  # fmt: skip
    await again.feed("Deux.", {"done": True, "stop_reason": "max_tokens"})
    assert (await page.ended(again.turn))["turn"]["ending"] == "length"
    retry = Tab(page)
    prompt = await retry.submit("", retry=again.turn)
    assert prompt["messages"][-1]["content"] == "Two?"
    await retry.feed({"error": {"name": "QuotaExceededError", "message": "The input is too large."}})
    error = (await page.ended(retry.turn))["turn"]["error"]
    assert error["type"] == "context_window"


async def test_every_viewer_sees_it_and_any_tab_stops_it(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("Some")
    other = await open_page(conversation=page.conversation)
    await other.until(lambda: other.text(tab.turn) == "Some")
    await other.stop(tab.turn)
    await tab.told("unfed")
    assert (await page.ended(tab.turn))["turn"]["ending"] == "stopped"
    assert page.text(tab.turn) == "Some"
    await tab.send("thing")  # too late: it is told so, and nothing happens
    assert page.text(tab.turn) == "Some"


async def test_frames_are_taken_once_and_survive_a_short_absence(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("a")
    await tab.feed("b")
    await page.socket.disconnect()  # type: ignore[attr-defined]
    page = await open_page(conversation=page.conversation)
    assert await tab.back(page) == 2
    tab.n = 1
    await tab.send("b")
    await tab.feed("c", DONE)
    await page.ended(tab.turn)
    assert page.text(tab.turn) == "abc"


async def test_a_prompt_that_was_lost_comes_again(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    prompt = await tab.submit()
    await page.socket.disconnect()  # type: ignore[attr-defined]
    page = await open_page(conversation=page.conversation)
    assert await tab.back(page) == 0
    assert await tab.told("prompt") == prompt
    await tab.feed("a", DONE)
    await page.ended(tab.turn)


async def test_a_tab_that_does_not_come_back(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fed, "LEASE", 0.05)
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("Half an ans")
    other = await open_page(conversation=page.conversation)
    await page.socket.disconnect()  # type: ignore[attr-defined]
    shown = await other.ended(tab.turn)
    assert (shown["turn"]["ending"], other.text(tab.turn)) == ("cut_off", "Half an ans")
    assert shown["turn"]["error"]["message"] == fed.GONE
    late = Tab(other)
    late.turn, late.secret = tab.turn, tab.secret
    await other.send(type="feed", turn=tab.turn, secret=tab.secret)
    await late.told("unfed")


async def test_a_tab_that_says_it_closes(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed("Half")
    await page.send(type="feed", turn=tab.turn, secret=tab.secret, gone=True)
    assert (await page.ended(tab.turn))["turn"]["ending"] == "cut_off"


async def test_cumulative_pieces(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    await tab.feed({"style": "cumulative"}, "a", "ab")
    await tab.feed("abc", {"style": "delta"}, "d", DONE)
    shown = await page.ended(tab.turn)
    assert (page.text(tab.turn), shown["turn"]["faults"]) == ("abcd", 0)


async def test_tools_run_here_and_their_results_go_back(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    await tab.submit()
    call = {"id": "c1", "name": "calculator", "input": {"expression": "6 * 7"}}
    wrong = {"id": "c2", "name": "calculator", "input": {"expression": "1 / 0"}}
    await tab.feed("Let me see. ", {"tool": call}, {"tool": wrong}, {"done": True, "stop_reason": "tool_use"})
    results = await tab.told("results", round=2)
    one, other = results["results"]
    assert (one["id"], one["is_error"], "42" in one["content"]) == ("c1", False, True)
    assert (other["id"], other["is_error"]) == ("c2", True)
    await tab.feed("It is 42.", DONE)
    shown = await page.ended(tab.turn)
    assert [pane["kind"] for pane in shown["panes"]] == ["text", "tool", "tool", "text"]
    assert [pane["state"] for pane in shown["panes"] if pane["kind"] == "tool"] == ["done", "failed"]
    assert await Exchange.objects.filter(turn=tab.turn).acount() == 2
    # The next turn is told what was said, in words alone.
    follow = Tab(page)
    prompt = await follow.submit("Sure?", parent=tab.turn)
    assert prompt["messages"][1] == {"role": "assistant", "content": "Let me see. \n\nIt is 42."}
    await follow.feed(DONE)
    await page.ended(follow.turn)


@pytest.mark.parametrize("granted", [True, False])
async def test_tools_that_need_asking_ask(open_page: OpenPage, granted: bool) -> None:
    ran = []

    async def run(input: dict[str, Any], progress: Any) -> ToolOutcome:
        ran.append(input)
        return ToolOutcome("rung")

    registry.register(Tool("bell", "Rings.", {"type": "object"}, run, approval="always"))
    try:
        page = await open_page()
        tab = Tab(page)
        await tab.submit()
        await tab.feed(
            {"tool": {"id": "c1", "name": "bell", "input": {}}}, {"done": True, "stop_reason": "tool_use"}
        )

        def asking() -> bool:
            panes = page.turns[tab.turn]["page"]["panes"]
            return any(pane["kind"] == "tool" and pane["state"] == "asking" for pane in panes)

        await page.until(asking)
        await page.send(type="approve", id="1", turn=tab.turn, call="c1", granted=granted)
        (result,) = (await tab.told("results"))["results"]
        assert (result["is_error"], len(ran)) == (not granted, int(granted))
        await tab.feed("Done.", DONE)
        await page.ended(tab.turn)
    finally:
        registry.unregister("bell")


async def test_a_submit_sent_twice_is_one_turn(open_page: OpenPage) -> None:
    page = await open_page()
    tab = Tab(page)
    frame = {"id": "6f2b6c1e-0000-4000-8000-000000000001"}
    await tab.submit(**frame)
    page.answers.clear()
    answer = await page.submit("Hi", model="device:prompt-api", feed={"secret": tab.secret}, **frame)
    assert (answer["duplicate"], answer["turn"]) == (True, tab.turn)
    await tab.feed("a", DONE)
    await page.ended(tab.turn)


async def test_models_that_no_tab_offers(open_page: OpenPage) -> None:
    page = await open_page()
    assert (await page.submit(model="device:prompt-api"))["code"] == "no_upstream"
    feed = {"secret": "s" * 36}
    assert (await page.submit(model="device:other", feed=feed))["code"] == "no_upstream"
    assert not await sync_to_async(Turn.objects.exists)()
    await asyncio.sleep(0)


async def test_another_process_says_that_the_turn_is_elsewhere(prepared: Prepared, tmp_path: Path) -> None:
    data = copied(prepared, tmp_path / "data")
    several = {"STREAMRENDER_SEVERAL": "1"}
    async with (
        serve(data, prepared, "http://127.0.0.1:9", **several) as one,
        serve(data, prepared, "http://127.0.0.1:9", **several) as two,
    ):
        async with one.page() as page:
            tab = Tab(page)
            await tab.submit()
            await tab.feed("a")
        async with two.page(page.conversation) as other, one.page(page.conversation) as right:
            await other.send(type="feed", turn=tab.turn, secret=tab.secret)
            tab.page = other
            assert (await tab.told("unfed"))["elsewhere"] is True
            assert await tab.back(right) == 1
            await tab.feed("b", DONE)
            await other.ended(tab.turn)
            assert other.text(tab.turn) == "ab"
            await other.send(type="feed", turn=tab.turn, secret=tab.secret)
            tab.page = other
            other.frames.clear()
            assert (await tab.told("unfed"))["elsewhere"] is False
