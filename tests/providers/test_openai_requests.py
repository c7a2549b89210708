"""What goes to the two OpenAI wires, word for word."""

import json
from typing import Any

import pytest

from chatsite.providers import openai_chat, openai_responses
from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import choices
from tests.providers.build import assistant, body, call, result, text, user

TOOL = {
    "name": "calculator",
    "description": "Adds.",
    "input_schema": {"type": "object", "properties": {"expression": {"type": "string"}}},
}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA", "status": None}


def chat(*history: Any, **options: Any) -> Any:
    return body(openai_chat.request, list(history), provider="openai", **options)["messages"]


def items(*history: Any) -> Any:
    return body(openai_responses.request, list(history), provider="openai")["input"]


def own(*blocks: Any) -> dict[str, Any]:
    return assistant(*blocks, provider="openai")


def in_item(block: dict[str, Any], **item: Any) -> dict[str, Any]:
    return {**block, "provider": {"item": item}}


def test_a_whole_chat_request() -> None:
    prompt = Prompt([user(text("hi"))], system="Be brief.", tools=[TOOL], max_tokens=99, thinking="low")
    request = openai_chat.request(
        prompt, base_url="http://127.0.0.1:11434", model="qwen", key="sk-2", provider="openai"
    )
    assert request.url == "http://127.0.0.1:11434/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-2"
    assert "sk-2" not in json.dumps(request.redacted())
    function = {"name": "calculator", "description": "Adds.", "parameters": TOOL["input_schema"]}
    assert request.body == {
        "model": "qwen",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 99,
        "reasoning_effort": "low",
        "tools": [{"type": "function", "function": function}],
    }


def test_openai_itself_wants_the_new_name_of_the_limit() -> None:
    request = openai_chat.request(
        Prompt([user(text("hi"))]), base_url="https://api.openai.com/v1", model="m", provider="openai"
    )
    assert "max_tokens" not in request.body
    assert request.body["max_completion_tokens"] == 16000
    assert "reasoning_effort" not in request.body
    assert "authorization" not in request.headers


def test_a_chat_tool_round() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": ""}
    written = '{ "expression":"1+1" }'
    asked = call("call_1", {"expression": "1+1"}, input_text=written)
    assert chat(
        user(text("1+1?")),
        own(thought, text("Let me add."), asked, call("call_2", {"expression": "é"})),
        user(result("call_1", "2"), result("call_2", "bad", is_error=True)),
    ) == [
        {"role": "user", "content": "1+1?"},
        {
            "role": "assistant",
            "content": "Let me add.",
            "reasoning_content": "hm",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "calculator", "arguments": written},
                },
                {
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "calculator", "arguments": '{"expression": "é"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "2"},
        {"role": "tool", "tool_call_id": "call_2", "content": "Error: bad"},
    ]


def test_earlier_thinking_stays_here() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": ""}
    sent = chat(user(text("a")), own(thought, text("b")), user(text("c")))
    assert sent[1] == {"role": "assistant", "content": "b"}
    assert chat(user(text("a")), own(thought), user(text("c")))[-1] == {"role": "user", "content": "c"}


def test_chat_pictures_also_from_tools() -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    sent = chat(user(text("a"), PICTURE), own(call("c1")), user(result("c1", [text("see"), PICTURE])))
    assert sent[0]["content"] == [{"type": "text", "text": "a"}, part]
    assert sent[2] == {"role": "tool", "tool_call_id": "c1", "content": "see\n[image not shown]"}
    assert sent[3] == {"role": "user", "content": [part]}


def test_long_call_ids_are_shortened_alike() -> None:
    long = "x" * 60
    sent = chat(user(text("a")), own(call(long)), user(result(long, "1")))
    assert len(sent[1]["tool_calls"][0]["id"]) <= 40
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"]


def test_a_signature_that_came_with_a_call_goes_back() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "S"}}}
    sent = chat(
        user(text("a")), own(call("c1", provider={**extra, "id_made": True})), user(result("c1", "1"))
    )
    assert sent[1]["tool_calls"][0]["extra_content"] == extra["extra_content"]
    assert "id_made" not in json.dumps(sent)


def test_a_whole_responses_request() -> None:
    prompt = Prompt(
        [user(text("hi"), PICTURE)], system="Be brief.", tools=[TOOL], max_tokens=99, thinking=True
    )
    request = openai_responses.request(
        prompt, base_url="https://api.openai.com/v1", model="gpt-5.5", key="sk-3", provider="openai"
    )
    assert request.url == "https://api.openai.com/v1/responses"
    assert request.body == {
        "model": "gpt-5.5",
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "hi"},
                    {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"},
                ],
            }
        ],
        "stream": True,
        "store": False,
        "max_output_tokens": 99,
        "instructions": "Be brief.",
        "reasoning": {"summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "tools": [
            {
                "type": "function",
                "name": "calculator",
                "description": "Adds.",
                "parameters": TOOL["input_schema"],
                "strict": False,
            }
        ],
    }


def test_reasoning_items_go_back_with_what_they_led_to() -> None:
    thought = in_item({"type": "thinking", "thinking": "", "signature": ""}, **REASONING)
    asked = in_item(
        call("call_1", {"a": 1}, input_text='{"a":1}'), id="fc_1", type="function_call", status="completed"
    )
    message = {"id": "msg_1", "type": "message", "phase": "commentary"}
    sent = items(
        user(text("a")),
        own(thought, in_item(text("Let me"), **message), in_item(text(" see."), **message), asked),
        user(result("call_1", "1")),
    )
    assert sent[1] == {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    assert sent[2] == {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "phase": "commentary",
        "content": [
            {"type": "output_text", "text": "Let me", "annotations": []},
            {"type": "output_text", "text": " see.", "annotations": []},
        ],
    }
    assert sent[3] == {
        "id": "fc_1",
        "status": "completed",
        "type": "function_call",
        "call_id": "call_1",
        "name": "calculator",
        "arguments": '{"a":1}',
    }
    assert sent[4] == {"type": "function_call_output", "call_id": "call_1", "output": "1"}


def test_without_its_encrypted_content_no_item_keeps_its_id() -> None:
    hollow = in_item({"type": "thinking", "thinking": "s"}, **{**REASONING, "encrypted_content": None})
    message = in_item(text("yes"), id="msg_1", type="message")
    sent = items(user(text("a")), own(hollow, message), user(text("b")))
    assert sent[1] == {"role": "assistant", "content": "yes"}


def test_reasoning_that_led_to_nothing_is_left_out() -> None:
    thought = in_item({"type": "thinking", "thinking": "s"}, **REASONING)
    assert len(items(user(text("a")), own(thought), user(text("b")))) == 2


def test_foreign_answers_become_plain_messages() -> None:
    claude = assistant(
        {"type": "thinking", "thinking": "x", "signature": "S"}, text("a"), text("b"), call("t1")
    )
    sent = items(user(text("q")), claude, user(result("t1", [text("see"), PICTURE])))
    assert sent[1] == {"role": "assistant", "content": "ab"}
    assert sent[2] == {"type": "function_call", "call_id": "t1", "name": "calculator", "arguments": "{}"}
    assert sent[3]["output"] == [
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"},
    ]


def test_own_provider_run_tools_go_back_as_items() -> None:
    search = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"query": "x"}}
    block = in_item({"type": "server_tool_use", "id": "ws_1", "name": "web_search", "input": {}}, **search)
    sent = items(user(text("a")), own(block, text("found")), user(text("b")))
    assert sent[1] == search


@pytest.mark.parametrize(
    ("model", "reasons"),
    [
        ("gpt-5.5", True),
        ("o4-mini", True),
        ("gpt-4.1", False),
        ("gpt-5-chat-latest", False),
        ("llama", False),
    ],
)
def test_only_reasoning_models_are_asked_to_reason(model: str, reasons: bool) -> None:
    prompt = Prompt([user(text("a"))], thinking="high")
    sent = openai_responses.request(prompt, base_url="http://h", model=model, provider="openai").body
    assert sent.get("reasoning") == ({"summary": "auto", "effort": "high"} if reasons else None)


@pytest.mark.parametrize(
    ("base_url", "wire", "expected"),
    [
        ("", "", "openai-responses"),
        ("http://127.0.0.1:8000/v1", "", "openai-chat"),
        ("http://127.0.0.1:8000/v1", "openai-responses", "openai-responses"),
        ("https://api.openai.com/v1", "openai-chat", "openai-chat"),
        ("https://api.openai.com/v1", "nonsense", "openai-responses"),
    ],
)
def test_the_wire_follows_from_the_server(
    base_url: str, wire: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    monkeypatch.setenv("OPENAI_WIRE", wire)
    [choice] = choices()
    assert choice.wire == expected
    path = "/responses" if expected == "openai-responses" else "/chat/completions"
    assert choice.request(Prompt([user(text("a"))])).url.endswith(f"/v1{path}")
