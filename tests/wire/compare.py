"""How a message differs from what the corpus expects, and the streams where it is right that it does.

`differences` names the fields; EXCEPTIONS lists, one by one, the streams whose expectation is known to be
wrong or unspoken, with the very fields and the reason. A stream that differs in other fields, or no longer
differs, fails.
"""

from typing import Any

from tests.wire.support import text_of

_CUT = "the call was cut by max_tokens: an SDK's guess at its input is no input"
_GROQ = "the expectation reads no usage from x_groq"
_SPLICED = "the file holds two responses; what follows the terminal event is not part of the first"

EXCEPTIONS: dict[str, tuple[set[str], str]] = {
    "anthropic/anthropic-sdk-python/incomplete_partial_json_response.sse": ({"content"}, _CUT),
    "anthropic/anthropic-sdk-ts/incomplete_partial_json_response.sse": ({"content"}, _CUT),
    "llamacpp/messages-tool-use.sse": ({"content"}, _CUT),
    "llamacpp/messages-tool-use-max-tokens-mid-json.sse": ({"content"}, _CUT),
    "openai-chat/openinference/TestTokenCounts.test_groq.sse": ({"usage"}, _GROQ),
    "openai-chat/pydantic-ai/test_groq_model_thinking_part_iter.1.sse": ({"usage"}, _GROQ),
    "openai-chat/pydantic-ai/test_groq_model_thinking_part_iter.2.sse": ({"usage"}, _GROQ),
    "openai-chat/pydantic-ai/test_groq_model_web_search_tool_stream.sse": ({"usage"}, _GROQ),
    "openai-chat/pydantic-ai/test_snowflake_thinking_streaming.sse": (
        {"thinking"},
        "the expectation does not read reasoning_details, the only place where this server puts thinking",
    ),
    "openai-responses/vercel-ai/openai-shell-tool.1.sse": ({"text", "usage", "id", "items"}, _SPLICED),
    "openai-responses/vercel-ai/github-copilot-id-rotation.1.sse": (
        {"id"},
        "this gateway rotates the response's id; the first one, known from the start on, is kept",
    ),
}


def differences(wire: str, message: dict[str, Any], expected: dict[str, Any]) -> set[str]:
    """The names of what differs."""
    if "body" in expected:
        return set() if message["ended"] == "error" else {"ended"}
    ours, theirs = _VIEWS[wire](message, expected)
    return {key for key in theirs if ours[key] != theirs[key]}


def _bare(value: Any) -> Any:
    """A JSON value without nulls and without what is ours alone."""
    own = ("input_status", "input_text", "superseded")
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if one is not None and key not in own}
    return [_bare(one) for one in value] if isinstance(value, list) else value


View = tuple[dict[str, Any], dict[str, Any]]


def _anthropic(message: dict[str, Any], expected: dict[str, Any]) -> View:
    theirs = expected.get("message", expected)
    keys = ("id", "model", "role", "content", "stop_reason", "stop_sequence", "stop_details", "usage")
    ours = {**message, "usage": message["usage_raw"]}
    return {key: _bare(ours[key]) for key in keys}, {key: _bare(theirs.get(key)) for key in keys}


def _gemini(message: dict[str, Any], expected: dict[str, Any]) -> View:
    result = expected["result"]
    provider = message["provider"]
    blocks = message["content"]
    parts = [block["provider"]["part"] for block in blocks if "part" in block.get("provider", {})]
    signed = [block for block in blocks if "thoughtSignature" in block.get("provider", {})]
    images = [["inlineData"] for block in blocks if block["type"] == "image"]
    blocked = provider.get("promptFeedback", {}).get("blockReason")
    ours = {
        "text": text_of(message),
        "thinking": text_of(message, "thinking"),
        "calls": [[block["name"], block["input"]] for block in blocks if block["type"] == "tool_use"],
        "signatures": len(signed) + sum("thoughtSignature" in part for part in parts),
        "finish": None if blocked else provider.get("stop_reason"),
        "finish_message": provider.get("finishMessage"),
        "usage": message["usage_raw"] or None,
        "feedback": provider.get("promptFeedback"),
        "others": [sorted(part) for part in parts] + images,
        "grounding": sorted(provider.get("groundingMetadata", {})) or None,
    }
    theirs = {
        "text": result["text"],
        "thinking": result["thinking"],
        "calls": [[call["name"], _args(call)] for call in result["function_calls"]],
        "signatures": result["n_signatures"],
        "finish": result["finishReason"],
        "finish_message": result["finishMessage"],
        "usage": result["usageMetadata"],
        "feedback": result["promptFeedback"],
        "others": [sorted(keys) for keys in result["other_parts"]],
        "grounding": sorted(result["grounding_keys"] or []) or None,
    }
    return ours, theirs


def _args(call: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an expected call; streamed ones are folded here, by other code than the decoder's."""
    found: Any = call.get("args") or {}
    for piece in call.get("partialArgs", ()):
        path = piece["jsonPath"].removeprefix("$.").replace("[", ".[").split(".")
        here = found
        for step, following in zip(path, [*path[1:], None], strict=True):
            key: Any = int(step[1:-1]) if step.startswith("[") else step
            if isinstance(here, list) and key == len(here):
                here.append(None)
            if following is None:
                old = here[key] if isinstance(here, list) else here.get(key)
                new = next(
                    (piece[k] for k in ("stringValue", "numberValue", "boolValue") if k in piece), None
                )
                here[key] = old + new if isinstance(old, str) else new
            else:
                empty: Any = [] if following.startswith("[") else {}
                if isinstance(here, list):
                    here[key] = here[key] if here[key] is not None else empty
                else:
                    here.setdefault(key, empty)
                here = here[key]
    return found


def _chat(message: dict[str, Any], expected: dict[str, Any]) -> View:
    result = expected["result"]
    choice = next((one for one in result["choices"] if one["index"] == 0), {})
    calls = [block for block in message["content"] if block["type"] == "tool_use"]
    ours = {
        "text": text_of(message),
        "thinking": text_of(message, "thinking"),
        "calls": [[one["id"], one["name"], one["input_text"]] for one in calls],
        "finish": message["provider"].get("stop_reason"),
        "usage": message["usage_raw"],
        "id": message["id"],
        "model": message["model"],
        "error": bool(message["error"]),
    }
    theirs = {
        "text": choice.get("content") or "",
        "thinking": choice.get("reasoning") or "",
        "calls": [[one["id"], one["name"], one["arguments"]] for one in choice.get("tool_calls") or []],
        "finish": choice.get("finish_reason"),
        "usage": {key: one for key, one in (result["usage"] or {}).items() if one is not None},
        "id": result["meta"].get("id") or "",
        "model": result["meta"].get("model"),
        "error": bool(result["error"]) or (ours["error"] and choice.get("finish_reason") is None),
    }
    return ours, theirs


def _responses(message: dict[str, Any], expected: dict[str, Any]) -> View:
    response = expected["response"]
    output = response["output"]
    blocks = message["content"]
    items = [block["provider"]["item"] for block in blocks if "item" in block.get("provider", {})]
    first = [item for at, item in enumerate(items) if not at or item["id"] != items[at - 1]["id"]]
    said = [part for item in output if item["type"] == "message" for part in item["content"]]
    thoughts = [item for item in output if item["type"] == "reasoning"]
    texts = [[*one.get("summary", []), *(one.get("content") or [])] for one in thoughts]
    made = [one for one in blocks if one["type"] == "tool_use" and not one["provider"].get("custom")]
    ours = {
        "text": text_of(message),
        "thinking": [one["thinking"] for one in blocks if one["type"] == "thinking"],
        "calls": [[one["id"], one["name"], one["input_text"]] for one in made],
        "usage": message["usage_raw"],
        "id": message["id"],
        "items": [_lean(item) for item in first],
    }
    theirs = {
        "text": "".join(part.get("text") or part.get("refusal") or "" for part in said),
        "thinking": ["\n\n".join(part["text"] for part in parts) for parts in texts],
        "calls": [[o["call_id"], o["name"], o["arguments"]] for o in output if o["type"] == "function_call"],
        "usage": {key: one for key, one in (response.get("usage") or {}).items() if one is not None},
        "id": response["id"],
        "items": [_lean(item) for item in output],
    }
    return ours, theirs


def _lean(item: dict[str, Any]) -> dict[str, Any]:
    drop = ("content",) if item["type"] == "message" else ()
    image = item["type"] == "image_generation_call"
    return {key: one for key, one in item.items() if key not in drop and not (image and key == "result")}


_VIEWS = {
    "anthropic": _anthropic,
    "glm": _anthropic,
    "gemini": _gemini,
    "openai-chat": _chat,
    "openai-responses": _responses,
}
