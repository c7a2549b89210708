"""Law: whatever a viewer is sent, its page at revision r is the page of the events up to r; and it gets to
the end.

The oracle is a page folded from scratch. Cuts, acknowledgements, reconnects and lost frames are random but
seeded. The mutants at the end break the relay on purpose: the law must notice each.
"""

import asyncio
import json
import math
import random
import threading
import time
from typing import Any

import pytest

from chatsite.relay import limits, process, protocol
from chatsite.relay.live import Frame, LiveTurn
from chatsite.relay.protocol import Position
from chatsite.relay.viewer import Viewer
from streamrender import decode
from streamrender.events import Event
from streamrender.page.changes import apply_changes
from streamrender.page.panes import TurnPage
from tests.relay.upstream import block, sse, start, stop

HEADING = protocol.heading(conversation="c", turn="t", parent=None, text="Hi", created="", model="m")
WORDS = [
    "Some ",
    "*bold",
    "* words, ",
    "a `co",
    "de` span\n\n",
    "- item\n",
    "- next\n\n",
    "| a | b |\n|-",
    "--|---|\n",
]


def events_of(rng: random.Random) -> list[Event]:
    """Two rounds with thinking, a tool call and text, as a journal would hold them."""
    chunks = [start(), *block(0, "thinking", rng.choices(WORDS, k=20))]
    chunks += block(1, "tool_use", ['{"a": "', "long ", "text", '", "b": [1, 2]}'], id="x", name="calculator")
    chunks.append(stop("tool_use"))
    first = _decoded(chunks)
    text = rng.choices(WORDS, k=60)
    second = _decoded([start("msg_2"), sse({"type": "ping"}), *block(0, "text", text), stop()])
    request = {"type": "request_started", "provider": "p", "wire": "anthropic", "model": "m"}
    events = [
        {**request, "round": 1}, *first,
        {"type": "tool_started", "id": "x", "name": "calculator"},
        {"type": "tool_result", "id": "x", "content": "42", "is_error": False},
        {**request, "round": 2}, *second,
        {"type": "turn_end", "ending": "complete", "error": None},
    ]  # fmt: skip
    return [{**event, "at": at * 7} for at, event in enumerate(events)]


def _decoded(chunks: list[bytes]) -> list[Event]:
    decoder = decode("anthropic")
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


class Oracle:
    """The page of the first `rev` events, from scratch, each made once."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self._pages: dict[int, dict[str, Any]] = {}

    def page(self, rev: int) -> dict[str, Any]:
        """The page at a revision."""
        if rev not in self._pages:
            page = TurnPage()
            page.feed(self.events[:rev])
            self._pages[rev] = page.snapshot()
        return self._pages[rev]


class Watcher:
    """A viewer and the page behind it."""

    def __init__(self, oracle: Oracle, turn: LiveTurn) -> None:
        self.oracle, self.turn = oracle, turn
        self.shown: dict[str, Any] | None = None
        self.rev = 0
        self.unacked: list[int] = []
        self.most_unacked = 0
        self.snapshots = 0
        self.connect()

    def connect(self) -> None:
        """A new socket that says where the page is."""
        self.inbox: list[str] = []
        self.unacked.clear()
        self.viewer = Viewer(1, "s", self._send, self._close)
        self.pump = asyncio.create_task(self.viewer.pump())
        self.turn.attach(self.viewer, Position(self.turn.epoch, self.rev) if self.shown else None)

    def disconnect(self) -> None:
        """The socket dies with whatever was on its way."""
        self.turn.detach(self.viewer)
        self.pump.cancel()

    async def _send(self, text: str) -> None:
        self.inbox.append(text)

    async def _close(self, code: int) -> None:
        raise AssertionError(f"closed with {code}")

    def take(self) -> None:
        """Take one frame in and compare with the oracle."""
        if not self.inbox:
            return
        frame = json.loads(self.inbox.pop(0))
        if frame["type"] == "snapshot":
            self.shown, self.rev = frame["page"], frame["rev"]
            self.snapshots += 1
        elif frame["to"] > self.rev:
            assert frame["from"] == self.rev, "a hole"
            assert self.shown is not None
            self.shown, self.rev = apply_changes(self.shown, frame["changes"]), frame["to"]
        assert self.shown == self.oracle.page(self.rev)
        self.unacked.append(self.rev)

    def acknowledge(self) -> None:
        """Acknowledge all that was taken in."""
        self.most_unacked = max(self.most_unacked, self.viewer.unacked_bytes)
        if self.unacked:
            self.viewer.acknowledge("t", self.unacked[-1])
            self.unacked.clear()


async def play(seed: int, kind: type[LiveTurn] = LiveTurn) -> list[Watcher]:
    """Random life of one turn with three watchers; checks them all along and at the end."""
    rng = random.Random(seed)
    events = events_of(rng)
    turn = kind(HEADING, "t:1")
    oracle = Oracle(events)
    watchers = [Watcher(oracle, turn) for _ in range(3)]
    at = 0
    while at < len(events):
        size = rng.choice([1, 1, 2, 5, 20])
        batch, at = events[at : at + size], min(at + size, len(events))
        turn.committed(batch, at)
        if rng.random() < 0.7:
            turn.render()
        for number, watcher in enumerate(watchers):
            for _ in range(rng.randint(0, 3)):
                await asyncio.sleep(0)
                watcher.take()
            # The second is slow to acknowledge, the third loses its socket now and then.
            if rng.random() < (0.05 if number == 1 else 0.6):
                watcher.acknowledge()
            if number == 2 and rng.random() < 0.15:
                watcher.disconnect()
                watcher.connect()
    turn.end()
    for watcher in watchers:
        for _ in range(400):
            await asyncio.sleep(0)
            watcher.take()
            watcher.acknowledge()
        assert watcher.rev == len(events), "not brought to the end"
        watcher.disconnect()
    return watchers


def is_bounded(watcher: Watcher) -> bool:
    """One window, and one delivery that began while it was open."""
    return watcher.most_unacked <= limits.WINDOW_BYTES + len(watcher.turn.snapshot_text())


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows and logs so small that every way to catch up is taken."""
    monkeypatch.setattr(limits, "WINDOW_FRAMES", 4)
    monkeypatch.setattr(limits, "WINDOW_BYTES", 3000)
    monkeypatch.setattr(limits, "LOG_FRAMES", 6)
    monkeypatch.setattr(limits, "FRAME", 0.0)


@pytest.mark.parametrize("dear", [limits.DEAR, -1.0], ids=["on the loop", "by a thread"])
@pytest.mark.parametrize("seed", range(12))
async def test_every_page_is_that_of_its_revision(
    seed: int, dear: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DEAR", dear)
    watchers = await play(seed)
    assert watchers[1].snapshots > 0
    assert all(map(is_bounded, watchers))


class KeepsNoWindow(LiveTurn):
    """Mutant: sends a frame to whoever is there, wherever it is."""

    def _offer(self, viewer: Viewer, frame: Frame) -> None:
        viewer.push(self.turn, Position(self.epoch, frame.end), frame.text)


class ForgetsTheOldest(LiveTurn):
    """Mutant: takes any later part of the log for the whole of it."""

    def _since(self, rev: int) -> list[Frame]:
        return [frame for frame in self._log if frame.start > rev]


class NumbersAhead(LiveTurn):
    """Mutant: names a revision whose events it has not rendered."""

    def snapshot(self) -> dict[str, Any]:
        return {**super().snapshot(), "rev": self.rev + 1}


class OwesNothing(LiveTurn):
    """Mutant: a viewer that is behind is forgotten."""

    def _offer(self, viewer: Viewer, frame: Frame) -> None:
        if viewer.open and viewer.cursors.get(self.turn) == Position(self.epoch, frame.start):
            viewer.push(self.turn, Position(self.epoch, frame.end), frame.text)


@pytest.mark.parametrize("mutant", [KeepsNoWindow, ForgetsTheOldest, NumbersAhead, OwesNothing])
async def test_the_law_notices_mutants(mutant: type[LiveTurn]) -> None:
    for seed in range(12):
        try:
            watchers = await play(seed, mutant)
        except (AssertionError, KeyError, IndexError):
            return
        if not all(map(is_bounded, watchers)):
            return
    raise AssertionError("the law held for a broken relay")


async def test_many_viewers_are_one_rendering() -> None:
    events = events_of(random.Random(1))
    turn = LiveTurn(HEADING, "t:1")
    oracle = Oracle(events)
    watchers = [Watcher(oracle, turn) for _ in range(100)]
    turn.committed(events, len(events))
    turn.end()
    assert turn.renders == 1
    await asyncio.sleep(0)
    for watcher in watchers:
        while watcher.inbox:
            watcher.take()
        assert watcher.rev == len(events)
        watcher.disconnect()


async def test_what_nobody_watches_is_not_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FRAME", 60.0)
    events = events_of(random.Random(2))
    turn = LiveTurn(HEADING, "t:1")
    oracle = Oracle(events)
    for at in range(20):
        turn.committed(events[at : at + 1], at + 1)
    assert turn.renders == 0
    watcher = Watcher(oracle, turn)
    assert (turn.renders, turn.rev) == (1, 20)
    turn.committed(events[20:30], 30)
    assert (turn.renders, turn.rev) == (2, 30)
    watcher.disconnect()
    turn.committed(events[30:], len(events))
    turn.end()
    assert (turn.renders, turn.rev) == (3, len(events))


async def test_turn_that_is_dear_to_render_is_shown_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FRAME", 0.03)
    clock = iter(range(1000))
    monkeypatch.setattr("chatsite.relay.live.time.thread_time", lambda: next(clock))
    events = events_of(random.Random(2))
    spent: list[float] = []
    turn = LiveTurn(HEADING, "t:1", spent.append)
    watcher = Watcher(Oracle(events), turn)
    turn.committed(events[:10], 10)
    for at in range(10, 30):
        turn.committed(events[at : at + 1], at + 1)
    assert (turn.renders, turn.rev, spent) == (1, 10, [2])
    turn.end()
    assert (turn.renders, turn.rev) == (2, 30)
    watcher.disconnect()


@pytest.mark.parametrize("many", [limits.MANY, 5], ids=["few events", "a backlog"])
@pytest.mark.parametrize("threads", [True, False], ids=["by a thread", "on the loop"])
async def test_others_move_while_a_dear_page_is_made(
    threads: bool, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of which some feed was dear, or that gets many events at once, is made beside the loop; were it
    not (the last cases), all would wait. The first feed is dear, the second cheap, the third is looked at.
    """
    monkeypatch.setattr(limits, "DEAR", limits.DEAR if threads and many > 5 else math.inf)
    monkeypatch.setattr(limits, "MANY", many if threads else math.inf)
    monkeypatch.setattr(limits, "SLOWEST_FRAME", 0.0)
    feed, waiting = TurnPage.feed, threading.Event()
    seen: list[bool] = []

    def slow(page: TurnPage, given: list[Event]) -> Any:
        end = time.thread_time() + 0.03
        while not seen and time.thread_time() < end:
            pass
        # Only somebody who runs on the loop sets it.
        seen.append(waiting.wait(1 if len(seen) == 2 else 0))
        return feed(page, given)

    monkeypatch.setattr(TurnPage, "feed", slow)
    events = events_of(random.Random(3))
    turn = LiveTurn(HEADING, "t:1")
    oracle = Oracle(events)
    watcher = Watcher(oracle, turn)
    for at in (0, 5):
        turn.committed(events[at : at + 5], at + 5)
        await turn.rendered()
    asyncio.get_running_loop().call_soon(waiting.set)
    turn.committed(events[10:], len(events))
    await turn.rendered()
    assert seen == [False, False, threads]
    assert turn.rev == len(events)
    monkeypatch.setattr(TurnPage, "feed", feed)
    await asyncio.sleep(0)
    while watcher.inbox:
        watcher.take()
    assert watcher.rev == len(events)
    watcher.disconnect()


async def test_an_end_shows_everything_whatever_a_thread_was_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DEAR", -1.0)
    monkeypatch.setattr(limits, "SLOWEST_FRAME", 0.0)
    events = events_of(random.Random(4))
    turn = LiveTurn(HEADING, "t:1")
    watcher = Watcher(Oracle(events), turn)
    turn.committed(events[:10], 10)
    turn.committed(events[10:], len(events))
    turn.end()
    assert (turn.ended, turn.rev) == (True, len(events))
    watcher.disconnect()


async def test_fault_of_the_renderer_spares_the_turn(
    open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be shown while it came is there in full when it is opened again."""
    feed = TurnPage.feed

    def faulty(page: TurnPage, given: Any) -> Any:
        given = list(given)
        if any(event.get("delta", {}).get("text") == "two " for event in given):
            raise RuntimeError("renderer")
        return feed(page, given)

    async with upstream([start(), *block(0, "text", ["one ", "two ", "three"]), stop()]):
        page = await open_page()
        monkeypatch.setattr(TurnPage, "feed", faulty)
        turn = (await page.submit("Go"))["turn"]
        assert (await page.ended(turn))["turn"]["ending"] == "complete"
        monkeypatch.setattr(TurnPage, "feed", feed)
        process.current().hub.live.clear()
        again = await open_page(conversation=page.conversation)
        await again.ended(turn)
        assert again.text(turn) == "one two three"
