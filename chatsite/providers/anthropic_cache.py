"""Where an Anthropic prompt cache may begin again: a growing conversation is read from the cache each time.

Breakpoints stand behind tools and system prompt, and behind the last two user messages: the older of these
was the end of the previous request, so its cached prefix is found, however many blocks came since.
"""

from __future__ import annotations

from typing import Any

MARK = {"type": "ephemeral"}
USER_BREAKPOINTS = 2


def with_breakpoints(body: dict[str, Any]) -> dict[str, Any]:
    """The request body with `cache_control` set; the blocks it was made of stay as they are."""
    marked = dict(body)
    if "system" in body:
        marked["system"] = [{"type": "text", "text": body["system"], "cache_control": MARK}]
    elif body.get("tools"):
        marked["tools"] = [*body["tools"][:-1], {**body["tools"][-1], "cache_control": MARK}]
    users = [n for n, message in enumerate(body["messages"]) if message["role"] == "user"]
    messages = list(body["messages"])
    for n in users[-USER_BREAKPOINTS:]:
        content = messages[n]["content"]
        last = {**content[-1], "cache_control": MARK}
        messages[n] = {**messages[n], "content": [*content[:-1], last]}
    marked["messages"] = messages
    return marked
