"""Another model than was asked, and merely another name of the same."""

import pytest

from streamrender.served import another

SAME = [
    ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
    ("claude-sonnet-4-0", "claude-sonnet-4-20250514"),
    ("claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"),
    ("anthropic/claude-sonnet-4.5", "anthropic/claude-4.5-sonnet-20250929"),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"),
    ("claude-opus-4-1@20250805", "claude-opus-4-1-20250805"),
    ("models/gemini-2.5-flash", "gemini-2.5-flash"),
    ("gemini-2.0-flash", "gemini-2.0-flash-001"),
    ("gemini-2.5-pro", "gemini-2.5-pro-preview-05-06"),
    ("gemini-flash-latest", "gemini-2.5-flash-preview-09-2025"),
    ("gpt-4o", "gpt-4o-2024-08-06"),
    ("gpt-4", "gpt-4-0613"),
    ("glm-4.5", "GLM-4.5"),
    ("llama3", "llama3:latest"),
    ("deepseek/deepseek-r1:free", "deepseek/deepseek-r1"),
    ("accounts/fireworks/models/deepseek-v3", "deepseek-v3"),
    ("mistral-large", "mistral-large-2411"),
    ("gpt-5", ""),
    ("", "gpt-5"),
]
OTHER = [
    ("claude-opus-4-5", "claude-sonnet-4-5-20250929"),
    ("claude-sonnet-4", "claude-sonnet-4-5-20250929"),
    ("claude-3-7-sonnet-latest", "claude-3-5-sonnet-20241022"),
    ("gpt-4o", "gpt-4o-mini-2024-07-18"),
    ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
    ("gpt-4.5", "gpt-5.4"),
    ("gpt-3.5-turbo", "gpt-3.5-turbo-16k"),
    ("gemini-2.5-pro", "gemini-2.5-flash"),
    ("qwen3:8b", "qwen3:30b"),
    ("openrouter/auto", "openai/gpt-5"),
    ("glm-4.5", "glm-4.5-air"),
]


@pytest.mark.parametrize(("asked", "served"), SAME)
def test_another_name_is_no_other_model(asked: str, served: str) -> None:
    assert not another(asked, served)


@pytest.mark.parametrize(("asked", "served"), OTHER)
def test_another_model_is_one(asked: str, served: str) -> None:
    assert another(asked, served)
    assert another(served, asked) or asked.endswith("-latest")
