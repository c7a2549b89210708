"""JSON text to values that can be written out again: what `json.loads` takes, minus what no JSON writer
should give.

Lone surrogates stay in (a decoder joins those that a delta cut apart, see `mend`); NaN, Infinity and numbers
beyond a float become None; nesting deeper than MAX_DEPTH is refused, so that everything a decoder lets
through can be dumped.
"""

import json
import re
from typing import Any

MAX_DEPTH = 200

_HALF = re.compile("[\ud800-\udfff]")


def _float(text: str) -> float | None:
    value = float(text)
    return value if abs(value) != float("inf") else None


def _nothing(_: str) -> None:
    return None


# The C scanner behind json.loads, without its wrapper.
scan: Any = vars(json.JSONDecoder(parse_constant=_nothing, parse_float=_float))["scan_once"]


def parse(text: str) -> Any:
    """The value of `text`; ValueError when it is not one whole JSON value (or nests too deep)."""
    value, end = value_at(text, 0)
    if end != len(text) and text[end:].strip(" \t\r\n"):
        raise ValueError("text after the JSON value")
    return value


def value_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at or after `start` (white space is skipped) and where it ends."""
    try:
        value, end = scan(text, start)
    except StopIteration:
        start = len(text) - len(text[start:].lstrip(" \t\r\n"))
        try:
            value, end = scan(text, start)
        except (StopIteration, RecursionError):
            raise ValueError("no JSON value") from None
    except RecursionError:
        raise ValueError("JSON nests too deep") from None
    if end - start > MAX_DEPTH and not shallow(text):
        _check_depth(value)
    return value, end


def shallow(text: str) -> bool:
    """Whether JSON text surely does not nest deeper than MAX_DEPTH."""
    return text.count("{") + text.count("[") <= MAX_DEPTH


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for one in level
            if isinstance(one, dict | list)
            for child in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return
    raise ValueError("JSON nests too deep")


def mend(value: Any, keep: frozenset[str] = frozenset(), ends: bool = False) -> Any:
    """The value with surrogate pairs joined and lone surrogates replaced by U+FFFD, keys included.

    With `ends`, and under a key in `keep`, strings retain a low surrogate at their very beginning and a high
    one at their end: the pieces before and after may bring the other halves.
    """
    if isinstance(value, str):
        if not _HALF.search(value):
            return value
        if not ends:
            return mend_text(value)
        head = 1 if "\udc00" <= value[0] <= "\udfff" else 0
        tail = len(value) - (1 if "\ud800" <= value[-1] <= "\udbff" else 0)
        return value[:head] + mend_text(value[head:tail]) + value[tail:]
    if isinstance(value, dict):
        return {mend(key): mend(one, keep, key in keep) for key, one in value.items()}
    if isinstance(value, list):
        return [mend(one, keep, ends) for one in value]
    return value


def mend_text(text: str) -> str:
    """A high surrogate followed by a low one becomes their character, any other surrogate U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
