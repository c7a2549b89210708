"""Token counts in one normal form.

`usage` of events and messages on every wire has Anthropic's names; `normal` turns it into
{input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, thinking_tokens, server_tool_uses}, all
integers: input_tokens is what was neither read from nor written to a cache (so the three add up to the
prompt), output_tokens includes thinking_tokens. `merge` overwrites field by field with what is not null:
counts are cumulative, they may shrink, they are never added.
"""

from typing import Any

Usage = dict[str, Any]


def merge(old: Usage, new: Any) -> Usage:
    """`old` with every non-null field of `new`; nested objects (details) are replaced whole."""
    if not isinstance(new, dict):
        return old
    if None not in new.values():
        return {**old, **new}
    return {**old, **{key: value for key, value in new.items() if value is not None}}


def normal(usage: Usage) -> dict[str, int]:
    """The normal form of a usage object in Anthropic's names; what is absent or no number counts as 0."""
    details = usage.get("output_tokens_details")
    tools = usage.get("server_tool_use")
    return {
        "input_tokens": _int(usage.get("input_tokens")),
        "output_tokens": _int(usage.get("output_tokens")),
        "cache_read_tokens": _int(usage.get("cache_read_input_tokens")),
        "cache_write_tokens": _int(usage.get("cache_creation_input_tokens")),
        "thinking_tokens": _int(details.get("thinking_tokens")) if isinstance(details, dict) else 0,
        "server_tool_uses": sum(map(_int, tools.values())) if isinstance(tools, dict) else 0,
    }


def _int(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
