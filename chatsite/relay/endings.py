"""How a turn ends, from how its last round ended. Pure."""

from typing import Any

from streamrender.events import Event

Ending = tuple[str, dict[str, Any] | None]

CUT_SHORT = frozenset({"max_tokens", "model_context_window_exceeded"})


def ending_of(message: dict[str, Any], end: Event) -> Ending | None:
    """(ending, error), or None when the turn goes on: `tool_use` and `pause_turn`.

    message: the assembled one of the round; end: its `stream_end`.
    """
    if end["ended"] == "error":
        return "error", end.get("error") or {"type": "error", "message": ""}
    if end["ended"] == "cut_off":
        return "cut_off", end.get("error")
    reason = message.get("stop_reason")
    if reason in ("tool_use", "pause_turn"):
        return None
    if reason in CUT_SHORT:
        return ("length_in_thinking" if _only_thought(message) else "length"), None
    if reason == "refusal":
        return "refusal", None
    if reason == "stop_sequence":
        return "stop_sequence", None
    return "complete", None


def _only_thought(message: dict[str, Any]) -> bool:
    """True when the limit struck before anything but thinking came."""
    kinds = {
        block.get("type")
        for block in message["content"]
        if block.get("type") != "text" or str(block.get("text") or "").strip()
    }
    return bool(kinds) and kinds <= {"thinking", "redacted_thinking"}
