"""The page of one turn as a pure fold of its journaled events.

Invariant: the changes of a feed, applied to the snapshot taken before it, give the snapshot taken after
it; and the last snapshot is the same however the events are cut into feeds. Only states and numbers,
never words for people.

Turn fields: `state` (queued, waiting, thinking, answering, tool, retry, ended), `model`, `provider`,
`round`, `ending`, `error`, `stop_reason`, `stop_sequence`, `refusal` ({category, explanation} or null),
`usage` (tokens by field, summed over rounds), `context` (tokens of the last round), `started_at`,
`first_token_at`, `ended_at` (milliseconds since the turn began), `retry` ({attempt, seconds, at, error} or
null), `faults` (how many), `substituted` ({asked, served} where another model answered, or null).
Pane fields: see pane.py, prose.py, tools.py.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from streamrender.events import Event
from streamrender.markdown import MarkdownStream
from streamrender.page.blocks import Blocks
from streamrender.page.log import Change, ChangeLog, plain
from streamrender.page.meter import Meter
from streamrender.page.pane import Pane
from streamrender.page.prose import Engine, Prose
from streamrender.page.tools import Tool
from streamrender.served import another

P = TypeVar("P", bound=Pane)


def _markdown(scope: str) -> Engine:
    return MarkdownStream(scope=scope)


class TurnPage:
    """Folds events into panes. `engine` makes the Markdown stream of one pane, given what to put before the
    identifiers in it; `scope` tells those of this turn from other turns' on the same page.
    """

    def __init__(self, engine: Callable[[str], Engine] = _markdown, scope: str = "") -> None:
        self._engine = engine
        self._scope = scope
        self._log = ChangeLog()
        self._meter = Meter()
        self._panes: list[Pane] = []
        self._tools: dict[str, Tool] = {}
        self._blocks = Blocks(self, self._tools)
        self._attempt = 0
        self._message: str | None = None
        self._asked = ""
        self._served = ""
        self._substituted: dict[str, str] | None = None
        self._unfinished_text: Prose | None = None
        self._last_at = 0
        self._turn: dict[str, Any] = {
            "state": "queued",
            "model": "",
            "provider": "",
            "round": 0,
            "ending": None,
            "error": None,
            "stop_reason": None,
            "stop_sequence": None,
            "refusal": None,
            "usage": self._meter.total(),
            "context": 0,
            "started_at": 0,
            "first_token_at": None,
            "ended_at": None,
            "retry": None,
            "faults": 0,
            "substituted": None,
        }

    def feed(self, events: Iterable[Event]) -> list[Change]:
        """Take events in and give the changes that they make to the page (see page/changes.py)."""
        for event in events:
            at = event.get("at")
            at = at if isinstance(at, int) else self._last_at
            until = event.get("until")
            self._last_at = until if isinstance(until, int) else at
            handle = getattr(self, f"_on_{event.get('type')}", None)
            if handle is not None:
                handle(event, at)
        for pane in self._panes:
            pane.flush()
        return self._log.take()

    def snapshot(self) -> dict[str, Any]:
        """The page now, as JSON data of its own: {"turn": {…}, "panes": [pane, …]}."""
        return {"turn": plain(self._turn), "panes": [pane.snapshot() for pane in self._panes]}

    # What blocks ask for (blocks.Room).

    def prose(self, kind: str, at: int) -> Prose:
        """A new text or thinking pane."""
        name = self._next_id()
        scope = f"{self._scope}-{name}-" if self._scope else ""
        return self._add(Prose(self._log, name, kind, lambda: self._engine(scope), at))

    def last(self) -> Pane | None:
        """The newest pane."""
        return self._panes[-1] if self._panes else None

    def tool(self, tool_id: str, name: str, server: bool, at: int) -> Tool:
        """A new tool card."""
        tool = self._add(Tool(self._log, self._next_id(), tool_id, name, server, at))
        if tool_id:
            self._tools[tool_id] = tool
        return tool

    def plain_pane(self, kind: str, **fields: Any) -> Pane:
        """A new pane that never changes by itself."""
        if kind == "seam" and fields["to_model"]:
            self._answered_by(fields["to_model"])
        return self._add(Pane(self._log, self._next_id(), kind, **fields))

    def token(self, at: int) -> None:
        """The model gave something to see."""
        if self._turn["first_token_at"] is None:
            self._set(first_token_at=at)

    def activity(self, state: str) -> None:
        """What the turn is busy with."""
        self._set(state=state)

    def _next_id(self) -> str:
        return f"{self._turn['round']}.{len(self._panes)}"

    def _add(self, pane: P) -> P:
        self._panes.append(pane)
        return pane

    def _set(self, **fields: Any) -> None:
        changed = {k: v for k, v in fields.items() if self._turn[k] != v}
        self._turn.update(changed)
        self._log.turn(plain(changed))

    # One method for each kind of event.

    def _on_request_started(self, event: Event, at: int) -> None:
        self._blocks.end(at, whole=True)
        if event.get("round") == self._turn["round"]:
            self._supersede("retry", at)
        self._substituted = self._turn["substituted"]
        goes_on = event.get("continues") is True
        if goes_on:
            for pane in self._panes:
                pane.finish(at)
        self._new_attempt(self._unfinished() if goes_on else None)
        self._message = None
        self._asked = event.get("model") or ""
        self._meter.new_round()
        number = event.get("round")
        self._set(
            state="waiting",
            round=number if isinstance(number, int) else self._turn["round"] + 1,
            provider=event.get("provider") or "",
            model=event.get("model") or self._turn["model"],
            stop_reason=None,
            stop_sequence=None,
            refusal=None,
            retry=None,
        )

    def _on_retry_wait(self, event: Event, at: int) -> None:
        fields = {k: event.get(k) for k in ("attempt", "seconds", "error")}
        self._set(state="retry", retry={**fields, "at": at})

    def _on_message_start(self, event: Event, at: int) -> None:
        message = event.get("message")
        message = message if isinstance(message, dict) else {}
        name, again = message.get("id") or "", self._message is not None
        if again and name != self._message and name and self._message:
            self._supersede("second_message_start", at)
            again = False
        self._message = name if not again else self._message
        self._read_end(message)
        if again:
            return
        model = message.get("model")
        if isinstance(model, str) and model:
            self._seam_between(model)
            self._answered_by(model)
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else []):
            if isinstance(block, dict):
                self._blocks.start(index, block, at)

    def _answered_by(self, model: str) -> None:
        self._served = model
        self._set(model=model)
        if another(self._asked, model):
            self._set(substituted={"asked": self._asked, "served": model})

    def _seam_between(self, model: str) -> None:
        """Another model goes on than the one that answered before, unless it goes on within a text."""
        before, shown = self._served, any(not pane.get("superseded") for pane in self._panes)
        if shown and self._unfinished_text is None and another(before, model):
            self.plain_pane("seam", from_model=before, to_model=model)

    def _on_content_block_start(self, event: Event, at: int) -> None:
        block = event.get("content_block")
        self._blocks.start(_index(event), block if isinstance(block, dict) else {}, at)

    def _on_content_block_delta(self, event: Event, at: int) -> None:
        delta = event.get("delta")
        self._blocks.delta(_index(event), delta if isinstance(delta, dict) else {}, at)

    def _on_content_block_stop(self, event: Event, at: int) -> None:
        self._blocks.stop(_index(event), at)

    def _on_block_final(self, event: Event, at: int) -> None:
        block = event.get("block")
        self._blocks.final(_index(event), block if isinstance(block, dict) else {}, at)

    def _on_message_delta(self, event: Event, at: int) -> None:
        delta = event.get("delta")
        self._read_end({**(delta if isinstance(delta, dict) else {}), "usage": event.get("usage")})

    def _read_end(self, message: dict[str, Any]) -> None:
        """Usage and stop fields, each of which counts only where it is given."""
        self._meter.read(message.get("usage"))
        self._set(usage=self._meter.total(), context=self._meter.context())
        for field in ("stop_reason", "stop_sequence"):
            if isinstance(message.get(field), str) and message[field]:
                self._set(**{field: message[field]})
        details = message.get("stop_details")
        if isinstance(details, dict):
            self._set(refusal={k: details.get(k) for k in ("category", "explanation")})

    def _on_message_stop(self, event: Event, at: int) -> None:
        self._blocks.end(at, whole=True)

    def _on_stream_end(self, event: Event, at: int) -> None:
        self._blocks.end(at, whole=event.get("ended") == "completed")

    def _on_superseded(self, event: Event, at: int) -> None:
        self._supersede(str(event.get("reason") or ""), at)

    def _on_fault(self, event: Event, at: int) -> None:
        self._set(faults=self._turn["faults"] + 1)

    def _on_tools_absent(self, event: Event, at: int) -> None:
        servers = event.get("servers")
        names = [str(name) for name in servers] if isinstance(servers, list) else []
        self.plain_pane("absent", servers=", ".join(names))

    def _on_tool_started(self, event: Event, at: int) -> None:
        self._tool_of(event, at).run(at)
        self._set(state="tool")

    def _on_tool_progress(self, event: Event, at: int) -> None:
        self._tool_of(event, at).progress(str(event.get("text") or ""))

    def _on_tool_result(self, event: Event, at: int) -> None:
        tool, content = self._tool_of(event, at), event.get("content")
        if event.get("unknown"):
            tool.not_here(content, at)
        else:
            tool.done(content, bool(event.get("is_error")), at)

    def _on_approval_asked(self, event: Event, at: int) -> None:
        self._tool_of(event, at).ask(bool(event.get("each_time")))
        self._set(state="tool")

    def _on_approval_given(self, event: Event, at: int) -> None:
        self._tool_of(event, at).answer(bool(event.get("granted")), at)

    def _on_turn_end(self, event: Event, at: int) -> None:
        self._blocks.end(at, whole=False)
        for pane in self._panes:
            pane.finish(at)
        self._set(
            state="ended", ending=event.get("ending"), error=event.get("error"), ended_at=at, retry=None
        )

    def _tool_of(self, event: Event, at: int) -> Tool:
        """The card of a tool event; one that nothing announced gets a card all the same."""
        tool_id = str(event.get("id") or "")
        return self._tools.get(tool_id) or self.tool(tool_id, str(event.get("name") or ""), False, at)

    def _supersede(self, reason: str, at: int) -> None:
        """Another attempt takes the place of what this round showed, which stays, marked as such."""
        old = [p for p in self._panes[self._attempt :] if not p.get("superseded") and p.kind != "superseded"]
        if reason == "fallback":
            old = [pane for pane in old if pane.kind == "tool"]
        for pane in old:
            pane.finish(at)
            pane.set(superseded=True)
        if reason == "fallback":
            return
        if old:
            self._add(Pane(self._log, self._next_id(), "superseded", reason=reason))
        self._set(substituted=self._substituted)
        self._new_attempt()

    def _new_attempt(self, unfinished: Prose | None = None) -> None:
        self._attempt = len(self._panes)
        self._unfinished_text = unfinished
        self._blocks = Blocks(self, self._tools, unfinished)

    def _unfinished(self) -> Prose | None:
        """The text that a request to go on with an answer begins behind, None when something else is last."""
        aside = ("thinking", "absent")
        last = next((pane for pane in reversed(self._panes) if pane.kind not in aside), None)
        return last if isinstance(last, Prose) and not last.get("superseded") else None


def _index(event: Event) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else -1
