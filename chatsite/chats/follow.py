"""Turns that another process runs, shown by this one: the journal is read as it grows.

The owner's viewers are fed directly (relay/hub.py); everybody else's process comes here. The database is
looked at every `POLL` seconds, and at once when a bell rings. What is read is rendered once for all viewers
and sent as changes, like a turn of this process's own: a page at a revision is the same whoever made it. A
turn that changed its owner, or whose page is too long to be compared, is given as a snapshot.
"""

import asyncio
import json
import logging
import weakref
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from chatsite.chats import thread
from chatsite.relay import db
from chatsite.relay.live import LiveTurn, StoredTurn
from chatsite.relay.models import JournalRow, Turn
from chatsite.relay.pages import journaled
from chatsite.relay.process import Relay
from chatsite.relay.turns import OWNER, UNFINISHED
from streamrender.events import Event

log = logging.getLogger(__name__)

POLL = 0.5
REST = 0.03  # between two looks, however often the bell rings


@dataclass
class Foreign:
    """An unfinished turn as the database has it."""

    heading: dict[str, Any]
    epoch: str
    last: int
    events: list[Event]


@dataclass
class Followed:
    """A turn that is followed: `last` is the number of the newest event read."""

    live: LiveTurn
    last: int


class Follower:
    """One for each relay. Event loop only."""

    def __init__(self, relay: Relay) -> None:
        self._hub = relay.hub
        self._spent = relay.journal.beat.spent
        self._turns: dict[str, Followed] = {}
        self._bell = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        relay.listeners.append(self._heard)

    def follow(self, foreign: Foreign) -> LiveTurn:
        """Begin to follow a turn; the live turn that viewers attach to."""
        turn = foreign.heading["turn"]
        if turn in self._turns:
            return self._turns[turn].live
        live = LiveTurn(foreign.heading, foreign.epoch, self._spent)
        self._turns[turn] = Followed(live, foreign.last)
        if foreign.events:
            live.committed(foreign.events, foreign.last)
        self._hub.open(live)
        self.wake()
        return live

    def wake(self) -> None:
        """Look at the database soon."""
        self._bell.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="follower")

    def _heard(self, message: dict[str, Any]) -> None:
        if "moved" in message:
            watched = set(map(str, self._hub.watched()))
            if not watched.isdisjoint(message["moved"]):
                self.wake()

    async def _run(self) -> None:
        """Until nothing is followed and nobody could miss a beginning."""
        while self._turns or (settings.SEVERAL_PROCESSES and self._hub.watched()):
            try:
                async with asyncio.timeout(POLL):
                    await self._bell.wait()
            except TimeoutError:
                pass
            self._bell.clear()
            try:
                await self._look()
            except Exception:
                log.exception("Other processes' turns could not be looked at")
            await asyncio.sleep(REST)

    async def _look(self) -> None:
        at = {turn: (one.live.epoch, one.last) for turn, one in self._turns.items()}
        watched = self._hub.watched() if settings.SEVERAL_PROCESSES else []
        seen = await db.run(look, at, watched, list(self._hub.live))
        for turn, last, events in seen.grown:
            one = self._turns[turn]
            one.last = last
            one.live.committed(events, last)
        for frame in seen.over:
            self._end(frame)
        for foreign in seen.begun:
            if foreign.heading["turn"] not in self._hub.live:
                self.follow(foreign)

    def _end(self, frame: dict[str, Any]) -> None:
        live = self._turns.pop(frame["turn"]).live
        if live.epoch == frame["epoch"] and live.conclude(frame["rev"], frame["page"]):
            self._hub.close(live)
            return
        self._hub.forget(live)
        for viewer in list(live.viewers):
            viewer.owe(StoredTurn(frame))


@dataclass
class Seen:
    """What the database says: events that came, turns that are over, turns that began."""

    grown: list[tuple[str, int, list[Event]]]
    over: list[dict[str, Any]]
    begun: list[Foreign]


def look(at: dict[str, tuple[str, int]], watched: list[UUID], known: list[str]) -> Seen:
    """One look at the database. Synchronous. at: epoch and newest event number by turn that is followed."""
    seen = Seen([], [], [])
    turns = Turn.objects.select_related("user_message").defer("record")
    for turn in turns.filter(id__in=list(at)):
        epoch, last = at[str(turn.id)]
        if turn.status == Turn.Status.ENDED or turn.epoch != epoch:
            seen.over.append(thread.snapshot_of(turn))
            continue
        rows = list(JournalRow.objects.filter(turn=turn, seq__gt=last).order_by("seq"))
        if rows:
            seen.grown.append(
                (str(turn.id), rows[-1].last, [e for row in rows for e in json.loads(row.events)])
            )
    if watched:
        begun = turns.filter(UNFINISHED, conversation__in=watched).exclude(id__in=known)
        begun = begun.exclude(lease_owner=OWNER)
        seen.begun = [foreign(turn) for turn in begun]
    return seen


def foreign(turn: Turn) -> Foreign:
    """An unfinished turn as the database has it. Synchronous."""
    last, events = journaled(turn)
    return Foreign(thread.heading(turn), turn.epoch, last, events)


_followers: weakref.WeakKeyDictionary[Relay, Follower] = weakref.WeakKeyDictionary()


def follower(relay: Relay) -> Follower:
    """The follower of a relay."""
    if relay not in _followers:
        _followers[relay] = Follower(relay)
    return _followers[relay]
