"""Upstreams beside those of the environment: set up in the admin, or found on this machine.

They are read from the database whenever they are asked for, so that a change in one process holds in all.
A key stays sealed until a request needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chatsite.providers import anthropic, gemini, openai_chat, openai_responses
from chatsite.providers.client import UpstreamError
from chatsite.providers.models import Listing, StoredUpstream
from chatsite.providers.prompt import UpstreamRequest
from chatsite.sealed import CannotOpen, unseal

Builder = Callable[..., UpstreamRequest]


@dataclass(frozen=True)
class Account:
    """One server and how it is spoken to. `models`: those that are named; with none, all that it lists and
    any other name, and `fallback` before it was asked. `secret` is plain, `sealed` as stored.
    """

    key: str
    name: str
    provider: str
    wire: str
    base_url: str
    build: Builder = field(repr=False, compare=False)
    models: tuple[str, ...] = ()
    fallback: str = ""
    secret: str = field(default="", repr=False)
    sealed: str = field(default="", repr=False)
    default: bool = False


KINDS: dict[str, tuple[str, str, str, str, Builder]] = {
    "anthropic": (
        "anthropic", "anthropic", "https://api.anthropic.com", "claude-sonnet-5-5", anthropic.request,
    ),
    "glm": ("glm", "anthropic", "https://api.z.ai/api/anthropic", "glm-5.3", anthropic.request),
    "gemini": (
        "gemini", "gemini", "https://generativelanguage.googleapis.com", "gemini-3.5-flash", gemini.request,
    ),
    "openai-responses": (
        "openai", "openai-responses", "https://api.openai.com/v1", "gpt-5.5", openai_responses.request,
    ),
    "openai-chat": ("openai", "openai-chat", "https://api.openai.com/v1", "gpt-5.5", openai_chat.request),
}  # fmt: skip
"""By StoredUpstream.kind: provider, wire, base URL, model, builder."""


def stored() -> list[Account]:
    """The enabled upstreams of the admin, the default first."""
    return [account_of(row) for row in StoredUpstream.objects.filter(enabled=True)]


def account_of(row: StoredUpstream) -> Account:
    """How a stored upstream is spoken to."""
    provider, wire, base_url, model, build = KINDS[row.kind]
    return Account(
        key=f"u{row.pk}",
        name=row.name,
        provider=provider,
        wire=wire,
        base_url=row.base_url or base_url,
        build=build,
        models=tuple(row.named_models()),
        # Another server than the provider's own hardly has the provider's own model.
        fallback="" if row.base_url else model,
        sealed=row.sealed_key,
        default=row.default,
    )


def opened(account: Account) -> str:
    """The account's key in plain. Raises UpstreamError, in words, when it cannot be opened."""
    if not account.sealed:
        return account.secret
    try:
        return unseal(account.sealed)
    except CannotOpen as error:
        raise UpstreamError("authentication", f"The key of {account.name} is unreadable. {error}") from error


def listings() -> dict[str, Listing]:
    """What servers last said they have, by the key of their account."""
    return {listing.upstream: listing for listing in Listing.objects.all()}
