"""Full collections wait for a calm moment, but not for ever."""

import asyncio
import gc

import pytest

from chatsite.relay import tidy as module
from chatsite.relay.tidy import tidy


@pytest.mark.parametrize(
    ("busy", "longest", "collected"), [(False, 60, True), (True, 60, False), (True, 0, True)]
)
async def test_when_all_is_collected(
    monkeypatch: pytest.MonkeyPatch, busy: bool, longest: float, collected: bool
) -> None:
    times: list[int] = []
    monkeypatch.setattr(module, "CALM", 0.0)
    monkeypatch.setattr(module, "LONGEST", longest)
    monkeypatch.setattr(module.gc, "collect", lambda: times.append(1))
    before = gc.get_threshold()
    task = asyncio.create_task(tidy(lambda: busy, every=0.001))
    await asyncio.sleep(0.05)
    assert gc.get_threshold()[2] == module.NEVER
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert bool(times) is collected
    assert gc.get_threshold() == before
