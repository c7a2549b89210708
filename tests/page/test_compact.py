"""Compaction: fewer events, the same page, the same messages, the same times."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamrender.compact import compact
from streamrender.message import assemble
from streamrender.page.panes import TurnPage
from tests.page.laws import Events, compacting_is_invisible
from tests.page.recorded import paths, turn
from tests.page.samples import TURNS, block, delta, timed


def page(events: Events) -> Any:
    turn_page = TurnPage()
    turn_page.feed(events)
    return turn_page.snapshot()


def messages(events: Events) -> list[Any]:
    """The message of each request."""
    rounds: list[Events] = [[]]
    for event in events:
        if event["type"] == "request_started":
            rounds.append([])
        rounds[-1].append(event)
    return [assemble(part) for part in rounds]


@pytest.mark.parametrize("name", TURNS)
def test_turns(name: str) -> None:
    compacting_is_invisible(compact, TURNS[name], page, messages)


@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_events_in_any_order(data: st.DataObject) -> None:
    pool = [event for events in TURNS.values() for event in events]
    events = timed(*data.draw(st.lists(st.sampled_from(pool), max_size=30)))
    compacting_is_invisible(compact, events, page, messages)


@pytest.mark.corpus
@pytest.mark.parametrize("path", paths())
def test_recorded(path: str) -> None:
    compacting_is_invisible(compact, turn(path), page, messages)


def test_one_block_becomes_three_events() -> None:
    events = timed(*block(0, "text", "a", "b", "c"))
    start, joined, stop = compact(events)
    assert (start, stop) == (events[0], events[-1])
    assert joined == {**delta(0, "text", "abc"), "at": 10, "until": 30}


def test_an_empty_start_is_not_the_first_token() -> None:
    events = timed(*block(0, "text", "", "", "b", "", "c"))
    deltas = compact(events)[1:-1]
    assert [(e["delta"]["text"], e["at"], e["until"]) for e in deltas] == [("", 10, 20), ("bc", 30, 50)]


def test_what_else_a_delta_carries_is_kept() -> None:
    hint = {"type": "content_block_delta", "index": 0}
    hint["delta"] = {"type": "thinking_delta", "thinking": "x", "estimated_tokens": 3}  # type: ignore[assignment]
    events = timed(*block(0, "thinking", "a"), hint, hint)
    assert compact(events) == events


def _blind(key: str) -> Any:
    """Mutants: each overlooks one thing that tells deltas apart, or one rule."""

    def mutant(events: Events) -> Events:
        result: Events = []
        for event in events:
            last = result[-1] if result else {}
            if event["type"] == "ping" and key != "pings":
                continue
            both = "content_block_delta" == event["type"] == last.get("type")
            names = [set(e["delta"]) - {"type"} for e in (last, event)] if both else []
            if both and names[0] == names[1] and (key == "index" or last["index"] == event["index"]):
                (field,) = names[0]
                glued = last["delta"][field] + event["delta"][field]
                if not (key != "blank" and not last["delta"][field] and event["delta"][field]):
                    result[-1] = {**last, "delta": {**last["delta"], field: glued}}
                    if key != "until":
                        result[-1]["until"] = event.get("until", event["at"])
                    continue
            result.append(event)
        return result

    return mutant


@pytest.mark.parametrize("key", ["index", "blank", "until", "pings"])
def test_a_wrong_compaction_is_caught(key: str) -> None:
    crossing = timed(
        *block(0, "text", "a", "", "b"), delta(0, "text", ""), delta(0, "text", "c"), delta(1, "text", "d")
    )
    events = [*TURNS["loop"], *crossing]
    with pytest.raises(AssertionError):
        compacting_is_invisible(_blind(key), events, page, messages)
