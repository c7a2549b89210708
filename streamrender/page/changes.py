"""What a viewer does with changes: the reference, against which the browser's own is measured.

A change is a list, its verb first:

    ["pane", pane]                            append this pane
    ["ops", pane_id, [op, …]]                 Markdown operations (page/ops.py) on that pane's `html`
    ["set", pane_id, {field: value, …}]       replace fields
    ["grow", pane_id, field, text]            append text to a string field; null counts as ""
    ["arg", pane_id, i, key, text, complete]  row i of a tool's arguments: new when i is their number,
                                              else text is appended and complete replaced
    ["turn", {field: value, …}]               replace turn fields
"""

import copy
from collections.abc import Iterable
from typing import Any

from streamrender.page.log import Change
from streamrender.page.ops import apply_html


def apply_changes(snapshot: dict[str, Any], changes: Iterable[Change]) -> dict[str, Any]:
    """The snapshot after the changes; the given one is left alone. KeyError for a pane that is not there."""
    page: dict[str, Any] = copy.deepcopy(snapshot)
    panes = {pane["id"]: pane for pane in page["panes"]}
    for verb, *rest in changes:
        if verb == "turn":
            page["turn"].update(copy.deepcopy(rest[0]))
        elif verb == "pane":
            pane = copy.deepcopy(rest[0])
            page["panes"].append(pane)
            panes[pane["id"]] = pane
        else:
            _change_pane(panes[rest[0]], verb, rest[1:])
    return page


def _change_pane(pane: dict[str, Any], verb: str, rest: list[Any]) -> None:
    if verb == "set":
        pane.update(copy.deepcopy(rest[0]))
    elif verb == "grow":
        field, text = rest
        pane[field] = (pane[field] or "") + text
    elif verb == "arg":
        i, key, text, complete = rest
        if i == len(pane["args"]):
            pane["args"].append([key, text, complete])
        else:
            pane["args"][i] = [key, pane["args"][i][1] + text, complete]
    elif verb == "ops":
        pane["html"] = apply_html(pane["html"], rest[0])
    else:
        raise ValueError(f"unknown change {verb!r}")
