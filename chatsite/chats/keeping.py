"""What a turn said is stored as messages, in the transaction that ends the turn; then its user is told."""

import json
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from chatsite.chats import search
from chatsite.chats.models import Conversation, Message
from chatsite.relay import process, protocol
from chatsite.relay.models import Turn
from chatsite.relay.process import Relay
from chatsite.relay.signals import turn_ended


@receiver(turn_ended, dispatch_uid="chats.keeping")
def keep_messages(turn: Turn, messages: list[dict[str, Any]], **_: Any) -> None:
    """One row for each message, chained behind the user's message that the turn answers."""
    parent_id = turn.user_message_id
    rows = []
    for number, message in enumerate(messages):
        row = Message(
            owner_id=turn.owner_id,
            conversation_id=turn.conversation_id,
            parent_id=parent_id,
            turn=turn,
            number=number,
            role=message["role"],
            content=_storable(message["content"]),
            provider=message.get("provider", ""),
            model=message.get("model", "")[:200],
            stop_reason=message.get("stop_reason", "")[:60],
        )
        parent_id = row.id
        rows.append(row)
    Message.objects.bulk_create(rows)
    search.keep(rows)
    transaction.on_commit(partial(_tell, turn))


def _tell(turn: Turn) -> None:
    conversation = Conversation.objects.only("title", "owner_id").get(id=turn.conversation_id)
    frame = protocol.ended(str(conversation.id), str(turn.id), conversation.title, turn.ending)
    process.everywhere(Relay.tell, conversation.owner_id, frame)


def _storable(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks without NUL characters, which PostgreSQL does not take in JSON."""
    text = json.dumps(content)
    if "\\u0000" not in text:
        return content
    cleaned: list[dict[str, Any]] = json.loads(text, object_hook=_without_nul)
    return cleaned


def _without_nul(value: dict[str, Any]) -> dict[str, Any]:
    return {
        key: item.replace("\x00", "\ufffd") if isinstance(item, str) else item for key, item in value.items()
    }
