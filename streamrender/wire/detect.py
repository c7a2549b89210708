"""Which wire a response speaks, from its first events. GLM's is Anthropic's; nothing is guessed from later
ones.
"""

from typing import Any

from streamrender.wire import jsontext
from streamrender.wire.sse import SSE

_ANTHROPIC = frozenset(
    {
        "message_start",
        "message_delta",
        "message_stop",
        "message",
        "ping",
        "error",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    }
)
_GEMINI = ("candidates", "usageMetadata", "promptFeedback", "responseId", "modelVersion")


def detect(data: bytes) -> str | None:
    """The name of the wire in WIRES, or None when its beginning is not recognised."""
    if _chunks(data):
        return "chunks"
    parser = SSE()
    frames = [*parser.feed(data), *parser.close()]
    for kind, _name, text in frames:
        if kind == "error":
            return "openai-chat"
        if kind not in ("event", "loose", "tail"):
            continue
        try:
            value, _ = jsontext.value_at(text, 0)
        except ValueError:
            continue
        wire = _by_value(value)
        if wire is not None:
            return wire
    return None


def _by_value(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    kind, family = value.get("type"), value.get("object")
    if (isinstance(kind, str) and kind.startswith("response.")) or family == "response":
        return "openai-responses"
    error = value.get("error")
    if kind == "error" and not isinstance(error, dict):
        return "openai-responses"
    if kind == "error" and "sequence_number" in value:
        return "openai-responses"
    if isinstance(kind, str) and kind in _ANTHROPIC:
        return "anthropic"
    if "choices" in value or (isinstance(family, str) and family.startswith("chat.completion")):
        return "openai-chat"
    if any(key in value for key in _GEMINI):
        return "gemini"
    if isinstance(error, dict):
        google = isinstance(error.get("status"), str) and isinstance(error.get("code"), int)
        return "gemini" if google else "openai-chat"
    return "openai-chat" if isinstance(error, str) or "detail" in value else None


def _chunks(data: bytes) -> bool:
    """A JSON string, or the end mark, as the first line."""
    lines = data.split(b"\n", 1000)
    first = next((line for line in lines if line.strip()), b"")
    try:
        value = jsontext.parse(first.decode("utf-8", "replace"))
    except ValueError:
        return False
    return isinstance(value, str) or (isinstance(value, dict) and set(value) == {"done"})
