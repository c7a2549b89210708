"""Recorded streams as turns: decoded, given times, with the relay's own events around them."""

import json
import random
from pathlib import Path
from typing import Any

from streamrender import decode
from streamrender.wire import WIRES
from tests.corpus import CORPUS

FOLDERS = {"anthropic": "anthropic", "glm-anthropic": "glm", "gemini": "gemini"}


def paths() -> list[str]:
    """Every recorded stream of the wires that are known, as a path below the corpus."""
    found = [p for folder, wire in FOLDERS.items() if wire in WIRES for p in (CORPUS / folder).rglob("*.sse")]
    return sorted(str(path.relative_to(CORPUS)) for path in found)


def turn(path: str) -> list[dict[str, Any]]:
    """One stream as a turn of one round, ended as the stream ended."""
    wire = FOLDERS[Path(path).parts[0]]
    decoder = decode(wire)
    events = [*decoder.feed((CORPUS / path).read_bytes()), *decoder.close()]
    start = {"type": "request_started", "round": 1, "provider": wire, "wire": wire, "model": "asked"}
    ended = events[-1]["ended"]
    end = {"type": "turn_end", "ending": "complete" if ended == "completed" else ended, "error": None}
    clock = random.Random(path)
    at = 0
    journaled = []
    for event in [start, *events, end]:
        at += clock.choice((0, 0, 3, 40))
        journaled.append({**json.loads(json.dumps(event)), "at": at})
    return journaled


def feeds(path: str, events: list[dict[str, Any]], most: int = 8) -> list[int]:
    """Places to cut at, the same on every run."""
    dice = random.Random(path)
    return [dice.randrange(len(events) + 1) for _ in range(dice.randrange(1, most))]
