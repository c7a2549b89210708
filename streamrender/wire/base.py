"""What all wire decoders share: frames to JSON values, faults, errors, the regular end.

A decoder never raises for any bytes. `feed` raises TypeError for what is not bytes, and ValueError after
`close`. Invariants: the events do not depend on how the bytes are cut; every event is JSON-able and holds no
lone surrogate (a high surrogate at the end of a delta waits for the block's next delta, see `Halves`); the
last event of `close` is the only `stream_end`.
"""

import re
from typing import Any

from streamrender.errors import redact_all, stream_error
from streamrender.events import Event, fault
from streamrender.wire import jsontext
from streamrender.wire.sse import SSE, Frame

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Decoder:
    """Bytes of one upstream response to events. Subclasses translate one JSON value at a time in `_value`."""

    wire = ""

    def __init__(self) -> None:
        self._sse = SSE()
        self._closed = False
        self._done = False
        self._error: dict[str, Any] | None = None
        self._faults = 0
        self._seen = 0
        self._stray: list[str] = []

    def feed(self, data: bytes) -> list[Event]:
        """Events that these bytes complete."""
        if self._closed:
            raise ValueError("feed() after close()")
        if not isinstance(data, bytes):
            data = bytes(data) if isinstance(data, bytearray | memoryview) else _no_bytes()
        out: list[Event] = []
        for frame in self._sse.feed(data):
            text = frame[2]
            # The common case, quick; whatever is not one JSON object goes the long way.
            if frame[0] == "event":
                try:
                    value, end = jsontext.scan(text, 0)
                except (StopIteration, ValueError, RecursionError):
                    end = -1
                if end == len(text) and type(value) is dict and (end <= 400 or jsontext.shallow(text)):
                    self._seen += 1
                    self._value(frame[1], value, out, "\\u" in text and halves(text))
                    continue
            self._frame(frame, out)
        return out

    def close(self) -> list[Event]:
        """The last events, ending in `stream_end`. Called again: the empty list."""
        if self._closed:
            return []
        self._closed = True
        out: list[Event] = []
        for frame in self._sse.close():
            self._frame(frame, out)
        self._finish(out)
        if not self._seen and self._stray and self._error is None:
            self._error = stream_error({"type": "not_a_stream", "message": " ".join(self._stray)[:300]})
        ended = "error" if self._error else "completed" if self._done else "cut_off"
        out.append({"type": "stream_end", "ended": ended, "error": self._error})
        return out

    # What a wire defines.

    def _value(self, name: str, value: dict[str, Any], out: list[Event], half: bool) -> None:
        """Translate one JSON object; `half` says that its text holds \\u escapes, which may be halves of a
        pair.
        """
        raise NotImplementedError

    def _finish(self, out: list[Event]) -> None:
        """Add what the end of the bytes brings before `stream_end`."""

    # Frames.

    def _frame(self, frame: Frame, out: list[Event]) -> None:
        kind, name, data = frame
        if kind == "event":
            try:
                value = jsontext.parse(data)
            except (ValueError, RecursionError):
                self._unreadable(name, data, out)
                return
            if type(value) is dict:
                self._seen += 1
                self._value(name, value, out, "\\u" in data and halves(data))
            else:
                self._not_object(name, data, value, out)
        elif kind == "loose":
            self._loose(data, out)
        elif kind == "error":
            self._error_field(data, out)
        elif kind == "tail":
            self._unfinished(name, data, out)
        elif kind == "cap":
            self._fail({"type": "too_large", "message": data}, out)
        else:
            self._remember(data)
            self._fault(out, "not_sse", data)

    def _unreadable(self, name: str, data: str, out: list[Event]) -> None:
        """Data that is not one JSON value: the end mark, two frames glued together, or nothing that can be
        read.
        """
        text = data.strip()
        if not text or text == "[DONE]":
            self._end_mark(out, text)
            return
        values: list[Any] = []
        pos = 0
        while pos < len(data):
            try:
                value, pos = jsontext.value_at(data, pos)
                values.append(value)
            except ValueError:
                found = data.find("data:", pos)
                if found < 0:
                    break
                pos = found + 5
        objects = [value for value in values if isinstance(value, dict)]
        self._fault(out, "glued" if objects else "unreadable", data)
        if not objects:
            self._remember(data)
        for value in objects:
            self._seen += 1
            self._value("", value, out, True)

    def _not_object(self, name: str, data: str, value: Any, out: list[Event]) -> None:
        if name == "error":
            self._fail({"message": value if isinstance(value, str) else data}, out)
        else:
            self._fault(out, "unreadable", data)

    def _loose(self, data: str, out: list[Event]) -> None:
        try:
            value = jsontext.parse(data)
        except (ValueError, RecursionError):
            self._fault(out, "unreadable", data)
            self._remember(data)
            return
        self._fault(out, "bare_json", data[:80])
        self._seen += 1
        self._value("", value, out, True)

    def _error_field(self, data: str, out: list[Event]) -> None:
        try:
            value = jsontext.parse(data)
        except (ValueError, RecursionError):
            value = data
        self._fault(out, "error_field", data)
        inner = value.get("error", value) if isinstance(value, dict) else value
        self._fail(jsontext.mend(inner if isinstance(inner, dict) else {"message": str(inner)}), out)

    def _unfinished(self, name: str, data: str, out: list[Event]) -> None:
        try:
            value = jsontext.parse(data)
        except (ValueError, RecursionError):
            if data.strip() == "[DONE]":
                self._end_mark(out, "[DONE]")
            else:
                self._fault(out, "truncated_event", data)
            return
        self._fault(out, "unterminated_event", data)
        if isinstance(value, dict):
            self._seen += 1
            self._value(name, value, out, "\\u" in data and halves(data))

    def _end_mark(self, out: list[Event], text: str) -> None:
        """`[DONE]` or empty data: means something on OpenAI's wires only."""

    # Shared steps.

    def _remember(self, text: str) -> None:
        """What an error may quote when the whole body turns out to be no stream."""
        if len(self._stray) < 20:
            self._stray.append(text[:500])

    def _fault(self, out: list[Event], kind: str, detail: str) -> None:
        """Report an irregularity; at most 100 a stream, so that junk cannot grow the journal at will."""
        self._faults += 1
        if self._faults <= 100:
            out.append(fault(kind, jsontext.mend_text(detail[:300])))

    def _fail(self, error: dict[str, Any], out: list[Event], beside: dict[str, Any] | None = None) -> None:
        """The upstream reported an error: pass it along and remember the first for `stream_end`.

        `beside`: what stood beside the error object, such as a request id.
        """
        error = redact_all(jsontext.mend(error))
        out.append({**redact_all(jsontext.mend(beside or {})), "type": "error", "error": error})
        if self._error is None:
            self._error = stream_error(error)


def _no_bytes() -> bytes:
    raise TypeError("feed() takes bytes")


def halves(text: str) -> bool:
    """Whether JSON text has escapes of surrogates, which may be halves of a pair."""
    return _SURROGATE.search(text) is not None


def halves_at_ends(text: str) -> bool:
    """Whether text begins or ends with a surrogate."""
    return "\ud800" <= text[-1:] <= "\udfff" or "\ud800" <= text[:1] <= "\udfff"


class Halves(dict[Any, str]):
    """High surrogates that end a delta, held per block and field until that block's next delta."""

    def join(self, key: Any, text: str) -> str:
        """`text` with what was held before it; a new high surrogate at its end is held back."""
        text = self.pop(key, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self[key] = text[-1]
            text = text[:-1]
        return jsontext.mend_text(text)

    def drop(self, key: Any) -> str:
        """Forget what is held: U+FFFD when there was something, otherwise the empty string."""
        return "\ufffd" if self.pop(key, None) else ""
