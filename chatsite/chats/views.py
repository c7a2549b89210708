"""Pages and small actions over HTTP. Every conversation is looked up through its owner."""

import json
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from chatsite.accounts import preferences
from chatsite.chats import archive, device, export, search, sharing, slash, thread, webpage
from chatsite.chats.models import Conversation, Share
from chatsite.chats.offered import models_for
from chatsite.chats.owned import is_fetch, listed, own
from chatsite.chats.prices import reckoning
from chatsite.relay import lifecycle, process, protocol
from chatsite.relay.process import Relay

LARGEST_FILE = 32 * 1024 * 1024


def livez(request: HttpRequest) -> HttpResponse:
    """200 while the process serves, 503 while it drains."""
    if lifecycle.draining():
        return HttpResponse("draining", content_type="text/plain", status=503)
    return HttpResponse("ok", content_type="text/plain")


@require_safe
@never_cache
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """A new chat."""
    return _page(request, None)


@require_safe
@never_cache
@login_required
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """One conversation with the snapshots of its turns embedded, so that the socket goes on from there; of a
    deleted one the way to bring it back."""
    try:
        found = own(request, conversation_id)
    except Http404:
        deleted = Conversation.objects.filter(owner_id=request.user.pk, id=conversation_id).first()
        if deleted is None:
            raise
        return render(request, "chats/deleted.html", {"conversation": deleted}, status=404)
    return _page(request, found)


@require_POST
@login_required
def rename(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Set the title given as `title`; an empty one is refused."""
    found = own(request, conversation_id)
    title = " ".join(request.POST.get("title", "").split())[:200]
    if not title:
        return HttpResponse(status=400)
    found.title, found.titled_by = title, Conversation.TitledBy.USER
    found.save(update_fields=["title", "titled_by"])
    process.everywhere(Relay.tell, found.owner_id, protocol.title(str(found.id), title))
    return (
        HttpResponse(status=204) if is_fetch(request) else redirect("conversation", conversation_id=found.id)
    )


@require_safe
@never_cache
@login_required
def find(request: HttpRequest) -> HttpResponse:
    """What the user's conversations have of `q`, as JSON: see search.find."""
    assert request.user.pk is not None
    return JsonResponse({"found": search.find(request.user.pk, request.GET.get("q", ""))})


@require_safe
@login_required
def export_markdown(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """The conversation as a Markdown file."""
    found = own(request, conversation_id)
    response = HttpResponse(export.markdown(found), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="conversation-{found.id}.md"'
    return response


@require_safe
@login_required
def export_html(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """The conversation as one HTML file that needs nothing else."""
    found = own(request, conversation_id)
    response = HttpResponse(webpage.html(found))
    response["Content-Disposition"] = f'attachment; filename="conversation-{found.id}.html"'
    return response


@require_safe
@login_required
def export_json(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """The conversation with all its versions as a file that can be imported again."""
    found = own(request, conversation_id)
    response = JsonResponse(archive.written(found), json_dumps_params={"ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="conversation-{found.id}.json"'
    return response


@require_POST
@login_required
def import_json(request: HttpRequest) -> HttpResponse:
    """Make a conversation from an exported `file`: `{"path"}`, or 400 when it cannot be read."""
    assert request.user.pk is not None
    file = request.FILES.get("file")
    if file is None or (file.size or 0) > LARGEST_FILE:
        return HttpResponse(status=400)
    try:
        made = archive.read(request.user.pk, json.loads(file.read()))
    except (archive.Unreadable, ValueError, RecursionError):
        return HttpResponse(status=400)
    return JsonResponse({"path": f"/c/{made.id}/"})


def _page(request: HttpRequest, active: Conversation | None) -> HttpResponse:
    turns = [thread.snapshot_of(turn) for turn in thread.shown(active)] if active else []
    about = {"id": str(active.id), "title": active.title, "model": active.model} if active else None
    offered = models_for(active.model if active else "")
    share = Share.objects.filter(conversation=active).only("token").first() if active else None
    context = {
        "share_path": sharing.path_of(share) if share else "",
        "conversations": listed(request, active, archived=False),
        "archived": listed(request, active, archived=True),
        "conversation": active,
        "turns": {"conversation": about, "turns": turns, **reckoning(offered)},
        "models": offered,
        "demo": any(item["demo"] for item in offered),
        "device": device.config(),
        "preferences": preferences.of(request.user.pk or 0),
        "slash": slash.offered(request.user.pk or 0, active),
        "model_titles": settings.MODEL_TITLES,
        "image_hosts": settings.IMAGE_HOSTS,
    }
    return render(request, "chats/chat.html", context)
