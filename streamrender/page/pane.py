"""One pane of a turn's page: an id, a kind and fields, kept equal to what the recorded changes say.

Long strings are kept as parts and joined when somebody asks: appending stays linear however long they get.
"""

from typing import Any

from streamrender.page.log import ChangeLog, plain


class Pane:
    """A pane with plain fields; redacted thinking, seams, unknown blocks and markers are no more."""

    def __init__(self, log: ChangeLog, pane_id: str, kind: str, **fields: Any) -> None:
        self.id = pane_id
        self.kind = kind
        self._log = log
        self._fields: dict[str, Any] = {"id": pane_id, "kind": kind, **fields}
        self._parts: dict[str, list[str]] = {}
        log.born(pane_id, self.snapshot)

    def __getitem__(self, field: str) -> Any:
        return self._fields[field]

    def get(self, field: str) -> Any:
        """A field's value, None where the pane has no such field."""
        return self._fields.get(field)

    def set(self, **fields: Any) -> None:
        """Replace fields; what has that value already is no change."""
        changed = {k: v for k, v in fields.items() if k in self._parts or self._fields.get(k, self) != v}
        for field in changed:
            self._parts.pop(field, None)
        self._fields.update(changed)
        self._log.set(self.id, plain(changed))

    def grow(self, field: str, text: str) -> None:
        """Append to a string field."""
        if not text:
            return
        if field not in self._parts:
            self._parts[field] = [self._fields[field] or ""]
        self._parts[field].append(text)
        self._log.grow(self.id, field, text)

    def text(self, field: str) -> str:
        """A string field, whole."""
        parts = self._parts.get(field)
        return str(self._fields[field]) if parts is None else "".join(parts)

    def snapshot(self) -> dict[str, Any]:
        """The pane as JSON data of its own."""
        for field, parts in self._parts.items():
            parts[:] = ["".join(parts)]
            self._fields[field] = parts[0]
        fields: dict[str, Any] = plain(self._fields)
        return fields

    def flush(self) -> None:
        """Show what was gathered since the last flush."""

    def finish(self, at: int) -> None:
        """Nothing more comes for this pane: the turn ended, or another attempt took its place."""
