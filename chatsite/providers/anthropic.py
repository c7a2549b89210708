"""Requests on the Anthropic Messages wire: Claude, GLM and every compatible server.

Signed thinking and redacted thinking go back byte for byte, and only to the provider that signed them.
"""

from __future__ import annotations

import re
from typing import Any

from chatsite.providers.anthropic_cache import with_breakpoints
from chatsite.providers.history import THINKING, call_input, replayable
from chatsite.providers.prompt import OFF, Block, Message, Prompt, UpstreamRequest

VERSION = "2023-06-01"
OURS = frozenset({"input_text", "input_status", "provider", "superseded", "index"})
"""Keys of a stored block that are not the provider's."""
DROP_WHEN_NONE = frozenset({"citations", "caller", "toolset_name"})
ADAPTIVE = re.compile(r"claude-(?:opus|sonnet)-4-[6-9]|claude-[a-z]+-(?:[5-9]|\d\d)(?:-|$)|claude-mythos")
"""Claude models that choose their own thinking budget; the others take `budget_tokens`."""
BUDGETS = {"low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768, "max": 65536}
SMALLEST_BUDGET = 1024
SERVER_TOOLS: dict[str, dict[str, Any]] = {
    "web_search": {"type": "web_search_20250305", "name": "web_search", "max_uses": 8},
    "web_fetch": {
        "type": "web_fetch_20250910",
        "name": "web_fetch",
        "max_uses": 8,
        "citations": {"enabled": True},
    },
    "code_execution": {"type": "code_execution_20250825", "name": "code_execution"},
}
"""Anthropic runs these itself."""
BETAS = {"web_fetch": "web-fetch-2025-09-10", "code_execution": "code-execution-2025-08-25"}


def request(prompt: Prompt, *, base_url: str, model: str, key: str = "", provider: str) -> UpstreamRequest:
    """The streaming POST to `base_url`/v1/messages; `key` empty for servers without keys."""
    messages = [
        {"role": message["role"], "content": content}
        for message in _complete_server_calls(replayable(_known(prompt, model), provider, safe_id))
        if (content := _content(message))
    ]
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": prompt.max_tokens,
        "stream": True,
        "messages": _joined(messages),
    }
    if prompt.system.strip():
        body["system"] = prompt.system
    if prompt.tools:
        body["tools"] = [
            {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "input_schema": tool["input_schema"],
            }
            for tool in prompt.tools
        ]
    if provider == "anthropic" and prompt.server_tools:
        body["tools"] = body.get("tools", []) + [
            dict(SERVER_TOOLS[one]) for one in SERVER_TOOLS if one in prompt.server_tools
        ]
    body.update(_thinking(prompt, model, provider, body["messages"]))
    if prompt.temperature is not None and (provider != "anthropic" or "thinking" not in body):
        # Claude refuses a temperature beside thinking, and one above 1.
        body["temperature"] = min(prompt.temperature, 1.0)
    if provider == "anthropic":
        body = with_breakpoints(body)
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "anthropic-version": VERSION,
    }
    betas = [BETAS[one] for one in BETAS if one in prompt.server_tools and provider == "anthropic"]
    if betas:
        headers["anthropic-beta"] = ",".join(betas)
    if key:
        headers["x-api-key"] = key
    return UpstreamRequest("POST", messages_url(base_url), headers, body)


def _known(prompt: Prompt, model: str) -> list[Message]:
    """The messages, those of another server under the same name marked as foreign.

    ANTHROPIC_BASE_URL may have pointed elsewhere before: Claude refuses any signature but its own. A model
    that is not named like Claude may be an alias for it, so to that one everything goes back.
    """
    if "claude" not in model:
        return prompt.messages
    return [
        {**message, "provider": "another server"}
        if message["role"] == "assistant" and "claude" not in (message.get("model") or model)
        else message
        for message in prompt.messages
    ]


def messages_url(base_url: str) -> str:
    """The endpoint under a base URL given with or without its `/v1`.

    >>> messages_url("https://api.z.ai/api/anthropic/")
    'https://api.z.ai/api/anthropic/v1/messages'
    """
    base = base_url.rstrip("/")
    return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"


def _content(message: Message) -> list[Block]:
    blocks = [wire for block in message["content"] if (wire := _block(block)) is not None]
    while message["role"] == "assistant" and blocks and blocks[-1]["type"] in THINKING:
        # An answer may not end in thinking: the server refuses it.
        blocks.pop()
    return blocks


def _block(block: Block) -> Block | None:
    """One block in the wire's own keys, or None when it cannot be replayed."""
    kind = block.get("type")
    if kind == "thinking":
        if not block.get("signature"):
            return None
        return {"type": "thinking", "thinking": block.get("thinking", ""), "signature": block["signature"]}
    if kind == "redacted_thinking":
        return {"type": "redacted_thinking", "data": block["data"]}
    if kind == "text" and not str(block.get("text") or "").strip():
        return None
    wire = {
        key: value
        for key, value in block.items()
        if key not in OURS and not (key in DROP_WHEN_NONE and value is None)
    }
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        wire["input"] = call_input(block)
    elif kind == "tool_result":
        wire["content"] = _result_content(block.get("content"))
        if not block.get("is_error"):
            wire.pop("is_error", None)
    return wire


def _result_content(content: Any) -> Any:
    """A result's content without blank texts; other providers' ids and keys never get in here."""
    if not isinstance(content, list):
        return content or ""
    return [part for part in content if part.get("type") != "text" or part.get("text", "").strip()]


def safe_id(call: str) -> str:
    """A call id in the letters that the wire takes; other wires' ids may hold any.

    >>> safe_id("functions.add:0")
    'functions_add_0'
    """
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call)


def _complete_server_calls(messages: list[Message]) -> list[Message]:
    """Leave out calls of provider-run tools that never got their result, except in the last answer.

    The last answer may be waiting: after `pause_turn` it goes back unchanged.
    """
    answered = {
        block["tool_use_id"]
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if block.get("tool_use_id")
    }
    last = max((n for n, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    waiting = last >= 0 and all(
        block.get("type") == "tool_result" for message in messages[last + 1 :] for block in message["content"]
    )
    return [
        {
            "role": message["role"],
            "content": [
                block
                for block in message["content"]
                if block.get("type") not in ("server_tool_use", "mcp_tool_use")
                or block.get("id") in answered
                or (n == last and waiting)
            ],
        }
        for n, message in enumerate(messages)
    ]


def _joined(messages: list[Message]) -> list[Message]:
    """Join neighbours of one role, which dropping unsigned thinking can leave behind."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"]:
            joined[-1] = {"role": message["role"], "content": joined[-1]["content"] + message["content"]}
        else:
            joined.append(message)
    while joined and joined[0]["role"] == "assistant":
        joined.pop(0)
    if joined and joined[-1]["role"] == "assistant" and joined[-1]["content"][-1]["type"] == "text":
        # An answer to be continued may not end in white space.
        final = joined[-1]["content"][-1]
        joined[-1]["content"][-1] = {**final, "text": final["text"].rstrip()}
    return joined


def _thinking(prompt: Prompt, model: str, provider: str, messages: list[Message]) -> dict[str, Any]:
    """The thinking parameters, none when off or when this tool round began without thinking."""
    effort = prompt.effort()
    if prompt.thinking == OFF and provider == "glm":
        return {"thinking": {"type": "disabled"}}
    if effort is None or _round_without_thinking(messages):
        return {}
    if provider == "anthropic" and ADAPTIVE.search(model):
        return {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": "high" if effort == "xhigh" and "-4-6" in model else effort},
        }
    budget = min(BUDGETS.get(effort, BUDGETS["medium"]), prompt.max_tokens * 3 // 4)
    if budget < SMALLEST_BUDGET:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _round_without_thinking(messages: list[Message]) -> bool:
    """True when tool results go back to an answer that did not begin with thinking: the wire then
    refuses the parameter."""
    if len(messages) < 2 or messages[-1]["content"][0]["type"] != "tool_result":
        return False
    return messages[-2]["content"][0]["type"] not in THINKING
