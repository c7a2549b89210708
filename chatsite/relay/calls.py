"""The tool calls of one round: run side by side, each with a time limit, what they do told as events."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from chatsite.relay import limits
from chatsite.tools import registry
from streamrender.events import Event

log = logging.getLogger(__name__)

BROKEN = "The arguments of this call are no valid JSON object; it was not run."


async def run_calls(calls: list[dict[str, Any]], emit: Callable[[Event], None]) -> None:
    """Run every call (tool_use blocks of a complete message); each gives tool_started and one tool_result.

    A call whose arguments are broken is answered with an error, never run. Cancelling cancels the tools.
    """
    async with asyncio.TaskGroup() as group:
        for call in calls:
            if call.get("input_status") == "complete" and isinstance(call.get("input"), dict):
                emit({"type": "tool_started", "id": call["id"], "name": call["name"]})
                group.create_task(_run(call, emit))
            else:
                emit(_result(call, BROKEN, True))


async def _run(call: dict[str, Any], emit: Callable[[Event], None]) -> None:
    async def progress(text: str) -> None:
        emit({"type": "tool_progress", "id": call["id"], "text": text})

    try:
        async with asyncio.timeout(limits.TOOL):
            outcome = await registry.run(call["name"], call["input"], progress)
    except TimeoutError:
        emit(_result(call, f"The tool took longer than {limits.TOOL:g} seconds and was stopped.", True))
    except Exception:
        log.exception("Tool %s failed", call["name"])
        emit(_result(call, "The tool failed.", True))
    else:
        emit(_result(call, outcome.content, outcome.is_error))


def _result(call: dict[str, Any], content: Any, is_error: bool) -> Event:
    return {"type": "tool_result", "id": call["id"], "content": content, "is_error": is_error}
