"""Which models a server lists: asked when the picker opens, kept in the database for all processes.

Asking has a time limit and happens at most once in FRESH; what was listed before stays when a server does not
answer. Only upstreams without named models are asked: a list that somebody wrote is the list.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.utils import timezone

from chatsite.providers import accounts, anthropic, client, local, openai_chat
from chatsite.providers.accounts import Account
from chatsite.providers.models import Listing

log = logging.getLogger(__name__)

FRESH = timedelta(minutes=10)
SECONDS = 5.0
NO_CHAT = re.compile(
    r"embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|babbage|davinci|sora|rerank|imagen|veo"
)
Found = list[dict[str, Any]]


async def refresh(configured: Callable[[], list[Account]]) -> None:
    """Ask what is due. `configured` reads the upstreams of environment and admin, in a database thread."""
    due, known = await sync_to_async(_due)(configured)
    answers, found = await asyncio.gather(
        asyncio.gather(*(_asked(account, key) for account, key in due)), local.find()
    )
    listed = {account.key: (account, answer) for (account, _), answer in zip(due, answers, strict=True)}
    here = {account.key: account for account in local.accounts()}
    fresh = {key: (account, answer) for key, (account, answer) in listed.items() if answer is not None}
    fresh |= {key: (here[key], models) for key, models in found.items()}
    changed = {k: v for k, v in fresh.items() if k not in here or known.get(k) != v[1]}
    gone = [key for key in local.SERVERS if key in known and key not in found]
    if changed or gone:
        await sync_to_async(_keep)(changed, gone)


async def fetch(account: Account, key: str) -> Found:
    """The server's models: [{"id", "label", "window"}], window in tokens or None. Raises UpstreamError."""
    url, headers = _question(account, key)
    answer = await client.get_json(url, headers, SECONDS)
    try:
        rows = answer["models" if account.wire == "gemini" else "data"]
        return [model for row in rows if (model := _model(account.wire, row)) is not None]
    except (KeyError, TypeError, AttributeError):
        raise client.UpstreamError("not_a_stream", "The answer is no list of models.") from None


def _question(account: Account, key: str) -> tuple[str, dict[str, str]]:
    if account.wire == "anthropic":
        url = anthropic.messages_url(account.base_url).removesuffix("/messages") + "/models?limit=1000"
        return url, {"anthropic-version": anthropic.VERSION, **({"x-api-key": key} if key else {})}
    if account.wire == "gemini":
        base = account.base_url.rstrip("/")
        base = base if base.endswith(("/v1", "/v1beta", "/v1alpha")) else f"{base}/v1beta"
        return f"{base}/models?pageSize=1000", {"x-goog-api-key": key} if key else {}
    return f"{openai_chat.versioned(account.base_url)}/models", openai_chat.headers(key)


def _model(wire: str, row: dict[str, Any]) -> dict[str, Any] | None:
    if wire == "gemini":
        name = str(row["name"]).removeprefix("models/")
        if "generateContent" not in row.get("supportedGenerationMethods", ["generateContent"]):
            return None
        label, window = row.get("displayName"), row.get("inputTokenLimit")
    else:
        name = str(row["id"])
        label = row.get("display_name")
        sizes = ("max_input_tokens", "max_model_len", "context_length", "context_window")
        window = next((row[key] for key in sizes if isinstance(row.get(key), int)), None)
    if NO_CHAT.search(name):
        return None
    return {"id": name[:180], "label": str(label or name)[:180], "window": window}


async def _asked(account: Account, key: str) -> Found | None:
    try:
        return await fetch(account, key)
    except client.UpstreamError as error:
        log.info("Upstream %s lists no models: %s", account.key, error.message)
        return None


def _due(configured: Callable[[], list[Account]]) -> tuple[list[tuple[Account, str]], dict[str, Found]]:
    known = accounts.listings()
    due = []
    for account in configured():
        listing = known.get(account.key)
        asked = listing is not None and listing.address == account.base_url
        if account.models or (asked and listing and timezone.now() - listing.fetched < FRESH):
            continue
        try:
            due.append((account, accounts.opened(account)))
        except client.UpstreamError:
            continue
    return due, {key: listing.models for key, listing in known.items()}


def _keep(fresh: dict[str, tuple[Account, Found]], gone: list[str]) -> None:
    for key, (account, models) in fresh.items():
        Listing.objects.update_or_create(
            upstream=key,
            defaults={"address": account.base_url, "models": models, "fetched": timezone.now()},
        )
    Listing.objects.filter(upstream__in=gone).delete()
