"""Whatever conversation is stored, the next request is one that the upstream accepts.

Histories are made at random, worse than any that the relay stores: cut calls, lost results, repeated ids,
blocks of every provider, refusals, blank texts. The judges are the strict servers of every wire.
"""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsite.providers import anthropic, gemini, openai_chat, openai_responses
from chatsite.providers.demo.signature import seal, sign
from chatsite.providers.demo.validate import problem
from chatsite.providers.prompt import Prompt
from tests.providers import strict

PROVIDERS = ("demo", "anthropic", "glm", "gemini", "openai")
KINDS = ("text", "text", "thinking", "redacted", "call", "call", "server", "fallback")
ITEMS = {"thinking": "reasoning", "call": "function_call"}
IDS = st.sampled_from(["t1", "t2", "functions.add:0", "functions_add_0", "x" * 50])
WORDS = st.sampled_from(["", " ", "\n\t", "word", "two words ", "中文"])


@st.composite
def private(draw: st.DrawFn, provider: str, kind: str) -> dict[str, Any]:
    """What the decoder of a provider leaves under a block's `provider`."""
    if provider == "gemini":
        return draw(st.sampled_from([{}, {"thoughtSignature": "own"}, {"id_made": True}]))
    if provider == "openai":
        item = {"id": draw(st.sampled_from(["it_1", "it_2"])), "type": ITEMS.get(kind, "message")}
        if kind == "thinking":
            item |= {"summary": [], "encrypted_content": draw(st.sampled_from([None, "gAAA"]))}
        return {"item": item}
    return {}


@st.composite
def answer_block(draw: st.DrawFn, provider: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(KINDS))
    extra = draw(private(provider, kind))
    own = {"provider": extra} if extra else {}
    if draw(st.integers(0, 15)) == 0:
        own["superseded"] = True
    if kind == "text":
        return {"type": "text", "text": draw(WORDS), "citations": None, **own}
    if kind == "thinking":
        words = draw(WORDS)
        signature = draw(st.sampled_from(["", sign(words)])) if provider == "demo" else "foreign"
        return {"type": "thinking", "thinking": words, "signature": signature, **own}
    if kind == "redacted":
        return {"type": "redacted_thinking", "data": seal("x") if provider == "demo" else "foreign", **own}
    if kind == "server":
        part = {"toolCall": {"id": "s"}, "thoughtSignature": "own"}
        own = {"provider": {"part": part}} if provider == "gemini" else {}
        name = "web_search"
        block = {"type": "server_tool_use", "id": "s", "name": name, "input": {}, **own}
        # The demo has no tools of its own: such a block of it would be a lie.
        return block if provider != "demo" else {"type": "text", "text": "x"}
    if kind == "fallback":
        return {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}
    status = draw(st.sampled_from(["complete", "complete", "incomplete", "invalid"]))
    text = draw(st.sampled_from(["", '{"a": 1}', '{"a": ', "[1]"]))
    return {
        "type": "tool_use",
        "id": draw(IDS),
        "name": "add",
        "input": {"a": 1} if status == "complete" else None,
        "input_text": text if status != "complete" or text != "[1]" else "",
        "input_status": status if text != '{"a": ' else "incomplete",
        **own,
    }


@st.composite
def message(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.booleans()):
        provider = draw(st.sampled_from(PROVIDERS))
        return {
            "role": "assistant",
            "content": draw(st.lists(answer_block(provider), max_size=5)),
            "provider": provider,
            "model": "m",
            "stop_reason": draw(st.sampled_from(["end_turn", "tool_use", "max_tokens", "refusal", "", None])),
        }
    results = st.builds(
        lambda ident, words, bad: {
            "type": "tool_result",
            "tool_use_id": ident,
            "content": words,
            "is_error": bad,
        },
        IDS,
        st.one_of(WORDS, st.lists(WORDS.map(lambda words: {"type": "text", "text": words}), max_size=2)),
        st.booleans(),
    )
    texts = WORDS.map(lambda words: {"type": "text", "text": words})
    return {"role": "user", "content": draw(st.lists(st.one_of(results, texts), max_size=4))}


QUESTION = {"role": "user", "content": [{"type": "text", "text": "and now?"}]}
PARTIAL = {"role": "assistant", "content": [{"type": "text", "text": "so"}], "stop_reason": "max_tokens"}
ENDS = st.sampled_from([[QUESTION], [QUESTION, PARTIAL]])
HISTORIES = st.tuples(st.lists(message(), max_size=8), ENDS).map(lambda parts: [*parts[0], *parts[1]])
THINKING = st.sampled_from([False, True, "low", "max"])


def build(module: Any, history: list[Any], thinking: Any, provider: str) -> dict[str, Any]:
    before = copy.deepcopy(history)
    prompt = Prompt(history, thinking=thinking)
    request = module.request(prompt, base_url="http://h", model="gpt-5.5", provider=provider)
    assert history == before, "a builder changed the stored conversation"
    body: dict[str, Any] = json.loads(json.dumps(request.body))
    return body


@pytest.mark.parametrize("wire", ["anthropic", "gemini", "chat", "responses"])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(history=HISTORIES, thinking=THINKING)
def test_the_next_request_is_accepted(wire: str, history: list[Any], thinking: Any) -> None:
    if wire == "anthropic":
        body = build(anthropic, history, thinking, "demo")
        assert problem(body, {"anthropic-version": "x"}) is None
    elif wire == "gemini":
        assert strict.gemini(build(gemini, history, thinking, "gemini")) is None
    elif wire == "chat":
        assert strict.chat(build(openai_chat, history, thinking, "openai")) is None
    else:
        assert strict.responses(build(openai_responses, history, thinking, "openai")) is None
