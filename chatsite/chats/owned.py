"""What a request may see: the conversations of its user, and no others."""

from typing import Any
from uuid import UUID

from django.db.models import F
from django.http import Http404, HttpRequest

from chatsite.chats import thread
from chatsite.chats.models import Conversation

LISTED = 200


def own(request: HttpRequest, conversation_id: UUID) -> Conversation:
    """The user's conversation. Raises Http404."""
    assert request.user.pk is not None
    found = thread.conversation_of(request.user.pk, conversation_id)
    if found is None:
        raise Http404
    return found


def is_fetch(request: HttpRequest) -> bool:
    """Whether a script asks, which needs no page as an answer."""
    return request.headers.get("Sec-Fetch-Dest", "document") == "empty"


def listed(request: HttpRequest, active: Conversation | None, archived: bool) -> list[dict[str, Any]]:
    """The newest conversations of the sidebar, pinned ones first."""
    rows = Conversation.objects.filter(
        owner_id=request.user.pk, deleted_at=None, archived_at__isnull=not archived
    )
    rows = rows.only("id", "title", "updated", "pinned_at")
    return [
        {
            "id": str(row.id),
            "title": row.title,
            "updated": row.updated,
            "pinned": row.pinned_at is not None,
            "archived": archived,
            "active": row == active,
        }
        for row in rows.order_by(F("pinned_at").asc(nulls_last=True), "-updated")[:LISTED]
    ]
