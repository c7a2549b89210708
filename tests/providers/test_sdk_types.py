"""Every built request fits the official SDKs' own request types: no unknown key, nothing missing."""

from typing import Any

import pytest

from chatsite.providers import anthropic, gemini, openai_chat, openai_responses
from chatsite.providers.prompt import Prompt
from chatsite.tools.registry import definitions
from tests.providers import sdk
from tests.providers.build import assistant, call, result, text, user

PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
PDF = {
    "type": "document",
    "title": "a.pdf",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "AA=="},
}


def history(provider: str) -> list[dict[str, Any]]:
    """A conversation with everything in it, as written by `provider`."""
    private = {
        "anthropic": {},
        "gemini": {"thoughtSignature": "AA=="},
        "openai": {"item": {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "g"}},
    }[provider]
    thought = {"type": "thinking", "thinking": "hm", "signature": "S", "provider": private}
    return [
        user(text("look"), PICTURE, PDF),
        assistant(thought, text("Adding."), call("toolu_1", {"expression": "1+1"}), provider=provider),
        user(result("toolu_1", "2")),
        assistant(text("Two."), call("toolu_2", {"zone": "UTC"}), call("toolu_3"), provider=provider),
        user(result("toolu_2", [text("noon"), PICTURE]), result("toolu_3", "no", is_error=True)),
        assistant(text("It is noon."), provider=provider),
        user(text("thanks")),
    ]


def prompt(writer: str) -> Prompt:
    return Prompt(history(writer), system="Be brief.", tools=definitions(), thinking="high")


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_anthropic(writer: str) -> None:
    for model in ("claude-sonnet-5-5", "claude-haiku-4-5"):
        made = anthropic.request(prompt(writer), base_url="http://h", model=model, provider="anthropic")
        sdk.messages(made.body)


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_chat(writer: str) -> None:
    sdk.chat(openai_chat.request(prompt(writer), base_url="http://h", model="m", provider="openai").body)


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_responses(writer: str) -> None:
    body = openai_responses.request(
        prompt(writer), base_url="http://h", model="gpt-5.5", provider="openai"
    ).body
    sdk.responses(body)
    kinds = [item.get("type") for item in body["input"]]
    assert ("reasoning" in kinds) == (writer == "openai")


@pytest.mark.parametrize("writer", ["anthropic", "gemini", "openai"])
def test_gemini(writer: str) -> None:
    body = gemini.request(prompt(writer), base_url="http://h", model="gemini-3.5-flash").body
    assert {"systemInstruction", "tools"} <= set(body)
    parsed = sdk.gemini(body)
    signed = [p.thought_signature for c in parsed.contents for p in c.parts or [] if p.thought_signature]
    assert bool(signed) == (writer == "gemini")
