"""Short names for stored messages and blocks."""

from collections.abc import Callable
from typing import Any

from chatsite.providers.prompt import Prompt, UpstreamRequest


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any, provider: str = "anthropic", stop_reason: str = "end_turn") -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks), "provider": provider, "stop_reason": stop_reason}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(ident: str, input: Any = None, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": ident, "name": "calculator", "input": {} if input is None else input}
    if more.get("input_status", "complete") != "complete":
        block["input"] = None
    return {**block, "input_text": "", "input_status": "complete", **more}


def result(ident: str, content: Any, is_error: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": ident, "content": content, "is_error": is_error}


def body(build: Callable[..., UpstreamRequest], messages: list[Any], **options: Any) -> dict[str, Any]:
    provider = options.pop("provider", "anthropic")
    return build(Prompt(messages, **options), base_url="http://h", model="m", provider=provider).body
