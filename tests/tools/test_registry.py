"""Running a tool: arguments are checked first, and nothing that goes wrong is an exception."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from chatsite.tools import registry
from chatsite.tools.clock import ZoneError, current_time
from chatsite.tools.registry import Progress, Tool, ToolOutcome

OBJECT = {"type": "object"}


@pytest.fixture
def progress() -> Any:
    texts: list[str] = []

    async def report(text: str) -> None:
        texts.append(text)

    report.texts = texts  # type: ignore[attr-defined]
    return report


@pytest.fixture
def extra() -> Iterator[Any]:
    names: list[str] = []

    def add(runner: registry.Runner, **more: Any) -> str:
        name = f"extra_{len(names)}"
        registry.register(Tool(name, "for a test", more.pop("input_schema", OBJECT), runner, **more))
        names.append(name)
        return name

    yield add
    for name in names:
        registry.unregister(name)


def test_definitions_are_what_requests_carry() -> None:
    definitions = registry.definitions()
    assert {"calculator", "current_time"} <= {d["name"] for d in definitions}
    for definition in definitions:
        assert set(definition) == {"name", "description", "input_schema"}
        assert definition["input_schema"]["type"] == "object"
    assert definitions == registry.definitions()


async def test_calculator_runs_and_reports(progress: Any) -> None:
    outcome = await registry.run("calculator", {"expression": "23 * 17"}, progress)
    assert outcome == ToolOutcome("391")
    assert progress.texts == ["computing 23 * 17"]


async def test_a_failed_calculation_is_an_error_outcome(progress: Any) -> None:
    outcome = await registry.run("calculator", {"expression": "1/0"}, progress)
    assert outcome == ToolOutcome("Division by zero.", is_error=True)


@pytest.mark.parametrize(
    ("input", "part"),
    [
        ({}, "'expression' is a required property"),
        ({"expression": 5}, "expression: 5 is not of type 'string'"),
        ({"expression": "1", "more": 1}, "Additional properties"),
        (None, "None is not of type 'object'"),
        ([1], "is not of type 'object'"),
        ({"expression": "1" * 501}, "is too long"),
    ],
)
async def test_arguments_are_checked_before_a_run(input: Any, part: str, progress: Any) -> None:
    outcome = await registry.run("calculator", input, progress)
    assert outcome.is_error
    assert part in str(outcome.content)
    assert len(str(outcome.content)) < 400
    assert progress.texts == []


async def test_an_unknown_tool_names_the_known_ones(progress: Any) -> None:
    outcome = await registry.run("weather", {}, progress)
    assert outcome.is_error
    assert "weather" in str(outcome.content)
    assert "calculator" in str(outcome.content)


async def test_a_crash_inside_tells_nothing_of_the_server(extra: Any, progress: Any) -> None:
    async def broken(input: dict[str, Any], progress: Progress) -> ToolOutcome:
        raise RuntimeError("/secret/path")

    outcome = await registry.run(extra(broken), {}, progress)
    assert outcome.is_error
    assert "secret" not in str(outcome.content)


async def test_a_tool_has_a_time_limit(extra: Any, progress: Any) -> None:
    async def slow(input: dict[str, Any], progress: Progress) -> ToolOutcome:
        await asyncio.sleep(30)
        return ToolOutcome("never")

    outcome = await registry.run(extra(slow, seconds=0.02), {}, progress)
    assert outcome.is_error
    assert "longer than 0.02 seconds" in str(outcome.content)


async def test_cancelling_a_run_cancels_the_tool(extra: Any, progress: Any) -> None:
    cancelled = asyncio.Event()

    async def slow(input: dict[str, Any], progress: Progress) -> ToolOutcome:
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.set()
        return ToolOutcome("never")

    task = asyncio.create_task(registry.run(extra(slow), {}, progress))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()


async def test_long_results_are_cut_and_say_so(extra: Any, progress: Any) -> None:
    async def wordy(input: dict[str, Any], progress: Progress) -> ToolOutcome:
        return ToolOutcome("x" * (registry.LONGEST_RESULT + 1))

    outcome = await registry.run(extra(wordy), {}, progress)
    assert str(outcome.content).endswith("characters]")


def test_names_are_unique(extra: Any) -> None:
    async def nothing(input: dict[str, Any], progress: Progress) -> ToolOutcome:
        return ToolOutcome("")

    name = extra(nothing)
    with pytest.raises(ValueError, match="already"):
        registry.register(Tool(name, "again", OBJECT, nothing))


def test_approval_is_asked_for_by_name(extra: Any) -> None:
    async def nothing(input: dict[str, Any], progress: Progress) -> ToolOutcome:
        return ToolOutcome("")

    assert registry.approval(extra(nothing, approval="ask")) == "ask"
    assert registry.approval("calculator") == "never"
    assert registry.approval("unknown") == "never"


def test_time_in_a_zone() -> None:
    now = datetime(2026, 3, 1, 4, 5, 6, tzinfo=UTC)
    assert current_time("Asia/Shanghai", now) == "2026-03-01T12:05:06+08:00 (Sunday, Asia/Shanghai)"
    assert current_time(now=now) == "2026-03-01T04:05:06+00:00 (Sunday, UTC)"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "", "\0", "/etc/localtime", "Europe"])
def test_zones_that_do_not_exist(zone: str) -> None:
    with pytest.raises(ZoneError, match="Europe/Berlin"):
        current_time(zone)


async def test_the_clock_tool(progress: Any) -> None:
    assert "UTC" in str((await registry.run("current_time", {}, progress)).content)
    bad = await registry.run("current_time", {"zone": "Nowhere"}, progress)
    assert bad.is_error
