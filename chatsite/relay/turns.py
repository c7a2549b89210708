"""Turns in the database: begun, stopped, renewed, ended. Synchronous; call from a database thread.

Every write is guarded by the fence. Ending is one transaction: record in, journal out, messages stored.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from chatsite.relay import limits, owner, pages
from chatsite.relay.exchange import fold_chunks
from chatsite.relay.journal import Fenced
from chatsite.relay.messages import messages_of
from chatsite.relay.models import Exchange, JournalRow, Turn
from chatsite.relay.pages import RENDERER, packed
from chatsite.relay.signals import turn_ended
from chatsite.tools import permissions
from streamrender.compact import compact
from streamrender.events import Event
from streamrender.page.meter import Meter

OWNER = owner.name()
UNFINISHED = ~Q(status=Turn.Status.ENDED)


def begun(**fields: Any) -> Turn:
    """A new turn, owned by this process and leased, to be run at once. Call it inside the submit's
    transaction.
    """
    now = timezone.now()
    return Turn.objects.create(
        status=Turn.Status.RUNNING,
        fence=1,
        lease_owner=OWNER,
        lease_until=now + timedelta(seconds=limits.LEASE),
        started=now,
        **fields,
    )


def stop(owner_id: int, turn: UUID) -> tuple[Turn, bool] | None:
    """Commit the wish to stop. The turn, and whether it was already stopping or ended; None when there is
    none.
    """
    changed = Turn.objects.filter(UNFINISHED, id=turn, owner_id=owner_id, stop_at=None).update(
        stop_at=timezone.now(), status=Turn.Status.STOPPING
    )
    found = Turn.objects.filter(id=turn, owner_id=owner_id).defer("record", "page").first()
    return (found, not changed) if found else None


def approve(
    owner_id: int, turn: UUID, call: str, granted: bool, always: bool = False
) -> tuple[Turn, bool] | None:
    """Commit the user's answer to a tool call; the first one counts. `always`: the tool is allowed from now
    on. The turn, and whether the answer came too late; None when there is no such turn.
    """
    with transaction.atomic():
        rows = Turn.objects.select_for_update().filter(id=turn, owner_id=owner_id)
        found = rows.defer("record", "page").first()
        if found is None:
            return None
        late = found.status == Turn.Status.ENDED or call in found.approvals
        if not late:
            found.approvals[call] = granted
            found.save(update_fields=["approvals"])
            if granted and always:
                _allow(found, call)
        return found, late


def _allow(turn: Turn, call: str) -> None:
    for event in pages.journaled(turn)[1]:
        if event["type"] == "approval_asked" and event["id"] == call and not event.get("each_time"):
            permissions.give(turn.owner_id, event["name"])


@dataclass(frozen=True)
class Held:
    """What the database says of a turn that this process runs."""

    fence: int
    stop_wanted: bool
    approvals: dict[str, bool]


def renew(turns: Iterable[UUID]) -> dict[UUID, Held]:
    """Prolong the leases of these turns. What is missing in the answer is no longer ours."""
    ours = Turn.objects.filter(UNFINISHED, id__in=list(turns), lease_owner=OWNER)
    ours.update(lease_until=timezone.now() + timedelta(seconds=limits.LEASE))
    return {
        id_: Held(fence, stop_at is not None, approvals)
        for id_, fence, stop_at, approvals in ours.values_list("id", "fence", "stop_at", "approvals")
    }


def finish(
    turn_id: UUID, fence: int, ending: str, error: dict[str, Any] | None, at: int | None
) -> Event | None:
    """End a turn under `fence`; its `turn_end` event. None when it already has one; raises Fenced for a
    stranger.

    `at`: milliseconds since the turn began, None for the time of its last event. A stop that was committed
    before wins over an ordinary ending: whoever pressed it was told so.
    """
    made = _Made(turn_id)
    with transaction.atomic():
        rows = Turn.objects.select_for_update().filter(id=turn_id)
        turn = rows.defer("record", "page").first()
        if turn is None or turn.fence != fence:
            raise Fenced("the turn has another owner")
        if turn.status == Turn.Status.ENDED:
            return None
        if made.last != (JournalRow.objects.filter(turn=turn).aggregate(last=Max("last"))["last"] or 0):
            made = _Made(turn_id)
        if turn.stop_at is not None and ending not in ("error", "cut_off", "stopped"):
            ending, error = "stopped", None
        end: Event = {
            "type": "turn_end",
            "ending": ending,
            "error": error,
            "at": at if at is not None else made.at,
        }
        turn.status, turn.ending, turn.error = Turn.Status.ENDED, ending, error
        turn.ended, turn.lease_until, turn.last_seq = timezone.now(), None, made.last + 1
        turn.usage = made.usage
        turn.record = packed([*made.events, end])
        turn.save()
        JournalRow.objects.filter(turn=turn).delete()
        fold_chunks(turn.id)
        turn_ended.send(sender=Turn, turn=turn, messages=made.messages)
    return {**end, "seq": made.last + 1}


class _Made:
    """What a turn's journal comes to. Made before the transaction that ends the turn, which has to be
    short.
    """

    def __init__(self, turn_id: UUID) -> None:
        rows = JournalRow.objects.filter(turn=turn_id).order_by("seq").values_list("last", "events")
        parts = [(last, json.loads(text)) for last, text in rows]
        events = [event for _, part in parts for event in part]
        self.last: int = parts[-1][0] if parts else 0
        self.at: int = max((event["at"] for event in events), default=0)
        self.usage = used(events)
        self.messages = messages_of(events)
        self.events = compact(events)


def keep_page(turn_id: UUID, page: dict[str, Any]) -> None:
    """Store the page of an ended turn as this process showed it, so that opening it needs no rendering."""
    made = Turn.objects.filter(id=turn_id, status=Turn.Status.ENDED)
    made.update(page=packed(page), page_by=RENDERER)


def interrupt(turn_id: UUID, fence: int) -> bool:
    """Take a turn whose owner is gone and end it as interrupted. False when somebody else was faster."""
    with transaction.atomic():
        taken = Turn.objects.filter(UNFINISHED, id=turn_id, fence=fence).update(
            fence=fence + 1, lease_owner=OWNER
        )
        return bool(taken) and finish(turn_id, fence + 1, "interrupted", None, None) is not None


@dataclass(frozen=True)
class Foreign:
    """An unfinished turn that this process does not run. `lease` changes whenever its owner renews."""

    id: UUID
    fence: int
    owner: str
    lease: str


def others(running: Iterable[UUID]) -> list[Foreign]:
    """The unfinished turns but `running`, which are this process's own."""
    rows = Turn.objects.filter(UNFINISHED).exclude(id__in=list(running))
    return [
        Foreign(id_, fence, lease_owner, f"{fence} {until}")
        for id_, fence, lease_owner, until in rows.values_list("id", "fence", "lease_owner", "lease_until")
    ]


def elsewhere(owner_id: int, turn: UUID) -> bool:
    """Whether another process runs this turn."""
    theirs = Turn.objects.filter(UNFINISHED, id=turn, owner_id=owner_id)
    return theirs.exclude(lease_owner=OWNER).exists()


def used(events: Iterable[Event]) -> dict[str, int]:
    """Tokens by field, summed over the rounds of a turn."""
    meter = Meter()
    for event in events:
        kind = event["type"]
        if kind == "request_started":
            meter.new_round()
        elif kind == "message_start":
            meter.read((event.get("message") or {}).get("usage"))
        elif kind == "message_delta":
            meter.read(event.get("usage"))
    return meter.total()


def forget_exchanges() -> int:
    """Remove exchanges past settings.KEEP_EXCHANGES_DAYS (0: keep all); how many."""
    if not settings.KEEP_EXCHANGES_DAYS:
        return 0
    oldest = timezone.now() - timedelta(days=settings.KEEP_EXCHANGES_DAYS)
    return Exchange.objects.filter(started_at__lt=oldest).delete()[0]
