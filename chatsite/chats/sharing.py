"""A conversation shown to others: a snapshot behind a link that cannot be guessed and can be taken back.

The snapshot holds the branch that leads to the newest turn, as it was when it was taken; what is said later
stays private until it is taken again. A deleted conversation is not shown.
"""

import secrets
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from chatsite.chats import thread
from chatsite.chats.models import Conversation, Share
from chatsite.chats.owned import own
from chatsite.relay.models import Turn
from chatsite.relay.pages import packed, unpacked


@require_POST
@login_required
def share(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Take a snapshot, behind the same link as before if there is one: `{"path"}`."""
    found = own(request, conversation_id)
    now = {"title": found.title, "pages": packed(_frames(found)), "taken": timezone.now()}
    made, _ = Share.objects.update_or_create(
        conversation=found, defaults=now, create_defaults={**now, "token": secrets.token_urlsafe(32)}
    )
    return JsonResponse({"path": path_of(made)})


@require_POST
@login_required
def unshare(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Take the link back: from now on there is nothing at its address."""
    Share.objects.filter(conversation=own(request, conversation_id)).delete()
    return HttpResponse(status=204)


@require_safe
@never_cache
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """The snapshot, for anybody."""
    found = Share.objects.filter(token=token, conversation__deleted_at=None).first()
    if found is None:
        raise Http404
    context = {"share": found, "turns": unpacked(found.pages)}
    response = render(request, "chats/shared.html", context)
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


def path_of(made: Share) -> str:
    """The address of a share on this server."""
    return f"/s/{made.token}/"


def _frames(conversation: Conversation) -> list[dict[str, Any]]:
    turns = [turn.id for turn in thread.branch(conversation) if turn.status == Turn.Status.ENDED]
    return [_public(thread.snapshot_of(turn)) for turn in thread.loaded(turns)]


def _public(frame: dict[str, Any]) -> dict[str, Any]:
    """Of attached files, whoever has the link sees the names alone."""
    files = [{**file, "url": ""} for file in frame["user"]["attachments"]]
    return {**frame, "user": {**frame["user"], "attachments": files}}
