"""Deleting from one turn on: it and all that follows it, in each version that builds on it, and the way back.

What is removed stays stored, out of sight, until the conversation itself goes; the other versions of the same
message stay where they are. One removal is one date, by which it is undone.
"""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from chatsite.chats import thread
from chatsite.chats.owned import own
from chatsite.relay import process, protocol, turns
from chatsite.relay.models import Turn
from chatsite.relay.process import Relay


@require_POST
@login_required
def remove(request: HttpRequest, conversation_id: UUID, turn_id: UUID) -> HttpResponse:
    """Take the turn and what follows out of sight: `{"turns": [id, …]}`. What still runs there is stopped."""
    found = own(request, conversation_id)
    gone = following(turn_id, thread.parents(found.id))
    if not gone:
        raise Http404
    for running in Turn.objects.filter(turns.UNFINISHED, id__in=gone).values_list("id", flat=True):
        turns.stop(found.owner_id, running)
        process.everywhere(Relay.stop, running)
    Turn.objects.filter(id__in=gone).update(removed_at=timezone.now())
    names = [str(id_) for id_ in gone]
    process.everywhere(Relay.tell, found.owner_id, protocol.removed(str(found.id), names))
    return JsonResponse({"turns": names})


@require_POST
@login_required
def put_back(request: HttpRequest, conversation_id: UUID, turn_id: UUID) -> HttpResponse:
    """Undo the removal that took this turn away."""
    found = own(request, conversation_id)
    removed = Turn.objects.filter(conversation=found, id=turn_id).exclude(removed_at=None)
    when = removed.values_list("removed_at", flat=True).first()
    if when is None:
        raise Http404
    Turn.objects.filter(conversation=found, removed_at=when).update(removed_at=None)
    process.everywhere(Relay.tell, found.owner_id, protocol.removed(str(found.id), []))
    return HttpResponse(status=204)


def following(turn: UUID, parents: dict[UUID, UUID | None]) -> list[UUID]:
    """`turn` and its descendants, in the order of `parents` (oldest first); none if it is not there."""
    gone: list[UUID] = []
    for id_, parent in parents.items():
        if id_ == turn or parent in gone:
            gone.append(id_)
    return gone
