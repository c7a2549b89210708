"""What the wires other than Anthropic's share: their pieces become regular blocks under our own indexes.

One prose block (text or thinking) is open at a time and ends where another block begins. Tool calls stay open
until the next block begins; a later piece of a call that was closed still belongs to it.
Invariant: a high surrogate at the end of a piece waits for the block's next piece (see `Halves`).
"""

import hashlib
import json
from typing import Any, ClassVar

from streamrender.events import DELTA_FIELDS, Event
from streamrender.wire import jsontext
from streamrender.wire.base import Decoder, Halves


class Translator(Decoder):
    """A decoder that builds blocks itself. Subclasses define `_chunk` and call the steps below."""

    # Keys under which the wire's text pieces come: there a high surrogate at the end of a string is kept.
    TEXT_KEYS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self) -> None:
        super().__init__()
        self._begun = False
        self._first: Any = None
        self._count = 0
        self._open: dict[int, None] = {}
        self._prose: tuple[str, int] | None = None
        self._halves = Halves()

    def _chunk(self, name: str, value: dict[str, Any], out: list[Event]) -> None:
        """Translate one JSON object."""
        raise NotImplementedError

    def _value(self, name: str, value: dict[str, Any], out: list[Event], half: bool) -> None:
        if not half:
            self._chunk(name, value, out)
            return
        begin = len(out)
        self._chunk(name, jsontext.mend(value, self.TEXT_KEYS), out)
        out[begin:] = [jsontext.mend(event) for event in out[begin:]]

    # Steps.

    def _begin(self, out: list[Event], ident: str, model: str, first: Any = None) -> None:
        """Start the message, once; from its first chunk, `first`, ids are made where there is none."""
        if not self._begun:
            self._begun = True
            self._first = ident or first
            message = {"id": ident, "type": "message", "role": "assistant", "model": model, "content": []}
            ends: dict[str, Any] = {"stop_reason": None, "stop_sequence": None, "usage": {}}
            out.append({"type": "message_start", "message": {**message, **ends}})

    @property
    def _stem(self) -> str:
        """What made ids begin with: the message's id, or a digest of its first chunk."""
        if not isinstance(self._first, str):
            digest = hashlib.sha256(json.dumps(self._first).encode()).hexdigest()
            self._first = f"made_{digest[:16]}"
        return self._first

    def _open_block(self, out: list[Event], block: dict[str, Any]) -> int:
        """Open a block after closing those before it; gives its index."""
        self._begin(out, "", "")
        self._close_all(out)
        index = self._count
        self._count += 1
        self._open[index] = None
        out.append({"type": "content_block_start", "index": index, "content_block": block})
        return index

    def _write(self, out: list[Event], kind: str, text: str) -> int:
        """Append to the text or thinking at the end of the message; gives the block's index."""
        if self._prose is None or self._prose[0] != kind:
            index = self._open_block(out, {"type": kind, kind: ""})
            self._prose = (kind, index)
        else:
            index = self._prose[1]
        if text:
            self._grow(out, index, "text_delta" if kind == "text" else "thinking_delta", text)
        return index

    def _grow(self, out: list[Event], index: int, kind: str, text: str) -> None:
        """A delta that appends text to a block."""
        if self._halves or "\ud800" <= text[-1:] <= "\udfff" or "\ud800" <= text[:1] <= "\udfff":
            text = self._halves.join((index, kind), text)
            if not text:
                return
        delta = {"type": kind, DELTA_FIELDS[kind][0]: text}
        out.append({"type": "content_block_delta", "index": index, "delta": delta})

    def _note(self, out: list[Event], index: int, provider: dict[str, Any]) -> None:
        """Add what is the provider's own to a block."""
        delta = {"type": "provider_delta", "provider": provider}
        out.append({"type": "content_block_delta", "index": index, "delta": delta})

    def _close_all(self, out: list[Event]) -> None:
        for index in list(self._open):
            self._close_block(out, index)

    def _close_block(self, out: list[Event], index: int) -> None:
        if index in self._open:
            self._release(out, index)
            del self._open[index]
            if self._prose is not None and self._prose[1] == index:
                self._prose = None
            out.append({"type": "content_block_stop", "index": index})

    def _release(self, out: list[Event], index: int | None = None) -> None:
        for key in list(self._halves):
            if index is None or key[0] == index:
                delta = {"type": key[1], DELTA_FIELDS[key[1]][0]: self._halves.drop(key)}
                out.append({"type": "content_block_delta", "index": key[0], "delta": delta})

    def _finish(self, out: list[Event]) -> None:
        if self._done:
            self._close_all(out)
        self._release(out)
        if self._done and self._begun:
            out.append({"type": "message_stop"})


def string(value: Any) -> str:
    """The value if it is text, otherwise the empty string."""
    return value if isinstance(value, str) else ""
