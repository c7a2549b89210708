"""Events to the message (see `streamrender.message`).

The events of one response; those of the relay are passed over, except that `request_started` begins a new
message. Invariants: O(1) per delta (pieces are joined in `to_dict`); nothing is merged across attempts;
`feed` takes any event list without raising and notes in `faults` what a decoder would have made regular.
"""

from typing import Any

from streamrender.events import DELTA_FIELDS, Event
from streamrender.message import Message, tool_input
from streamrender.usage import merge, normal
from streamrender.wire.stop_reasons import moved_on

_MESSAGE_FIELDS = {
    "id",
    "type",
    "model",
    "role",
    "content",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "usage",
}


class _Block:
    """One content block while it grows: its start, and the pieces of each field that grew."""

    __slots__ = ("extra", "final", "grown", "start", "void")

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        self.grown: dict[str, list[str]] = {}
        self.extra: list[dict[str, Any]] = []
        self.final: dict[str, Any] | None = None
        self.void = False


class Assembler:
    """`feed` each event, `to_dict` at any time. `faults` lists the fault events seen or noticed."""

    def __init__(self) -> None:
        self.faults: list[Event] = []
        self._begin()

    def _begin(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: list[_Block] = []
        self._at: dict[Any, _Block] = {}
        self._stop: dict[str, Any] = {"stop_reason": None, "stop_sequence": None, "stop_details": None}
        self._usage: dict[str, Any] = {}
        self._usage_raw: dict[str, Any] = {}
        self._provider: dict[str, Any] = {}
        self._ended: str | None = None
        self._error: Any = None
        self._served: str | None = None

    def feed(self, event: Event) -> None:
        """Take one event."""
        if event.get("type") == "content_block_delta":
            delta = event.get("delta")
            index = event.get("index")
            block = self._at.get(index if type(index) is int else -1)
            if type(delta) is dict and block is not None:
                kind = delta.get("type")
                field = DELTA_FIELDS.get(kind) if type(kind) is str else None
                if field is not None and type(text := delta.get(field[0])) is str:
                    pieces = block.grown.get(field[1])
                    if pieces is None:
                        block.grown[field[1]] = [text]
                    else:
                        pieces.append(text)
                    if len(delta) == 2:
                        return
                block.extra.append(delta)
                return
            self._lost_delta(event)
            return
        handler = self._HANDLERS.get(_text(event.get("type")))
        if handler is not None:
            handler(self, event)

    def to_dict(self) -> Message:
        """The message as it stands; a copy as far as lists and dicts of its own go."""
        message = self._message
        last = len(self._blocks) - 1
        finished = moved_on(self._stop["stop_reason"])
        return {
            "id": _text(message.get("id")),
            "model": self._served or _text(message.get("model")),
            "role": _text(message.get("role")) or "assistant",
            "content": [_block(one, at < last or finished) for at, one in enumerate(self._blocks)],
            **self._stop,
            "usage": normal(self._usage),
            "usage_raw": dict(self._usage_raw),
            "ended": self._ended,
            "error": self._error,
            "provider": dict(self._provider),
        }

    def _lost_delta(self, event: Event) -> None:
        delta = event.get("delta")
        if not isinstance(delta, dict):
            return
        self.faults.append(
            {"type": "fault", "kind": "implicit_block_start", "detail": "delta without a block"}
        )
        kinds = {"thinking_delta": "thinking", "input_json_delta": "tool_use"}
        self._open(_index(event), {"type": kinds.get(_text(delta.get("type")), "text")})
        self.feed(event)

    def _open(self, index: Any, block: dict[str, Any]) -> _Block:
        opened = _Block(block)
        self._blocks.append(opened)
        self._at[index] = opened
        return opened

    def _on_message_start(self, event: Event) -> None:
        message = _dict(event.get("message"))
        known = self._message.get("id")
        if self._blocks and known and message.get("id") != known:
            self.faults.append(
                {"type": "fault", "kind": "second_message_start", "detail": str(message.get("id"))}
            )
            self._begin()
        self._message = message
        self._provider.update(
            {
                k: v
                for k, v in message.items()
                if k not in _MESSAGE_FIELDS and k != "provider" and v is not None
            }
        )
        self._provider.update(_dict(message.get("provider")))
        content = message.get("content")
        for number, block in enumerate(content if isinstance(content, list) else ()):
            self._open(("start", number), _dict(block))
        self._take_stop(message)
        self._take_usage({**message, **event})

    def _on_message_delta(self, event: Event) -> None:
        delta = _dict(event.get("delta"))
        self._take_stop(delta)
        self._provider.update({k: v for k, v in delta.items() if k not in self._stop and v is not None})
        own = ("type", "delta", "usage", "usage_raw", "provider", "at")
        self._provider.update({k: v for k, v in event.items() if k not in own and v is not None})
        self._provider.update(_dict(event.get("provider")))
        self._take_usage(event)

    def _take_stop(self, fields: dict[str, Any]) -> None:
        for key, kind in (("stop_reason", str), ("stop_sequence", str), ("stop_details", dict)):
            if isinstance(fields.get(key), kind):
                self._stop[key] = fields[key]
        if isinstance(fields.get("stop_reason"), str):
            self._provider["stop_reason"] = fields["stop_reason"]

    def _take_usage(self, fields: dict[str, Any]) -> None:
        self._usage = merge(self._usage, fields.get("usage"))
        self._usage_raw = merge(self._usage_raw, fields.get("usage_raw", fields.get("usage")))

    def _on_block_start(self, event: Event) -> None:
        block = _dict(event.get("content_block"))
        self._open(_index(event), block)
        if block.get("type") == "fallback":
            self._served = _text(_dict(block.get("to")).get("model")) or self._served

    def _on_block_final(self, event: Event) -> None:
        final = _dict(event.get("block"))
        block = self._at.get(_index(event)) or self._open(_index(event), final)
        block.final = {**(block.final or {}), **final}

    def _on_superseded(self, event: Event) -> None:
        if event.get("reason") == "fallback":
            for block in self._blocks:
                block.void = True
        else:
            faults = self.faults
            self._begin()
            self.faults = faults

    def _on_fault(self, event: Event) -> None:
        self.faults.append(event)

    def _on_stream_end(self, event: Event) -> None:
        self._ended = event.get("ended")
        self._error = event.get("error")

    def _on_request_started(self, event: Event) -> None:
        self._begin()

    _HANDLERS: dict[str, Any] = {
        "message_start": _on_message_start,
        "message_delta": _on_message_delta,
        "content_block_start": _on_block_start,
        "block_final": _on_block_final,
        "superseded": _on_superseded,
        "fault": _on_fault,
        "stream_end": _on_stream_end,
        "request_started": _on_request_started,
    }


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _index(event: Event) -> int:
    index = event.get("index")
    return index if type(index) is int else -1


def _block(block: _Block, whole: bool) -> dict[str, Any]:
    """The content block as it stands."""
    final = block.final or {}
    result = {**block.start, **final}
    for field, pieces in block.grown.items():
        if field in final:
            continue
        if field == "signature":
            result[field] = _signature(result.get(field), pieces)
        elif field != "input_text":
            start = result.get(field)
            result[field] = (start if isinstance(start, str) else "") + "".join(pieces)
    for delta in block.extra:
        if delta.get("type") != "citations_delta" or "citations" not in final:
            _extra(result, delta)
    if str(result.get("type", "")).endswith("tool_use"):
        text = "".join(block.grown.get("input_text", ()))
        if isinstance(final.get("input_text"), str):
            text = final["input_text"]
        result["input"], result["input_status"] = tool_input(
            text, whole and not block.void, result.get("input")
        )
        result["input_text"] = text
        if block.void:
            result["superseded"] = True
    return result


def _signature(start: Any, pieces: list[str]) -> str:
    """Signatures append, unless a later one repeats the former from its beginning; an empty one wipes
    nothing.
    """
    signature = start if isinstance(start, str) else ""
    for piece in pieces:
        signature = piece if piece.startswith(signature) and signature else signature + piece
    return signature


def _extra(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Deltas other than plain text: citations, compaction, token estimates; unknown ones are kept raw."""
    kind = delta.get("type")
    if kind == "citations_delta":
        old = block.get("citations")
        block["citations"] = [*(old if isinstance(old, list) else []), delta.get("citation")]
    elif kind == "compaction_delta":
        for key, value in delta.items():
            if key != "type" and value is not None:
                old = block.get(key)
                block[key] = old + value if isinstance(old, str) and isinstance(value, str) else value
    elif kind == "thinking_delta":
        pass  # estimated_tokens: a display hint only
    else:
        provider = dict(_dict(block.get("provider")))
        if isinstance(kind, str) and kind in DELTA_FIELDS:
            own = {"type", DELTA_FIELDS[kind][0]}
            provider.update({key: value for key, value in delta.items() if key not in own})
        elif kind == "provider_delta":
            provider.update(_dict(delta.get("provider")))
        else:
            old = provider.get("deltas")
            provider["deltas"] = [*(old if isinstance(old, list) else []), delta]
        if provider:
            block["provider"] = provider
