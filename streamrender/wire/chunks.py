"""The wire of models that run in the browser: one JSON string a line, then {"done": true} or {"error":
{...}}.

The strings are the pieces of the answer. Older browsers send all the text so far each time. A line
{"style": "delta"} or {"style": "cumulative"} says which it is, and holds until the next such line. Where it
is not said: when one of the first three pieces after the first begins with all the text before it and is
longer, the stream is taken for cumulative from then on, never again decided piece by piece.

A cumulative piece that does not begin with the text before it gives the lie to its style: it is reported, and
from there on pieces append. {"tool": {"id", "name", "input"}} is a whole tool call; the end of a round that
waits for its tools is {"done": true, "stop_reason": "tool_use"}.
"""

import json
from typing import Any

from streamrender.errors import stream_error
from streamrender.events import Event
from streamrender.wire import jsontext
from streamrender.wire.base import Halves
from streamrender.wire.sse import MAX_LINE
from streamrender.wire.translate import Translator, string


class ChunksDecoder(Translator):
    """One answer of a browser model; see `Decoder` for the contract. There are no ids of messages, and no
    counts.
    """

    wire = "chunks"

    def __init__(self) -> None:
        super().__init__()
        self._tail = bytearray()
        self._style = ""
        self._pieces = 0
        self._so_far = ""
        self._parts: list[str] = []

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
        elif isinstance(value, dict) and isinstance(value.get("tool"), dict):
            self._call(jsontext.mend(value["tool"]), out)
        elif isinstance(value, dict) and value.get("style") in ("delta", "cumulative"):
            self._set_style(value["style"])
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
        if not self._style and self._so_far and 1 < self._pieces <= 4 and _longer(text, _whole(self._so_far)):
            self._style = "cumulative"
        if self._style == "cumulative":
            text = self._rest(text, out)
        elif self._style or self._pieces >= 4:
            self._set_style("delta")
            self._parts.append(text)
        else:
            self._so_far += text
        if text:
            self._write(out, "text", text)

    def _set_style(self, style: str) -> None:
        """Read pieces so from now on; all the text so far counts in either style."""
        if style != self._style:
            if style == "cumulative":
                self._so_far, self._parts = self._so_far + "".join(self._parts), []
            elif self._so_far:
                self._so_far, self._parts = "", [self._so_far]
            self._style = style

    def _rest(self, text: str, out: list[Event]) -> str:
        """What a cumulative piece adds."""
        text, so_far = _whole(text), _whole(self._so_far)  # half a character comes again, whole
        if not text.startswith(so_far):
            if so_far.startswith(text):
                return ""
            self._fault(out, "not_cumulative", text[:80])
            self._set_style("delta")
            self._parts.append(text)
            return text
        self._halves = Halves()
        self._so_far = text
        return text[len(so_far) :]

    def _call(self, call: dict[str, Any], out: list[Event]) -> None:
        self._begin(out, "", "", call)
        ident = string(call.get("id")) or f"{self._stem}_{self._count}"
        index = self._open_block(out, {"type": "tool_use", "id": ident, "name": string(call.get("name"))})
        text = json.dumps(call.get("input") or {}, ensure_ascii=False)
        self._grow(out, index, "input_json_delta", text)
        self._close_block(out, index)

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
