"""Server-sent events: bytes in, frames out, by the WHATWG rules and with what real gateways send besides.

A frame is a tuple (kind, name, data):
  ("event", name, data)   a dispatched event; name is "" without an `event:` line
  ("error", "", data)     a field `error:` (llama.cpp and relatives)
  ("loose", "", data)     a whole JSON object that came without `data:` (bare errors, JSON bodies, JSON
                          arrays)
  ("stray", "", line)     a line that is no SSE field, or loose JSON that never became whole
  ("tail", name, data)    close() only: the event that was still unfinished at the end
  ("cap", "", message)    a line or event is larger than allowed; nothing is read after it

Invariant: the frames do not depend on how the bytes are cut. Lines end at CR, LF and CRLF only; bytes become
text by UTF-8 with replacement, a whole line at a time, so no character is cut. Source: html.spec.whatwg.org,
server-sent events; the deviations are those seen in recorded and reported streams.
"""

import re

from streamrender.wire.scan import ObjectScanner

Frame = tuple[str, str, str]

MAX_LINE = 16 * 2**20
MAX_EVENT = 32 * 2**20

_FIELD = re.compile(r"[A-Za-z_-]+(?::|$)")


class SSE:
    """The parser. `feed` and `close` return frames; neither raises for any bytes. Caps are in bytes (a line)
    and characters (an event).
    """

    def __init__(self, max_line: int = MAX_LINE, max_event: int = MAX_EVENT) -> None:
        self.max_line = max_line
        self.max_event = max_event
        self.dead = False
        self._tail = bytearray()
        self._skip_lf = False
        self._head = True
        self._name = ""
        self._data: list[str] = []
        self._size = 0
        self._loose: ObjectScanner | None = None

    def feed(self, chunk: bytes) -> list[Frame]:
        """Frames that these bytes complete."""
        if self.dead or not chunk:
            return []
        if self._skip_lf:
            self._skip_lf = False
            if chunk[:1] == b"\n":
                chunk = chunk[1:]
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if not end:
            self._tail += chunk
            return self._over([]) if len(self._tail) > self.max_line else []
        region = chunk[:end]
        if self._tail:
            region = bytes(self._tail) + region
            self._tail = bytearray()
        rest = chunk[end:]
        self._tail += rest
        if len(region) > self.max_line:
            for line in region.splitlines():
                if len(line) > self.max_line:
                    region = region[: region.index(line)]
                    return self._over(self._lines(region) if region else [])
        self._skip_lf = not rest and region[-1] == 13
        frames = self._lines(region)
        return self._over(frames) if len(rest) > self.max_line else frames

    def close(self) -> list[Frame]:
        """The last frames: what was whole but not ended as "tail" or "loose", what was not as "stray"."""
        if self.dead:
            return []
        rest = bytes(self._tail)
        self._tail = bytearray()
        frames = self._lines(rest + b"\n") if rest else []
        if self._loose is not None and not self.dead:
            self._drop_loose(frames)
        if self._size and not self.dead:
            frames.append(("tail", self._name, "\n".join(self._data)))
        self.dead = True
        return frames

    def _over(self, frames: list[Frame]) -> list[Frame]:
        if not self.dead:
            self.dead = True
            self._tail = bytearray()
            self._data = []
            frames.append(("cap", "", f"a line is longer than {self.max_line} bytes"))
        return frames

    def _lines(self, region: bytes) -> list[Frame]:
        if self._head:
            self._head = False
            region = region.removeprefix(b"\xef\xbb\xbf")
        text = region.decode("utf-8", "replace")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        lines.pop()
        frames: list[Frame] = []
        data = self._data
        for line in lines:
            if line[:5] == "data:":
                if self._loose is not None:
                    self._drop_loose(frames)
                value = line[6:] if line[5:6] == " " else line[5:]
                data.append(value)
                self._size += len(value)
                if self._size > self.max_event:
                    self.dead = True
                    self._data = []
                    frames.append(("cap", "", f"an event is longer than {self.max_event} characters"))
                    break
            elif not line:
                if data:
                    frames.append(("event", self._name, data[0] if len(data) == 1 else "\n".join(data)))
                    data.clear()
                    self._size = 0
                self._name = ""
            elif line[:6] == "event:" and self._loose is None:
                self._name = line[7:] if line[6:7] == " " else line[6:]
            else:
                self._other(line, frames)
                if self.dead:
                    break
        return frames

    def _other(self, line: str, frames: list[Frame]) -> None:
        """Comments, rare fields and everything that is not SSE."""
        if line[0] == ":":
            return
        if self._loose is None:
            if _FIELD.match(line):
                field, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if field == "error":
                    frames.append(("error", "", value))
                elif field == "data":
                    self._data.append(value)
                elif field == "event":
                    self._name = value
                return
            if line.lstrip()[:1] not in ("{", "["):
                frames.append(("stray", "", line))
                return
            if self._data:  # the blank line before it is missing
                frames.append(("event", self._name, "\n".join(self._data)))
                self._data.clear()
                self._size = 0
                self._name = ""
            self._loose = ObjectScanner()
        elif line[:6] == "event:":
            self._drop_loose(frames)
            self._other(line, frames)
            return
        frames.extend(("loose", "", text) for text in self._loose.feed(line + "\n"))
        if self._loose.size > self.max_event:
            self.dead = True
            self._loose = None
            frames.append(("cap", "", f"a JSON value is longer than {self.max_event} characters"))
        elif self._loose.idle:
            self._loose = None

    def _drop_loose(self, frames: list[Frame]) -> None:
        if self._loose is not None and (rest := self._loose.rest().strip()):
            frames.append(("stray", "", rest))
        self._loose = None
