"""What the real servers of the other wires refuse, each as one function from a body to a problem or None.

(The Anthropic one is the demo's own: chatsite/providers/demo/validate.py.)
"""

import json
from typing import Any

PART_KEYS = ("text", "functionCall", "functionResponse", "inlineData", "fileData", "toolCall", "toolResponse")


def gemini(body: dict[str, Any]) -> str | None:
    """Turns alternate; calls are answered in order and number; signatures stay on their parts."""
    contents = body["contents"]
    if not contents:
        return "contents is not specified"
    calls: list[dict[str, Any]] = []
    for n, content in enumerate(contents):
        if content["role"] != ("model" if n % 2 else "user"):
            return f"contents[{n}]: roles must alternate"
        if not content["parts"]:
            return f"contents[{n}].parts must not be empty"
        for part in content["parts"]:
            if sum(key in part for key in PART_KEYS) != 1:
                return f"contents[{n}]: required oneof field 'data' must have one initialized field: {part}"
            if part.get("text") == "" and "thoughtSignature" not in part:
                return f"contents[{n}]: empty text"
            if set(part) - set(PART_KEYS) - {"thoughtSignature", "thought"}:
                return f"contents[{n}]: unknown name in part: {part}"
            if part.get("thoughtSignature", "own") != "own":
                return f"contents[{n}]: Corrupted thought signature"
        responses = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        if len(responses) != len(calls):
            return f"contents[{n}]: number of function response parts must equal the function call parts"
        for call, response in zip(calls, responses, strict=True):
            if call["name"] != response["name"] or call.get("id") != response.get("id"):
                return f"contents[{n}]: response does not fit its call"
            if not isinstance(response["response"], dict):
                return f"contents[{n}]: response must be a struct"
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        if any(not isinstance(call["args"], dict) for call in calls):
            return f"contents[{n}]: args must be a struct"
        ids = [call["id"] for call in calls if "id" in call]
        if len(set(ids)) != len(ids):
            return f"contents[{n}]: ids repeat"
    return "the last turn must be answered" if calls else None


def chat(body: dict[str, Any]) -> str | None:
    """Tool messages answer exactly the calls before them; nothing is empty; arguments are JSON objects."""
    pending: list[str] = []
    used: set[str] = set()
    for n, message in enumerate(body["messages"]):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in pending:
                return f"messages[{n}]: 'tool' must follow the 'tool_calls' that it answers"
            pending.remove(message["tool_call_id"])
            if not isinstance(message["content"], str):
                return f"messages[{n}]: content must be a string"
            continue
        if pending:
            return f"messages[{n}]: tool_call_ids did not have response messages: {pending}"
        if role == "system" and n:
            return f"messages[{n}]: system comes first"
        if role == "user" and not message["content"]:
            return f"messages[{n}]: empty content"
        if role == "assistant":
            if not message.get("content") and not message.get("tool_calls"):
                return f"messages[{n}]: content or tool_calls must be set"
            for call in message.get("tool_calls", []):
                if not isinstance(json.loads(call["function"]["arguments"]), dict):
                    return f"messages[{n}]: arguments must be an object"
                if len(call["id"]) > 40 or call["id"] in used:
                    return f"messages[{n}]: bad call id"
                used.add(call["id"])
                pending.append(call["id"])
    return f"unanswered: {pending}" if pending else None


def responses(body: dict[str, Any]) -> str | None:
    """Calls and outputs pair up; a reasoning item is encrypted and leads to something; ids are real ones."""
    calls: dict[str, bool] = {}
    items = body["input"]
    for n, item in enumerate(items):
        kind = item.get("type")
        following = items[n + 1] if n + 1 < len(items) else {}
        if kind == "reasoning":
            if not item.get("encrypted_content"):
                return f"input[{n}]: Item with id not found: items are not persisted when store is false"
            if (
                following.get("role") == "user"
                or not following
                or following.get("type") == "function_call_output"
            ):
                return f"input[{n}]: reasoning was provided without its required following item"
            if any(value is None for value in item.values()):
                return f"input[{n}]: null"
        elif kind == "function_call":
            if item["call_id"] in calls:
                return f"input[{n}]: call_id repeats"
            if not isinstance(json.loads(item["arguments"]), dict):
                return f"input[{n}]: arguments must be an object"
            calls[item["call_id"]] = False
        elif kind == "function_call_output":
            if calls.get(item["call_id"]) is not False:
                return f"input[{n}]: No tool call found for function call output"
            calls[item["call_id"]] = True
        elif "role" in item and not item.get("content"):
            return f"input[{n}]: empty content"
    open_calls = [call for call, answered in calls.items() if not answered]
    return f"No tool output found for function call {open_calls}" if open_calls else None
