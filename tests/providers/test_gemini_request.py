"""What goes to Gemini, word for word."""

import json
from typing import Any

import pytest

from chatsite.providers import gemini
from chatsite.providers.gemini_schema import clean_schema
from chatsite.providers.prompt import Prompt
from tests.providers.build import assistant, call, result, text, user


def contents(*history: Any) -> Any:
    return gemini.request(Prompt(list(history)), base_url="http://h", model="m").body["contents"]


def own(*blocks: Any, **more: Any) -> dict[str, Any]:
    return assistant(*blocks, provider="gemini", **more)


def test_the_whole_request() -> None:
    tool = {
        "name": "calculator",
        "description": "Adds.",
        "input_schema": {
            "type": "object",
            "properties": {"expression": {"type": "string", "maxLength": 5, "format": "math"}},
            "required": ["expression"],
            "additionalProperties": False,
        },
    }
    nothing = {"name": "now", "description": "", "input_schema": {"type": "object", "properties": {}}}
    prompt = Prompt(
        [user(text("hi"))], system="Be brief.", tools=[tool, nothing], max_tokens=99, thinking=True
    )
    request = gemini.request(
        prompt, base_url="https://generativelanguage.googleapis.com", model="gemini-3.5-flash", key="AIza"
    )
    assert request.url == (
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse"
    )
    assert request.headers["x-goog-api-key"] == "AIza"
    assert "AIza" not in json.dumps(request.redacted())
    assert request.body == {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "generationConfig": {"maxOutputTokens": 99, "thinkingConfig": {"includeThoughts": True}},
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "calculator",
                        "description": "Adds.",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {"expression": {"type": "STRING", "maxLength": 5}},
                            "required": ["expression"],
                        },
                    },
                    {"name": "now", "description": ""},
                ]
            }
        ],
    }


def test_signatures_go_back_to_the_part_they_came_with() -> None:
    signed = call("c1", {"a": 1}, provider={"thoughtSignature": "S1"})
    made = call("r_1", {"b": 2}, provider={"id_made": True})
    assert contents(
        user(text("a")),
        own({"type": "thinking", "thinking": "hm", "signature": ""}, text("wait"), signed, made),
        user(result("c1", "1"), result("r_1", "no", is_error=True)),
    ) == [
        {"role": "user", "parts": [{"text": "a"}]},
        {
            "role": "model",
            "parts": [
                {"text": "wait"},
                {
                    "functionCall": {"name": "calculator", "args": {"a": 1}, "id": "c1"},
                    "thoughtSignature": "S1",
                },
                {"functionCall": {"name": "calculator", "args": {"b": 2}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "calculator", "response": {"result": "1"}, "id": "c1"}},
                {"functionResponse": {"name": "calculator", "response": {"error": "no"}}},
            ],
        },
    ]


def test_signed_text_empty_signed_text_and_signed_thoughts() -> None:
    history = own(
        {"type": "thinking", "thinking": "signed thought", "provider": {"thoughtSignature": "T"}},
        {**text("plain, then signed"), "provider": {"thoughtSignature": "S", "signed_from": 7}},
        {"type": "text", "text": "", "provider": {"thoughtSignature": "E"}},
    )
    assert contents(user(text("a")), history, user(text("b")))[1]["parts"] == [
        {"text": "signed thought", "thought": True, "thoughtSignature": "T"},
        {"text": "plain, "},
        {"text": "then signed", "thoughtSignature": "S"},
        {"text": "", "thoughtSignature": "E"},
    ]


def test_parts_of_its_own_tools_go_back_as_they_came() -> None:
    part = {"toolCall": {"id": "x", "toolType": "FILE_SEARCH"}, "thoughtSignature": "S"}
    block = {
        "type": "server_tool_use",
        "id": "x",
        "name": "file_search",
        "input": {},
        "provider": {"part": part},
    }
    assert contents(user(text("a")), own(block, text("b")), user(text("c")))[1]["parts"][0] == part


def test_other_providers_parts_are_left_out() -> None:
    claude = assistant(
        {"type": "thinking", "thinking": "hm", "signature": "S"},
        {"type": "redacted_thinking", "data": "x"},
        {**text("yes"), "citations": [{"type": "x"}]},
        call("toolu_1", {"a": 1}),
    )
    sent = contents(user(text("a")), claude, user(result("toolu_1", [text("one"), text("two")])))
    assert sent[1]["parts"] == [
        {"text": "yes"},
        {"functionCall": {"name": "calculator", "args": {"a": 1}}},
    ]
    assert sent[2]["parts"] == [
        {"functionResponse": {"name": "calculator", "response": {"result": "one\ntwo"}}}
    ]


def test_pictures_in_questions_and_results() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    data = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    sent = contents(user(text("a"), picture), own(call("c1")), user(result("c1", [picture])))
    assert sent[0]["parts"] == [{"text": "a"}, data]
    assert sent[2]["parts"][1] == data


@pytest.mark.parametrize(
    ("model", "thinking", "config"),
    [
        ("gemini-3.5-flash", True, {"includeThoughts": True}),
        ("gemini-3.5-flash", "low", {"includeThoughts": True, "thinkingLevel": "LOW"}),
        ("gemini-3.5-flash", "max", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("gemini-2.5-pro", "medium", {"includeThoughts": True, "thinkingBudget": 8192}),
        ("gemini-3.5-flash", False, None),
    ],
)
def test_the_thinking_config(model: str, thinking: Any, config: Any) -> None:
    prompt = Prompt([user(text("a"))], thinking=thinking)
    sent = gemini.request(prompt, base_url="http://h/v1beta", model=model).body
    assert sent["generationConfig"].get("thinkingConfig") == config


def test_schemas_are_cleaned() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "kind": {"const": "a"},
            "level": {"type": "integer", "enum": [1, 2], "format": "uint8"},
            "when": {"type": "string", "format": "date-time", "default": "x"},
            "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "either": {"oneOf": [{"type": "string"}, {"type": "number"}]},
            "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
            "bare": {"type": "array"},
            "tree": {"$ref": "#/$defs/tree"},
            "both": {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]},
        },
        "required": ["kind", "unknown"],
        "$defs": {
            "tag": {"type": "string", "minLength": 1, "examples": ["x"]},
            "tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}},
        },
    }
    cleaned = clean_schema(schema)
    properties = cleaned["properties"]
    assert cleaned["required"] == ["kind"]
    assert properties["kind"] == {"type": "STRING", "enum": ["a"]}
    assert properties["level"] == {"type": "INTEGER"}
    assert properties["when"] == {"type": "STRING", "format": "date-time"}
    assert properties["maybe"] == {"type": "STRING", "nullable": True}
    assert properties["either"] == {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}
    assert properties["tags"] == {"type": "ARRAY", "items": {"type": "STRING", "minLength": 1}}
    assert properties["bare"] == {"type": "ARRAY", "items": {"type": "STRING"}}
    assert properties["both"] == {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}
    assert "$" not in json.dumps(cleaned)
