"""The lines of the chunks wire that a tab sends up, checked as what they are: a stranger's input. Pure.

A line is a piece of text, {"style"}, {"tool"}, {"done"} or {"error"} (docs/wires.md), with nothing else in
it. What passes is written anew, so that no byte of the sender's own making reaches a decoder.
"""

import json
from dataclasses import dataclass
from typing import Any

LONGEST_LINE = 40_000
LONGEST_NAME = 200
LONGEST_MESSAGE = 2000
DEEPEST_INPUT = 20
STOPS = ("end_turn", "max_tokens", "tool_use")


@dataclass(frozen=True)
class Line:
    """`data`: the line with its end; `last`: it ends the round; `call`: the id of the call that it makes."""

    data: bytes
    last: bool = False
    call: str = ""


def read(text: Any) -> Line:
    """One line. Raises ValueError, saying what is wrong."""
    if not isinstance(text, str) or len(text) > LONGEST_LINE:
        raise ValueError("a line is text, and not longer than allowed")
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("too deep") from None
    if isinstance(value, str):
        return Line(_written(value))
    if not isinstance(value, dict) or len(value) == 0:
        raise ValueError("neither a string nor an object")
    if set(value) == {"style"} and value["style"] in ("delta", "cumulative"):
        return Line(_written(value))
    if set(value) == {"tool"}:
        call = _call(value["tool"])
        return Line(_written({"tool": call}), call=call["id"])
    if set(value) <= {"done", "stop_reason"} and value.get("done") is True:
        if value.get("stop_reason", "end_turn") not in STOPS:
            raise ValueError("stop_reason")
        return Line(_written(value), last=True)
    if set(value) == {"error"}:
        return Line(_written({"error": _error(value["error"])}), last=True)
    raise ValueError("an unknown kind of line")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _call(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != {"id", "name", "input"}:
        raise ValueError("tool")
    if not isinstance(value["input"], dict) or _deeper(value["input"], DEEPEST_INPUT):
        raise ValueError("input")
    return {"id": _name(value["id"]), "name": _name(value["name"]), "input": value["input"]}


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= LONGEST_NAME:
        raise ValueError("a name")
    return value


def _error(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not set(value) <= {"name", "message"}:
        raise ValueError("error")
    if not all(isinstance(text, str) for text in value.values()):
        raise ValueError("error")
    # A browser's errors are DOMExceptions: what they are is their name.
    return {
        "name": value.get("name", "")[:LONGEST_NAME] or "UnknownError",
        "message": value.get("message", "")[:LONGEST_MESSAGE],
    }


def _deeper(value: Any, limit: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(limit == 0 or _deeper(item, limit - 1) for item in inside)


def _written(value: Any) -> bytes:
    # ASCII only: halves of characters keep their escapes, which the decoder joins.
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
