"""A turn from submit to ending, through the real consumer, journal and database."""

import asyncio
import dataclasses
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from chatsite.accounts.models import User
from chatsite.chats.models import Message
from chatsite.relay.models import Exchange, JournalRow, Turn
from chatsite.relay.pages import journaled, page_of
from chatsite.tools import permissions, registry
from tests.relay.upstream import CUT, answer, block, sse, start, stop

Fixture = Any


def stored(turn: str) -> tuple[Turn, list[Message], list[Exchange], int]:
    """What the database holds of a turn."""
    found = Turn.objects.get(id=turn)
    messages = list(Message.objects.filter(turn=turn).order_by("number"))
    exchanges = list(Exchange.objects.filter(turn=turn).order_by("number"))
    return found, messages, exchanges, JournalRow.objects.filter(turn=turn).count()


async def run(open_page: Fixture, upstream: Fixture, *scripts: Any) -> tuple[Any, str, Any]:
    """Submit one message and wait for the end: page, turn id, page snapshot."""
    async with upstream(*scripts):
        page = await open_page()
        turn = (await page.submit("Why?"))["turn"]
        return page, turn, await page.ended(turn)


async def test_answer_is_shown_and_stored(open_page: Fixture, upstream: Fixture) -> None:
    page, turn, shown = await run(open_page, upstream, answer("Be", "cause ", "of *light*."))
    assert page.text(turn) == "Because of *light*."
    assert shown["turn"]["ending"] == "complete"
    assert page.titles == {page.conversation: "Why?"}
    found, messages, exchanges, rows = await sync_to_async(stored)(turn)
    assert (found.status, found.ending, rows) == ("ended", "complete", 0)
    assert [m.role for m in messages] == ["assistant"]
    assert messages[0].content[0]["text"] == "Because of *light*."
    assert found.usage["output_tokens"] == 20
    assert len(exchanges) == 1
    # What a new tab is given equals what the old one came to by changes.
    assert await sync_to_async(page_of)(found) == (page.turns[turn]["rev"], shown)
    found.page = None
    assert await sync_to_async(page_of)(found) == (page.turns[turn]["rev"], shown)


async def test_another_model_than_was_asked_is_told_live_and_later(
    open_page: Fixture, upstream: Fixture
) -> None:
    script = [part.replace(b'"fake-1"', b'"other-2"') for part in answer("Because.")]
    page, turn, shown = await run(open_page, upstream, script)
    assert shown["turn"]["substituted"] == {"asked": "fake-1", "served": "other-2"}
    found, *_ = await sync_to_async(stored)(turn)
    found.page = None
    assert await sync_to_async(page_of)(found) == (page.turns[turn]["rev"], shown)


async def test_raw_exchange_is_kept(open_page: Fixture, upstream: Fixture) -> None:
    import zlib

    script = answer("one ", "two")
    _, turn, _ = await run(open_page, upstream, script)
    _, _, (exchange,), _ = await sync_to_async(stored)(turn)
    raw = zlib.decompress(bytes(exchange.response))
    assert raw == b"".join(script)
    assert sum(length for _, length in exchange.arrivals) == len(raw)
    assert [ms for ms, _ in exchange.arrivals] == sorted(ms for ms, _ in exchange.arrivals)


async def test_tools_run_and_their_results_go_back(open_page: Fixture, upstream: Fixture) -> None:
    call = [
        start(),
        *block(0, "thinking", ["I need ", "a sum."]),
        *block(1, "tool_use", ['{"expr', 'ession": "6*7"}'], id="toolu_1", name="calculator"),
        stop("tool_use"),
    ]
    async with upstream(call, answer("It is 42.")) as fake:
        page = await open_page()
        turn = (await page.submit("6*7?"))["turn"]
        shown = await page.ended(turn)
    assert [p["kind"] for p in shown["panes"]] == ["thinking", "tool", "text"]
    assert (shown["panes"][1]["state"], shown["panes"][1]["result"]) == ("done", "42")
    again = fake.requests[1]["messages"]
    assert [m["role"] for m in again] == ["user", "assistant", "user"]
    assert again[1]["content"][0] == {
        "type": "thinking", "thinking": "I need a sum.", "signature": "c2lnbmVk"
    }  # fmt: skip
    assert again[2]["content"][0]["tool_use_id"] == "toolu_1"
    found, messages, exchanges, _ = await sync_to_async(stored)(turn)
    assert [m.role for m in messages] == ["assistant", "user", "assistant"]
    assert [m.parent_id for m in messages] == [found.user_message_id, messages[0].id, messages[1].id]
    assert len(exchanges) == 2
    assert found.usage["input_tokens"] == 20


async def test_next_message_carries_the_history(open_page: Fixture, upstream: Fixture) -> None:
    async with upstream(answer("First."), answer("Second.")) as fake:
        page = await open_page()
        one = (await page.submit("A"))["turn"]
        await page.ended(one)
        two = (await page.submit("B", parent=one))["turn"]
        await page.ended(two)
        # Another answer to the first message: a sibling that knows nothing of the second.
        three = (await page.submit("", retry=one))["turn"]
        await page.ended(three)
    texts = [[b["text"] for m in r["messages"] for b in m["content"]] for r in fake.requests]
    assert texts == [["A"], ["A", "First.", "B"], ["A"]]
    assert page.turns[two]["parent"] == one
    assert page.turns[three]["parent"] is None
    assert page.turns[three]["user"]["text"] == "A"


async def test_endings(open_page: Fixture, upstream: Fixture) -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    cases = {
        "length": [answer("half", reason="max_tokens")],
        "length_in_thinking": [[start(), *block(0, "thinking", ["hm"]), stop("max_tokens")]],
        "refusal": [answer("No", reason="refusal")],
        "stop_sequence": [answer("a", reason="stop_sequence")],
        "error": [[start(), *block(0, "text", ["some"])[:2], sse(overloaded)]],
        "cut_off": [[start(), *block(0, "text", ["some", " text"])[:3], 0.05, CUT]],
        "complete": [answer("fine")],
    }
    for ending, scripts in cases.items():
        page, turn, shown = await run(open_page, upstream, *scripts)
        assert shown["turn"]["ending"] == ending
        found, messages, _, _ = await sync_to_async(stored)(turn)
        assert found.ending == ending
        assert messages, "the partial is kept"
        if ending == "error":
            assert shown["turn"]["error"]["type"] == "overloaded"
            assert page.text(turn) == "some"
        if ending == "cut_off":
            assert page.text(turn) == "some text"


async def test_paused_turn_is_asked_again(open_page: Fixture, upstream: Fixture) -> None:
    async with upstream(answer("Let me see. ", reason="pause_turn"), answer("Done.")) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.ended(turn)
    assert page.text(turn) == "Let me see. Done."
    assert fake.requests[1]["messages"][-1]["role"] == "assistant"


async def test_tools_without_end_are_limited(open_page: Fixture, upstream: Fixture, monkeypatch: Any) -> None:
    monkeypatch.setattr("chatsite.relay.limits.ROUNDS", 3)
    call = [
        start(),
        *block(0, "tool_use", ['{"expression": "1"}'], id="t", name="calculator"),
        stop("tool_use"),
    ]
    async with upstream(call) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        shown = await page.ended(turn)
    assert shown["turn"]["ending"] == "tool_limit"
    assert len(fake.requests) == 3


async def test_retries_before_the_first_byte_only(
    open_page: Fixture, upstream: Fixture, monkeypatch: Any
) -> None:
    monkeypatch.setattr("chatsite.relay.limits.FIRST_RETRY_WAIT", 0.01)
    busy = (529, {}, b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')
    async with upstream(busy, (429, {"retry-after": "0"}, b"{}"), answer("At last.")) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.ended(turn)
    assert page.text(turn) == "At last."
    assert len(fake.requests) == 3
    _, _, exchanges, _ = await sync_to_async(stored)(turn)
    assert [e.status for e in exchanges] == [529, 429, 200]


async def test_retries_give_up(open_page: Fixture, upstream: Fixture, monkeypatch: Any) -> None:
    monkeypatch.setattr("chatsite.relay.limits.FIRST_RETRY_WAIT", 0.001)
    async with upstream((500, {}, b"oops")) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        shown = await page.ended(turn)
    assert shown["turn"]["ending"] == "error"
    assert shown["turn"]["error"]["status"] == 500
    assert len(fake.requests) == 5


async def test_bad_request_is_not_retried(open_page: Fixture, upstream: Fixture) -> None:
    body = b'{"type":"error","error":{"type":"invalid_request_error","message":"no"}}'
    async with upstream((400, {}, body)) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        shown = await page.ended(turn)
    assert shown["turn"]["error"]["type"] == "invalid_request"
    assert len(fake.requests) == 1


async def test_stop_keeps_the_partial(open_page: Fixture, upstream: Fixture) -> None:
    forever = asyncio.Event()
    async with upstream([start(), *block(0, "text", ["kept ", "text"])[:3], forever]) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn) == "kept text")
        other = await open_page(conversation=page.conversation)
        answered = await other.stop(turn)
        assert (answered["type"], answered["duplicate"]) == ("ok", False)
        for one in (page, other):
            shown = await one.ended(turn)
            assert shown["turn"]["ending"] == "stopped"
            assert one.text(turn) == "kept text"
        await asyncio.wait_for(fake.closed_by_client.wait(), 30)
        assert (await page.stop(turn))["duplicate"] is True
        forever.set()
    _, messages, exchanges, _ = await sync_to_async(stored)(turn)
    assert messages[0].content[0]["text"] == "kept text"
    assert len(exchanges) == 1


@pytest.fixture
def careful_tool() -> Any:
    """A tool that needs asking; the list that it returns holds what it was run with."""
    ran: list[Any] = []

    async def run(given: dict[str, Any], progress: Any) -> registry.ToolOutcome:
        ran.append(given)
        return registry.ToolOutcome("done it")

    tool = registry.Tool("careful", "Needs asking.", {"type": "object"}, run, approval="ask")
    registry.register(tool)
    yield ran
    registry.unregister("careful")


@pytest.mark.parametrize("granted", [True, False])
async def test_tools_that_need_asking_wait(
    open_page: Fixture, upstream: Fixture, careful_tool: list[Any], granted: bool
) -> None:
    call = [start(), *block(0, "tool_use", ['{"n": 1}'], id="toolu_9", name="careful"), stop("tool_use")]
    async with upstream(call, call, answer("So be it.")) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]

        def asking() -> bool:
            return page.state(turn) == "tool" and page.turns[turn]["page"]["panes"][-1]["state"] == "asking"

        await page.until(asking)
        assert careful_tool == []
        stranger = await open_page("bob")
        reply = {"type": "approve", "turn": turn, "call": "toolu_9", "granted": True}
        await stranger.send(**reply, id="s")
        assert (await stranger.until(lambda: stranger.answers.get("s")))["code"] == "not_found"
        other = await open_page(conversation=page.conversation)
        for id_, late in (("a", False), ("b", True)):
            await other.send(**{**reply, "granted": granted}, id=id_)
            answered = await other.until(lambda id_=id_: other.answers.get(id_))
            assert (answered["type"], answered["duplicate"]) == ("ok", late)
        await page.ended(turn)
    # Allowed once, it is not asked about again in this turn; the second call has the same id and its answer.
    assert careful_tool == ([{"n": 1}] * 2 if granted else [])
    results = [block for message in fake.requests[1]["messages"] for block in message["content"]]
    assert ("did not allow" in str(results[-1]["content"])) is not granted


@pytest.mark.parametrize("policy", ["ask", "always"])
async def test_a_tool_that_is_always_allowed_runs_unasked_from_then_on(
    open_page: Fixture, upstream: Fixture, careful_tool: list[Any], policy: str
) -> None:
    """In later turns too, for this user alone, and never where the tool's policy is to ask each time."""
    tool = dataclasses.replace(registry._tools["careful"], approval=policy)
    registry.unregister("careful")
    registry.register(tool)

    def call(id_: str) -> list[bytes]:
        return [start(), *block(0, "tool_use", ["{}"], id=id_, name="careful"), stop("tool_use")]

    async with upstream(call("toolu_1"), answer("One."), call("toolu_2"), answer("Two.")):
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]

        def asking() -> Any:
            panes = page.turns[turn]["page"]["panes"] if turn in page.turns else []
            return panes[-1] if panes and panes[-1]["state"] == "asking" else None

        card = await page.until(asking)
        assert card["each_time"] is (policy == "always")
        reply = {"type": "approve", "turn": turn, "call": "toolu_1", "granted": True, "always": True}
        await page.send(**reply, id="a")
        await page.ended(turn)
        owner = await User.objects.aget(username="ann")
        stored = [one["tool"] for one in await sync_to_async(permissions.listed)(owner.pk)]
        assert stored == (["careful"] if policy == "ask" else [])
        turn = (await page.submit("Again", parent=turn))["turn"]
        if policy == "always":
            await page.until(asking)
            await page.send(**{**reply, "turn": turn, "call": "toolu_2"}, id="b")
        await page.ended(turn)
        kinds = [event["type"] for event in journaled(await Turn.objects.aget(id=turn))[1]]
        assert ("approval_asked" in kinds) is (policy == "always")
    assert len(careful_tool) == 2
    assert not await sync_to_async(permissions.listed)(owner.pk + 1)


async def test_silence_is_no_approval(
    open_page: Fixture, upstream: Fixture, careful_tool: list[Any], monkeypatch: Any
) -> None:
    monkeypatch.setattr("chatsite.relay.limits.APPROVAL", 0.05)
    call = [start(), *block(0, "tool_use", ['{"n": 1}'], id="toolu_9", name="careful"), stop("tool_use")]
    _, _, shown = await run(open_page, upstream, call, answer("Well."))
    assert careful_tool == []
    assert shown["turn"]["ending"] == "complete"


async def test_odd_characters_survive(open_page: Fixture, upstream: Fixture) -> None:
    """NUL, half characters, line separators and what looks like markup, from upstream and from a tool."""
    odd = "a\x00b \ud83d c\u2028d </script> \U0001f600"

    async def run_odd(given: dict[str, Any], progress: Any) -> registry.ToolOutcome:
        await progress("\ud800 half")
        return registry.ToolOutcome(odd)

    registry.register(registry.Tool("odd", "Odd.", {"type": "object"}, run_odd))
    call = [start(), *block(0, "tool_use", ["{}"], id="toolu_1", name="odd"), stop("tool_use")]
    try:
        page, turn, shown = await run(open_page, upstream, call, answer(odd))
    finally:
        registry.unregister("odd")
    assert shown["turn"]["ending"] == "complete"
    assert "</script>" in page.text(turn)
    _, messages, _, _ = await sync_to_async(stored)(turn)
    assert messages[1].content[0]["content"].endswith("</script> \U0001f600")
