"""What a page lacks of a conversation, as far as only the database can say. Synchronous."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from chatsite.chats import thread
from chatsite.chats.follow import Foreign, foreign
from chatsite.relay import turns
from chatsite.relay.models import Turn
from chatsite.relay.protocol import Position

Lacking = list[tuple[str, dict[str, Any] | Foreign | None]]


def lacking(
    owner_id: int,
    conversation_id: UUID,
    known: dict[str, Position],
    live: set[str],
    left: Collection[str] = (),
) -> Lacking | None:
    """For each turn, oldest first: its id, and its snapshot frame where the page does not have it as it is,
    or all of it where it has to be followed: another process runs it, or this one gave it up and it will
    be ended. None when the owner has no such conversation.

    known: where the page is; live: turns that this process shows from memory; left: those that it gave up.
    """
    conversation = thread.conversation_of(owner_id, conversation_id)
    if conversation is None:
        return None
    outline = thread.outline(conversation)
    wanted = [turn.id for turn in outline if str(turn.id) not in live and not _current(turn, known)]
    stored = {turn.id: _stored(turn, left) for turn in thread.loaded(wanted)}
    return [(str(turn.id), stored.get(turn.id)) for turn in outline]


def _current(turn: Turn, known: dict[str, Position]) -> bool:
    at = known.get(str(turn.id))
    return turn.status == Turn.Status.ENDED and at == Position(turn.epoch, turn.last_seq)


def _stored(turn: Turn, left: Collection[str]) -> dict[str, Any] | Foreign:
    ours = turn.lease_owner == turns.OWNER and str(turn.id) not in left
    if turn.status != Turn.Status.ENDED and not ours:
        return foreign(turn)
    return thread.snapshot_of(turn)
