"""The content blocks of one attempt at an answer, and the panes they become.

A block is keyed by its index and its kind: a delta of another kind than its block opens a block of its
own. A pane appears with a block's first visible text (a signature alone makes none) or with a tool call's
start. `tools` is shared by all rounds of the turn, since a provider-run tool may answer in a later round.

A cited answer comes as one text block for each cited span, cut in mid-sentence. Neighbouring text blocks of
which one has citations are one text: they share a pane, whose Markdown is closed only when something else
follows. A cited block ends with marks (marks.py).

The first text of a request that goes on with an answer joins the text that met the limit.
"""

from typing import Any, Protocol

from streamrender.page.marks import Marks
from streamrender.page.pane import Pane
from streamrender.page.prose import Prose
from streamrender.page.tools import Tool

TEXT_OF = {"text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking")}
_CALLS = {"tool_use": False, "server_tool_use": True, "mcp_tool_use": True}


class Room(Protocol):
    """Where panes are put: the turn's page."""

    def prose(self, kind: str, at: int) -> Prose: ...
    def last(self) -> Pane | None: ...
    def tool(self, tool_id: str, name: str, server: bool, at: int) -> Tool: ...
    def plain_pane(self, kind: str, **fields: Any) -> Pane: ...
    def token(self, at: int) -> None: ...
    def activity(self, state: str) -> None: ...


class ProseBlock:
    """A text or thinking block. Blank text waits: it is shown only in front of something visible."""

    def __init__(self, room: Room, kind: str, at: int, pane: Prose | None = None) -> None:
        self._room, self._kind, self._began = room, kind, at
        self._blank = ""
        self._cited: list[Any] = []
        self.marks = Marks()
        self._before = pane.source if pane is not None else ""
        self._plain: str | None = None
        self._placed = (0, "")
        self.pane = pane

    def add(self, text: str, at: int) -> None:
        """More of the block's text."""
        if not text:
            return
        self._room.token(at)
        if self.pane is None:
            self._blank += text
            if not text.strip():
                return
            self.pane, text = self._room.prose(self._kind, self._began), self._blank
            self.cite(self._cited)
        if self._plain is not None:
            self._plain += text
        self.pane.add(self.marks.held(text))

    def cite(self, citations: Any) -> None:
        """Sources of a text; some come before its first word."""
        if self._kind != "text" or not isinstance(citations, list):
            return
        if self.pane is None:
            self._cited += citations
            return
        for citation in citations:
            self.marks.cite(citation, self.pane.cite(citation))

    def settle(self) -> None:
        """The block is complete: what it cites is marked at its end."""
        if self.pane is not None:
            self._mark_places(self.pane)
            self.pane.add(self.marks.end(self.pane))

    def _mark_places(self, pane: Prose) -> None:
        """Put marks at the places that were named, unless the text goes on in another block already."""
        if not self.marks.places:
            return
        shown = self._placed[1]
        if self._plain is None:
            shown = self._plain = pane.source[len(self._before) :]
        if self._placed[0] != self.marks.places and pane.source == self._before + shown:
            shown = self.marks.placed(self._plain, pane["citations"])
            pane.replace(self._before + shown)
            self._placed = (self.marks.places, shown)

    def replace(self, text: str, at: int) -> None:
        """The provider's final value of the block's text."""
        if self.pane is None:
            self._blank = ""
            self.add(text, at)
        elif self._plain is None:
            self.pane.replace(self._before + self.marks.replaced(text))
        else:
            self._plain, self._placed = text, (0, text)
            self.pane.replace(self._before + text)
            self._mark_places(self.pane)


class Blocks:
    """The blocks of one attempt, by index."""

    def __init__(self, room: Room, tools: dict[str, Tool], unfinished: Prose | None = None) -> None:
        self._room = room
        self._tools = tools
        self._unfinished = unfinished
        self._prose: dict[tuple[int, str], ProseBlock] = {}
        self._calls: dict[int, Tool] = {}
        self._open: dict[int, tuple[Any, Any]] = {}
        self._cited = False
        self._resting: Prose | None = None

    def start(self, index: int, block: dict[str, Any], at: int) -> None:
        """A block opens, perhaps with its content. One that is open already under the same name goes on."""
        kind, key = block.get("type"), (block.get("type"), block.get("id"))
        if self._open.get(index) == key:
            return
        if index in self._open:
            self.stop(index, at)
        self._forget(index)
        self._open[index] = key
        cited, self._cited = self._cited, isinstance(block.get("citations"), list)
        joins = kind == "text" and (cited or self._cited)
        self._move_on(at, joins)
        if kind in ("text", "thinking"):
            opened = self._open_prose(index, str(kind), at, joins)
            opened.marks.expected = self._cited
            opened.add(_string(block.get(kind)), at)
            opened.cite(block.get("citations"))
        elif kind in _CALLS:
            call = self._open_call(
                index, _string(block.get("id")), _string(block.get("name")), _CALLS[kind], at
            )
            call.seed(block.get("input"))
        elif isinstance(block.get("tool_use_id"), str):
            self._result(block, at)
        elif kind == "redacted_thinking":
            self._room.activity("thinking")
            self._room.plain_pane("redacted")
        elif kind == "fallback":
            self._seam(block, at)
        else:
            self._room.plain_pane("unknown", block_type=_string(kind))

    def delta(self, index: int, delta: dict[str, Any], at: int) -> None:
        """More of a block; one that was never opened opens now. Deltas that show nothing are passed over."""
        kind = delta.get("type")
        if kind in TEXT_OF:
            block_kind, field = TEXT_OF[kind]
            block = self._prose.get((index, block_kind))
            if block is None:
                self._move_on(at)
                block = self._open_prose(index, block_kind, at)
            block.add(_string(delta.get(field)), at)
        elif kind == "input_json_delta":
            text = _string(delta.get("partial_json"))
            call = self._calls.get(index)
            if call is None and text:
                self._move_on(at)
                call = self._open_call(index, "", "", False, at)
            if call is not None and text:
                self._room.token(at)
                call.add(text)
        elif kind == "citations_delta":
            self._cited = True
            if (index, "text") in self._prose:
                self._prose[index, "text"].cite([delta.get("citation")])

    def stop(self, index: int, at: int) -> None:
        """A block is complete."""
        for kind in ("thinking", "text"):
            block = self._prose.get((index, kind))
            if block is None or block.pane is None:
                continue
            block.settle()
            if kind == "text" and self._room.last() is block.pane:
                self._resting = block.pane
            else:
                block.pane.close(at)
        if index in self._calls:
            self._calls[index].close(at)
        self._open.pop(index, None)

    def final(self, index: int, block: dict[str, Any], at: int) -> None:
        """A block's final value takes the place of what streamed."""
        kind = block.get("type")
        if kind in ("text", "thinking") and (index, kind) in self._prose:
            self._prose[index, kind].replace(_string(block.get(kind)), at)
            self._prose[index, kind].cite(block.get("citations"))
        elif kind in _CALLS and index in self._calls:
            self._calls[index].replace(block.get("input"))
        elif index not in self._open:
            self.start(index, block, at)

    def end(self, at: int, whole: bool) -> None:
        """The stream ended. `whole`: by itself; otherwise what is open is not taken for complete."""
        if whole:
            for index in sorted({i for i, _ in self._prose} | set(self._calls)):
                self.stop(index, at)
        self._close_resting(at)
        if not whole:
            for block in self._prose.values():
                if block.pane is not None:
                    block.pane.abandon(at)
        self._open.clear()

    def _forget(self, index: int) -> None:
        self._calls.pop(index, None)
        for kind in ("text", "thinking"):
            self._prose.pop((index, kind), None)

    def _move_on(self, at: int, joins: bool = False) -> None:
        """Another block begins; one that `joins` the text before it leaves that open."""
        if joins:
            return
        self._close_resting(at)
        for block in self._prose.values():
            if block.pane is not None:
                block.pane.look_done(at)

    def _close_resting(self, at: int) -> None:
        if self._resting is not None:
            self._resting.close(at)
            self._resting = None

    def _open_prose(self, index: int, kind: str, at: int, joins: bool = False) -> ProseBlock:
        self._room.activity("answering" if kind == "text" else "thinking")
        last = self._room.last() if joins else None
        pane = last if isinstance(last, Prose) and last is self._resting else None
        if kind == "text" and self._unfinished is not None:
            self._move_on(at)
            pane, self._unfinished = self._unfinished, None
            pane.reopen()
        if pane is None:
            self._move_on(at)
        self._resting = None
        block = self._prose[index, kind] = ProseBlock(self._room, kind, at, pane)
        return block

    def _open_call(self, index: int, tool_id: str, name: str, server: bool, at: int) -> Tool:
        self._room.activity("tool")
        self._room.token(at)
        call = self._calls[index] = self._room.tool(tool_id, name, server, at)
        return call

    def _result(self, block: dict[str, Any], at: int) -> None:
        tool_id = block["tool_use_id"]
        call = self._tools.get(tool_id)
        if call is None:
            name = _string(block.get("type")).removesuffix("_result").removesuffix("_tool")
            call = self._room.tool(tool_id, name, True, at)
        call.done_by(block, at)

    def _seam(self, block: dict[str, Any], at: int) -> None:
        for call in self._calls.values():
            call.finish(at)
            call.set(superseded=True)
        self._room.plain_pane("seam", from_model=_model(block, "from"), to_model=_model(block, "to"))


def _model(block: dict[str, Any], end: str) -> str:
    side = block.get(end)
    return _string(side.get("model")) if isinstance(side, dict) else ""


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
