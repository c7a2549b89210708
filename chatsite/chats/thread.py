"""The turns of a conversation: a tree, of which a page shows one branch at a time."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from chatsite.chats import attachments
from chatsite.chats.models import Conversation, Message
from chatsite.relay import protocol
from chatsite.relay.models import Turn
from chatsite.relay.pages import page_of


def conversation_of(owner_id: int, conversation: UUID | str) -> Conversation | None:
    """The owner's conversation, None when there is none such (or it is somebody else's, or deleted)."""
    return Conversation.objects.filter(owner_id=owner_id, id=conversation, deleted_at=None).first()


def shown(conversation: Conversation) -> list[Turn]:
    """All turns, oldest first, in one query: the page shows one version of each step and can turn to the
    others.
    """
    turns = _there(conversation.id).select_related("user_message")
    return list(turns.defer("record").order_by("created", "id"))


def outline(conversation: Conversation) -> list[Turn]:
    """All turns, oldest first, without what is large."""
    turns = _there(conversation.id).defer("record", "page")
    return list(turns.order_by("created", "id"))


def loaded(ids: list[UUID]) -> list[Turn]:
    """These turns in this order, with what their snapshots need. Records stay behind: they are large, and
    only read where the kept page is missing or old.
    """
    return _in_order(ids, Turn.objects.defer("record"))


def branch(conversation: Conversation) -> list[Turn]:
    """The turns that lead to the newest one, oldest first."""
    above = parents(conversation.id)
    ids = _chain(above, next(reversed(above), None))
    return _in_order(ids, Turn.objects.defer("record", "page"))


def ancestors(turn: Turn) -> list[Turn]:
    """The turns before this one on its branch, oldest first, without their records."""
    ids = _chain(parents(turn.conversation_id), turn.parent_id)
    return _in_order(ids, Turn.objects.defer("record", "page"))


def text_of(message: Message) -> str:
    """The plain text of a user's message."""
    return "\n".join(block["text"] for block in message.content if block.get("type") == "text")


def snapshot_of(turn: Turn) -> dict[str, Any]:
    """The snapshot frame of a stored turn."""
    rev, page = page_of(turn)
    return protocol.snapshot(heading(turn), turn.epoch, rev, page)


def heading(turn: Turn) -> dict[str, Any]:
    """What a snapshot frame says about a turn besides its page."""
    return protocol.heading(
        conversation=str(turn.conversation_id),
        turn=str(turn.id),
        parent=str(turn.parent_id) if turn.parent_id else None,
        text=text_of(turn.user_message),
        created=turn.created.isoformat(),
        model=turn.model,
        attachments=attachments.named(turn.user_message.content),
    )


def parents(conversation: UUID) -> dict[UUID, UUID | None]:
    """Parent of each turn, oldest turn first."""
    turns = _there(conversation).order_by("created", "id")
    return dict(turns.values_list("id", "parent_id"))


def _there(conversation: UUID) -> QuerySet[Turn]:
    """The turns that were not removed."""
    return Turn.objects.filter(conversation=conversation, removed_at=None)


def _chain(above: dict[UUID, UUID | None], at: UUID | None) -> list[UUID]:
    """From `at` up to the root, root first."""
    ids: list[UUID] = []
    while at is not None and at in above:
        ids.append(at)
        at = above[at]
    return ids[::-1]


def _in_order(ids: list[UUID], turns: QuerySet[Turn]) -> list[Turn]:
    found = turns.select_related("user_message").in_bulk(ids)
    return [found[id_] for id_ in ids if id_ in found]
