"""What goes to Anthropic and GLM, word for word."""

import copy
import json
from typing import Any

import pytest

from chatsite.providers import anthropic
from chatsite.providers.history import CONTINUE, NO_RESULT
from chatsite.providers.prompt import Prompt
from tests.providers.build import assistant, body, call, result, text, user

THOUGHT = {"type": "thinking", "thinking": "  Let me\nsee…\u2028", "signature": "Eq+/=="}
HIDDEN = {"type": "redacted_thinking", "data": "EmwKAh=="}
CACHED = {"cache_control": {"type": "ephemeral"}}
CALCULATOR = {
    "name": "calculator",
    "description": "Adds.",
    "input_schema": {"type": "object", "properties": {"expression": {"type": "string"}}},
}


def messages(*history: Any, provider: str = "anthropic") -> Any:
    """The messages of the request, without cache breakpoints."""
    sent = body(anthropic.request, list(history), provider=provider)["messages"]
    for message in sent:
        for block in message["content"]:
            block.pop("cache_control", None)
    return sent


def test_the_whole_request() -> None:
    prompt = Prompt([user(text("Hello"))], system="Be brief.", tools=[CALCULATOR], max_tokens=4096)
    request = anthropic.request(
        prompt,
        base_url="https://api.anthropic.com",
        model="claude-haiku-4-5",
        key="sk-1",
        provider="anthropic",
    )
    assert request.method == "POST"
    assert request.url == "https://api.anthropic.com/v1/messages"
    assert request.headers == {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "anthropic-version": "2023-06-01",
        "x-api-key": "sk-1",
    }
    assert request.body == {
        "model": "claude-haiku-4-5",
        "max_tokens": 4096,
        "stream": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello", **CACHED}]}],
        "system": [{"type": "text", "text": "Be brief.", **CACHED}],
        "tools": [CALCULATOR],
    }
    assert request.redacted()["headers"]["x-api-key"] == "[removed]"
    assert "sk-1" not in json.dumps(request.redacted())


def test_a_growing_conversation_is_read_from_the_cache() -> None:
    history = [user(text("a")), assistant(text("b")), user(text("c"), text("d")), assistant(call("t1"))]
    history.append(user(result("t1", "x")))
    sent = body(anthropic.request, history, tools=[CALCULATOR])
    marked = [
        (n, m)
        for n, message in enumerate(sent["messages"])
        for m, block in enumerate(message["content"])
        if "cache_control" in block
    ]
    assert marked == [(2, 1), (4, 0)]
    assert sent["tools"] == [{**CALCULATOR, **CACHED}]
    assert "cache_control" not in str(history) + str(CALCULATOR)
    assert "cache_control" not in str(body(anthropic.request, history, provider="glm"))


def test_a_server_without_key_gets_no_key_header() -> None:
    request = anthropic.request(Prompt([user(text("a"))]), base_url="http://h", model="m", provider="glm")
    assert "x-api-key" not in request.headers


def test_a_tool_round_goes_back_byte_for_byte() -> None:
    asked = call("toolu_1", {"expression": "1+1"}, input_text='{"expression": "1+1"}', caller=None)
    history = [user(text("1+1?")), assistant(THOUGHT, HIDDEN, text("Let me add."), asked)]
    history.append(user(result("toolu_1", "2")))
    before = copy.deepcopy(history)
    assert messages(*history) == [
        {"role": "user", "content": [{"type": "text", "text": "1+1?"}]},
        {
            "role": "assistant",
            "content": [
                THOUGHT,
                HIDDEN,
                {"type": "text", "text": "Let me add."},
                {"type": "tool_use", "id": "toolu_1", "name": "calculator", "input": {"expression": "1+1"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "2"}]},
    ]
    assert history == before


def test_an_omitted_thinking_text_keeps_its_signature() -> None:
    omitted = {"type": "thinking", "thinking": "", "signature": "only"}
    assert (
        messages(user(text("a")), assistant(omitted, text("b")), user(text("c")))[1]["content"][0] == omitted
    )


def test_failed_results_and_pictures_in_results() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    sent = messages(
        user(text("a")),
        assistant(call("t1"), call("t2")),
        user(result("t2", [text(" "), picture]), result("t1", "bad", is_error=True)),
    )
    assert sent[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "t1", "content": "bad", "is_error": True},
        {"type": "tool_result", "tool_use_id": "t2", "content": [picture]},
    ]


def test_thinking_of_others_and_unsigned_thinking_stay_here() -> None:
    unsigned = {"type": "thinking", "thinking": "hm", "signature": ""}
    glm = assistant(THOUGHT, text("from GLM"), provider="glm")
    assert messages(user(text("a")), glm, user(text("b")))[1]["content"] == [text("from GLM")]
    own = assistant(unsigned, text("mine"))
    assert messages(user(text("a")), own, user(text("b")))[1]["content"] == [text("mine")]
    only = assistant(THOUGHT, provider="glm")
    assert messages(user(text("a")), only, user(text("b"))) == [user(text("a"), text("b"))]


def test_glm_gets_its_own_signature_back_and_no_claude_one() -> None:
    sent = messages(
        user(text("a")), assistant(THOUGHT, text("x"), provider="glm"), user(text("b")), provider="glm"
    )
    assert sent[1]["content"] == [THOUGHT, text("x")]
    sent = messages(user(text("a")), assistant(THOUGHT, HIDDEN, text("x")), user(text("b")), provider="glm")
    assert sent[1]["content"] == [text("x")]


@pytest.mark.parametrize(
    ("written_by", "read_by", "kept"),
    [
        ("MiniMax-M3", "claude-opus-5-5", False),
        ("MiniMax-M3", "MiniMax-M3", True),
        ("claude-haiku-4-5-20251001", "claude-opus-5-5", True),
        ("claude-haiku-4-5-20251001", "my-alias", True),
    ],
)
def test_claude_gets_no_signature_of_another_server(written_by: str, read_by: str, kept: bool) -> None:
    answer = {**assistant(THOUGHT, text("x")), "model": written_by}
    prompt = Prompt([user(text("a")), answer, user(text("b"))])
    sent = anthropic.request(prompt, base_url="http://h", model=read_by, provider="anthropic").body
    assert sent["messages"][1]["content"] == ([THOUGHT] if kept else []) + [text("x")]


def test_private_parts_of_other_providers_are_left_out() -> None:
    gemini = assistant(
        {
            "type": "server_tool_use",
            "id": "s1",
            "name": "code_execution",
            "input": {},
            "provider": {"part": {}},
        },
        {"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {}, "provider": {"part": {}}},
        {
            **text("answer"),
            "citations": [{"type": "gemini_grounding"}],
            "provider": {"thoughtSignature": "g"},
        },
        {"type": "text", "text": "", "provider": {"thoughtSignature": "g2"}},
        call("functions.add:0", {"a": 1}, provider={"thoughtSignature": "g3"}),
        provider="gemini",
    )
    sent = messages(user(text("a")), gemini, user(result("functions.add:0", "1")))
    assert sent[1]["content"] == [
        text("answer"),
        {"type": "tool_use", "id": "functions_add_0", "name": "calculator", "input": {"a": 1}},
    ]
    assert sent[2]["content"][0]["tool_use_id"] == "functions_add_0"


def test_own_citations_and_server_tools_go_back() -> None:
    blocks = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"encrypted_content": "E"}]},
        {**text("cited"), "citations": [{"type": "web_search_result_location", "encrypted_index": "I"}]},
        {**text("not cited"), "citations": None},
    ]
    stored = [{**blocks[0], "input_text": "{}", "input_status": "complete"}, *blocks[1:]]
    sent = messages(user(text("a")), assistant(*stored), user(text("b")))
    assert sent[1]["content"] == [*blocks[:3], text("not cited")]


def test_a_server_call_without_result_goes_back_only_while_it_is_awaited() -> None:
    waiting = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
    paused = [user(text("a")), assistant(text("searching"), waiting, stop_reason="pause_turn")]
    assert messages(*paused)[1]["content"] == [text("searching"), waiting]
    assert messages(*paused, user(text("never mind")))[1]["content"] == [text("searching")]


def test_calls_without_result_get_one() -> None:
    sent = messages(
        user(text("a")), assistant(call("t1"), call("t2")), user(result("t2", "2"), text("go on"))
    )
    assert [block.get("tool_use_id") for block in sent[2]["content"]] == ["t1", "t2", None]
    assert sent[2]["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": NO_RESULT,
        "is_error": True,
    }
    alone = messages(user(text("a")), assistant(call("t1")))
    assert alone[2]["content"][0]["is_error"] is True


def test_results_without_call_are_left_out() -> None:
    sent = messages(user(text("a")), assistant(text("b")), user(result("gone", "2"), text("c")))
    assert sent[2]["content"] == [text("c")]
    assert len(messages(user(text("a")), assistant(text("b")), user(result("gone", "2")))) == 2


def test_cut_calls_are_left_out_unless_they_were_answered() -> None:
    cut = call("t1", None, input_text='{"expression": "1', input_status="incomplete")
    assert messages(user(text("a")), assistant(text("b"), cut), user(text("c")))[1]["content"] == [text("b")]
    sent = messages(user(text("a")), assistant(cut), user(result("t1", "no valid JSON", is_error=True)))
    assert sent[1]["content"][0]["input"] == {"INVALID_JSON": '{"expression": "1'}


def test_blank_texts_superseded_blocks_and_trailing_thinking_are_left_out() -> None:
    old = {**text("first try"), "superseded": True}
    sent = messages(
        user(text("a")), assistant(old, text(" \n"), text("b"), THOUGHT), user(text("c"), text(""))
    )
    assert sent == [user(text("a")), {"role": "assistant", "content": [text("b")]}, user(text("c"))]


def test_a_refused_turn_is_dropped_with_its_rounds() -> None:
    sent = messages(
        user(text("first")),
        assistant(text("fine")),
        user(text("bad question")),
        assistant(call("t1")),
        user(result("t1", "x")),
        assistant(text("I ca"), stop_reason="refusal"),
        user(text("another")),
    )
    assert sent == [
        user(text("first")),
        {"role": "assistant", "content": [text("fine")]},
        user(text("another")),
    ]


def test_calls_before_a_fallback_are_not_repeated_but_the_seam_is() -> None:
    seam = {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}
    sent = messages(user(text("a")), assistant(text("x"), call("t1"), seam, text("y")), user(text("c")))
    assert sent[1]["content"] == [text("x"), seam, text("y")]


def test_roles_alternate_and_the_first_is_a_user() -> None:
    sent = messages(
        assistant(text("0")), user(text("a")), user(text("b")), assistant(text("c")), assistant(text("d"))
    )
    assert sent[:2] == [user(text("a"), text("b")), {"role": "assistant", "content": [text("c"), text("d")]}]


def test_an_answer_stored_whole_is_taken_apart_into_its_rounds() -> None:
    whole = assistant(THOUGHT, call("t1"), result("t1", "2"), THOUGHT, text("It is 2."))
    sent = messages(user(text("a")), whole, user(text("b")))
    assert [message["role"] for message in sent] == ["user", "assistant", "user", "assistant", "user"]
    assert sent[2]["content"] == [{"type": "tool_result", "tool_use_id": "t1", "content": "2"}]
    assert sent[3]["content"] == [THOUGHT, text("It is 2.")]


def test_the_rest_of_an_answer_is_asked_for() -> None:
    sent = messages(user(text("a")), assistant(text("so far "), stop_reason="max_tokens"))
    assert sent[1:] == [{"role": "assistant", "content": [text("so far ")]}, user(text(CONTINUE))]


@pytest.mark.parametrize(
    ("model", "provider", "thinking", "limit", "parameters"),
    [
        ("claude-haiku-4-5", "anthropic", True, 16000, {"type": "enabled", "budget_tokens": 8192}),
        ("claude-haiku-4-5", "anthropic", "low", 16000, {"type": "enabled", "budget_tokens": 2048}),
        ("claude-haiku-4-5", "anthropic", "max", 16000, {"type": "enabled", "budget_tokens": 12000}),
        ("claude-haiku-4-5", "anthropic", True, 1200, None),
        ("claude-haiku-4-5", "anthropic", False, 16000, None),
        ("claude-sonnet-5-5", "anthropic", True, 16000, {"type": "adaptive", "display": "summarized"}),
        ("claude-opus-4-6", "anthropic", "high", 16000, {"type": "adaptive", "display": "summarized"}),
        ("claude-sonnet-4-20250514", "anthropic", True, 16000, {"type": "enabled", "budget_tokens": 8192}),
        ("claude-3-7-sonnet-latest", "anthropic", True, 16000, {"type": "enabled", "budget_tokens": 8192}),
        ("glm-5.3", "glm", True, 16000, {"type": "enabled", "budget_tokens": 8192}),
    ],
)
def test_the_thinking_parameter(
    model: str, provider: str, thinking: Any, limit: int, parameters: Any
) -> None:
    prompt = Prompt([user(text("a"))], thinking=thinking, max_tokens=limit)
    sent = anthropic.request(prompt, base_url="http://h", model=model, provider=provider).body
    assert sent.get("thinking") == parameters
    adaptive = parameters is not None and parameters["type"] == "adaptive"
    assert sent.get("output_config") == ({"effort": prompt.effort()} if adaptive else None)


def test_a_round_that_began_without_thinking_goes_on_without_it() -> None:
    history = [user(text("a")), assistant(call("t1")), user(result("t1", "x"))]
    prompt = Prompt(history, thinking=True)
    sent = anthropic.request(prompt, base_url="http://h", model="claude-haiku-4-5", provider="anthropic").body
    assert "thinking" not in sent
