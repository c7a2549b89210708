"""Upstream errors, typed: a word for what happened, a message without secrets, the wait if one was given.

Types: authentication, permission, quota (money or allowance is used up), rate_limit (too fast, try later),
overloaded, context_window, too_large, not_found, invalid_request, refused (content policy), timeout, server,
network, not_a_stream, and `upstream` for what fits none. `code` is the upstream's own word.
An error comes in five places: the HTTP status, a body under status 200, an `error` event, an error object
inside normal data, and lines that are no SSE; `classify` takes the first two, `stream_error` what decoders
find.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

Error = dict[str, Any]

_STATUS = {
    400: "invalid_request",
    401: "authentication",
    402: "quota",
    403: "permission",
    404: "not_found",
    405: "not_found",
    408: "timeout",
    409: "server",
    413: "too_large",
    422: "invalid_request",
    429: "rate_limit",
    499: "network",
    502: "server",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
# The upstreams' own words (types, codes, gRPC statuses, GLM's numbers), lower case.
_WORDS = {
    "invalid_request_error": "invalid_request",
    "invalid_argument": "invalid_request",
    "failed_precondition": "invalid_request",
    "out_of_range": "invalid_request",
    "tool_use_failed": "invalid_request",
    "invalid_prompt": "invalid_request",
    "authentication_error": "authentication",
    "invalid_api_key": "authentication",
    "api_key_invalid": "authentication",
    "unauthenticated": "authentication",
    "permission_error": "permission",
    "permission_denied": "permission",
    "not_found_error": "not_found",
    "not_found": "not_found",
    "model_not_found": "not_found",
    "billing_error": "quota",
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "resource_exhausted": "rate_limit",
    "too_many_requests": "rate_limit",
    "overloaded_error": "overloaded",
    "unavailable": "overloaded",
    "service_unavailable": "overloaded",
    "insufficient_system_resource": "overloaded",
    "timeout_error": "timeout",
    "deadline_exceeded": "timeout",
    "request_too_large": "too_large",
    "too_large": "too_large",
    "api_error": "server",
    "server_error": "server",
    "internal": "server",
    "internal_server_error": "server",
    "context_length_exceeded": "context_window",
    "exceed_context_size_error": "context_window",
    "model_context_window_exceeded": "context_window",
    "quotaexceedederror": "context_window",
    "content_filter": "refused",
    "bio_policy": "refused",
    "misalignment_policy_violation": "refused",
    "network_error": "network",
    "notallowederror": "permission",
    "notsupportederror": "invalid_request",
    "not_a_stream": "not_a_stream",
    "1301": "refused",
    "1302": "rate_limit",
    "1303": "rate_limit",
    "1305": "overloaded",
    "1308": "quota",
    "1309": "quota",
    "1310": "quota",
    "1316": "quota",
    "1317": "quota",
}
_CONTEXT = re.compile(
    r"maximum context length|context window|context size|context length|prompt is too long"
    r"|input token count.{0,40}exceeds|exceeds the (?:maximum|available).{0,30}(?:tokens|context)",
    re.I,
)
_KEY = re.compile(r"api[ _-]?key|authentication header|subscription key", re.I)
_SECRETS = re.compile(
    r"\bsk-[A-Za-z0-9_*-]+|\bAIza[A-Za-z0-9_-]{10,}|\bgsk_[A-Za-z0-9]{8,}|\bhf_[A-Za-z0-9]{8,}"
    r"|\bxai-[A-Za-z0-9-]{8,}|\bya29\.[\w.-]+|\bgh[pousr]_[A-Za-z0-9]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*|\borg-[A-Za-z0-9]{8,}|\buser-[A-Za-z0-9]{8,}"
    r"|(?i:(?<=bearer )[\w.~+/=-]{6,})"
    r"|(?i:(?<=key=)[\w.~+/=-]{6,})|(?i:(?<=token=)[\w.~+/=-]{6,})"
    r"|\b[0-9a-f]{32}\.[A-Za-z0-9]{16}\b"
)
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.S | re.I)
_DATE = re.compile(r"\b(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT", re.ASCII)
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_LONGEST = 2000


def classify(status: int, headers: Mapping[str, str], body: bytes | str) -> Error:
    """The normal form {type, message, status, retry_after, code} of an HTTP error or of a body that is no
    stream.

    `retry_after`: seconds, or None when the upstream gave no time. A date in the header counts from the
    response's own `Date` header, since this library has no clock.
    """
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    error = _object(value)
    message = _message(error) or _plain(text) or f"HTTP {status}"
    found: Error = {
        "type": _type(error, message, status),
        "message": redact(message)[:_LONGEST],
        "status": status,
        "retry_after": _header_wait(headers),
    }
    if found["retry_after"] is None:
        found["retry_after"] = _body_wait(error)
    if code := _code(error):
        found["code"] = redact(code)[:100]
    return found


def stream_error(error: dict[str, Any]) -> Error:
    """The normal form {type, message, code?, status?, retry_after?} of an error object inside a stream."""
    message = _message(error) or _code(error) or "the upstream reported an error"
    status = error.get("status_code", error.get("http_code", error.get("code")))
    status = status if isinstance(status, int) and 100 <= status < 600 else None
    found: Error = {"type": _type(error, message, status), "message": redact(message)[:_LONGEST]}
    if code := _code(error):
        found["code"] = redact(code)[:100]
    if status:
        found["status"] = status
    if (wait := _body_wait(error)) is not None:
        found["retry_after"] = wait
    return found


def network_error(message: str) -> Error:
    """The normal form of a connection that failed."""
    return {"type": "network", "message": redact(message)[:_LONGEST]}


def redact(text: str) -> str:
    """The text without API keys, tokens and account ids."""
    return _SECRETS.sub("[secret]", text)


def redact_all(value: Any) -> Any:
    """`redact` in every string of a JSON value."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redact_all(one) for key, one in value.items()}
    return [redact_all(one) for one in value] if isinstance(value, list) else value


def _object(value: Any) -> dict[str, Any]:
    """The error object inside a body, whichever envelope it came in."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return {}
    inner = value.get("error")
    if isinstance(inner, dict):
        return inner
    if isinstance(inner, str):
        return {**value, "message": value.get("message") or inner}
    return value


def _message(error: dict[str, Any]) -> str:
    for key in ("message", "detail", "error_message", "error", "msg", "title"):
        value = error.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, dict | list) and value:
            return _message(value) if isinstance(value, dict) else json.dumps(value, ensure_ascii=False)
    return ""


def _plain(text: str) -> str:
    return " ".join(_TAG.sub(" ", text).split())[:500] if text.lstrip()[:1] not in ("{", "[") else ""


def _words(error: dict[str, Any]) -> list[str]:
    """What names the error, most telling first: reasons in details, code, type, status."""
    words: list[Any] = [error.get("code"), error.get("type"), error.get("status"), error.get("name")]
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict):
            words.insert(0, detail.get("reason"))
    return [
        str(word)
        for word in words
        if isinstance(word, str | int) and not isinstance(word, bool) and word != ""
    ]


def _code(error: dict[str, Any]) -> str:
    words = [word for word in _words(error) if word not in ("error", "None")]
    named = [word for word in words if not word.isdigit()]
    return (named or words or [""])[0]


def _type(error: dict[str, Any], message: str, status: int | None) -> str:
    if _CONTEXT.search(message) and (status is None or status in (200, 400, 413, 422, 500)):
        return "context_window"
    words = [_WORDS[word.lower()] for word in _words(error) if word.lower() in _WORDS]
    if words and words[0] != "invalid_request":
        return words[0]
    if status in (None, 200, 400) and _KEY.search(message) and "invalid" in f"{message} {words}".lower():
        return "authentication"
    for found in words:
        if found != "invalid_request":
            return found
    if status and status >= 400 and not (words and status >= 500):
        return _STATUS.get(status, "invalid_request" if status < 500 else "server")
    if words:
        return words[0]
    codes = [int(word) for word in _words(error) if word.isdigit()]
    return next((_STATUS[code] for code in codes if code in _STATUS), "upstream")


def _header_wait(headers: Mapping[str, str]) -> float | None:
    lower = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    if (wait := _number(lower.get("retry-after-ms", ""))) is not None:
        return wait / 1000
    value = lower.get("retry-after", "")
    if (wait := _number(value)) is not None:
        return wait
    then, now = _date(value), _date(lower.get("date", ""))
    return max((then - now).total_seconds(), 0.0) if then and now else None


def _date(text: str) -> datetime | None:
    """An HTTP date (RFC 9110, the form that may be sent)."""
    found = _DATE.search(text)
    if found is None or found[2] not in _MONTHS:
        return None
    day, year, hour, minute, second = (int(found[at]) for at in (1, 3, 4, 5, 6))
    try:
        return datetime(year, _MONTHS.index(found[2]) + 1, day, hour, minute, second)
    except ValueError:
        return None


def _body_wait(error: dict[str, Any]) -> float | None:
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.endswith("s") and (wait := _number(delay[:-1])) is not None:
            return wait
    value = error.get("retry_after", error.get("retry_after_seconds"))
    return (
        float(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        else None
    )


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text) else None
