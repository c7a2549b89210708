"""The tool calls of one round: run side by side, each with a time limit, what they do told as events."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from chatsite.relay import limits
from chatsite.relay.approvals import Approvals, can_be_remembered
from chatsite.tools import registry
from streamrender.events import Event

log = logging.getLogger(__name__)

BROKEN = "The arguments of this call are no valid JSON object; it was not run."


REFUSED = "The user did not allow this call; it was not run."


async def run_calls(
    calls: list[dict[str, Any]],
    emit: Callable[[Event], None],
    approvals: Approvals,
    settled: Callable[[], Awaitable[None]],
) -> None:
    """Run every call (tool_use blocks of a complete message); each gives one tool_result.

    A call whose arguments are broken is answered with an error, never run; one that needs asking waits for
    the user. `settled` is awaited before a tool starts: what it does must never be unknown to the journal.
    Cancelling cancels the tools.
    """
    async with asyncio.TaskGroup() as group:
        for call in calls:
            if call.get("input_status") == "complete" and isinstance(call.get("input"), dict):
                group.create_task(_allowed(call, emit, approvals, settled))
            else:
                emit(_result(call, BROKEN, True))


async def _allowed(
    call: dict[str, Any],
    emit: Callable[[Event], None],
    approvals: Approvals,
    settled: Callable[[], Awaitable[None]],
) -> None:
    name = call["name"]
    if await approvals.needed(name):
        asked = {"type": "approval_asked", "id": call["id"], "name": name, "input": call["input"]}
        emit({**asked, "each_time": not can_be_remembered(name)})
        granted = await approvals.wait(call["id"], name)
        emit({"type": "approval_given", "id": call["id"], "granted": granted})
        if not granted:
            emit(_result(call, REFUSED, True))
            return
    emit({"type": "tool_started", "id": call["id"], "name": call["name"]})
    await settled()
    await _run(call, emit)


async def _run(call: dict[str, Any], emit: Callable[[Event], None]) -> None:
    async def progress(text: str) -> None:
        emit({"type": "tool_progress", "id": call["id"], "text": _whole(text)})

    # A tool keeps its own limit, which may be longer; this one is for those that do not.
    seconds = max(limits.TOOL, registry.seconds(call["name"]) + 1)
    try:
        async with asyncio.timeout(seconds):
            outcome = await registry.run(call["name"], call["input"], progress)
    except TimeoutError:
        emit(_result(call, f"The tool took longer than {seconds:g} seconds and was stopped.", True))
    except Exception:
        log.exception("Tool %s failed", call["name"])
        emit(_result(call, "The tool failed.", True))
    else:
        result = _result(call, outcome.content, outcome.is_error)
        emit({**result, "unknown": True} if outcome.unknown else result)


def _result(call: dict[str, Any], content: Any, is_error: bool) -> Event:
    return {"type": "tool_result", "id": call["id"], "content": _whole(content), "is_error": is_error}


def _whole(value: Any) -> Any:
    """The value without half characters, which some tools find in files: they can neither be stored nor
    sent.
    """
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
