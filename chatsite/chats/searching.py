"""Lets models search in the conversations of the user whose turn they answer."""

from typing import Any
from uuid import UUID

from chatsite.chats import search
from chatsite.relay import db
from chatsite.relay.models import Turn
from chatsite.tools.conversations import search_by


async def _search(turn: UUID, query: str) -> list[dict[str, Any]]:
    return await db.run(_find, turn, query)


def _find(turn: UUID, query: str) -> list[dict[str, Any]]:
    """What is found outside of the conversation that asks."""
    asking = Turn.objects.filter(id=turn).values_list("owner_id", "conversation_id").first()
    if asking is None:
        return []
    owner, conversation = asking
    return [one for one in search.find(owner, query) if one["conversation"] != str(conversation)]


search_by(_search)
