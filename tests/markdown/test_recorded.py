"""The laws on the texts of recorded streams, thinking too, cut where the recording was cut and at random."""

import random
from collections.abc import Iterator

import pytest

from streamrender import decode
from tests.corpus import CORPUS
from tests.markdown import laws

pytestmark = pytest.mark.corpus

WIRES = {"anthropic": "anthropic", "glm-anthropic": "glm", "gemini": "gemini"}


def texts() -> Iterator[list[str]]:
    """The pieces of every text or thinking block that is not trivial, each text once."""
    seen: set[str] = set()
    for folder, wire in WIRES.items():
        for path in sorted((CORPUS / folder).rglob("*.sse")):
            blocks: dict[int, list[str]] = {}
            for event in decode(wire).feed(path.read_bytes()):
                if event["type"] == "content_block_delta":
                    delta = event["delta"]
                    piece = delta.get("text") or delta.get("thinking")
                    if isinstance(piece, str):
                        blocks.setdefault(event["index"], []).append(piece)
            for pieces in blocks.values():
                text = "".join(pieces)
                if len(text) > 40 and text not in seen:
                    seen.add(text)
                    yield pieces


def test_the_laws_hold_on_recorded_texts() -> None:
    dice = random.Random(1)
    count = 0
    for pieces in texts():
        text = "".join(pieces)[:6000]
        ends, at = set(), 0
        for piece in pieces:
            at += len(piece)
            ends.add(at)
        cuts = [end for end in dice.sample(sorted(ends), min(len(ends), 12)) if end < len(text)]
        laws.stream(text, sorted({*cuts, *(dice.randrange(1, len(text)) for _ in range(6))}))
        count += 1
    assert count > 20
