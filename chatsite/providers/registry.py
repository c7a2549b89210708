"""Which upstreams and models there are: of the environment, of the admin, and found on this machine.

All are read each time they are asked for, so that a change holds at once, in every process.

For each prefix of UPSTREAMS: PREFIX_API_KEY, PREFIX_BASE_URL, PREFIX_MODEL (several, separated by commas);
OPENAI_WIRE ("openai-chat" or "openai-responses") where the base URL does not tell.
A base URL alone is enough, for servers without keys. With nothing set up there is the demo upstream, and
what was found on this machine. The first choice is the default.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from chatsite.providers import anthropic, client, demo, gemini, local, openai_chat, openai_responses
from chatsite.providers.accounts import Account, listings, opened, stored
from chatsite.providers.capability import takes
from chatsite.providers.models import Listing
from chatsite.providers.prompt import Prompt, UpstreamRequest

Builder = Callable[..., UpstreamRequest]
DEMO_KEY = "demo"


class UnknownChoice(KeyError):
    """No configured upstream has this key; the environment may have changed since it was chosen."""

    def __str__(self) -> str:
        return f"No upstream is configured under the key {self.args[0]!r}."


@dataclass(frozen=True)
class Upstream:
    """How one provider is configured and spoken to."""

    provider: str
    prefix: str
    label: str
    wire: str
    base_url: str
    model: str
    build: Builder


UPSTREAMS = (
    Upstream(
        "anthropic", "ANTHROPIC", "Anthropic", "anthropic", "https://api.anthropic.com",
        "claude-sonnet-5-5", anthropic.request,
    ),
    Upstream(
        "glm", "GLM", "GLM", "anthropic", "https://api.z.ai/api/anthropic",
        "glm-5.3", anthropic.request,
    ),
    Upstream(
        "gemini", "GEMINI", "Gemini", "gemini", "https://generativelanguage.googleapis.com",
        "gemini-3.5-flash", gemini.request,
    ),
    Upstream(
        "openai", "OPENAI", "OpenAI", "", "https://api.openai.com/v1",
        "gpt-5.5", openai_responses.request,
    ),
)  # fmt: skip


OPENAI_WIRES: dict[str, Builder] = {
    "openai-responses": openai_responses.request,
    "openai-chat": openai_chat.request,
}


class Opened(Protocol):
    """An answer as it arrives: raw bytes, by `async for`."""

    @property
    def status(self) -> int | None: ...

    @property
    def headers(self) -> dict[str, str]: ...

    def __aiter__(self) -> AsyncIterator[bytes]: ...


@dataclass(frozen=True)
class Choice:
    """One model of one upstream, `group`. `wire` names the decoder of streamrender; the account's key
    stays in here. `window`: how many tokens the server says it reads, where it says so.
    """

    key: str
    label: str
    provider: str
    wire: str
    model: str
    demo: bool = False
    base_url: str = ""
    account: Account | None = field(default=None, repr=False, compare=False)
    build: Builder = field(default=anthropic.request, repr=False, compare=False)
    group: str = ""
    window: int | None = None

    def request(self, prompt: Prompt) -> UpstreamRequest:
        """The HTTP request that asks this model to go on with the prompt. Raises UpstreamError when the
        account's key cannot be opened.
        """
        key = opened(self.account) if self.account else ""
        return self.build(prompt, base_url=self.base_url, model=self.model, key=key, provider=self.provider)

    @property
    def takes(self) -> frozenset[str]:
        """The kinds of files that the model can be given, of image, pdf and text."""
        return takes(self.provider, self.wire, self.model, self.base_url)

    def open(self, request: UpstreamRequest) -> AbstractAsyncContextManager[Opened]:
        """Send a request of `request` and give its answer; see client.open_stream."""
        return client.open_stream(request)


def choices() -> list[Choice]:
    """All models on offer, the default first; never empty."""
    accounts = configured()
    listed = listings()
    found = [choice for account in accounts for choice in _offered(account, listed.get(account.key))]
    found = found or [demo_choice()]
    here = [(account, listed[account.key]) for account in local.accounts() if account.key in listed]
    return found + [choice for account, listing in here for choice in _offered(account, listing)]


def get(key: str | None = None) -> Choice:
    """The choice with this key, the default for None. Raises UnknownChoice (a KeyError).

    The demo can always be named, so that a conversation begun with it can go on. An upstream without a list
    of its own takes any name: the server knows best what it has.
    """
    if key is None:
        return choices()[0]
    if key == DEMO_KEY:
        return demo_choice()
    name, _, model = key.partition(":")
    for account in [*configured(), *local.accounts()]:
        if account.key == name and model and (not account.models or model in account.models):
            return _choice(account, model, listings().get(name))
    raise UnknownChoice(key)


def configured() -> list[Account]:
    """The upstreams that somebody set up, the default first."""
    found = [*(account for upstream in UPSTREAMS for account in _environment(upstream)), *stored()]
    return sorted(found, key=lambda account: not account.default)


def demo_choice() -> Choice:
    """The scripted upstream on loopback; its address is found when the stream is opened."""
    return Choice(
        key=DEMO_KEY,
        label="Demo",
        provider="demo",
        wire="anthropic",
        model=demo.MODEL,
        demo=True,
        base_url=demo.SCHEME,
    )


def _environment(upstream: Upstream) -> list[Account]:
    secret = os.environ.get(f"{upstream.prefix}_API_KEY", "").strip()
    base_url = os.environ.get(f"{upstream.prefix}_BASE_URL", "").strip()
    if not secret and not base_url:
        return []
    names = os.environ.get(f"{upstream.prefix}_MODEL", "").split(",")
    wire, build = _spoken(upstream, base_url or upstream.base_url)
    account = Account(
        key=upstream.provider,
        name=upstream.label,
        provider=upstream.provider,
        wire=wire,
        base_url=base_url or upstream.base_url,
        build=build,
        models=tuple(dict.fromkeys(name.strip() for name in names if name.strip())),
        fallback=upstream.model,
        secret=secret,
    )
    return [account]


def _offered(account: Account, listing: Listing | None) -> list[Choice]:
    """The models of one upstream: those that are named, else its usual one and all that it lists."""
    names = list(account.models)
    if not names:
        here = listing is not None and listing.address == account.base_url
        found = [model["id"] for model in listing.models] if listing and here else []
        # The usual model leads; a server that lists others only does not have it.
        first = [account.fallback] if account.fallback and (not found or account.fallback in found) else []
        names = list(dict.fromkeys([*first, *found]))
    return [_choice(account, name, listing) for name in names]


def _choice(account: Account, model: str, listing: Listing | None) -> Choice:
    said: list[dict[str, Any]] = listing.models if listing else []
    window = next((one["window"] for one in said if one["id"] == model), None)
    return Choice(
        key=f"{account.key}:{model}",
        label=f"{account.name} · {model}",
        provider=account.provider,
        wire=account.wire,
        model=model,
        base_url=account.base_url,
        account=account,
        build=account.build,
        group=account.name,
        window=window,
    )


def _spoken(upstream: Upstream, base_url: str) -> tuple[str, Builder]:
    """The wire and its builder. OpenAI itself speaks Responses, servers that imitate it speak Chat
    Completions; OPENAI_WIRE overrules that."""
    if upstream.wire:
        return upstream.wire, upstream.build
    wire = os.environ.get(f"{upstream.prefix}_WIRE", "").strip()
    if wire not in OPENAI_WIRES:
        official = urlsplit(base_url).hostname == openai_chat.OPENAI_HOST
        wire = "openai-responses" if official else "openai-chat"
    return wire, OPENAI_WIRES[wire]
