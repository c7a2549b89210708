"""Turns write together: one transaction a beat, but the first token and what is waited for go at once."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from chatsite.relay import limits
from chatsite.relay.beat import Beat
from chatsite.relay.journal import Row
from chatsite.relay.recorder import Recorder

DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}


class Paper:
    """A journal that commits when it is told to."""

    def __init__(self) -> None:
        self.beat = Beat()
        self.rows: list[Row] = []

    def append(self, row: Row) -> None:
        """Keep the row."""
        self.rows.append(row)

    def commit(self) -> list[tuple[int, int]]:
        """Report all rows as committed; their numbers."""
        rows, self.rows = self.rows, []
        for row in rows:
            row.done(None)
        return [(row.seq, row.last) for row in rows]


def recorder(paper: Any, shown: list[int]) -> Recorder:
    """A recorder that writes down what is shown."""
    return Recorder(uuid4(), 1, paper, lambda _, last: shown.append(last), lambda _: None)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beats that do not come by themselves within a test."""
    monkeypatch.setattr(limits, "FRAME", 60.0)
    monkeypatch.setattr(limits, "SLOWEST_BEAT", 60.0)


async def beat_now(paper: Paper) -> None:
    """The next beat, whenever it was to come."""
    paper.beat._strike()


async def test_first_token_goes_at_once_later_ones_are_gathered(slow: None) -> None:
    paper, shown = Paper(), list[int]()
    one = recorder(paper, shown)
    await beat_now(paper)
    one.record([{"type": "request_started"}])
    assert paper.rows == []
    one.record([dict(DELTA)])
    assert paper.commit() == [(1, 2)]
    for _ in range(3):
        one.record([dict(DELTA)])
    assert paper.rows == []
    await beat_now(paper)
    assert paper.commit() == [(3, 5)]
    assert shown == [2, 5]


async def test_first_token_waits_for_the_commit_that_is_on_its_way(slow: None) -> None:
    paper, shown = Paper(), list[int]()
    one = recorder(paper, shown)
    one.record([{"type": "request_started"}])
    await beat_now(paper)
    one.record([dict(DELTA)])
    assert paper.commit() == [(1, 1)]
    assert paper.commit() == [(2, 2)]


async def test_a_beat_is_one_batch_of_all_turns(slow: None) -> None:
    paper, shown = Paper(), list[int]()
    many = [recorder(paper, shown) for _ in range(5)]
    await beat_now(paper)
    for one in many:
        one.record([{"type": "ping"}])
        one.record([{"type": "ping"}])
    assert paper.rows == []
    await beat_now(paper)
    assert paper.commit() == [(1, 2)] * 5


async def test_what_is_waited_for_does_not_wait_for_the_beat(slow: None) -> None:
    paper, shown = Paper(), list[int]()
    one = recorder(paper, shown)
    await beat_now(paper)
    one.record([{"type": "tool_started"}])
    waiting = asyncio.create_task(one.settled())
    await asyncio.sleep(0)
    assert paper.commit() == [(1, 1)]
    await waiting
    assert shown == [1]


async def test_the_first_beat_after_a_rest_comes_at_once() -> None:
    beat, done = Beat(), asyncio.Event()
    beat.join(done.set)
    await asyncio.wait_for(done.wait(), 5)


async def test_beats_come_more_rarely_while_rendering_takes_much_and_recover() -> None:
    beat = Beat()
    beat.spent(0.1)
    beat._strike()
    assert beat.period == pytest.approx((limits.FRAME + 0.1 / limits.RENDERING) / 2)
    beat.spent(100)
    beat._strike()
    assert beat.period < limits.SLOWEST_BEAT
    for _ in range(50):
        beat._strike()
    assert beat.period == pytest.approx(limits.FRAME)


@pytest.mark.parametrize(
    ("spent", "period"),
    [(0.001, "FRAME"), (0.006, 0.05), (0.02, "CROWDED_BEAT"), (0.06, 0.12), (1.0, "SLOWEST_BEAT")],
)
async def test_how_rare_beats_are_for_what_rendering_takes(spent: float, period: Any) -> None:
    beat = Beat()
    for _ in range(50):
        beat.spent(spent)
        beat._strike()
    assert beat.period == pytest.approx(getattr(limits, period) if isinstance(period, str) else period)
