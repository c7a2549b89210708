"""What a turn said is stored as messages, in the transaction that ends the turn."""

from typing import Any

from django.dispatch import receiver

from chatsite.chats.models import Message
from chatsite.relay.models import Turn
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
            content=message["content"],
            provider=message.get("provider", ""),
            model=message.get("model", "")[:200],
            stop_reason=message.get("stop_reason", "")[:60],
        )
        parent_id = row.id
        rows.append(row)
    Message.objects.bulk_create(rows)
