"""The page's laws on turns of every shape, cut anywhere."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamrender.page.changes import apply_changes
from streamrender.page.panes import TurnPage
from tests.page.laws import changes_are_the_difference, cut, cuts_do_not_matter
from tests.page.samples import TURNS

PLACES = st.lists(st.integers(0, 200), max_size=12)


@pytest.mark.parametrize("name", TURNS)
def test_one_event_a_feed(name: str) -> None:
    events = TURNS[name]
    feeds = [[event] for event in events]
    changes_are_the_difference(TurnPage(), feeds, apply_changes)
    cuts_do_not_matter(TurnPage, events, feeds)


@settings(deadline=None, max_examples=60)
@given(name=st.sampled_from(sorted(TURNS)), places=PLACES)
def test_cut_anywhere(name: str, places: list[int]) -> None:
    events = TURNS[name]
    feeds = cut(events, places)
    changes_are_the_difference(TurnPage(), feeds, apply_changes)
    cuts_do_not_matter(TurnPage, events, feeds)


@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_events_in_any_order_break_nothing(data: st.DataObject) -> None:
    pool = [event for events in TURNS.values() for event in events]
    events = data.draw(st.lists(st.sampled_from(pool), max_size=30))
    feeds = cut(events, data.draw(PLACES))
    changes_are_the_difference(TurnPage(), feeds, apply_changes)
    cuts_do_not_matter(TurnPage, events, feeds)


class Forgets(TurnPage):
    """A mutant that leaves out one verb of its changes."""

    verb = ""

    def feed(self, events: Any) -> list[Any]:
        return [change for change in super().feed(events) if change[0] != self.verb]


@pytest.mark.parametrize("verb", ["pane", "ops", "set", "grow", "arg", "turn"])
def test_a_forgotten_change_is_caught(verb: str) -> None:
    events = TURNS["loop"]
    page = type("Mutant", (Forgets,), {"verb": verb})()
    with pytest.raises((AssertionError, KeyError, ValueError)):
        changes_are_the_difference(page, [[event] for event in events], apply_changes)


class CountsFeeds(TurnPage):
    """A mutant whose page tells how it was fed."""

    def feed(self, events: Any) -> list[Any]:
        events = list(events)
        self._set(faults=self._turn["faults"] + 1)
        return super().feed(events)


def test_a_page_that_depends_on_its_feeds_is_caught() -> None:
    events = TURNS["loop"]
    with pytest.raises(AssertionError):
        cuts_do_not_matter(CountsFeeds, events, [[event] for event in events])


def _doubles(snapshot: Any, changes: Any) -> Any:
    """A mutant of the reference: text that grows is appended twice."""
    page = apply_changes(snapshot, changes)
    return apply_changes(page, [change for change in changes if change[0] == "grow"])


def test_a_wrong_reference_is_caught() -> None:
    events = TURNS["loop"]
    with pytest.raises(AssertionError):
        changes_are_the_difference(TurnPage(), [[event] for event in events], _doubles)
