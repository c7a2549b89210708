"""What an HTTP error of an upstream means: its type, a message, and when to try again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
    403: "permission_error", 404: "not_found_error", 408: "timeout_error", 413: "request_too_large",
    429: "rate_limit_error", 504: "timeout_error", 529: "overloaded_error",
}  # fmt: skip


def classify(status: int, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """{"type", "message", "status", "retry_after"?} of one failed response."""
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    error = data.get("error") if isinstance(data, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    kind = error.get("type") if isinstance(error, dict) else None
    found: dict[str, Any] = {
        "type": kind or TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error"),
        "message": message or f"The upstream answered with HTTP {status}.",
        "status": status,
    }
    retry = {name.lower(): value for name, value in headers.items()}.get("retry-after", "")
    if retry.strip().isdigit():
        found["retry_after"] = float(retry)
    return found
