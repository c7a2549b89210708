"""What a conversation's settings become on each wire, value by value."""

from typing import Any

import pytest

from chatsite.providers import anthropic, gemini, openai_chat, openai_responses
from chatsite.providers.prompt import EFFORTS, Prompt
from tests.providers.build import text, user

BUILDERS: dict[str, Any] = {
    "anthropic": anthropic.request,
    "glm": anthropic.request,
    "gemini": gemini.request,
    "chat": openai_chat.request,
    "responses": openai_responses.request,
}
HOSTS = {"chat": "https://api.openai.com/v1", "responses": "https://api.openai.com/v1"}


def body(wire: str, model: str, **settings: Any) -> dict[str, Any]:
    """The request body for this model."""
    prompt = Prompt([user(text("a"))], **{"max_tokens": 100_000, **settings})
    base_url = HOSTS.get(wire, "http://h")
    made = BUILDERS[wire](prompt, base_url=base_url, model=model, provider=wire).body
    assert isinstance(made, dict)
    return made


def thinking(wire: str, model: str, effort: Any) -> Any:
    """All that the body says about thinking."""
    made = body(wire, model, thinking=effort)
    known = ("thinking", "output_config", "reasoning", "reasoning_effort")
    said = {key: made[key] for key in known if key in made}
    return said | made.get("generationConfig", {}).get("thinkingConfig", {})


@pytest.mark.parametrize(
    ("wire", "model", "expected"),
    [
        ("anthropic", "claude-opus-5-5", ["low", "medium", "high", "xhigh", "max"]),
        ("anthropic", "claude-opus-4-6", ["low", "medium", "high", "high", "max"]),
    ],
)
def test_claude_that_chooses_its_budget_is_told_an_effort(wire: str, model: str, expected: list[str]) -> None:
    for effort, word in zip(EFFORTS, expected, strict=True):
        assert thinking(wire, model, effort) == {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": word},
        }
    assert thinking(wire, model, "off") == {}


@pytest.mark.parametrize(("wire", "model"), [("anthropic", "claude-haiku-4-5"), ("glm", "glm-5.3")])
def test_older_claude_and_glm_are_told_a_budget(wire: str, model: str) -> None:
    for effort, budget in zip(EFFORTS, [2048, 8192, 16384, 32768, 65536], strict=True):
        assert thinking(wire, model, effort) == {"thinking": {"type": "enabled", "budget_tokens": budget}}


def test_glm_thinks_by_itself_so_it_is_told_not_to() -> None:
    assert thinking("glm", "glm-5.3", "off") == {"thinking": {"type": "disabled"}}
    assert thinking("glm", "glm-5.3", False) == {}
    assert thinking("anthropic", "claude-haiku-4-5", "off") == {}


@pytest.mark.parametrize(
    ("model", "key", "expected"),
    [
        ("gemini-2.5-flash", "thinkingBudget", [2048, 8192, 24576, 24576, 24576, 0]),
        ("gemini-2.5-pro", "thinkingBudget", [2048, 8192, 24576, 24576, 24576, 128]),
        ("gemini-3.5-flash", "thinkingLevel", ["LOW", "MEDIUM", "HIGH", "HIGH", "HIGH", "MINIMAL"]),
        ("gemini-3-pro", "thinkingLevel", ["LOW", "MEDIUM", "HIGH", "HIGH", "HIGH", "LOW"]),
    ],
)
def test_gemini_is_told_a_budget_or_a_level(model: str, key: str, expected: list[Any]) -> None:
    for effort, value in zip([*EFFORTS, "off"], expected, strict=True):
        shown = {} if effort == "off" else {"includeThoughts": True}
        assert thinking("gemini", model, effort) == {**shown, key: value}
    assert thinking("gemini", model, True) == {"includeThoughts": True}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-5.5", ["low", "medium", "high", "xhigh", "xhigh", "none"]),
        ("gpt-5", ["low", "medium", "high", "high", "high", "minimal"]),
        ("o4-mini", ["low", "medium", "high", "high", "high", "low"]),
    ],
)
def test_openai_is_told_an_effort(model: str, expected: list[str]) -> None:
    for effort, word in zip([*EFFORTS, "off"], expected, strict=True):
        summary = {} if effort == "off" else {"summary": "auto"}
        assert thinking("responses", model, effort) == {"reasoning": {**summary, "effort": word}}
        assert thinking("chat", model, effort) == {"reasoning_effort": word}
    assert thinking("responses", model, True) == {"reasoning": {"summary": "auto"}}
    assert thinking("chat", model, True) == {}


def test_models_without_reasoning_are_told_nothing() -> None:
    assert thinking("responses", "gpt-4.1", "high") == {}
    assert thinking("chat", "gpt-4.1", "off") == {}


def test_a_temperature_goes_where_it_is_taken() -> None:
    def given(wire: str, model: str, **more: Any) -> Any:
        made = body(wire, model, temperature=1.5, **more)
        return made.get("temperature", made.get("generationConfig", {}).get("temperature"))

    assert given("anthropic", "claude-haiku-4-5") == 1.0
    assert given("anthropic", "claude-haiku-4-5", thinking="low") is None
    assert given("glm", "glm-5.3", thinking="low") == 1.0
    assert given("gemini", "gemini-3.5-flash", thinking="low") == 1.5
    assert given("chat", "gpt-4.1") == 1.5
    assert given("chat", "gpt-5.5") is None
    assert given("responses", "gpt-4.1") == 1.5
    assert given("responses", "gpt-5.5", thinking="low") is None


def test_the_limit_of_an_answer_and_the_system_prompt() -> None:
    told = {"max_tokens": 321, "system": "Be brief."}
    assert body("anthropic", "m", **told)["max_tokens"] == 321
    assert body("glm", "m", **told)["system"] == "Be brief."
    made = body("gemini", "m", **told)
    assert made["generationConfig"]["maxOutputTokens"] == 321
    assert made["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert body("chat", "m", **told)["max_completion_tokens"] == 321
    assert body("chat", "m", **told)["messages"][0] == {"role": "system", "content": "Be brief."}
    made = body("responses", "m", **told)
    assert (made["max_output_tokens"], made["instructions"]) == (321, "Be brief.")
