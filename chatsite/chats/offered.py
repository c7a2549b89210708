"""The models that a page offers, in groups, and the look for new ones when its picker opens."""

import contextlib
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chatsite.providers import listing
from chatsite.providers.registry import UnknownChoice, choices, configured, get


@require_safe
@never_cache
@login_required
async def models(request: HttpRequest) -> HttpResponse:
    """Ask servers what they have now, as far as that is due: {"models": [model, …]}, see `models_for`."""
    await listing.refresh(configured)
    return JsonResponse({"models": await sync_to_async(models_for)("")})


def models_for(chosen: str) -> list[dict[str, Any]]:
    """[{"key", "label", "model", "group", "provider", "demo", "window", "takes"}], the default first;
    `chosen` is among them if it can still be used.
    """
    found = choices()
    if chosen and all(choice.key != chosen for choice in found):
        with contextlib.suppress(UnknownChoice):
            found.append(get(chosen))
    return [
        {
            "key": choice.key,
            "label": choice.label,
            "model": choice.model,
            "group": choice.group or choice.label,
            "provider": choice.provider,
            "demo": choice.demo,
            "window": choice.window,
            "takes": sorted(choice.takes),
        }
        for choice in found
    ]
