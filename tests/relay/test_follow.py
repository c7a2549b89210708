"""A turn that another process runs is shown as if it ran here, whatever becomes of the doorbells.

The oracle is a page folded from scratch of the events up to a revision, and at the end the stored page.
"""

import asyncio
import random
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from chatsite.chats import follow, thread
from chatsite.relay import limits, pages, turns
from chatsite.relay.beat import Beat
from chatsite.relay.hub import Hub
from chatsite.relay.journal import Row, commit
from chatsite.relay.models import Turn
from streamrender.page.panes import TurnPage
from tests.relay.test_journal import new_turn
from tests.relay.test_live import Oracle, Watcher, events_of


class FoldedPages(Oracle):
    """Pages with the scope of the turn; the one at the end is the stored one."""

    def __init__(self, events: list[Any], turn: Turn) -> None:
        super().__init__(events)
        self._scope = pages.scope(str(turn.id))
        self.stored: dict[str, Any] | None = None

    def page(self, rev: int) -> dict[str, Any]:
        """The page at a revision."""
        if rev > len(self.events) and self.stored is not None:
            return self.stored
        page = TurnPage(scope=self._scope)
        page.feed(self.events[:rev])
        return page.snapshot()


class Far(Watcher):
    """A viewer that acknowledges by the turn's real id."""

    def acknowledge(self) -> None:
        """Acknowledge all that was taken in."""
        if self.unacked:
            self.viewer.acknowledge(self.turn.turn, self.unacked[-1])
            self.unacked.clear()


@pytest.mark.parametrize("bells", ["lost", "late", "doubled"])
async def test_pages_are_those_of_their_revisions_whatever_becomes_of_the_bells(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, bells: str
) -> None:
    monkeypatch.setattr(follow, "POLL", 0.03)
    monkeypatch.setattr(follow, "REST", 0.001)
    monkeypatch.setattr(limits, "KEEP_ENDED", 0.0)
    settings.SEVERAL_PROCESSES = True
    rng = random.Random(bells)
    turn = await sync_to_async(new_turn)(lease_owner="elsewhere:1:1")
    events = events_of(rng)[:-1]
    hub = Hub()
    relay: Any = SimpleNamespace(hub=hub, listeners=[], journal=SimpleNamespace(beat=Beat()))
    follower = follow.Follower(relay)
    (hear,) = relay.listeners
    late: list[dict[str, Any]] = []

    def ring() -> None:
        bell = {"moved": [str(turn.conversation_id)]}
        if bells == "doubled":
            hear(bell)
            hear(dict(bell))
        elif bells == "late":
            late.append(bell)
            late.append({"moved": [str(uuid4())]})
            rng.shuffle(late)
            if rng.random() < 0.5:
                hear(late.pop())

    live = follower.follow(await sync_to_async(follow.foreign)(turn))
    oracle = FoldedPages(events, turn)
    watchers = [Far(oracle, live) for _ in range(2)]
    hub.look_at(watchers[0].viewer, turn.conversation_id)
    live.attach(watchers[0].viewer, None)

    async def look() -> None:
        await asyncio.sleep(0.005)
        for watcher in watchers:
            for _ in range(len(watcher.inbox)):
                watcher.take()
            watcher.acknowledge()

    await look()
    assert [watcher.snapshots for watcher in watchers] == [2, 1]
    at = 0
    while at < len(events):
        size = rng.choice([1, 2, 5, 20])
        row = Row(turn.id, 1, at + 1, min(at + size, len(events)), events[at : at + size], lambda _: None)
        assert await sync_to_async(commit)([row]) == [None]
        at = row.last
        ring()
        await look()
    monkeypatch.setattr(turns, "OWNER", "elsewhere:1:1")
    await sync_to_async(turns.finish)(turn.id, 1, "complete", None, 9999)
    oracle.stored = (await sync_to_async(stored)(turn))["page"]
    ring()
    async with asyncio.timeout(10):
        while any(watcher.rev <= len(events) for watcher in watchers):
            await look()
    # One each at first, two for the one that looked away and back; then nothing but changes.
    assert [watcher.snapshots for watcher in watchers] == [2, 1]
    for watcher in watchers:
        assert watcher.shown is not None
        assert watcher.shown["turn"]["ending"] == "complete"
        hub.leave(watcher.viewer)
        watcher.disconnect()
    async with asyncio.timeout(10):
        while follower._task is not None and not follower._task.done():
            await asyncio.sleep(0.01)


def stored(turn: Turn) -> dict[str, Any]:
    """The snapshot frame of the ended turn."""
    return thread.snapshot_of(Turn.objects.get(id=turn.id))
