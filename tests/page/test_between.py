"""Law: the changes between two snapshots of a page, applied to the first, give the second."""

import random
from typing import Any

import pytest

from streamrender.page.between import changes_between
from streamrender.page.changes import apply_changes
from streamrender.page.panes import TurnPage
from tests.page.recorded import paths, turn

PANE: dict[str, Any] = {
    "id": "1.0",
    "kind": "tool",
    "args": [["a", "x", False]],
    "result": None,
    "progress": "p",
}


def page(*panes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A page of these panes."""
    return {"turn": {"state": "tool", **fields}, "panes": list(panes)}


@pytest.mark.parametrize(
    "after",
    [
        {"args": [["a", "xy", True]]},
        {"args": [["a", "x", True], ["b", "1", True]]},
        {"args": [["b", "x", False]]},
        {"args": []},
        {"result": "42", "progress": "past"},
        {"progress": "new", "superseded": True},
        {"kind": "text", "html": "<p>one <em>two</em></p>"},
    ],
)
def test_fields_of_a_pane(after: dict[str, Any]) -> None:
    before = {**PANE, "html": "<p>one</p>"} if "html" in after else PANE
    old, new = page(before, ending=None), page({**before, **after}, ending="stopped")
    assert apply_changes(old, changes_between(old, new)) == new


def test_what_grew_is_sent_as_growth() -> None:
    old, new = page({**PANE, "progress": "long " * 50}), page({**PANE, "progress": "long " * 50 + "x"})
    assert changes_between(old, new) == [["grow", "1.0", "progress", "x"]]
    assert changes_between(new, new) == []


@pytest.mark.parametrize("after", [[], [{**PANE, "id": "other"}], [{"id": "1.0", "kind": "tool"}]])
def test_what_no_change_can_do_is_refused(after: list[dict[str, Any]]) -> None:
    with pytest.raises(ValueError, match="is gone"):
        changes_between(page(PANE), page(*after))


@pytest.mark.corpus
@pytest.mark.parametrize("path", paths()[::3])
def test_recorded(path: str) -> None:
    events = turn(path)
    rng = random.Random(path)
    whole = TurnPage()
    whole.feed(events)
    after = whole.snapshot()
    for at in rng.sample(range(len(events)), min(4, len(events))):
        part = TurnPage()
        part.feed(events[:at])
        before = part.snapshot()
        assert apply_changes(before, changes_between(before, after)) == after
