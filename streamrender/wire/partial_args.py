"""Gemini's streamed arguments: values at JSON paths become one JSON text that only grows.

`put` gives the text to append. As long as the paths come in the order of the document, the text so far is the
beginning of the final text; `value` is always the object itself. When a path goes back to what was closed,
`ordered` turns false, nothing more is written, and `value` alone is right.
Source: Vertex AI streamFunctionCallArguments; paths are RFC 9535 singular queries.
"""

import json
import re
from typing import Any

_SEGMENT = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")

Path = tuple[str | int, ...]


def parse_path(text: Any) -> Path | None:
    """("a", 0, "b") for $.a[0].b; None for what is no such path."""
    if not isinstance(text, str) or not text.startswith("$"):
        return None
    path: list[str | int] = []
    pos = 1
    while pos < len(text):
        found = _SEGMENT.match(text, pos)
        if found is None:
            return None
        dotted, number, single, double = found.groups()
        if number is not None:
            path.append(int(number))
        else:
            quoted = single if single is not None else double
            path.append(dotted if dotted is not None else re.sub(r"\\(.)", r"\1", quoted))
        pos = found.end()
    return tuple(path) if path and isinstance(path[0], str) and len(path) < 100 else None


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class PartialArgs:
    """The arguments of one call."""

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}
        self.ordered = True
        self._open: list[str | int] = []  # path of the innermost open container
        self._string: Path | None = None
        self._pieces: list[str] = []
        self._started = False

    def put(self, piece: dict[str, Any]) -> str | None:
        """The text that this piece appends; None when it cannot be placed."""
        path = parse_path(piece.get("jsonPath"))
        name = next((key for key in _VALUES if key in piece), None)
        if path is None:
            return None
        if name is None:
            return ""
        value = None if name == "nullValue" else piece[name]
        more = isinstance(value, str) and bool(piece.get("willContinue"))
        text = ""
        if path == self._string and isinstance(value, str):
            self._pieces.append(value)
            text = _dump(value)[1:-1]
        else:
            self._settle()
            text = self._go(path)
            if not self._set(path, value):
                self.ordered = False
                return None
            text += _dump(value)[:-1] if isinstance(value, str) else _dump(value)
            self._pieces = [value] if isinstance(value, str) else []
        if isinstance(value, str) and not more:
            text += '"'
        if not more and self._string:
            self._settle()
        self._string = path if more else None
        return text if self.ordered else ""

    def _settle(self) -> None:
        """The string that streamed is over: put it into the value, whole."""
        if self._string and len(self._pieces) > 1:
            self._set(self._string, "".join(self._pieces))

    def close(self) -> str:
        """The text that ends the object; empty when nothing was ever put."""
        self._settle()
        if not self._started or not self.ordered:
            return ""
        return ('"' if self._string else "") + self._up_to(0) + "}"

    def _go(self, path: Path) -> str:
        """Close and open what lies between the place written last and `path`, up to the value itself."""
        text = "" if self._started else "{"
        if self._string:
            text = '"'
        same = 0
        while same < min(len(self._open), len(path) - 1) and self._open[same] == path[same]:
            same += 1
        text += self._up_to(same)
        for depth in range(same, len(path)):
            text += self._enter(path, depth)
            if depth < len(path) - 1:
                text += "[" if isinstance(path[depth + 1], int) else "{"
        self._open = list(path[:-1])
        self._started = True
        return text

    def _enter(self, path: Path, depth: int) -> str:
        """The comma and key before the value at path[: depth + 1], which must be new and last there."""
        holder = self._get(path[:depth])
        key = path[depth]
        if isinstance(holder, list):
            self.ordered = self.ordered and key == len(holder)
        elif isinstance(holder, dict):
            self.ordered = self.ordered and key not in holder
        comma = ", " if holder else ""
        return comma + (f"{_dump(key)}: " if isinstance(key, str) else "")

    def _up_to(self, depth: int) -> str:
        kinds = [isinstance(self._get(tuple(self._open[: at + 1])), list) for at in range(len(self._open))]
        return "".join("]" if kind else "}" for kind in reversed(kinds[depth:]))

    def _get(self, path: Path) -> Any:
        here: Any = self.value
        for key in path:
            inside = isinstance(key, int) and key < len(here) if isinstance(here, list) else False
            if not inside and not (isinstance(here, dict) and key in here):
                return None
            here = here[key]
        return here

    def _set(self, path: Path, value: Any) -> bool:
        here: Any = self.value
        for depth, key in enumerate(path):
            last = depth == len(path) - 1
            new = value if last else [] if isinstance(path[depth + 1], int) else {}
            if isinstance(here, list) and isinstance(key, int) and key <= len(here):
                if key == len(here):
                    here.append(new)
                elif last:
                    here[key] = value
            elif isinstance(here, dict) and isinstance(key, str):
                if last or key not in here:
                    here[key] = new
            else:
                return False
            here = here[key]
        return True
