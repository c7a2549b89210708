"""The prompts that a user has saved, as JSON for the page that lists, writes and deletes them."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from chatsite.accounts.models import SavedPrompt

MOST = 200


class PromptForm(ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = SavedPrompt
        fields = ("title", "text")


def of(user_id: int) -> list[dict[str, Any]]:
    """[{"id", "title", "text"}], by title."""
    rows = SavedPrompt.objects.filter(user_id=user_id)
    return sorted((_plain(row) for row in rows), key=lambda one: str(one["title"]).casefold())


@require_http_methods(["GET", "POST"])
@never_cache
@login_required
def prompts(request: HttpRequest) -> HttpResponse:
    """GET: {"prompts": [...]}. POST `title` and `text`: the new one, 201; 409 when there are too many."""
    assert request.user.pk is not None
    if request.method == "GET":
        return JsonResponse({"prompts": of(request.user.pk)})
    if SavedPrompt.objects.filter(user_id=request.user.pk).count() >= MOST:
        return JsonResponse({"most": MOST}, status=409)
    return _stored(request, SavedPrompt(user_id=request.user.pk), 201)


@require_POST
@login_required
def change(request: HttpRequest, prompt_id: int) -> HttpResponse:
    """Store `title` and `text` in place of what was there; gives the prompt."""
    return _stored(request, get_object_or_404(SavedPrompt, pk=prompt_id, user_id=request.user.pk), 200)


@require_POST
@login_required
def delete(request: HttpRequest, prompt_id: int) -> HttpResponse:
    """Forget it: 204."""
    get_object_or_404(SavedPrompt, pk=prompt_id, user_id=request.user.pk).delete()
    return HttpResponse(status=204)


def _stored(request: HttpRequest, prompt: SavedPrompt, status: int) -> HttpResponse:
    """The stored prompt, or 400 with the names of the fields that are not valid."""
    form = PromptForm(request.POST, instance=prompt)
    if not form.is_valid():
        return JsonResponse({"fields": sorted(form.errors)}, status=400)
    return JsonResponse(_plain(form.save()), status=status)


def _plain(prompt: SavedPrompt) -> dict[str, Any]:
    # Forms bring lines that end as on the web.
    return {"id": prompt.pk, "title": prompt.title, "text": prompt.text.replace("\r\n", "\n")}
