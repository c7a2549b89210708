"""The tool calls of a Chat Completions stream: which fragment belongs to which call.

Same index, same or no id: the call goes on. Same index, other id: a new call. No index: by id, otherwise the
last call. Id and name are taken once, however often they come; a call without a name waits for it. Arguments
append, except when a fragment repeats all that came before (a cumulative server): then only what is new
counts.
"""

import json
from typing import TYPE_CHECKING, Any

from streamrender.events import Event
from streamrender.wire import jsontext

if TYPE_CHECKING:
    from streamrender.wire.translate import Translator


class _Call:
    __slots__ = ("block", "custom", "extra", "ident", "length", "name", "pieces")

    def __init__(self) -> None:
        self.ident = ""
        self.name = ""
        self.block: int | None = None
        self.custom = False
        self.extra: dict[str, Any] = {}
        self.pieces: list[str] = []
        self.length = 0


class ToolCalls:
    """Writes the blocks of a decoder's tool calls."""

    def __init__(self, decoder: "Translator") -> None:
        self._decoder = decoder
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_ident: dict[str, _Call] = {}

    @property
    def count(self) -> int:
        return len(self._calls)

    def take(self, fragment: dict[str, Any], position: int, out: list[Event]) -> None:
        """One element of `tool_calls`."""
        function = fragment.get("function")
        custom = fragment.get("custom")
        body = function if isinstance(function, dict) else custom if isinstance(custom, dict) else {}
        ident = fragment.get("id")
        ident = ident if isinstance(ident, str) else ""
        name = body.get("name")
        name = name if isinstance(name, str) else ""
        arguments = body.get("arguments", body.get("input"))
        if isinstance(arguments, dict | list):
            arguments = json.dumps(arguments, ensure_ascii=False)
        text = arguments if isinstance(arguments, str) else ""
        call = self._find(fragment.get("index"), ident, name, text)
        if call is None:
            self.settle(out)
            call = _Call()
            self._calls.append(call)
            if isinstance(fragment.get("index"), int):
                self._by_index[fragment["index"]] = call
        call.ident = call.ident or ident
        if call.ident:
            self._by_ident[call.ident] = call
        call.name = call.name or name
        call.custom = call.custom or isinstance(custom, dict)
        own = ("index", "id", "type", "function", "custom")
        call.extra.update({key: one for key, one in fragment.items() if key not in own and one is not None})
        if call.block is None and call.name:
            self._open(call, out)
        if text:
            self._append(call, text, out)

    def settle(self, out: list[Event]) -> None:
        """Open what still waits for its name."""
        for call in self._calls[-1:]:
            if call.block is None:
                self._open(call, out)

    def _find(self, index: Any, ident: str, name: str, text: str) -> _Call | None:
        if isinstance(index, int):
            call = self._by_index.get(index)
            if call is None:
                return None
            other = bool(ident and call.ident and ident != call.ident)
            return None if other or self._begins_again(call, ident, name, text) else call
        if ident:
            return self._by_ident.get(ident)
        if not self._calls or self._begins_again(self._calls[-1], ident, name, text):
            return None
        return self._calls[-1]

    @staticmethod
    def _begins_again(call: _Call, ident: str, name: str, text: str) -> bool:
        """A whole call without ids, under an index that a whole call has already."""
        if ident or not name or not call.name or text[:1] != "{" or not call.pieces:
            return False
        so_far = "".join(call.pieces)
        if text.startswith(so_far):
            return text == so_far and name != call.name
        try:
            jsontext.parse(so_far)
        except ValueError:
            return False
        return True

    def _open(self, call: _Call, out: list[Event]) -> None:
        ident = call.ident
        provider = dict(call.extra)
        if not ident:
            ident = f"{self._decoder._stem}_{len(self._calls) - 1}"
            provider["id_made"] = True
        if call.custom:
            provider["custom"] = True
        block: dict[str, Any] = {"type": "tool_use", "id": ident, "name": call.name, "input": {}}
        if provider:
            block["provider"] = provider
        call.block = self._decoder._open_block(out, block)
        if call.custom:
            self._decoder._grow(out, call.block, "input_json_delta", '{"input": "')
        waiting, call.pieces = call.pieces, []
        call.length = 0
        for text in waiting:
            self._append(call, text, out)

    def _append(self, call: _Call, text: str, out: list[Event]) -> None:
        if text[0] == "{" and 0 < call.length <= len(text):
            so_far = "".join(call.pieces)
            if so_far[0] == "{" and text.startswith(so_far):
                text = text[len(so_far) :]
                if not text:
                    return
        call.pieces.append(text)
        call.length += len(text)
        if call.block is not None:
            if call.custom:
                text = json.dumps(text, ensure_ascii=False)[1:-1]
            self._decoder._grow(out, call.block, "input_json_delta", text)

    def close_custom(self, out: list[Event]) -> None:
        """End the JSON around the free text of custom calls."""
        for call in self._calls:
            if call.custom and call.block is not None:
                call.custom = False
                self._decoder._grow(out, call.block, "input_json_delta", '"}')
