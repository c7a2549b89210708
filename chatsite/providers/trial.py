"""The button that tries an upstream: its list of models, then the smallest request that it answers.

An asynchronous view, so that a slow server holds up nobody else's page.
"""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from chatsite.providers import accounts, client, listing
from chatsite.providers.accounts import Account
from chatsite.providers.models import StoredUpstream
from chatsite.providers.prompt import Prompt

SECONDS = 20.0
TOKENS = 16
"""The least that every server takes."""


@require_POST
async def test_upstream(request: HttpRequest, pk: int) -> HttpResponse:
    """Try the upstream, say on its page how that went."""
    user = await request.auser()
    if not (user.is_active and user.is_staff and await user.ahas_perm("providers.change_storedupstream")):
        raise PermissionDenied
    row = await StoredUpstream.objects.filter(pk=pk).afirst()
    if row is None:
        raise Http404
    try:
        words = await tried(await sync_to_async(accounts.account_of)(row))
        await sync_to_async(messages.success)(request, words)
    except client.UpstreamError as error:
        status = f", HTTP {error.status}" if error.status else ""
        words = _("It does not work (%(type)s%(status)s): %(message)s") % {
            "type": error.type, "status": status, "message": error.message,
        }  # fmt: skip
        await sync_to_async(messages.error)(request, words)
    return redirect("admin:providers_storedupstream_change", pk)


async def tried(account: Account) -> str:
    """What happened, in words. Raises UpstreamError when a message would fail."""
    key = accounts.opened(account)
    try:
        found = [model["id"] for model in await listing.fetch(account, key)]
        listed = _("%(count)d models are listed.") % {"count": len(found)}
    except client.UpstreamError as error:
        if error.type not in ("not_found", "not_a_stream", "invalid_request"):
            raise
        found, listed = [], _("It lists no models.")
    names = [*account.models, *([account.fallback] if account.fallback else []), *found]
    if not names:
        raise client.UpstreamError("not_found", _("It lists no models, and none is named here."))
    prompt = Prompt([{"role": "user", "content": "Hi"}], max_tokens=TOKENS)
    request = account.build(
        prompt, base_url=account.base_url, model=names[0], key=key, provider=account.provider
    )
    async with client.open_stream(request, connect_seconds=5, idle_seconds=SECONDS) as response:
        async for _bytes in response:
            break
    return _("It works: %(model)s answers. %(listed)s") % {"model": names[0], "listed": listed}
