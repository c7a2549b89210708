"""What a page lacks of a conversation, as far as only the database can say. Synchronous."""

from typing import Any
from uuid import UUID

from chatsite.chats import thread
from chatsite.chats.follow import Foreign, foreign
from chatsite.relay import turns
from chatsite.relay.models import Turn
from chatsite.relay.protocol import Position

Lacking = list[tuple[str, dict[str, Any] | Foreign | None]]


def lacking(
    owner_id: int, conversation_id: UUID, known: dict[str, Position], live: set[str]
) -> Lacking | None:
    """For each turn, oldest first: its id, and its snapshot frame where the page does not have it as it is,
    or all of it where another process runs it. None when the owner has no such conversation.

    known: where the page is; live: turns that this process shows from memory.
    """
    conversation = thread.conversation_of(owner_id, conversation_id)
    if conversation is None:
        return None
    outline = thread.outline(conversation)
    wanted = [turn.id for turn in outline if str(turn.id) not in live and not _current(turn, known)]
    stored = {turn.id: _stored(turn) for turn in thread.loaded(wanted)}
    return [(str(turn.id), stored.get(turn.id)) for turn in outline]


def _current(turn: Turn, known: dict[str, Position]) -> bool:
    at = known.get(str(turn.id))
    return turn.status == Turn.Status.ENDED and at == Position(turn.epoch, turn.last_seq)


def _stored(turn: Turn) -> dict[str, Any] | Foreign:
    if turn.status != Turn.Status.ENDED and turn.lease_owner != turns.OWNER:
        return foreign(turn)
    return thread.snapshot_of(turn)
