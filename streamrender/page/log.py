"""The changes of one feed: what a viewer has to do to its page, in order, with the noise taken out.

A pane that is born in this feed is written once, at the end of the feed, in the state it then has;
whatever else was recorded about it is dropped. Neighbouring changes of one pane are joined. So a feed of
many events costs a viewer hardly more than a feed of one.
"""

import json
from collections.abc import Callable
from typing import Any

Change = list[Any]
"""One change, its verb first: `pane`, `ops`, `set`, `grow`, `arg` or `turn` (see page/changes.py)."""


class ChangeLog:
    """Collects changes until `take()`."""

    def __init__(self) -> None:
        self._log: list[Change] = []
        self._grown: dict[int, list[str]] = {}
        self._born: dict[str, Callable[[], dict[str, Any]]] = {}
        self._turn: dict[str, Any] = {}

    def born(self, pane_id: str, snapshot: Callable[[], dict[str, Any]]) -> None:
        """A new pane; `snapshot` gives its fields when the feed ends."""
        self._born[pane_id] = snapshot

    def turn(self, fields: dict[str, Any]) -> None:
        """Turn fields that have a new value."""
        self._turn.update(fields)

    def set(self, pane_id: str, fields: dict[str, Any]) -> None:
        """Pane fields that have a new value."""
        if pane_id in self._born or not fields:
            return
        last = self._last("set", pane_id)
        if last is None:
            self._log.append(["set", pane_id, dict(fields)])
        else:
            last[2].update(fields)

    def grow(self, pane_id: str, field: str, text: str) -> None:
        """Text at the end of a string field."""
        if pane_id in self._born or not text:
            return
        last = self._last("grow", pane_id)
        if last is not None and last[2] == field:
            self._grown[len(self._log) - 1].append(text)
            return
        self._grown[len(self._log)] = [text]
        self._log.append(["grow", pane_id, field, ""])

    def ops(self, pane_id: str, ops: list[Any]) -> None:
        """Markdown operations on the pane's tree."""
        if pane_id in self._born or not ops:
            return
        last = self._last("ops", pane_id)
        if last is None:
            self._log.append(["ops", pane_id, list(ops)])
        else:
            last[2].extend(ops)

    def arg(self, pane_id: str, i: int, key: str, text: str, complete: bool) -> None:
        """A piece of row i of a tool's arguments."""
        if pane_id in self._born:
            return
        last = self._last("arg", pane_id)
        if last is not None and last[2] == i:
            self._grown[len(self._log) - 1].append(text)
            last[5] = complete
            return
        self._grown[len(self._log)] = [text]
        self._log.append(["arg", pane_id, i, key, "", complete])

    def _last(self, verb: str, pane_id: str) -> Change | None:
        last = self._log[-1] if self._log else None
        return last if last is not None and last[0] == verb and last[1] == pane_id else None

    def take(self) -> list[Change]:
        """All that was recorded, as plain JSON data of its own; the log is empty afterwards."""
        for place, parts in self._grown.items():
            change = self._log[place]
            change[3 if change[0] == "grow" else 4] = "".join(parts)
        changes: list[Change] = [["pane", snapshot()] for snapshot in self._born.values()]
        changes += self._log
        if self._turn:
            changes.append(["turn", self._turn])
        self._log, self._grown, self._born, self._turn = [], {}, {}, {}
        return changes


def plain(value: Any) -> Any:
    """A copy of a JSON value that shares nothing with it; what JSON cannot hold becomes its text."""
    return json.loads(json.dumps(value, default=str))
