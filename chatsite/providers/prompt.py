"""What goes to an upstream, before any wire: `Prompt`; and the finished HTTP request: `UpstreamRequest`.

A prompt is the whole conversation in the stored form, oldest message first. Builders never change it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

Block = dict[str, Any]
"""A content block in Anthropic's shape, with the extra keys of a stored message: a tool block has
`input` (object or null), `input_text`, `input_status`; `provider` holds what one provider added."""

Message = dict[str, Any]
"""{"role": "user"|"assistant", "content": [Block]}. An assistant message may also say where it came from:
"provider" (registry name such as "anthropic", or a dict with that name under "name"), "model", and
"stop_reason". Without a provider its signatures are taken to be the receiving provider's own."""

EFFORTS = ("low", "medium", "high", "xhigh", "max")
OFF = "off"
SERVER_TOOLS = ("web_search", "web_fetch", "code_execution")
"""Tools that some providers run themselves; a provider without them gets none."""

SAFE_REQUEST_HEADERS = frozenset(
    {"accept", "content-type", "user-agent", "anthropic-version", "anthropic-beta", "openai-beta"}
)
SAFE_QUERY_KEYS = frozenset({"alt", "beta", "api-version"})
HIDDEN = "[removed]"
SHORTEST_FILE = 4096


@dataclass(frozen=True)
class Prompt:
    """One request's worth of conversation, for any provider.

    `thinking` is False (nothing is said about it), True, an effort of EFFORTS, or OFF, which asks a model
    that thinks by itself not to; `max_tokens` counts thinking too. `tools` items are {"name", "description",
    "input_schema"}. `temperature` goes only to models that take it; `server_tools` are of SERVER_TOOLS.
    `begun`: the events of an answer that ended too early and is gone on with, `turn_end` last; the relay
    makes messages of them. `begun_in`: the id of the turn that they are of.
    """

    messages: list[Message]
    system: str = ""
    tools: list[dict[str, Any]] = field(default_factory=list)
    max_tokens: int = 16000
    thinking: bool | str = False
    temperature: float | None = None
    server_tools: tuple[str, ...] = ()
    begun: list[dict[str, Any]] = field(default_factory=list)
    begun_in: str = ""

    def effort(self) -> str | None:
        """The effort asked for, "medium" for plain True, None when thinking is off."""
        if not self.thinking or self.thinking == OFF:
            return None
        return self.thinking if isinstance(self.thinking, str) else "medium"


@dataclass(frozen=True)
class UpstreamRequest:
    """An HTTP request ready to send. `headers` hold the key: store and log only `redacted()`."""

    method: str
    url: str
    headers: dict[str, str]
    body: dict[str, Any]

    def redacted(self) -> dict[str, Any]:
        """{"method", "url", "headers", "body"} without secrets: headers and query keys by allow-list."""
        return {
            "method": self.method,
            "url": redact_url(self.url),
            "headers": {
                name: value if name.lower() in SAFE_REQUEST_HEADERS else HIDDEN
                for name, value in self.headers.items()
            },
            "body": without_files(self.body),
        }


def without_files(value: Any) -> Any:
    """A request body with the bytes of attached files counted, not kept: they lie in the data folder already.

    >>> without_files({"source": {"type": "base64", "data": "A" * 8000}})
    {'source': {'type': 'base64', 'data': '[8000 characters]'}}
    """
    if isinstance(value, dict):
        return {
            key: f"[{len(item)} characters]"
            if isinstance(item, str) and len(item) > SHORTEST_FILE and _is_file(key, item, value)
            else without_files(item)
            for key, item in value.items()
        }
    return [without_files(item) for item in value] if isinstance(value, list) else value


def _is_file(key: str, item: str, around: dict[str, Any]) -> bool:
    inline = key == "data" and (around.get("type") == "base64" or "mimeType" in around)
    return inline or (key in ("url", "image_url", "file_data") and item.startswith("data:"))


def redact_url(url: str) -> str:
    """The URL without user, password, fragment and unknown query values.

    >>> redact_url("https://me:pw@host/v1?alt=sse&key=abc")
    'https://host/v1?alt=sse&key=%5Bremoved%5D'
    """
    parts = urlsplit(url)
    query = urlencode(
        [
            (name, value if name in SAFE_QUERY_KEYS else HIDDEN)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ]
    )
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query, ""))
