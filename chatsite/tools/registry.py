"""The tools that a model may call, and the one way to run them.

A call that cannot be run (unknown tool, arguments that do not fit the schema, a failure inside) is an
outcome with `is_error`, written for the model; it never raises. Cancelling `run` cancels the tool.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import jsonschema
import referencing
import referencing.exceptions

Progress = Callable[[str], Awaitable[None]]
Runner = Callable[[dict[str, Any], Progress], Awaitable["ToolOutcome"]]
SECONDS = 30.0
LONGEST_RESULT = 200_000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ToolOutcome:
    """What goes back to the model: text, or content blocks of Anthropic's shape."""

    content: str | list[dict[str, Any]]
    is_error: bool = False
    unknown: bool = False
    """There is no tool of this name here."""


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Tool:
    """A tool: its name, what it tells the model about itself, the schema of its input, and its code.

    `approval` is "never" (run at once), "ask" or "always" (ask the user each time, whatever was remembered).
    `enabled` says whether the tool is there at all; it is asked each time.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    runner: Runner
    approval: str = "never"
    seconds: float = SECONDS
    enabled: Callable[[], bool] = _always

    def definition(self) -> dict[str, Any]:
        """{"name", "description", "input_schema"} as requests carry it."""
        return {"name": self.name, "description": self.description, "input_schema": self.input_schema}


_tools: dict[str, Tool] = {}
_offered: dict[str, list[Tool]] = {}


def register(tool: Tool) -> Tool:
    """Make a tool callable. Raises ValueError for a name twice, SchemaError for a bad schema."""
    if tool.name in _tools:
        raise ValueError(f"There is already a tool named {tool.name!r}.")
    jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    _tools[tool.name] = tool
    return tool


def unregister(name: str) -> None:
    """Take a tool away again; unknown names are ignored."""
    _tools.pop(name, None)


def offer(source: str, tools: list[Tool]) -> None:
    """All tools that `source` (an MCP server) has now, in place of those before; one whose schema is no
    schema is left out, with a line in the log. From any thread.
    """
    good = []
    for tool in tools:
        try:
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        except jsonschema.SchemaError as error:
            log.warning("tool %s of %s is left out: %s", tool.name, source, error.message[:200])
        else:
            good.append(tool)
    if good:
        _offered[source] = good
    else:
        _offered.pop(source, None)


def definitions() -> list[dict[str, Any]]:
    """All tools as requests carry them, in a fixed order (a changed order would miss prompt caches)."""
    return [tool.definition() for tool in _known().values()]


def approval(name: str) -> str:
    """ "never", "ask" or "always"; "never" for unknown tools, whose run is an error anyway."""
    tool = _known().get(name)
    return tool.approval if tool else "never"


def seconds(name: str) -> float:
    """The time limit of one call."""
    tool = _known().get(name)
    return tool.seconds if tool else SECONDS


def has(source: str) -> bool:
    """True when `source` offers tools."""
    return source in _offered


async def run(name: str, input: Any, progress: Progress) -> ToolOutcome:
    """Run one call. `progress` is awaited with short texts while the tool works."""
    tool = _known().get(name)
    if tool is None:
        names = ", ".join(sorted(_known())) or "none"
        said = f"There is no tool named {name!r}. Available: {names}."
        return ToolOutcome(said, is_error=True, unknown=True)
    problem = input_problem(tool.input_schema, input)
    if problem:
        return ToolOutcome(f"The arguments of {name} are not valid: {problem}", is_error=True)
    try:
        async with asyncio.timeout(tool.seconds):
            return _bounded(await tool.runner(input, progress))
    except TimeoutError:
        return ToolOutcome(f"{name} took longer than {tool.seconds:g} seconds.", is_error=True)
    except Exception:
        log.exception("tool %s failed", name)
        return ToolOutcome(f"{name} failed unexpectedly.", is_error=True)


def input_problem(schema: dict[str, Any], input: Any) -> str | None:
    """What is wrong with the input, in one line, or None.

    >>> input_problem({"type": "object", "required": ["zone"]}, {})
    "'zone' is a required property"
    """
    # An empty registry: a schema of a stranger must not make the server fetch what it refers to.
    validator = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
    try:
        error = jsonschema.exceptions.best_match(validator.iter_errors(input))
    except referencing.exceptions.Unresolvable:
        return None
    if error is None:
        return None
    where = ".".join(str(part) for part in error.absolute_path)
    message = error.message
    if len(message) > 300:
        # The value stands first and what is wrong with it last.
        message = f"{message[:140]} … {message[-140:]}"
    return f"{where}: {message}" if where else message


def _bounded(outcome: ToolOutcome) -> ToolOutcome:
    if isinstance(outcome.content, str) and len(outcome.content) > LONGEST_RESULT:
        cut = outcome.content[:LONGEST_RESULT] + f"\n[cut after {LONGEST_RESULT} characters]"
        return ToolOutcome(cut, outcome.is_error)
    return outcome


def _known() -> dict[str, Tool]:
    from chatsite.tools import builtin  # noqa: F401  registers itself; imports this module first

    offered = {tool.name: tool for source in sorted(_offered.copy()) for tool in _offered.get(source, [])}
    return {name: tool for name, tool in {**offered, **_tools}.items() if tool.enabled()}
