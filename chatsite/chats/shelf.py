"""Where a conversation stands: pinned, archived, deleted, and back. Each is one date that is set or not.

A deleted conversation is out of sight at once and can be brought back; nothing of it is lost.
"""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from chatsite.chats.models import Conversation
from chatsite.chats.owned import is_fetch, own
from chatsite.relay import process, turns
from chatsite.relay.models import Turn
from chatsite.relay.process import Relay

MARKS = {
    "pin": ("pinned_at", True),
    "unpin": ("pinned_at", False),
    "archive": ("archived_at", True),
    "unarchive": ("archived_at", False),
}


@require_POST
@login_required
def mark(request: HttpRequest, conversation_id: UUID, action: str) -> HttpResponse:
    """Do one of MARKS."""
    found = own(request, conversation_id)
    field, on = MARKS[action]
    _date(found, field, on)
    _tell(found.owner_id, found.id, action)
    return _done(request, found)


@require_POST
@login_required
def delete(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Take a conversation out of sight; what is still running in it is stopped."""
    found = own(request, conversation_id)
    _date(found, "deleted_at", True)
    _tell(found.owner_id, found.id, "delete")
    for turn in Turn.objects.filter(turns.UNFINISHED, conversation=found).values_list("id", flat=True):
        turns.stop(found.owner_id, turn)
        process.everywhere(Relay.stop, turn)
    return HttpResponse(status=204) if is_fetch(request) else redirect("home")


@require_POST
@login_required
def restore(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Bring a deleted conversation back."""
    found = Conversation.objects.filter(owner_id=request.user.pk, id=conversation_id).first()
    if found is None:
        raise Http404
    _date(found, "deleted_at", False)
    _tell(found.owner_id, found.id, "restore")
    return _done(request, found)


def _tell(owner: int, conversation: UUID, action: str) -> None:
    """Let all pages of the user, in every browser, show what was done; they may not know the conversation."""
    row = Conversation.objects.get(id=conversation)
    about = {
        "title": row.title,
        "updated": row.updated.isoformat(),
        "pinned": row.pinned_at is not None,
        "archived": row.archived_at is not None,
    }
    frame = {"type": "shelf", "conversation": str(conversation), "action": action, **about}
    process.everywhere(Relay.tell, owner, frame)


def _date(conversation: Conversation, field: str, on: bool) -> None:
    Conversation.objects.filter(id=conversation.id).update(**{field: timezone.now() if on else None})


def _done(request: HttpRequest, conversation: Conversation) -> HttpResponse:
    return (
        HttpResponse(status=204)
        if is_fetch(request)
        else redirect("conversation", conversation_id=conversation.id)
    )
