"""Tools that a provider runs itself are asked for only where they exist."""

from chatsite.providers import anthropic, gemini, openai_chat
from chatsite.providers.prompt import SERVER_TOOLS, Prompt

MESSAGES = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
OURS = {"name": "add", "description": "", "input_schema": {"type": "object", "properties": {"a": {}}}}
PROMPT = Prompt(messages=MESSAGES, tools=[OURS], server_tools=SERVER_TOOLS)


def test_anthropic_gets_its_own_behind_ours() -> None:
    sent = anthropic.request(PROMPT, base_url="http://a", model="claude-sonnet-5-5", provider="anthropic")
    assert [tool["name"] for tool in sent.body["tools"]] == ["add", *SERVER_TOOLS]
    assert "code-execution" in sent.headers["anthropic-beta"]
    other = anthropic.request(PROMPT, base_url="http://a", model="glm-5.3", provider="glm")
    assert [tool["name"] for tool in other.body["tools"]] == ["add"]
    assert "anthropic-beta" not in other.headers


def test_gemini_gets_both_from_3_on_and_its_own_before() -> None:
    new = gemini.request(PROMPT, base_url="http://a", model="gemini-3.5-flash").body
    assert [next(iter(tool)) for tool in new["tools"]] == [
        "functionDeclarations",
        "googleSearch",
        "urlContext",
        "codeExecution",
    ]
    assert new["toolConfig"] == {"includeServerSideToolInvocations": True}
    old = gemini.request(PROMPT, base_url="http://a", model="gemini-2.5-flash").body
    assert [next(iter(tool)) for tool in old["tools"]] == ["googleSearch", "urlContext", "codeExecution"]


def test_others_get_none() -> None:
    sent = openai_chat.request(PROMPT, base_url="http://a", model="m", provider="openai")
    assert len(sent.body["tools"]) == 1
