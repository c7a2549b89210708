"""The environment names the upstreams, and is read whenever it is asked."""

import pytest

from chatsite.providers.prompt import Prompt, redact_url
from chatsite.providers.registry import UnknownChoice, choices, get


def test_with_nothing_set_there_is_the_demo_alone() -> None:
    [choice] = choices()
    assert (choice.key, choice.provider, choice.wire, choice.demo) == ("demo", "demo", "anthropic", True)
    assert get(None) == get("demo") == choice


def test_a_key_alone_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-1")
    [choice] = choices()
    assert not choice.demo
    assert choice.label.startswith("Anthropic")
    request = choice.request(Prompt([{"role": "user", "content": "hi"}]))
    assert request.url == "https://api.anthropic.com/v1/messages"
    assert request.headers["x-api-key"] == "sk-ant-1"
    assert "sk-ant-1" not in repr(choice)


def test_a_base_url_alone_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLM_BASE_URL", "http://127.0.0.1:8080/v1/")
    request = get(None).request(Prompt([{"role": "user", "content": "hi"}]))
    assert request.url == "http://127.0.0.1:8080/v1/messages"
    assert "x-api-key" not in request.headers


def test_several_models_and_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a")
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-opus-5-5, claude-haiku-5-5,,claude-opus-5-5 ")
    monkeypatch.setenv("GEMINI_API_KEY", "g")
    found = choices()
    assert [choice.key for choice in found] == [
        "anthropic:claude-opus-5-5",
        "anthropic:claude-haiku-5-5",
        "gemini:gemini-3.5-flash",
    ]
    assert get(None).model == "claude-opus-5-5"
    assert get("gemini:gemini-3.5-flash").wire == "gemini"


def test_an_unknown_key_is_a_clear_error() -> None:
    with pytest.raises(UnknownChoice, match="'glm:gone'"):
        get("glm:gone")
    assert issubclass(UnknownChoice, KeyError)


def test_the_demo_can_still_be_named_beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLM_API_KEY", "x")
    assert [choice.key for choice in choices()] == ["glm:glm-5.3"]
    assert get("demo").demo


def test_secrets_leave_urls() -> None:
    assert redact_url("https://u:p@h:1/a?key=SECRET&alt=sse#x") == "https://h:1/a?key=%5Bremoved%5D&alt=sse"
    assert redact_url("demo:/v1/messages") == "demo:/v1/messages"
