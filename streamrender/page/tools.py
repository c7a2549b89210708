"""Tool cards: arguments as they arrive, then what became of the call.

    receiving → (asking →) running → done | failed
    running → absent            the model called a tool that is not here, and was told so
    receiving → incomplete      the arguments never became whole JSON
    any unfinished → stopped    the turn ended first

A provider-run tool runs as soon as its arguments are whole. Ours runs when the relay says so. The same
card takes both: `server` tells them apart.
"""

import json
from typing import Any

from streamrender.page.log import ChangeLog
from streamrender.page.pane import Pane
from streamrender.page.pictures import pictures_of
from streamrender.page.results import result_failed, result_text
from streamrender.wire.jsontext import parse
from streamrender.wire.partial_json import PartialJSON


class Tool(Pane):
    """A `tool` pane."""

    def __init__(self, log: ChangeLog, pane_id: str, tool_id: str, name: str, server: bool, at: int) -> None:
        self._json = PartialJSON()
        self._pending: list[str] = []
        self._raw: list[str] = []
        self._seed: dict[str, Any] | None = None
        self._closed = False
        self._rows: list[list[Any]] = []
        self._row_parts: list[list[str]] = []
        fields: dict[str, Any] = {"tool_id": tool_id, "name": name, "server": server, "args": [], "bytes": 0}
        fields |= {"state": "receiving", "started_at": at, "run_at": None, "ended_at": None}
        super().__init__(log, pane_id, "tool", **fields, progress="", result=None, result_error=False)
        self._told = False

    def seed(self, value: Any) -> None:
        """The whole input as the block's start gave it. Deltas that follow take its place, if they parse."""
        if isinstance(value, dict) and value:
            self._seed = value
            self._show_whole(value)

    def add(self, text: str) -> None:
        """More of the arguments' JSON."""
        if text:
            self._pending.append(text)

    def flush(self) -> None:
        text = "".join(self._pending)
        self._pending.clear()
        if not text:
            return
        if not any(self._raw) and self._seed is not None:
            self._clear_rows()
            self.set(bytes=0)
        self._raw.append(text)
        self._rows_from(self._json.feed(text))
        self.set(bytes=self["bytes"] + _size(text))

    def _rows_from(self, pieces: list[tuple[int, str, str, bool]]) -> None:
        for i, key, text, complete in pieces:
            if i == len(self._rows):
                self._rows.append([key, "", complete])
                self._row_parts.append([])
            self._row_parts[i].append(text)
            self._rows[i][2] = complete
            self._log.arg(self.id, i, key, text, complete)

    def _clear_rows(self) -> None:
        if self._rows:
            self._rows, self._row_parts = [], []
            self._log.set(self.id, {"args": []})

    def _show_whole(self, value: dict[str, Any]) -> None:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        self._clear_rows()
        self._rows_from(PartialJSON().feed(text))
        self.set(bytes=_size(text))

    def replace(self, value: Any) -> None:
        """The provider's own final input."""
        self.flush()
        if isinstance(value, dict) and value != self._parsed():
            self._seed, self._raw, self._json = value, [], PartialJSON()
            self._show_whole(value)

    def _parsed(self) -> Any:
        """The arguments as a value; None while they are not whole JSON. No arguments at all are `{}`."""
        self._raw[:] = ["".join(self._raw)]
        if not self._raw[0].strip():
            return {} if self._seed is None else self._seed
        try:
            return parse(self._raw[0])
        except ValueError:
            return None

    def close(self, at: int) -> None:
        """The arguments are complete, as far as the stream says."""
        self.flush()
        self._closed = True
        whole = self._parsed()
        if whole is None and self._seed is not None:
            self._raw, self._json, whole = [], PartialJSON(), self._seed
            self._show_whole(whole)
        if self["server"] and self["state"] == "receiving" and whole is not None:
            self.run(at)

    def ask(self, each_time: bool) -> None:
        """A person has to allow the call; `each_time`: it cannot be allowed once for all."""
        self.set(state="asking", each_time=each_time)

    def answer(self, granted: bool, at: int) -> None:
        """The person's answer. A refused call ends here, though a result may still say so in words."""
        if granted:
            self.set(state="receiving")
        else:
            self.set(state="stopped", ended_at=at)

    def run(self, at: int) -> None:
        """The tool began its work."""
        self.set(state="running", run_at=at)

    def progress(self, text: str) -> None:
        """More of the tool's own report: a line of its own."""
        self.grow("progress", f"\n{text}" if self._told else text)
        self._told = True

    def done(self, content: Any, failed: bool, at: int) -> None:
        """The tool's result."""
        self.set(result=result_text(content), result_error=failed)
        if images := pictures_of(content):
            self.set(images=images)
        self.set(state="failed" if failed else "done", ended_at=at)

    def not_here(self, content: Any, at: int) -> None:
        """There is no such tool here; `content` is what the model was told."""
        self.set(result=result_text(content), state="absent", ended_at=at)

    def done_by(self, block: dict[str, Any], at: int) -> None:
        """The result block of a provider-run tool."""
        self.done(block.get("content"), result_failed(block), at)

    def finish(self, at: int) -> None:
        self.flush()
        whole = self._closed and self._parsed() is not None
        if self["state"] == "receiving" and not whole:
            self.set(state="incomplete", ended_at=at)
        elif self["state"] in ("receiving", "asking", "running"):
            self.set(state="stopped", ended_at=at)

    def snapshot(self) -> dict[str, Any]:
        for row, parts in zip(self._rows, self._row_parts, strict=True):
            parts[:] = ["".join(parts)]
            row[1] = parts[0]
        self._fields["args"] = self._rows
        return super().snapshot()


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
