"""`reasoning_details` (OpenRouter) go back as they came, after the database, and to that provider only."""

import json
from typing import Any

from chatsite.providers import anthropic, openai_chat
from chatsite.providers.prompt import Prompt
from chatsite.relay.messages import messages_of
from streamrender import decode
from tests.providers.build import text, user

THOUGHT = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
SEALED = {"type": "reasoning.encrypted", "data": "gAAA", "id": "rs_1", "format": "openai", "index": 1}
WHOLE = [{**THOUGHT, "text": "I add.", "signature": "S"}, SEALED]


def answered(*deltas: dict[str, Any], reason: str = "tool_calls") -> list[dict[str, Any]]:
    """What is stored of an answer with these deltas."""
    decoder = decode("openai-chat")
    events = [
        {"type": "request_started", "round": 1, "provider": "openai", "wire": "openai-chat", "model": "m"}
    ]
    for delta, end in [*((delta, None) for delta in deltas), ({}, reason)]:
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        chunk = {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
        events += decoder.feed(f"data: {json.dumps(chunk)}\n\n".encode())
    made = messages_of([*events, *decoder.feed(b"data: [DONE]\n\n"), *decoder.close()])
    stored: list[dict[str, Any]] = json.loads(json.dumps(made))
    return stored


CALL = {"index": 0, "id": "t1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
DELTAS = (
    {"role": "assistant", "content": "", "reasoning_details": [{**THOUGHT, "text": "I "}]},
    {"reasoning_details": [{**THOUGHT, "text": "add."}]},
    {"reasoning_details": [{**THOUGHT, "text": "", "signature": "S"}, SEALED]},
    {"tool_calls": [CALL]},
)


def sent(history: list[dict[str, Any]]) -> Any:
    prompt = Prompt(history)
    return openai_chat.request(
        prompt, base_url="https://openrouter.ai/api/v1", model="m", provider="openai"
    ).body["messages"]


def test_they_go_back_whole_within_the_turn_and_later() -> None:
    made = answered(*DELTAS)
    results = user({"type": "tool_result", "tool_use_id": "t1", "content": "2", "is_error": False})
    for after in ([], [*answered({"content": "Two."}, reason="stop"), user(text("Thanks"))]):
        message = sent([user(text("1+1?")), *made, results, *after])[1]
        assert message == {
            "role": "assistant",
            "content": None,
            "reasoning_details": WHOLE,
            "tool_calls": [{key: CALL[key] for key in ("id", "type", "function")}],
        }


def test_sealed_ones_need_no_text_to_go_with() -> None:
    made = answered({"reasoning_details": [SEALED]}, {"content": "Two."}, reason="stop")
    message = sent([user(text("1+1?")), *made, user(text("Thanks"))])[1]
    assert message == {"role": "assistant", "content": "Two.", "reasoning_details": [SEALED]}


def test_nobody_else_gets_them() -> None:
    prompt = Prompt([user(text("1+1?")), *answered(*DELTAS), user(text("Thanks"))])
    body = anthropic.request(prompt, base_url="http://h", model="m", provider="anthropic").body
    assert "gAAA" not in json.dumps(body)
