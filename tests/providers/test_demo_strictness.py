"""The demo refuses what the real server refuses, so a wrong request cannot pass unnoticed."""

from typing import Any

import pytest

from chatsite.providers.demo.signature import seal, sign
from chatsite.providers.demo.validate import problem

HEADERS = {"anthropic-version": "2023-06-01"}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": sign("hm")}
CALL = {"type": "tool_use", "id": "t1", "name": "add", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "4"}
ASK = {"role": "user", "content": "hi"}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 4000, "stream": True, "messages": list(messages), **more}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    "good",
    [
        body(ASK),
        body(ASK, assistant(text("yo")), user(text("more"))),
        body(ASK, assistant(THOUGHT, CALL), user(RESULT, text("and?"))),
        body(ASK, assistant({"type": "redacted_thinking", "data": seal("x")}, text("a")), ASK),
        body(
            ASK, assistant(THOUGHT, CALL), user(RESULT), thinking={"type": "enabled", "budget_tokens": 1024}
        ),
        body(ASK, assistant(text("to be continued"))),
    ],
)
def test_valid(good: dict[str, Any]) -> None:
    assert problem(good, HEADERS) is None


@pytest.mark.parametrize(
    ("bad", "part"),
    [
        (None, "not valid JSON"),
        (body(), "at least one message"),
        (body(ASK, ASK), "roles must alternate"),
        (body(assistant(text("a"))), "roles must alternate"),
        (body(user()), "non-empty content"),
        (body(user(text("  "))), "non-whitespace"),
        (body(ASK, assistant(CALL), user(text("x"))), "without `tool_result`"),
        (body(ASK, assistant(CALL)), "without `tool_result`"),
        (body(ASK, assistant(text("a")), user(RESULT)), "unexpected `tool_use_id`"),
        (body(ASK, assistant(CALL), user(RESULT, RESULT)), "single result"),
        (body(ASK, assistant(CALL), user(text("x"), RESULT)), "must come first"),
        (body(ASK, assistant(CALL, CALL), user(RESULT)), "unique"),
        (body(ASK, assistant(THOUGHT), ASK), "final block"),
        (body(ASK, assistant({**THOUGHT, "thinking": "hm."}, text("a")), ASK), "Invalid `signature`"),
        (body(ASK, assistant({**THOUGHT, "signature": ""}, text("a")), ASK), "Invalid `signature`"),
        (body(ASK, assistant({"type": "redacted_thinking", "data": "x"}, text("a")), ASK), "Invalid `data`"),
        (body(ASK, assistant({**CALL, "input": None}), user(RESULT)), "valid dictionary"),
        (body(ASK, assistant({**CALL, "input_text": ""}), user(RESULT)), "Extra inputs"),
        (body(ASK, assistant({**CALL, "id": "a.b"}), user(RESULT)), "pattern"),
        (body(user(THOUGHT)), "not allowed in user"),
        (body({**ASK, "provider": "x"}), "exactly role and content"),
        (body(ASK, max_tokens=0), "max_tokens"),
        (body(ASK, thinking={"type": "enabled", "budget_tokens": 100}), "budget_tokens"),
        (body(ASK, thinking={"type": "enabled", "budget_tokens": 4000}), "must be greater"),
        (
            body(ASK, assistant(CALL), user(RESULT), thinking={"type": "enabled", "budget_tokens": 1024}),
            "Expected `thinking`",
        ),
        (body(ASK, system=" "), "system"),
        (body(ASK, tools=[{"name": "a b", "input_schema": {"type": "object"}}]), "tools.0.name"),
        (body(ASK, tools=[{"name": "a", "input_schema": {}}]), "input_schema"),
        (body(ASK, made_up=1), "made_up"),
        (body(ASK, assistant(text("ends here "))), "trailing whitespace"),
    ],
)
def test_refused(bad: Any, part: str) -> None:
    found = problem(bad, HEADERS)
    assert found is not None
    assert part in found


def test_the_version_header_is_required() -> None:
    assert "anthropic-version" in str(problem(body(ASK), {}))
