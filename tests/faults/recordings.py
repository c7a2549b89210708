"""Recorded streams as scripts of an upstream that waits at every event boundary."""

import asyncio
import itertools
import random
import re
from pathlib import Path
from typing import Any

from streamrender import Assembler, decode
from tests.corpus import CORPUS

# Folder of the corpus: wire, and key of the model that speaks it.
WIRES = {
    "anthropic": ("anthropic", "anthropic:fake-1"),
    "glm-anthropic": ("glm", "glm:fake-1"),
    "gemini": ("gemini", "gemini:fake-1"),
    "openai-chat": ("openai-chat", "openai:fake-1"),
    "openai-responses": ("openai-responses", "openai:fake-1"),
}
# OpenAI's two wires have one prefix.
SPOKEN = {
    "openai-chat": ["anthropic", "glm-anthropic", "gemini", "openai-chat"],
    "openai-responses": ["openai-responses"],
}
BOUNDARY = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")


def message_of(wire: str, data: bytes) -> dict[str, Any]:
    """What a stream says when it is read in one piece."""
    decoder, message = decode(wire), Assembler()
    for event in [*decoder.feed(data), *decoder.close()]:
        message.feed(event)
    return message.to_dict()


def some(folder: str, count: int) -> list[Path]:
    """Streams of a wire that end and call no tools (one request, one message), the same in every run."""
    paths = sorted((CORPUS / folder).rglob("*.sse"))
    random.Random(folder).shuffle(paths)
    return list(itertools.islice((path for path in paths if _plain(path, WIRES[folder][0])), count))


def _plain(path: Path, wire: str) -> bool:
    data = path.read_bytes()
    if len(data) > 200_000 or len(BOUNDARY.split(data)) < 6:
        return False
    message = message_of(wire, data)
    kinds = {block["type"] for block in message["content"]}
    good = message["ended"] == "completed" and message["stop_reason"] in ("end_turn", "max_tokens", "refusal")
    return good and bool(kinds) and "tool_use" not in kinds


class Walk:
    """A script that stands still at `stops` of its event boundaries until it is told to go on."""

    def __init__(self, data: bytes, stops: int, rng: random.Random, then: Any = None) -> None:
        pieces = [piece for piece in BOUNDARY.split(data) if piece]
        at = sorted(rng.sample(range(1, len(pieces)), min(stops, len(pieces) - 1)))
        self.gates = [asyncio.Event() for _ in at]
        self.reached = [asyncio.Event() for _ in at]
        self.script: list[Any] = []
        self.sent = [b"".join(pieces[:n]) for n in at]
        previous = 0
        for place, gate, reached in zip(at, self.gates, self.reached, strict=True):
            self.script += [*pieces[previous:place], reached.set, gate]
            previous = place
        self.script += pieces[previous:] if then is None else [then]

    def open(self) -> None:
        """Let everything through."""
        for gate in self.gates:
            gate.set()


def variables(url: str, openai_wire: str) -> dict[str, str]:
    """The environment in which a server finds all of WIRES that go together at one address."""
    named = {f"{prefix}_MODEL": "fake-1" for prefix in ("GLM", "GEMINI", "OPENAI")}
    led = {"GLM_BASE_URL": url, "GEMINI_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1"}
    return {**named, **led, "OPENAI_WIRE": openai_wire}
