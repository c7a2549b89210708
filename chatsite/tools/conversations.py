"""search_conversations: what the user's own conversations say. Who searches is injected by the room above."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from chatsite.tools.registry import Progress, Tool, ToolOutcome

MOST = 15
Search = Callable[[UUID, str], Awaitable[list[dict[str, Any]]]]
TURN: ContextVar[UUID | None] = ContextVar("turn", default=None)
"""The turn for which tools run; its owner is the one whose conversations are searched."""
_search: list[Search] = []


def search_by(search: Search) -> None:
    """Give the search: `search(turn, query)` finds [{"title", "parts": [before, hit, after]}]."""
    _search[:] = [search]


async def run(input: dict[str, Any], progress: Progress) -> ToolOutcome:
    """The first finds, one a line."""
    turn = TURN.get()
    if turn is None or not _search:
        return ToolOutcome("There are no conversations to search in.", is_error=True)
    found = await _search[0](turn, input["query"])
    lines = [f"{one['title'] or 'Untitled'}: {''.join(one['parts'])}".rstrip(": ") for one in found[:MOST]]
    return ToolOutcome("\n".join(lines) or "Nothing was found.")


TOOL = Tool(
    name="search_conversations",
    description=(
        "Search in the user's own earlier conversations with this app. Use it when the user refers to "
        "something said before that is not in this conversation. Give one to three words that must occur."
    ),
    input_schema={
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 200}},
        "required": ["query"],
        "additionalProperties": False,
    },
    runner=run,
    enabled=lambda: bool(_search),
)
