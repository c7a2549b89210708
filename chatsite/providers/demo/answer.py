"""What the scripted model answers in one request: blocks in order, and how the stream ends.

Pieces are what one delta carries. `␟` in a script forces a border between two deltas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

BORDER = "␟"
TOKENS = re.compile(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]{1,2}"
    r"| ?[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]{1,6}|\n+|[^\S\n]+"
)


@dataclass(frozen=True)
class Think:
    """A thinking block. Unsigned when the limit struck inside it; hidden: sent as redacted thinking."""

    text: str
    signed: bool = True
    hidden: bool = False


@dataclass(frozen=True)
class Say:
    """A text block."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call; its id is given when it is sent."""

    name: str
    input: dict[str, Any]


@dataclass(frozen=True)
class Raw:
    """Any other block, sent whole in its start event."""

    block: dict[str, Any]


Part = Think | Say | Call | Raw


@dataclass(frozen=True)
class Answer:
    """One response. `broken`: None, "error" (an error event after the parts) or "cut" (connection dies)."""

    parts: list[Part]
    stop_reason: str = "end_turn"
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None
    broken: str | None = None
    pause: float = 0.0
    extra_usage: dict[str, Any] = field(default_factory=dict)


def pieces(text: str) -> list[str]:
    """The text in the small pieces of its deltas; joined they give the text without borders.

    Between two borders of one line stands exactly one delta.

    >>> pieces("␟1. **`isEven(␟number)` function:**␟ It")
    ['1. **`isEven(', 'number)` function:**', ' It']
    """
    out: list[str] = []
    for line in text.splitlines(keepends=True):
        first, *forced = line.split(BORDER)
        last = forced.pop() if forced else ""
        out += TOKENS.findall(first) + forced + TOKENS.findall(last)
    return out


def plain(text: str) -> str:
    """A script's text as the viewer gets it."""
    return text.replace(BORDER, "")
