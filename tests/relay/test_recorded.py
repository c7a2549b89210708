"""Recorded streams of every wire, through the whole relay, cut at random: nothing lost, nothing doubled.

Each is compared with what the stream gives when it is read in one piece: the stored message with the
assembled one, the stored bytes with the recording, the page that followed every change with the page of the
stored record.
"""

import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from chatsite.chats.models import Message
from chatsite.providers import anthropic
from chatsite.providers.registry import Choice
from chatsite.relay.models import Exchange, JournalRow, Turn
from chatsite.relay.pages import journaled, rendered
from streamrender import Assembler, decode
from tests.corpus import CORPUS
from tests.relay.upstream import answer

WIRES = {
    "anthropic": "anthropic", "glm-anthropic": "glm", "gemini": "gemini",
    "openai-chat": "openai-chat", "openai-responses": "openai-responses",
}  # fmt: skip
EACH = 9  # of the largest folders every so many streams; the faults in tests/fuzz see them all


def sample(folder: str) -> list[Path]:
    """Some streams of a wire, the same on every run."""
    found = sorted((CORPUS / folder).rglob("*.sse"))
    return found[:: max(1, len(found) // (120 // EACH))]


def cut(data: bytes, rng: random.Random) -> list[bytes]:
    """The bytes in a few pieces, cut anywhere."""
    places = sorted(rng.randrange(len(data) + 1) for _ in range(12))
    return [piece for a, b in zip([0, *places], [*places, len(data)], strict=True) if (piece := data[a:b])]


def in_one_piece(wire: str, data: bytes) -> dict[str, Any]:
    """The oracle."""
    decoder, message = decode(wire), Assembler()
    for event in [*decoder.feed(data), *decoder.close()]:
        message.feed(event)
    return message.to_dict()


def stored(turn: str) -> tuple[list[Any], bytes, int, Any]:
    """Messages, raw bytes of the first exchange, journal rows left, revision and page of a turn."""
    exchange = Exchange.objects.get(turn=turn, number=1)
    messages = list(Message.objects.filter(turn=turn).order_by("number"))
    rows = JournalRow.objects.filter(turn=turn).count()
    raw = zlib.decompress(bytes(exchange.response))
    # The kept page is what was shown; the one from the record is made from scratch.
    kept = Turn.objects.get(id=turn)
    rev, events = journaled(kept)
    return messages, raw, rows, (rev, rendered(kept, events))


@pytest.mark.corpus
@pytest.mark.parametrize("folder", WIRES)
async def test_recorded_streams(
    folder: str, open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(folder)
    wire = WIRES[folder]
    for path in sample(folder):
        data = path.read_bytes()
        expected = in_one_piece(wire, data)
        # Where tools are called, a second request follows; it gets a short answer on the same wire's
        # neighbour.
        async with upstream(cut(data, rng), answer("After the tools.")) as fake:
            choice = Choice("k", "K", "fake", wire, "m", base_url=fake.url, build=anthropic.request)
            monkeypatch.setattr("chatsite.chats.submit.get", lambda key, choice=choice: choice)
            page = await open_page()
            turn = (await page.submit("Go"))["turn"]
            shown = await page.ended(turn)
            page_twice = await open_page(conversation=page.conversation)
            assert await page_twice.ended(turn) == shown, path
        messages, raw, rows, (rev, rebuilt) = await sync_to_async(stored)(turn)
        assert raw == data, path
        assert rows == 0
        assert (rev, rebuilt) == (page.turns[turn]["rev"], shown), path
        if expected["content"]:
            assert messages[0].content == expected["content"], path
            assert messages[0].stop_reason == (expected["stop_reason"] or ""), path
        if len(fake.requests) > 1:
            continue
        if expected["ended"] == "completed":
            assert shown["turn"]["ending"] not in ("error", "cut_off"), path
        else:
            assert shown["turn"]["ending"] == expected["ended"], path
