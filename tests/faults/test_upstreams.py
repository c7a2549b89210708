"""The upstream dies, lies, floods or talks nonsense: the ending is typed, the text stays."""

import asyncio
import gzip
import json
import time
from typing import Any

import pytest

from tests.faults.house import House, ping, quantile
from tests.faults.scale import patience, scale
from tests.faults.upstream import upstream_at
from tests.markdown.pathological import GENERATORS
from tests.relay.upstream import CUT, answer, block, sse, start, stop

TEXT = block(0, "text", ["kept ", "text"])
EVENT_STREAM = {"content-type": "text/event-stream"}
ERROR = sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
PACKED = gzip.compress(b"data: " + b"x" * (80 * 2**20) + b"\n\n")

GARBAGE = b"\xff\xfe garbage\n\ndata: {broken\n\n"
LONG = b"data: " + b"x" * (10 * 2**20) + b"\n\n"
EXECUTE = sse({"type": "execute", "code": "alert(1)"})
NO = b'{"type":"error","error":{"type":"invalid_request_error","message":"no"}}'

FAULTS: dict[str, tuple[Any, str, str]] = {
    "reset": ([start(), *TEXT, CUT], "cut_off", "kept text"),
    "no end": ([start(), *TEXT], "cut_off", "kept text"),
    "error event": ([start(), *TEXT, ERROR], "error", "kept text"),
    "garbage line": ([start(), *TEXT, GARBAGE, stop()], "complete", "kept text"),
    "long line": ([start(), *TEXT, LONG, stop()], "*", "kept text"),
    "packed bomb": ((200, {**EVENT_STREAM, "content-encoding": "gzip"}, PACKED), "*", ""),
    "not a stream": ((200, {"content-type": "text/html"}, b"<h1>Sign in</h1>"), "*", ""),
    "empty": ((200, EVENT_STREAM, b""), "cut_off", ""),
    "unknown event": ([start(), EXECUTE, *TEXT, stop()], "complete", "kept text"),
    "refused": ((400, {}, NO), "error", ""),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
async def test_upstream(house: House, fault: str) -> None:
    script, ending, text = FAULTS[fault]
    async with upstream_at(house.port, script, answer("Fine.")) as fake, house.tab() as tab:
        turn = (await tab.submit("Go"))["turn"]
        ended = await tab.ended(turn)
        assert ended == ending if ending != "*" else ended in ("error", "cut_off", "complete")
        assert tab.text(turn) == text
        assert tab.turn(turn)["error"] is not None or ended in ("complete", "cut_off")
        assert len(fake.requests) == 1, "asked again after content, or for what cannot get better"
        after = (await tab.submit("And now?", parent=turn))["turn"]
        assert await tab.ended(after) == "complete"
        await house.agree(str(tab.conversation), tab)


async def test_passing_refusals_are_tried_again_in_sight(house: House) -> None:
    busy = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}).encode()
    again = {"retry-after": "0.2"}
    scripts = [
        (429, again, busy),
        (529, again, busy),
        (503, again, b"<html>bad gateway</html>"),
        answer("Now."),
    ]
    async with upstream_at(house.port, *scripts) as fake, house.tab() as tab:
        turn = (await tab.submit("Go"))["turn"]
        assert await tab.ended(turn) == "complete"
        assert tab.text(turn) == "Now."
        assert len(fake.requests) == 4
        await house.agree(str(tab.conversation), tab)


async def test_hostile_text_stays_text(house: House) -> None:
    evil = "<script>alert(1)</script>\x1b[31mred\x00<img src=x onerror=alert(1)>"
    evil += "[x](javascript:alert(1)) \u202e \ud83d"
    async with upstream_at(house.port, answer(evil)) as fake, house.tab() as tab:
        turn = (await tab.submit("Go"))["turn"]
        await tab.ended(turn)
        (pane,) = tab.turns[turn]["page"]["panes"]
        tags = set(tags_of(pane["html"].shape()))
        assert tags <= {"p", "a", "span"}
        assert not [a for a in tags_of(pane["html"].shape()) if a == "a"], "a link to a script"
        await house.agree(str(tab.conversation), tab)
        assert len(fake.requests) == 1


def tags_of(shape: Any) -> list[str]:
    """Names of all elements in a shape."""
    if isinstance(shape, str):
        return []
    inside = [tag for child in shape for tag in tags_of(child)]
    return [shape[0], *inside] if shape and isinstance(shape[0], str) and len(shape) > 1 else inside


async def test_flood_of_events(house: House) -> None:
    """Thousands of events a second in one turn: few frames, and nobody else waits."""
    count = scale(4000, 25_000)
    chunks = block(0, "text", [f"w{n} " if n % 50 else f"w{n}\n\n" for n in range(count)])
    packed = [b"".join(chunks[n : n + 50]) for n in range(0, len(chunks), 50)]
    steps: list[Any] = [start()]
    for chunk in packed:
        steps += [chunk, 0.01]
    async with upstream_at(house.port, [*steps, stop()]), house.tab() as tab, house.tab() as other:
        turn = (await tab.submit("Go"))["turn"]
        quiet = [await ping(other) for _ in range(20)]
        began = time.monotonic()
        waits: list[float] = []
        while tab.turn(turn).get("state") != "ended":
            waits.append(await ping(other))
            await asyncio.sleep(0.01)
        took = time.monotonic() - began
        frames = [one for one in tab.applied if one.turn == turn]
        assert len(frames) <= 31 * took + 5
        assert quantile(waits, 0.9) < 10 * quantile(quiet, 0.9) + 0.1 * patience()
        await house.agree(str(tab.conversation), tab)


async def test_hostile_markdown_holds_nobody_up(house: House) -> None:
    """Texts that are slow to read, as they grow: other sockets of the process are answered all the while."""
    names = sorted(GENERATORS)[:: scale(12, 1)]
    async with house.tab() as other:
        for name in names:
            text = GENERATORS[name](scale(3000, 12_000))[: scale(24_000, 100_000)]
            pieces_ = [text[at : at + 600] for at in range(0, len(text), 600)]
            steps: list[Any] = [start()]
            for chunk in block(0, "text", pieces_):
                steps += [chunk, 0.004]
            async with upstream_at(house.port, [*steps, stop()]), house.tab() as tab:
                turn = (await tab.submit("Go"))["turn"]
                waits: list[float] = []
                while tab.turn(turn).get("state") != "ended":
                    waits.append(await ping(other))
                    await asyncio.sleep(0.005)
                assert tab.turn(turn)["ending"] == "complete", name
                # Rendering again from the start, or with all the rest waiting, takes many seconds.
                assert max(waits) < 5, (name, sorted(waits)[-5:])
                await house.agree(str(tab.conversation), tab)
