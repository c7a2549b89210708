"""Pages and small actions over HTTP. Every conversation is looked up through its owner."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from chatsite.chats import export, thread
from chatsite.chats.models import Conversation
from chatsite.providers.registry import choices
from chatsite.relay import lifecycle, process, protocol, turns
from chatsite.relay.models import Turn
from chatsite.relay.process import Relay

LISTED = 200


def livez(request: HttpRequest) -> HttpResponse:
    """200 while the process serves, 503 while it drains."""
    if lifecycle.draining():
        return HttpResponse("draining", content_type="text/plain", status=503)
    return HttpResponse("ok", content_type="text/plain")


@require_GET
@never_cache
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """A new chat."""
    return _page(request, None)


@require_GET
@never_cache
@login_required
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """One conversation with the snapshots of its turns embedded, so that the socket goes on from there."""
    return _page(request, _own(request, conversation_id))


@require_POST
@login_required
def rename(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Set the title given as `title`; an empty one is refused."""
    found = _own(request, conversation_id)
    title = " ".join(request.POST.get("title", "").split())[:200]
    if not title:
        return HttpResponse(status=400)
    found.title = title
    found.save(update_fields=["title"])
    process.everywhere(_retitled, found.owner_id, protocol.title(str(found.id), title))
    return (
        HttpResponse(status=204) if _is_fetch(request) else redirect("conversation", conversation_id=found.id)
    )


@require_POST
@login_required
def delete(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Take a conversation out of sight; what is still running in it is stopped."""
    found = _own(request, conversation_id)
    found.deleted_at = timezone.now()
    found.save(update_fields=["deleted_at"])
    for turn in Turn.objects.filter(turns.UNFINISHED, conversation=found).values_list("id", flat=True):
        turns.stop(found.owner_id, turn)
        process.everywhere(_stopped, turn)
    return HttpResponse(status=204) if _is_fetch(request) else redirect("home")


@require_GET
@login_required
def export_markdown(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """The conversation as a Markdown file."""
    found = _own(request, conversation_id)
    response = HttpResponse(export.markdown(found), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="conversation-{found.id}.md"'
    return response


def _retitled(relay: Relay, owner: int, frame: dict[str, Any]) -> None:
    relay.tell(owner, frame)


def _stopped(relay: Relay, turn: UUID) -> None:
    relay.stop(turn)


def _own(request: HttpRequest, conversation_id: UUID) -> Conversation:
    assert request.user.pk is not None
    found = thread.conversation_of(request.user.pk, conversation_id)
    if found is None:
        raise Http404
    return found


def _is_fetch(request: HttpRequest) -> bool:
    return request.headers.get("Sec-Fetch-Dest", "document") == "empty"


def _listed(request: HttpRequest, active: Conversation | None) -> list[dict[str, Any]]:
    rows: QuerySet[Conversation] = Conversation.objects.filter(owner_id=request.user.pk, deleted_at=None)
    return [
        {"id": str(row.id), "title": row.title, "updated": row.updated, "active": row == active}
        for row in rows.only("id", "title", "updated").order_by("-updated")[:LISTED]
    ]


def _page(request: HttpRequest, active: Conversation | None) -> HttpResponse:
    turns = [thread.snapshot_of(turn) for turn in thread.shown(active)] if active else []
    about = {"id": str(active.id), "title": active.title, "model": active.model} if active else None
    offered = [
        {"key": choice.key, "label": choice.label, "provider": choice.provider, "demo": choice.demo}
        for choice in choices()
    ]
    context = {
        "conversations": _listed(request, active),
        "conversation": active,
        "turns": {"conversation": about, "turns": turns},
        "models": offered,
        "demo": any(item["demo"] for item in offered),
    }
    return render(request, "chats/chat.html", context)
