"""A refused turn without a word of an answer, on each wire: neither it nor its question goes out again."""

import json
from typing import Any

import pytest

from chatsite.providers import anthropic, gemini, openai_chat, openai_responses
from chatsite.providers.demo.validate import problem
from chatsite.providers.prompt import Prompt
from chatsite.relay.messages import messages_of
from streamrender import decode
from tests.providers import strict
from tests.providers.build import text, user
from tests.relay.upstream import sse, start, stop


def lines(*values: Any) -> bytes:
    return b"".join(f"data: {json.dumps(value)}\n\n".encode() for value in values)


def chunk(delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


FILTERED = {
    "id": "resp_1", "object": "response", "model": "m", "status": "incomplete", "output": [],
    "incomplete_details": {"reason": "content_filter"},
}  # fmt: skip
REFUSALS = {
    "anthropic": (anthropic, "anthropic", [start(), stop("refusal")]),
    "gemini": (gemini, "gemini", [lines({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})]),
    "gemini-safety": (gemini, "gemini", [lines({"candidates": [{"index": 0, "finishReason": "SAFETY"}]})]),
    "openai-chat": (
        openai_chat,
        "openai",
        [lines(chunk({"role": "assistant"}, None), chunk({}, "content_filter")), b"data: [DONE]\n\n"],
    ),
    "openai-responses": (
        openai_responses,
        "openai",
        [
            sse({"type": "response.created", "response": {**FILTERED, "status": "in_progress"}}),
            sse({"type": "response.incomplete", "response": FILTERED}),
        ],
    ),
}


def judged(wire: str, body: dict[str, Any]) -> str | None:
    if wire == "anthropic":
        return problem(body, {"anthropic-version": "x"})
    return {"gemini": strict.gemini, "openai-chat": strict.chat, "openai-responses": strict.responses}[wire](
        body
    )


@pytest.mark.parametrize("case", REFUSALS)
def test_neither_question_nor_answer_goes_out_again(case: str) -> None:
    module, provider, answer = REFUSALS[case]
    wire = case.removesuffix("-safety")
    decoder = decode(wire)
    events = [{"type": "request_started", "round": 1, "provider": provider, "wire": wire, "model": "m"}]
    for data in answer:
        events += decoder.feed(data)
    refused = json.loads(json.dumps(messages_of([*events, *decoder.close()])))
    assert [(message["content"], message["stop_reason"]) for message in refused] == [([], "refusal")]

    prompt = Prompt([user(text("FORBIDDEN")), *refused, user(text("Good morning"))])
    body = module.request(prompt, base_url="http://h", model="m", provider=provider).body
    assert judged(wire, body) is None
    sent = json.dumps(body)
    assert "Good morning" in sent
    assert "FORBIDDEN" not in sent
