"""Upstream errors: their types, waits and messages; recorded bodies, and those described in issues."""

import json
from typing import Any

import pytest

from streamrender.errors import classify, network_error, redact, redact_all, stream_error
from tests.corpus import CORPUS

# The recorded error bodies, by number.
RECORDED = {
    "not_found": "001 002 006 047 052 053 054 057 062 064",
    "invalid_request": "011 012 017 019 020 023 048 051 055 056 060 067 068",
    "authentication": "033 036 050 058 059",
    "rate_limit": "040 061",
    "context_window": "042 043",
}


def _bodies() -> list[Any]:
    return sorted((CORPUS / "http-errors").glob("*.json"))


@pytest.mark.corpus
def test_every_recorded_body_is_classified() -> None:
    wanted = {number: kind for kind, numbers in RECORDED.items() for number in numbers.split()}
    found = {}
    for path in _bodies():
        record = json.loads(path.read_text())
        error = classify(record["status"], record["headers"], record["body"])
        found[path.name[:3]] = error["type"]
        assert error["status"] == record["status"]
        assert error["message"]
        assert not error["message"].lstrip().startswith("{")
    assert found == wanted


@pytest.mark.corpus
def test_the_recorded_wait_is_read() -> None:
    (path,) = (CORPUS / "http-errors").glob("040_*")
    record = json.loads(path.read_text())
    assert classify(record["status"], {}, record["body"])["retry_after"] == 48.0


def _anthropic(kind: str, message: str = "m") -> str:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}, "request_id": "r"})


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, _anthropic("invalid_request_error"), "invalid_request"),
        (
            400,
            _anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
            "context_window",
        ),
        (401, _anthropic("authentication_error"), "authentication"),
        (402, _anthropic("billing_error"), "quota"),
        (403, _anthropic("permission_error"), "permission"),
        (404, _anthropic("not_found_error"), "not_found"),
        (413, _anthropic("request_too_large"), "too_large"),
        (429, _anthropic("rate_limit_error"), "rate_limit"),
        (500, _anthropic("api_error"), "server"),
        (504, _anthropic("timeout_error"), "timeout"),
        (529, _anthropic("overloaded_error"), "overloaded"),
        (200, _anthropic("overloaded_error"), "overloaded"),
        (429, '{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}', "quota"),
        (
            400,
            '{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}',
            "context_window",
        ),
        (400, '{"error":{"code":400,"message":"m","type":"exceed_context_size_error"}}', "context_window"),
        (429, '{"error":{"code":"1302","message":"m"},"request_id":"r"}', "rate_limit"),
        (429, '{"error":{"code":"1305","message":"m"}}', "overloaded"),
        (429, '{"error":{"code":"1308","message":"m"}}', "quota"),
        (429, '[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]', "rate_limit"),
        (503, '{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}', "overloaded"),
        (502, "<html><head><title>502 Bad Gateway</title></head></html>", "server"),
        (418, "", "invalid_request"),
        (500, "[" * 5000, "server"),
        (422, '{"detail":[{"loc":["body"],"msg":"field required"}]}', "invalid_request"),
        (400, '{"code":"x","error":"flat text"}', "invalid_request"),
    ],
)
def test_types(status: int, body: str, kind: str) -> None:
    for form in (body, body.encode()):
        error = classify(status, {}, form)
        assert (error["type"], error["status"], error["retry_after"]) == (kind, status, None)
        assert error["message"]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT", "Date": "Wed, 21 Oct 2026 07:28:30 GMT"}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "9" * 400}, None),
        ({}, None),
    ],
)
def test_waits(headers: dict[str, str], wait: float | None) -> None:
    assert classify(429, headers, "{}")["retry_after"] == wait


def test_secrets_do_not_pass() -> None:
    keys = [
        "sk-ant-api03-AbC_d-123",
        "sk-proj-abcdefgh",
        "AIzaSyA1234567890abcdefg",
        "gsk_abcdefghijkl",
        "org-AbCdEfGhIj",
        "eyJhbGciOiJI.eyJzdWIiOiIx.abc-_",
        "0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp",
    ]
    for key in keys:
        assert key not in redact(f"the key {key} is wrong")
    assert redact("Authorization: Bearer abcdef123456") == "Authorization: Bearer [secret]"
    assert redact("https://x/?key=abcdef123456&alt=sse") == "https://x/?key=[secret]&alt=sse"
    assert redact("risk-free sk- and tasks") == "risk-free sk- and tasks"
    assert redact_all({"a": ["sk-abcdef", 1, None]}) == {"a": ["[secret]", 1, None]}
    assert "sk-abc" not in classify(401, {}, '{"error":{"message":"bad sk-abcdef"}}')["message"]
    assert network_error("cannot reach https://x/?key=abcdef123456") == {
        "type": "network",
        "message": "cannot reach https://x/?key=[secret]",
    }


def test_long_messages_are_cut() -> None:
    assert len(classify(400, {}, json.dumps({"message": "x" * 9999}))["message"]) == 2000


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (
            {"type": "overloaded_error", "message": "busy"},
            {"type": "overloaded", "message": "busy", "code": "overloaded_error"},
        ),
        ({"code": 429, "message": "m"}, {"type": "rate_limit", "message": "m", "code": "429", "status": 429}),
        ({}, {"type": "upstream", "message": "the upstream reported an error"}),
        (
            {"message": {"deep": "x"}, "retry_after": 3},
            {"type": "upstream", "message": "the upstream reported an error", "retry_after": 3.0},
        ),
    ],
)
def test_errors_inside_streams(error: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert stream_error(error) == wanted
