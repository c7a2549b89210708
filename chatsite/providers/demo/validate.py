"""Refuses what the real Messages server refuses, with messages in its manner.

Roles alternate and begin with the user; every tool call is answered in the very next message and nothing
else is; thinking comes back signed and unchanged; no text is blank; no key is made up.
"""

from __future__ import annotations

import re
from typing import Any

from chatsite.providers.demo.signature import is_sealed, is_signed

KEYS = {
    "text": {"text", "citations", "cache_control"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
    "tool_use": {"id", "name", "input", "caller", "cache_control"},
    "tool_result": {"tool_use_id", "content", "is_error", "cache_control"},
    "image": {"source", "cache_control"},
    "document": {"source", "title", "context", "citations", "cache_control"},
    "fallback": {"from", "to", "trigger"},
}
ASSISTANT_ONLY = {"thinking", "redacted_thinking", "tool_use", "fallback"}
THINKING = {"thinking", "redacted_thinking"}
USER_ONLY = {"tool_result", "image", "document"}
BODY = {
    "model", "max_tokens", "stream", "messages", "system", "tools", "tool_choice", "thinking",
    "output_config", "temperature", "top_p", "top_k", "stop_sequences", "metadata", "cache_control",
}  # fmt: skip
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ID = re.compile(r"[a-zA-Z0-9_-]+")


def problem(body: Any, headers: dict[str, str]) -> str | None:
    """What is wrong with a request, or None. `headers` names are in lower case."""
    if "anthropic-version" not in headers:
        return "anthropic-version: header is required"
    if not isinstance(body, dict):
        return "The request body is not valid JSON."
    for key in body:
        if key not in BODY:
            return f"{key}: Extra inputs are not permitted"
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "model: Field required"
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        return "max_tokens: Input should be greater than or equal to 1"
    if body.get("stream") is not True:
        return "stream: this server only streams"
    if isinstance(body.get("system"), str) and not body["system"].strip():
        return "system: text content blocks must contain non-whitespace text"
    return _tools(body.get("tools")) or _thinking(body, limit) or _messages(body.get("messages"), body)


def _tools(tools: Any) -> str | None:
    if tools is None:
        return None
    names = set()
    for n, tool in enumerate(tools):
        if not NAME.fullmatch(str(tool.get("name"))):
            return f"tools.{n}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if tool["name"] in names:
            return "tools: Tool names must be unique."
        names.add(tool["name"])
        schema = tool.get("input_schema")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            return f"tools.{n}.input_schema.type: Field required"
    return None


def _thinking(body: dict[str, Any], limit: int) -> str | None:
    thinking = body.get("thinking")
    if not thinking or thinking.get("type") != "enabled":
        return None
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or budget < 1024:
        return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    if budget >= limit:
        return "`max_tokens` must be greater than `thinking.budget_tokens`"
    return None


def _messages(messages: Any, body: dict[str, Any]) -> str | None:
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    pending: list[str] = []
    used: set[str] = set()
    for n, message in enumerate(messages):
        where = f"messages.{n}"
        expected = "assistant" if n % 2 else "user"
        if not isinstance(message, dict) or set(message) != {"role", "content"}:
            return f"{where}: a message has exactly role and content"
        if message["role"] != expected:
            return f'{where}: roles must alternate between "user" and "assistant", beginning with "user"'
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list) or not content:
            return f"{where}: all messages must have non-empty content"
        for m, block in enumerate(content):
            wrong = _block(block, message["role"])
            if wrong:
                return f"{where}.content.{m}.{wrong}"
        wrong = _pairs(content, pending)
        if wrong:
            return f"{where}: {wrong}"
        pending = [block["id"] for block in content if block["type"] == "tool_use"]
        if len(set(pending)) != len(pending) or used & set(pending):
            return f"{where}: `tool_use` ids must be unique"
        used |= set(pending)
        if message["role"] == "assistant" and content[-1]["type"] in THINKING:
            return f"{where}: The final block in an assistant message cannot be `thinking`."
    if pending:
        return _unanswered(pending)
    return _last(messages, body)


def _last(messages: list[dict[str, Any]], body: dict[str, Any]) -> str | None:
    final = messages[-1]["content"]
    if messages[-1]["role"] == "assistant":
        text = final if isinstance(final, str) else final[-1].get("text", "")
        spaced = text[-1:].isspace()
        return "messages: final assistant content cannot end with trailing whitespace" if spaced else None
    enabled = (body.get("thinking") or {}).get("type") == "enabled"
    if enabled and not isinstance(final, str) and final[0]["type"] == "tool_result":
        first = messages[-2]["content"][0]["type"]
        if first not in THINKING:
            where = f"messages.{len(messages) - 2}.content.0.type"
            return f"{where}: Expected `thinking` or `redacted_thinking`, but found `{first}`."
    return None


def _pairs(content: list[dict[str, Any]], pending: list[str]) -> str | None:
    results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
    for call in results:
        if call not in pending:
            return (
                f"unexpected `tool_use_id` found in `tool_result` blocks: {call}. Each `tool_result` block "
                "must have a corresponding `tool_use` block in the previous message."
            )
    if len(set(results)) != len(results):
        return "each tool_use must have a single result"
    missing = [call for call in pending if call not in results]
    if missing:
        return _unanswered(missing)
    if results and any(b["type"] != "tool_result" for b in content[: len(results)]):
        return "tool_result blocks must come first"
    return None


def _unanswered(calls: list[str]) -> str:
    return f"`tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(calls)}"


def _block(block: Any, role: str) -> str | None:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in KEYS:
        return f"type: Input tag '{kind}' is not expected"
    for key in block:
        if key != "type" and key not in KEYS[kind]:
            return f"{kind}.{key}: Extra inputs are not permitted"
    if (role == "user" and kind in ASSISTANT_ONLY) or (role == "assistant" and kind in USER_ONLY):
        return f"type: `{kind}` blocks are not allowed in {role} messages"
    if kind == "text" and not str(block.get("text") or "").strip():
        return "text: text content blocks must contain non-whitespace text"
    if kind == "thinking":
        text, signature = block.get("thinking"), block.get("signature")
        if not isinstance(text, str) or not isinstance(signature, str) or not is_signed(text, signature):
            return "thinking: Invalid `signature` in `thinking` block"
    if kind == "redacted_thinking" and not is_sealed(str(block.get("data"))):
        return "redacted_thinking: Invalid `data` in `redacted_thinking` block"
    if kind == "tool_use":
        if not ID.fullmatch(str(block.get("id"))):
            return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        if not isinstance(block.get("input"), dict):
            return "tool_use.input: Input should be a valid dictionary"
        if not NAME.fullmatch(str(block.get("name"))):
            return "tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
    if kind == "tool_result" and not isinstance(block.get("content", ""), str):
        for part in block["content"]:
            if part.get("type") == "text" and not part.get("text", "").strip():
                return "tool_result.content: text content blocks must contain non-whitespace text"
    return None
