"""The tools that the user always allows, for the preferences: their list, and taking one back."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from chatsite.tools import permissions


@require_GET
@never_cache
@login_required
def permitted(request: HttpRequest) -> HttpResponse:
    """`{"permissions": [{"tool", "given"}]}`, by name."""
    assert request.user.pk is not None
    return JsonResponse({"permissions": permissions.listed(request.user.pk)})


@require_POST
@login_required
def take_back(request: HttpRequest) -> HttpResponse:
    """Ask about the tool named by the field `tool` again: 204, also when it was not allowed."""
    assert request.user.pk is not None
    permissions.take_back(request.user.pk, request.POST.get("tool", "")[:64])
    return HttpResponse(status=204)
