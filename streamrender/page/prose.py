"""Text and thinking: Markdown that grows.

Deltas are gathered and given to the Markdown engine once per feed. A pane can look finished (`state`
done, `ended_at` set) before its source is complete: the thinking pane closes when the answer starts,
though some servers stop all their blocks at the very end. `close()` ends the source, `abandon()` keeps
what shows of one that was cut; should more text come even then, the pane is rendered anew.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from streamrender.page.log import ChangeLog
from streamrender.page.ops import diff
from streamrender.page.pane import Pane
from streamrender.page.sources import MOST_SOURCES, source_of
from streamrender.page.tree import parse


class Engine(Protocol):
    """What a pane needs of a Markdown stream: see streamrender.markdown.MarkdownStream."""

    @property
    def html(self) -> str: ...
    @property
    def caps(self) -> Sequence[str]: ...
    def feed(self, text: str, /) -> list[Any]: ...
    def close(self) -> list[Any]: ...


class Prose(Pane):
    """A `text` or `thinking` pane."""

    def __init__(
        self, log: ChangeLog, pane_id: str, kind: str, engine: Callable[[], Engine], at: int
    ) -> None:
        fields: dict[str, Any] = {"html": "", "state": "live", "caps": []}
        if kind == "thinking":
            fields |= {"started_at": at, "ended_at": None}
        else:
            fields |= {"markdown": "", "citations": []}
        self._engine = engine
        self._stream: Engine | None = engine()
        self._pending: list[str] = []
        self._source: list[str] = []
        super().__init__(log, pane_id, kind, **fields)

    @property
    def source(self) -> str:
        """The Markdown so far."""
        self._source[:] = ["".join(self._source)]
        return self._source[0]

    def add(self, text: str) -> None:
        """More source."""
        if text:
            self._pending.append(text)
            self._source.append(text)

    def cite(self, citation: Any) -> int | None:
        """A source that the text names: it joins `citations`, each source and quote once, in order. Its
        number, from 1; None where it is not listed.
        """
        source = source_of(citation)
        known = self["citations"]
        if source in known:
            return int(known.index(source)) + 1
        if source is None or len(known) >= MOST_SOURCES:
            return None
        self.set(citations=[*known, source])
        return len(known) + 1

    def flush(self) -> None:
        text = "".join(self._pending)
        self._pending.clear()
        if not text:
            return
        if self.kind == "text":
            self.grow("markdown", text)
        if self._stream is None:
            self._anew()
        else:
            self._log.ops(self.id, self._stream.feed(text))
            self._cap()

    def _cap(self) -> None:
        """Say when the page is not the whole source as written."""
        if self._stream is not None:
            self.set(caps=list(self._stream.caps))

    def replace(self, text: str) -> None:
        """The provider's own final value of the whole source."""
        if text == self.source:
            return
        if text.startswith(self.source):
            self.add(text[len(self.source) :])
            return
        self._pending.clear()
        self._source = [text]
        if self.kind == "text":
            self.set(markdown=text)
        self._anew()

    def _anew(self) -> None:
        """Render the whole source with a new engine, and change what is shown where it differs."""
        shown = str(self._fields["html"]) if self._stream is None else self._stream.html
        self._stream = self._engine()
        self._stream.feed(self.source)
        self._log.ops(self.id, diff(parse(shown), parse(self._stream.html)))
        self._cap()

    def reopen(self) -> None:
        """More of it comes after all: an answer that met a limit goes on."""
        self.set(state="live")

    def look_done(self, at: int) -> None:
        """The turn moved on to something else."""
        if self["state"] == "live":
            self.set(state="done")
            if self.kind == "thinking":
                self.set(ended_at=at)

    def close(self, at: int) -> None:
        """The source is complete."""
        self.flush()
        if self._stream is not None:
            self._log.ops(self.id, self._stream.close())
            self._fields["html"] = self._stream.html
            self._cap()
            self._stream = None
        self.look_done(at)

    def abandon(self, at: int) -> None:
        """The source ends before it is complete: what shows stays as it is. Closing it would turn a mark that
        waits for its partner, and was never seen, into text.
        """
        self.flush()
        if self._stream is not None:
            self._fields["html"] = self._stream.html
            self._stream = None
        self.look_done(at)

    def finish(self, at: int) -> None:
        self.abandon(at)

    def snapshot(self) -> dict[str, Any]:
        if self._stream is not None:
            self._fields["html"] = self._stream.html
        return super().snapshot()
