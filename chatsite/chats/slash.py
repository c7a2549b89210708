"""What the menu of the message box offers: the user's saved prompts, and the tools of a conversation."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chatsite.accounts import prompts
from chatsite.chats.models import Conversation
from chatsite.chats.owned import own
from chatsite.tools.mcp import servers
from chatsite.tools.registry import definitions

LONGEST_ABOUT = 120


@require_safe
@never_cache
@login_required
def tools(request: HttpRequest, conversation_id: UUID | None = None) -> HttpResponse:
    """{"tools": [{"name", "about"}]} of a conversation, or of a new one."""
    found = own(request, conversation_id) if conversation_id else None
    servers.configure()
    return JsonResponse({"tools": tools_of(found)})


def offered(user_id: int, conversation: Conversation | None) -> dict[str, Any]:
    """{"prompts": […], "tools": […]} as the page begins with them: tools as far as they are known by now."""
    servers.configure()
    return {"prompts": prompts.of(user_id), "tools": tools_of(conversation)}


def tools_of(conversation: Conversation | None) -> list[dict[str, str]]:
    """Our tools with what they say about themselves, then those that the provider runs if it has them."""
    ours = [{"name": one["name"], "about": _first(one["description"])} for one in definitions()]
    theirs = conversation.server_tools if conversation else []
    return ours + [{"name": name, "about": gettext("Run by the provider")} for name in theirs]


def _first(description: str) -> str:
    """The first sentence.

    >>> _first("Works it out. Exactly.")
    'Works it out.'
    """
    line = " ".join(description.split())
    end = line.find(". ")
    sentence = line if end < 0 else line[: end + 1]
    return sentence if len(sentence) <= LONGEST_ABOUT else sentence[: LONGEST_ABOUT - 1] + "…"
