"""Every recorded stream as a page: cut anywhere, and showing all of its message."""

import pytest

from streamrender.message import assemble
from streamrender.page.changes import apply_changes
from streamrender.page.panes import TurnPage
from tests.page.laws import changes_are_the_difference, cut, cuts_do_not_matter
from tests.page.recorded import feeds, paths, turn
from tests.page.shown import expected, shown

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("path", paths())
def test_recorded(path: str) -> None:
    events = turn(path)
    parts = cut(events, feeds(path, events))
    changes_are_the_difference(TurnPage(), parts, apply_changes)
    cuts_do_not_matter(TurnPage, events, parts)
    page = TurnPage()
    page.feed(events)
    want = expected(assemble(events))
    assert shown(page.snapshot(), want) == want


def test_something_was_recorded() -> None:
    assert len(paths()) > 80
