"""What the official SDKs make of a stream that a server sends them, in a form that ours can be brought to as
well.

Slow to import: only the oracle tests and the benchmark do.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import anthropic
import httpx2
import openai
from google import genai
from google.genai import types
from openai.lib.streaming.chat import ChatCompletionStreamState

from tests.wire.replay import BODY
from tests.wire.support import text_of

KEY = "none"  # pragma: allowlist secret


def _bare(value: Any) -> Any:
    own = ("input_status", "input_text", "superseded")
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if one is not None and key not in own}
    return [_bare(one) for one in value] if isinstance(value, list) else value


# Bodies for the address MEMORY, which is answered without a socket (the benchmark times the SDKs alone).
MEMORY = "http://memory"
BODIES: list[bytes] = []


def _from_memory(request: httpx2.Request) -> httpx2.Response:
    kind = {"content-type": "text/event-stream"}
    return httpx2.Response(200, headers=kind, content=BODIES[int(request.headers[BODY])])


def _transport(url: str) -> dict[str, Any]:
    return {"transport": httpx2.MockTransport(_from_memory)} if url == MEMORY else {}


@cache
def _anthropic(url: str) -> anthropic.Anthropic:
    http = httpx2.Client(**_transport(url))
    return anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0, http_client=http)


@cache
def _openai(url: str) -> openai.OpenAI:
    http = httpx2.Client(**_transport(url))
    return openai.OpenAI(api_key=KEY, base_url=url, max_retries=0, http_client=http)


@cache
def _gemini(url: str) -> genai.Client:
    return genai.Client(
        api_key=KEY, http_options=types.HttpOptions(base_url=url, client_args=_transport(url))
    )


def anthropic_sdk(url: str, number: int) -> dict[str, Any]:
    """The accumulated message of the beta client (it knows all blocks)."""
    ask: Any = [{"role": "user", "content": "x"}]
    asking = _anthropic(url).beta.messages.stream(
        model="m", max_tokens=9, messages=ask, extra_headers={BODY: str(number)}
    )
    with asking as stream:
        found = stream.get_final_message()
    return _bare(found.model_dump(mode="json", warnings=False, by_alias=True))  # type: ignore[no-any-return]


def ours_like_anthropic(message: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    keys = ("id", "model", "role", "content", "stop_reason", "stop_sequence", "usage")
    return {key: _bare(message["usage_raw" if key == "usage" else key]) for key in keys if key in theirs}


def chat_sdk(url: str, number: int) -> dict[str, Any]:
    """Text, calls, end and usage by the SDK's own stream state."""
    client = _openai(url)
    state: Any = ChatCompletionStreamState()
    ask: Any = [{"role": "user", "content": "x"}]
    for chunk in client.chat.completions.create(
        model="m", messages=ask, stream=True, extra_headers={BODY: str(number)}
    ):
        state.handle_chunk(chunk)
    whole = state.current_completion_snapshot
    first = next((one for one in whole.choices if one.index == 0), None)
    said = first.message if first else None
    calls = (said.tool_calls or []) if said else []
    return {
        "id": whole.id,
        "model": whole.model,
        "text": (said.content or "") if said else "",
        "calls": [[one.id, one.function.name, one.function.arguments or ""] for one in calls],
        "finish": first.finish_reason if first else None,
        "usage": _bare(whole.usage.model_dump(mode="json")) if whole.usage else {},
    }


def ours_like_chat(message: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    calls = [one for one in message["content"] if one["type"] == "tool_use"]
    return {
        "id": message["id"],
        "model": message["model"],
        "text": text_of(message),
        "calls": [[one["id"], one["name"], one["input_text"]] for one in calls],
        "finish": message["provider"].get("stop_reason"),
        "usage": _bare(message["usage_raw"]),
    }


def responses_sdk(url: str, number: int) -> dict[str, Any]:
    """Texts, calls and usage of the SDK's accumulated response."""
    with _openai(url).responses.stream(model="m", input="x", extra_headers={BODY: str(number)}) as stream:
        found = stream.get_final_response()
    whole = found.model_dump(mode="json", warnings=False)
    output = whole["output"]
    parts = [part for item in output if item["type"] == "message" for part in item["content"]]
    calls = [item for item in output if item["type"] == "function_call"]
    return {
        "id": whole["id"],
        "text": "".join(part.get("text") or part.get("refusal") or "" for part in parts),
        "calls": [[item["call_id"], item["name"], item["arguments"]] for item in calls],
        "items": [item["type"] for item in output],
        "usage": _bare(whole["usage"]) or {},
    }


def ours_like_responses(message: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    blocks = message["content"]
    items = [block["provider"]["item"] for block in blocks if "item" in block.get("provider", {})]
    apart = [item for at, item in enumerate(items) if not at or item["id"] != items[at - 1]["id"]]
    calls = [one for one in blocks if one["type"] == "tool_use" and not one["provider"].get("custom")]
    return {
        "id": message["id"],
        "text": text_of(message),
        "calls": [[one["id"], one["name"], one["input_text"]] for one in calls],
        "items": [item["type"] for item in apart],
        "usage": _bare(message["usage_raw"]),
    }


def gemini_sdk(url: str, number: int) -> dict[str, Any]:
    """A fold over the SDK's parsed chunks, since it has no accumulator."""
    client = _gemini(url)
    config = types.GenerateContentConfig(http_options=types.HttpOptions(headers={BODY: str(number)}))
    text: list[str] = []
    thinking: list[str] = []
    calls: list[list[Any]] = []
    signatures = 0
    finish = usage = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for chunk in client.models.generate_content_stream(model="m", contents="x", config=config):
            usage = chunk.usage_metadata or usage
            for candidate in chunk.candidates or []:
                finish = candidate.finish_reason or finish
                for part in (candidate.content.parts if candidate.content else None) or []:
                    (thinking if part.thought else text).append(part.text or "")
                    signatures += bool(part.thought_signature)
                    if part.function_call and part.function_call.name:
                        calls.append([part.function_call.name, part.function_call.args or {}])
    counted = ("prompt_token_count", "candidates_token_count", "thoughts_token_count", "total_token_count")
    return {
        "text": "".join(text),
        "thinking": "".join(thinking),
        "calls": calls,
        "signatures": signatures,
        "finish": finish.value if finish else None,
        "usage": [getattr(usage, name) or 0 for name in counted] if usage else [0] * 4,
    }


def ours_like_gemini(message: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    blocks = message["content"]
    parts = [{**one.get("provider", {}), **one.get("provider", {}).get("part", {})} for one in blocks]
    feedback = message["provider"].get("promptFeedback", {}).get("blockReason")
    raw = message["usage_raw"]
    counted = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount")
    return {
        "text": text_of(message),
        "thinking": text_of(message, "thinking"),
        "calls": [[one["name"], one["input"]] for one in blocks if one["type"] == "tool_use"],
        "signatures": sum("thoughtSignature" in part for part in parts),
        "finish": None if feedback else message["provider"].get("stop_reason"),
        "usage": [raw.get(name, 0) for name in counted],
    }


Oracle = tuple[
    Callable[[str, int], dict[str, Any]], Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]
]

ORACLES: dict[str, Oracle] = {
    "anthropic": (anthropic_sdk, ours_like_anthropic),
    "glm": (anthropic_sdk, ours_like_anthropic),
    "gemini": (gemini_sdk, ours_like_gemini),
    "openai-chat": (chat_sdk, ours_like_chat),
    "openai-responses": (responses_sdk, ours_like_responses),
}
