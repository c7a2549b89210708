"""Models that run in the user's browser, as choices like any other: the tab feeds what its model writes.

What the model is to be told is text: a browser's model knows turns of plain text and a system prompt, nothing
else. Calls and results of earlier turns stay out; what they came to stands in the answers.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from chatsite.providers.history import replayable
from chatsite.providers.prompt import Block, Message, Prompt, UpstreamRequest
from chatsite.providers.registry import Choice, Opened

PREFIX = "device:"
PROVIDER = "device"
LABELS = {"device:prompt-api": "Prompt API", "device:mediapipe": "MediaPipe"}


class Source(Protocol):
    """Where the bytes of a fed turn come from."""

    def open(self, body: dict[str, Any]) -> Opened:
        """Begin a round with what the model is to be told."""


@dataclass(frozen=True)
class FedChoice(Choice):
    """A model in a tab. `source` is there once its turn runs."""

    source: Source | None = field(default=None, repr=False, compare=False)

    def request(self, prompt: Prompt) -> UpstreamRequest:
        """What the tab is told: it is no HTTP, but kept and inspected like any request."""
        return UpstreamRequest("", self.key, {}, body_of(prompt))

    def open(self, request: UpstreamRequest) -> AbstractAsyncContextManager[Opened]:
        """The round that this request begins."""
        return self._open(request)

    @contextlib.asynccontextmanager
    async def _open(self, request: UpstreamRequest) -> AsyncIterator[Opened]:
        assert self.source is not None
        yield self.source.open(request.body)


def is_device(key: str | None) -> bool:
    """Whether the key names a model in the browser."""
    return key is not None and key.startswith(PREFIX)


def device_choice(key: str, name: str = "") -> FedChoice | None:
    """The choice of this key, None when there is none such. `name`: what the tab calls its model."""
    label = LABELS.get(key)
    if label is None:
        return None
    return FedChoice(
        key=key, label=label, provider=PROVIDER, wire="chunks", model=f"{label} · {name}" if name else label
    )


def body_of(prompt: Prompt) -> dict[str, Any]:
    """{"system", "messages": [{"role", "content": text}], "tools"} for a first round, {"results": [{"id",
    "content", "is_error"}]} for one that goes on after tool calls.
    """
    last = prompt.messages[-1]["content"]
    if isinstance(last, list) and last and all(block.get("type") == "tool_result" for block in last):
        return {"results": [_result(block) for block in last]}
    messages: list[dict[str, str]] = []
    for message in replayable(prompt.messages, PROVIDER):
        text = _text(message)
        if not text:
            continue
        if messages and messages[-1]["role"] == message["role"]:
            messages[-1]["content"] += "\n\n" + text
        elif messages or message["role"] == "user":
            messages.append({"role": message["role"], "content": text})
    return {"system": prompt.system, "messages": messages, "tools": prompt.tools}


def _text(message: Message) -> str:
    return "\n\n".join(filter(None, (_plain(block) for block in message["content"])))


def _plain(block: Block) -> str:
    kind = block.get("type")
    if kind in ("image", "document"):
        return f"[{kind} not shown]"
    return str(block.get("text") or "") if kind == "text" else ""


def _result(block: Block) -> dict[str, Any]:
    content = block.get("content")
    text = content if isinstance(content, str) else "\n".join(_plain(part) for part in content or [])
    return {"id": block["tool_use_id"], "content": text, "is_error": bool(block.get("is_error"))}
