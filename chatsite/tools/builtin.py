"""The tools that come with the product. Importing this module registers them."""

from __future__ import annotations

from typing import Any

from chatsite.tools import conversations, webpage
from chatsite.tools.calculator import LONGEST, CalculationError, calculate
from chatsite.tools.clock import ZoneError, current_time
from chatsite.tools.registry import Progress, Tool, ToolOutcome, register


async def _calculator(input: dict[str, Any], progress: Progress) -> ToolOutcome:
    await progress(f"computing {input['expression'][:80]}")
    try:
        return ToolOutcome(calculate(input["expression"]))
    except CalculationError as error:
        return ToolOutcome(str(error), is_error=True)


async def _current_time(input: dict[str, Any], progress: Progress) -> ToolOutcome:
    try:
        return ToolOutcome(current_time(input.get("zone") or "UTC"))
    except ZoneError as error:
        return ToolOutcome(str(error), is_error=True)


CALCULATOR = register(
    Tool(
        name="calculator",
        description=(
            "Compute an arithmetic expression exactly. Use it for every calculation beyond the trivial. "
            "Knows + - * / // % ** and parentheses, sqrt, abs, round, floor, ceil, min, max, factorial, gcd, "
            "sin, cos, tan, exp, ln, log10, log2, pi, e."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "expression": {
                    "type": "string",
                    "maxLength": LONGEST,
                    "description": "For example (12.5 + 7) * 3 or sqrt(2) ** 3",
                }
            },
            "required": ["expression"],
            "additionalProperties": False,
        },
        runner=_calculator,
    )
)

CURRENT_TIME = register(
    Tool(
        name="current_time",
        description="The current date, weekday and time in a time zone.",
        input_schema={
            "type": "object",
            "properties": {
                "zone": {
                    "type": "string",
                    "maxLength": 80,
                    "description": "IANA name such as Europe/Berlin or Asia/Shanghai; UTC when absent",
                }
            },
            "additionalProperties": False,
        },
        runner=_current_time,
    )
)

FETCH_PAGE = register(webpage.TOOL)
SEARCH_CONVERSATIONS = register(conversations.TOOL)
