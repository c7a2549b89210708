"""Upstream errors, typed: a word for what happened, a message without secrets, the wait if one was given."""

from typing import Any


def stream_error(error: dict[str, Any]) -> dict[str, Any]:
    """The normal form {type, message, status?, retry_after?} of an error object found inside a stream."""
    return {"type": str(error.get("type") or "api_error"), "message": str(error.get("message") or "")}
