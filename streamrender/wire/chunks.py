"""The wire of models that run in the browser: one JSON string a line, then {"done": true} or {"error":
{...}}.

The strings are the pieces of the answer. Older browsers send all the text so far each time: when one of the
first three pieces after the first begins with all the text before it and is longer, the stream is taken for
cumulative from then on, never again decided piece by piece.
"""

from typing import Any

from streamrender.errors import stream_error
from streamrender.events import Event
from streamrender.wire import jsontext
from streamrender.wire.base import Halves
from streamrender.wire.sse import MAX_LINE
from streamrender.wire.translate import Translator, string


class ChunksDecoder(Translator):
    """One answer of a browser model; see `Decoder` for the contract. There are no ids, counts or tools."""

    wire = "chunks"

    def __init__(self) -> None:
        super().__init__()
        self._tail = bytearray()
        self._pieces = 0
        self._so_far: str | None = ""
        self._length = 0
        self._cumulative = False

    def feed(self, data: bytes) -> list[Event]:
        """Events that these bytes complete."""
        if isinstance(data, str):
            raise TypeError("feed() takes bytes, not str")
        if self._closed:
            raise ValueError("feed() after close()")
        out: list[Event] = []
        lines = bytes(data).split(b"\n")
        for line in lines[:-1]:
            self._tail += line
            whole, self._tail = bytes(self._tail), bytearray()
            self._line(whole, out)
        self._tail += lines[-1]
        if len(self._tail) > MAX_LINE:
            self._tail = bytearray()
            self._too_large(out)
        return out

    def close(self) -> list[Event]:
        """The last events, ending in `stream_end`."""
        if self._closed:
            return []
        self._closed = True
        out: list[Event] = []
        rest = bytes(self._tail)
        if rest.strip():
            try:
                jsontext.parse(rest.decode("utf-8", "replace"))
            except ValueError:
                self._fault(out, "truncated_event", rest[:300].decode("utf-8", "replace"))
            else:
                self._line(rest, out)
        self._finish(out)
        ended = "error" if self._error else "completed" if self._done else "cut_off"
        out.append({"type": "stream_end", "ended": ended, "error": self._error})
        return out

    def _line(self, line: bytes, out: list[Event]) -> None:
        if not line.strip():
            return
        if len(line) > MAX_LINE:
            self._too_large(out)
        if self._done or self._error is not None:
            if self._error is None or self._error["type"] != "too_large":
                self._fault(out, "after_end", line[:300].decode("utf-8", "replace"))
            return
        try:
            value = jsontext.parse(line.decode("utf-8", "replace"))
        except ValueError:
            self._fault(out, "unreadable", line[:300].decode("utf-8", "replace"))
            return
        if isinstance(value, str):
            self._piece(jsontext.mend(value, ends=True), out)
        elif isinstance(value, dict) and value.get("error"):
            error = jsontext.mend(value["error"])
            self._fail(error if isinstance(error, dict) else {"message": str(error)}, out)
        elif isinstance(value, dict) and value.get("done"):
            self._done = True
            reason = string(value.get("stop_reason")) or "end_turn"
            self._begin(out, "", "", value)
            out.append({"type": "message_delta", "delta": {"stop_reason": jsontext.mend(reason)}})
        else:
            out.append({"type": "unknown", "name": "", "raw": jsontext.mend(value)})

    def _piece(self, text: str, out: list[Event]) -> None:
        self._begin(out, "", "", text)
        self._pieces += 1
        if self._cumulative:
            text = _whole(text)  # half a character comes again, whole
            text, self._length = text[self._length :], max(self._length, len(text))
        elif self._so_far is not None:
            if self._so_far and 1 < self._pieces <= 4 and _longer(text, _whole(self._so_far)):
                self._cumulative = True
                self._halves = Halves()
                text = _whole(text)
                text, self._length = text[len(_whole(self._so_far)) :], len(text)
                self._so_far = None
            else:
                self._so_far = None if self._pieces >= 4 else self._so_far + text
        if text:
            self._write(out, "text", text)

    def _too_large(self, out: list[Event]) -> None:
        if self._error is None:
            error: dict[str, Any] = {
                "type": "too_large",
                "message": f"a line is longer than {MAX_LINE} bytes",
            }
            out.append({"type": "error", "error": error})
            self._error = stream_error(error)


def _whole(text: str) -> str:
    """The text without a high surrogate at its end."""
    return text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text


def _longer(text: str, so_far: str) -> bool:
    return len(text) > len(so_far) and text.startswith(so_far)
