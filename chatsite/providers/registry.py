"""Which upstreams and models there are, read from the environment each time it is asked.

For each prefix of UPSTREAMS: PREFIX_API_KEY, PREFIX_BASE_URL, PREFIX_MODEL (several, separated by commas);
OPENAI_WIRE ("openai-chat" or "openai-responses") where the base URL does not tell.
A base URL alone is enough, for servers without keys. With nothing set there is the demo upstream alone.
The first choice is the default.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from chatsite.providers import anthropic, client, demo, gemini, openai_chat, openai_responses
from chatsite.providers.capability import takes
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
    """One model of one upstream. `wire` names the decoder of streamrender; `secret` stays in here."""

    key: str
    label: str
    provider: str
    wire: str
    model: str
    demo: bool = False
    base_url: str = ""
    secret: str = field(default="", repr=False)
    build: Builder = field(default=anthropic.request, repr=False, compare=False)

    def request(self, prompt: Prompt) -> UpstreamRequest:
        """The HTTP request that asks this model to go on with the prompt."""
        return self.build(
            prompt, base_url=self.base_url, model=self.model, key=self.secret, provider=self.provider
        )

    @property
    def takes(self) -> frozenset[str]:
        """The kinds of files that the model can be given, of image, pdf and text."""
        return takes(self.provider, self.wire, self.model, self.base_url)

    def open(self, request: UpstreamRequest) -> AbstractAsyncContextManager[Opened]:
        """Send a request of `request` and give its answer; see client.open_stream."""
        return client.open_stream(request)


def choices() -> list[Choice]:
    """All configured models, the default first; never empty."""
    found = [choice for upstream in UPSTREAMS for choice in _configured(upstream)]
    return found or [demo_choice()]


def get(key: str | None = None) -> Choice:
    """The choice with this key, the default for None. Raises UnknownChoice (a KeyError).

    The demo can always be named, so that a conversation begun with it can go on.
    """
    found = choices()
    if key is None:
        return found[0]
    for choice in found:
        if choice.key == key:
            return choice
    if key == DEMO_KEY:
        return demo_choice()
    raise UnknownChoice(key)


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


def _configured(upstream: Upstream) -> list[Choice]:
    secret = os.environ.get(f"{upstream.prefix}_API_KEY", "").strip()
    base_url = os.environ.get(f"{upstream.prefix}_BASE_URL", "").strip()
    if not secret and not base_url:
        return []
    names = os.environ.get(f"{upstream.prefix}_MODEL", "").split(",")
    models = list(dict.fromkeys(name.strip() for name in names if name.strip())) or [upstream.model]
    base_url = base_url or upstream.base_url
    wire, build = _spoken(upstream, base_url)
    return [
        Choice(
            key=f"{upstream.provider}:{model}",
            label=f"{upstream.label} · {model}",
            provider=upstream.provider,
            wire=wire,
            model=model,
            base_url=base_url,
            secret=secret,
            build=build,
        )
        for model in models
    ]


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
