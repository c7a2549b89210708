"""The changes between two snapshots of one page, for whoever has both and not the events in between.

Law: applied to the first they give the second (page/changes.py).
"""

from typing import Any

from streamrender.page.log import Change
from streamrender.page.ops import diff
from streamrender.page.tree import parse

Json = dict[str, Any]


def changes_between(old: Json, new: Json) -> list[Change]:
    """Changes that turn `old` into `new`. ValueError where none can: panes stay, in their order."""
    before, after = old["panes"], new["panes"]
    if [pane["id"] for pane in before] != [pane["id"] for pane in after[: len(before)]]:
        raise ValueError("a pane is gone or has another place")
    changes: list[Change] = []
    for mine, other in zip(before, after, strict=False):
        changes += _pane(mine, other)
    changes += [["pane", pane] for pane in after[len(before) :]]
    turn = {field: value for field, value in new["turn"].items() if old["turn"].get(field, ...) != value}
    if turn:
        changes.append(["turn", turn])
    return changes


def _pane(old: Json, new: Json) -> list[Change]:
    if old.keys() - new.keys():
        raise ValueError("a field is gone")
    name, changes, fields = new["id"], list[Change](), Json()
    for field, value in new.items():
        shown = old.get(field, ...)
        if shown == value:
            continue
        if field == "html":
            changes.append(["ops", name, diff(parse(str(shown)), parse(value))])
        elif field == "args" and isinstance(shown, list) and (rows := _rows(shown, value)) is not None:
            changes += [["arg", name, *row] for row in rows]
        elif isinstance(shown, str) and isinstance(value, str) and shown and value.startswith(shown):
            changes.append(["grow", name, field, value[len(shown) :]])
        else:
            fields[field] = value
    if fields:
        changes.append(["set", name, fields])
    return changes


def _rows(old: list[Any], new: list[Any]) -> list[list[Any]] | None:
    """[i, key, text, complete] of each row that grew or is new; None when a row changed otherwise."""
    grown = []
    for i, (key, text, complete) in enumerate(new):
        was = old[i] if i < len(old) else [key, "", complete]
        if was[0] != key or not text.startswith(was[1]):
            return None
        if i >= len(old) or was != [key, text, complete]:
            grown.append([i, key, text[len(was[1]) :], complete])
    return grown if len(old) <= len(new) else None
