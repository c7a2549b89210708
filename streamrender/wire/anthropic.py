"""The Anthropic Messages stream, and GLM's, which is the same wire.

Regular events pass through as they came. What is irregular is made regular and reported as a `fault`: content
before `message_start`, deltas for blocks that were never opened or of another kind, indexes used twice or
missing, a second `message_start`, missing stops. Whole blocks in `message_start.message.content` become block
events.
"""

from typing import Any

from streamrender.events import DELTA_FIELDS, Event
from streamrender.wire import jsontext
from streamrender.wire.base import Decoder, Halves, halves_at_ends
from streamrender.wire.stop_reasons import stop_reason

# Block types that a known delta may grow; a signature may come on any block, an unknown block takes anything.
_HOMES: dict[str, frozenset[str]] = {
    "text_delta": frozenset({"text"}),
    "citations_delta": frozenset({"text"}),
    "thinking_delta": frozenset({"thinking"}),
    "input_json_delta": frozenset({"tool_use", "server_tool_use", "mcp_tool_use"}),
    "compaction_delta": frozenset({"compaction"}),
}
_HOMED = frozenset().union(*_HOMES.values()) | {"redacted_thinking", "fallback"}
# Text at a block's start may end in half a character, too.
_START_TEXT = frozenset({"text", "thinking"})
_OPENERS: dict[str, dict[str, Any]] = {
    "thinking_delta": {"type": "thinking", "thinking": "", "signature": ""},
    "signature_delta": {"type": "thinking", "thinking": "", "signature": ""},
    "input_json_delta": {"type": "tool_use", "id": "", "name": "", "input": {}},
    "compaction_delta": {"type": "compaction", "content": None},
}


class AnthropicDecoder(Decoder):
    """One Messages response; see `Decoder` for the contract."""

    wire = "anthropic"

    def __init__(self) -> None:
        super().__init__()
        self._id: str | None = None
        self._implicit = False
        self._reset()
        self._next = 0

    def _reset(self) -> None:
        self._types: dict[int, str] = {}
        self._sources: dict[int, dict[str, Any]] = {}
        self._open: dict[int, None] = {}
        self._index: dict[Any, int] = {}
        self._routes: dict[tuple[Any, str], int] = {}
        self._fits: dict[tuple[Any, Any], str] = {}
        self._last: Any = None
        self._next = 0
        self._halves = Halves()

    def _value(self, name: str, value: dict[str, Any], out: list[Event], half: bool) -> None:
        kind = value.get("type")
        if kind == "content_block_delta":
            delta = value.get("delta")
            if type(delta) is dict and not self._done:
                if not half and not self._halves:
                    # The common case, quick: text for an open block that takes it, with no escapes to mend.
                    try:
                        field = self._fits.get((value["index"], delta["type"]))
                    except (KeyError, TypeError):
                        field = None
                    if field is not None and type(delta.get(field)) is str:
                        out.append(value)
                        return
                self._slow_delta(value, delta, out)
                return
        if half:
            value = jsontext.mend(value, _START_TEXT if kind == "content_block_start" else frozenset())
            kind = value.get("type")
        if name == "error" and kind != "error" and "error" not in value:
            kind, value = "error", {"type": "error", "error": value}
        if self._done:
            if kind != "ping":
                self._fault(out, "after_end", str(kind))
            return
        handler = self._HANDLERS.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            begin = len(out)
            handler(self, value, out)
            if half:
                out[begin:] = [jsontext.mend(event) for event in out[begin:]]
        elif "error" in value and kind is None:
            self._on_error(value, out)
        elif isinstance(kind, str):
            out.append({"type": "unknown", "name": kind, "raw": value})
        else:
            self._fault(out, "no_type", str(value))

    # message_start, message_delta, message_stop

    def _on_message_start(self, event: Event, out: list[Event]) -> None:
        message = event.get("message")
        if not isinstance(message, dict):
            self._fault(out, "bad_event", "message_start without a message")
            message = {}
        self._start(message, out)

    def _start(self, message: dict[str, Any], out: list[Event]) -> None:
        ident = message.get("id")
        ident = ident if isinstance(ident, str) else ""
        if self._id is not None and not self._implicit:
            if ident == self._id:
                self._fault(out, "repeated_message_start", ident)
                if isinstance(message.get("usage"), dict):
                    out.append({"type": "message_delta", "delta": {}, "usage": message["usage"]})
                return
            self._fault(out, "second_message_start", ident)
            out.append({"type": "superseded", "reason": "second_message_start"})
            self._reset()
        self._implicit = False
        self._id = ident
        content = message.get("content")
        out.append({"type": "message_start", "message": {**message, "content": []}})
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict):
                self._start_block(None, block, out)
                self._stop(self._last, out)
        if message.get("stop_reason") is not None:
            fields = ("stop_reason", "stop_sequence", "stop_details", "container")
            delta = {key: message[key] for key in fields if message.get(key) is not None}
            stop: Event = {"type": "message_delta", "delta": delta}
            _translate_stop(stop, delta)
            out.append(stop)

    def _need_message(self, out: list[Event]) -> None:
        if self._id is None:
            self._fault(out, "implicit_message_start", "content before message_start")
            self._id = ""
            self._implicit = True
            message = {"id": "", "type": "message", "role": "assistant", "model": "", "content": []}
            out.append({"type": "message_start", "message": {**message, "stop_reason": None, "usage": {}}})

    def _on_message_delta(self, event: Event, out: list[Event]) -> None:
        self._need_message(out)
        delta = event.get("delta")
        if not isinstance(delta, dict):
            event["delta"] = delta = {}
        _translate_stop(event, delta)
        out.append(event)

    def _on_message_stop(self, event: Event, out: list[Event]) -> None:
        self._need_message(out)
        if self._open:
            self._fault(out, "missing_block_stop", f"{len(self._open)} blocks open at message_stop")
        for index in list(self._open):
            self._close_block(index, out)
        self._done = True
        out.append(event)

    # blocks

    def _on_block_start(self, event: Event, out: list[Event]) -> None:
        block = event.get("content_block")
        if not isinstance(block, dict):
            block = {key: one for key, one in event.items() if key not in ("type", "index")}
            self._fault(out, "bad_event", "content_block_start without a content_block")
        self._need_message(out)
        wire = _key(event.get("index"))
        if wire is None:
            self._fault(out, "no_index", "content_block_start")
        elif wire in self._index:
            index = self._index[wire]
            if index in self._open and _same(self._sources[index], block):
                self._fault(out, "repeated_block_start", f"block {index}")
                return
            self._fault(out, "reused_index", f"block {index}")
            if index in self._open:
                self._close_block(index, out)
        self._start_block(wire, block, out, event)

    def _start_block(
        self, wire: Any, block: dict[str, Any], out: list[Event], event: Event | None = None
    ) -> None:
        free = type(wire) is int and wire >= self._next
        index = wire if free else self._next
        self._next = index + 1
        kind = block.get("type")
        kind = kind if isinstance(kind, str) else "unknown"
        if "type" not in block or block["type"] != kind:
            block = {**block, "type": kind}
        text = block.get(kind)
        if kind in _START_TEXT and isinstance(text, str) and halves_at_ends(text):
            block = {**block, kind: self._halves.join((index, f"{kind}_delta"), text)}
        key = wire if wire is not None else ("ours", index)
        self._types[index] = kind
        self._sources[index] = {"type": kind, "id": block.get("id")}
        self._open[index] = None
        if key in self._index:
            self._forget(key)
        self._index[key] = index
        if free and event is not None:
            for delta, (field, _) in DELTA_FIELDS.items():
                if kind in _HOMES.get(delta, ("thinking",)):
                    self._fits[key, delta] = field
        self._last = key
        if kind == "fallback":
            out.append({"type": "superseded", "reason": "fallback"})
        if event is not None:
            event["index"] = index
            event["content_block"] = block
            out.append(event)
        else:
            out.append({"type": "content_block_start", "index": index, "content_block": block})

    def _forget(self, key: Any) -> None:
        """An index is used again: what came under it before takes no more deltas."""
        self._fits = {pair: one for pair, one in self._fits.items() if pair[0] != key}
        self._routes = {pair: one for pair, one in self._routes.items() if pair[0] != key}

    def _on_block_stop(self, event: Event, out: list[Event]) -> None:
        wire = _key(event.get("index"))
        if wire is None:
            wire = self._last
        index = self._index.get(wire)
        if index is None or index not in self._open:
            self._fault(out, "stray_block_stop", str(event.get("index")))
            return
        routed = [one for pair, one in self._routes.items() if pair[0] == wire and one in self._open]
        for one in [*routed, index]:
            self._close_block(one, out)

    def _stop(self, key: Any, out: list[Event]) -> None:
        self._close_block(self._index[key], out)

    def _close_block(self, index: int, out: list[Event]) -> None:
        self._release(out, index)
        del self._open[index]
        out.append({"type": "content_block_stop", "index": index})

    def _release(self, out: list[Event], index: int | None = None) -> None:
        """Give held halves up as U+FFFD: of one block, or of all."""
        for key in list(self._halves):
            if index is None or key[0] == index:
                field = DELTA_FIELDS[key[1]][0]
                delta = {"type": key[1], field: self._halves.drop(key)}
                out.append({"type": "content_block_delta", "index": key[0], "delta": delta})

    # deltas

    def _slow_delta(self, event: Event, delta: dict[str, Any], out: list[Event]) -> None:
        kind = delta.get("type")
        kind = jsontext.mend(kind) if isinstance(kind, str) else "unknown"
        index = self._target(_key(event.get("index")), kind, out)
        field = DELTA_FIELDS.get(kind)
        text = delta.get(field[0]) if field else None
        if field and not isinstance(text, str):
            if text is not None:
                self._fault(out, "bad_delta", f"{kind} holds no text")
            text = ""
        rest = jsontext.mend({key: one for key, one in delta.items() if not field or key != field[0]})
        if field and text is not None:
            rest[field[0]] = self._halves.join((index, kind), text)
        rest["type"] = kind
        extra = jsontext.mend({key: one for key, one in event.items() if key not in ("delta", "index")})
        out.append({**extra, "index": index, "delta": rest})

    def _target(self, wire: Any, kind: str, out: list[Event]) -> int:
        """Our index of the block that this delta grows, opened here when the upstream did not."""
        self._need_message(out)
        if wire is None:
            self._fault(out, "no_index", kind)
            wire = self._last
        index = self._index.get(wire)
        if index is None:
            self._fault(out, "implicit_block_start", f"{kind} for a block that was not opened")
            self._start_block(wire, dict(_OPENERS.get(kind, {"type": "text", "text": ""})), out)
            return self._index[self._last]
        homes = _HOMES.get(kind)
        if homes is None or self._types[index] in homes or self._types[index] not in _HOMED:
            if index not in self._open:
                self._fault(out, "delta_after_stop", f"block {index}")
            return index
        if (wire, kind) not in self._routes:
            self._fault(out, "delta_of_other_kind", f"{kind} on {self._types[index]} block {index}")
            routes = dict(self._routes)
            last = self._last
            self._start_block(None, dict(_OPENERS.get(kind, {"type": "text", "text": ""})), out)
            self._routes = {**routes, (wire, kind): self._index[self._last]}
            self._last = last
        return self._routes[wire, kind]

    # the rest

    def _on_ping(self, event: Event, out: list[Event]) -> None:
        out.append(event)

    def _on_error(self, event: Event, out: list[Event]) -> None:
        error = event.get("error")
        beside = {key: one for key, one in event.items() if key not in ("type", "error")}
        self._fail(error if isinstance(error, dict) else {"message": str(error)}, out, beside)

    def _on_message(self, event: Event, out: list[Event]) -> None:
        """A whole message instead of a stream: the upstream ignored `stream: true`."""
        self._fault(out, "whole_message", "the upstream sent no stream")
        self._start(event, out)
        self._done = True
        out.append({"type": "message_stop"})

    def _finish(self, out: list[Event]) -> None:
        self._release(out)

    _HANDLERS: dict[str, Any] = {
        "message_start": _on_message_start,
        "content_block_start": _on_block_start,
        "content_block_stop": _on_block_stop,
        "message_delta": _on_message_delta,
        "message_stop": _on_message_stop,
        "ping": _on_ping,
        "error": _on_error,
        "message": _on_message,
    }


def _key(index: Any) -> Any:
    """A usable block key: hashable, None when the wire gave none."""
    return index if isinstance(index, int | str) and not isinstance(index, bool) else None


def _translate_stop(event: Event, delta: dict[str, Any]) -> None:
    """Gateways' words become Anthropic's, the raw one stays under `provider`; an empty one means not yet."""
    raw = delta.get("stop_reason")
    if raw == "" or (raw is not None and not isinstance(raw, str)):
        delta["stop_reason"] = None
    elif raw is not None and (word := stop_reason(raw)) != raw:
        delta["stop_reason"] = word
        event["provider"] = {"stop_reason": raw}


def _same(opened: dict[str, Any], block: dict[str, Any]) -> bool:
    return bool(opened["type"] == block.get("type") and opened["id"] == block.get("id"))


class GLMDecoder(AnthropicDecoder):
    """GLM's Anthropic-compatible endpoint: zeros as first usage, optional signatures: nothing special."""

    wire = "glm"
