"""Recordings served over HTTP arrive as they were recorded, whatever the cuts, and answer round by round."""

import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chatsite.providers.recordings import OVER, UnknownRecording, closing, tool_rounds, wire_of
from chatsite.providers.registry import choices
from chatsite.providers.replay import Replay, load
from streamrender import decode
from streamrender.message import assemble
from tests.corpus import CORPUS
from tests.providers.talk import Talk, said

pytestmark = pytest.mark.usefixtures("upstreams")

BARE = (
    "googleai_streaming-failure-image-rejected",
    "vertexai_streaming-failure-api-key",
    "vertexai_streaming-failure-unknown-model",
)
TOOL_ROUND = b"".join(
    f"data: {data}\n\n".encode()
    for data in (
        '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x",'
        '"content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1",'
        '"name":"calculator","input":{}}}',
        '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",'
        '"partial_json":"{\\"expression\\":\\"6*7\\"}"}}',
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}',
        '{"type":"message_stop"}',
    )
)


@contextlib.asynccontextmanager
async def playing(replay: Replay) -> AsyncIterator[Replay]:
    await replay.start()
    try:
        yield replay
    finally:
        await replay.stop()


def use(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """A conversation with the replay, configured by the line that it prints."""
    for setting in replay.environment().split():
        name, _, value = setting.partition("=")
        monkeypatch.setenv(name, value)
    [choice] = choices()
    assert choice.wire == replay.wire
    return Talk(choice)


async def test_the_last_recording_of_a_turn_is_followed_by_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing(Replay([TOOL_ROUND], speed=0)) as replay:
        talk = use(replay, monkeypatch)
        first, last = await talk.ask("go")
        assert first.message["content"][0]["input"] == {"expression": "6*7"}
        assert said(last) == OVER
        assert replay.requests[1]["messages"][-1]["content"][0]["content"] == "42"
        assert len(await talk.ask("again")) == 2


async def test_several_recordings_answer_successive_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    second = TOOL_ROUND.replace(b"6*7", b"7*8").replace(b'"t1"', b'"t2"')
    async with playing(Replay([TOOL_ROUND, second], speed=0)) as replay:
        rounds = await use(replay, monkeypatch).ask("go")
    assert [r.message["content"][0].get("input") for r in rounds[:2]] == [
        {"expression": "6*7"},
        {"expression": "7*8"},
    ]
    assert said(rounds[2]) == OVER


def test_the_same_seed_cuts_in_the_same_places() -> None:
    from chatsite.providers.pace import Cutter, split_events

    def writes(seed: int) -> list[bytes]:
        cutter = Cutter(random.Random(seed))
        return [*map(cutter.cut, split_events(TOOL_ROUND)), cutter.rest()]

    assert writes(3) == writes(3) != writes(4)
    assert b"".join(writes(3)) == TOOL_ROUND


async def test_a_wrong_path_says_what_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    from chatsite.providers.client import UpstreamError

    async with playing(Replay([TOOL_ROUND], speed=0)) as replay:
        monkeypatch.setenv("GEMINI_BASE_URL", replay.base_url)
        with pytest.raises(UpstreamError) as caught:
            await Talk(choices()[0]).ask("x")
    assert caught.value.status == 404
    assert "replays anthropic" in caught.value.message


@pytest.mark.parametrize("wire", ["anthropic", "gemini", "openai-chat", "openai-responses"])
def test_closings_are_recognised_as_their_own_wire(wire: str) -> None:
    assert wire_of(closing(wire)) == wire


@pytest.mark.parametrize("data", [b"", b"hello", b'{"error": {"message": "x"}}', b"data: [1]\n\n"])
def test_what_is_no_recording(data: bytes) -> None:
    with pytest.raises(UnknownRecording):
        wire_of(data)


def test_recordings_of_two_wires_do_not_mix() -> None:
    with pytest.raises(UnknownRecording, match="different wires"):
        Replay([closing("anthropic"), closing("gemini")])


@pytest.mark.parametrize(
    ("wire", "body", "rounds"),
    [
        ("anthropic", {"messages": [{"role": "user", "content": "x"}]}, 0),
        (
            "openai-chat",
            {"messages": [{"role": "user"}, {"role": "assistant"}, {"role": "tool"}, {"role": "tool"}]},
            1,
        ),
        (
            "openai-responses",
            {
                "input": [
                    {"role": "user"},
                    {"type": "function_call"},
                    {"type": "function_call_output"},
                    {"type": "reasoning"},
                    {"type": "function_call_output"},
                ]
            },
            2,
        ),
        (
            "gemini",
            {
                "contents": [
                    {"role": "user", "parts": [{"functionResponse": {}}]},
                    {"role": "user", "parts": [{"text": "new"}]},
                ]
            },
            0,
        ),
        ("openai-responses", {"input": "hi"}, 0),
    ],
)
def test_rounds_are_counted_from_the_last_question(wire: str, body: dict[str, Any], rounds: int) -> None:
    assert tool_rounds(wire, body) == rounds


def some(folder: str, step: int) -> list[Path]:
    return sorted((CORPUS / folder).rglob("*.sse"))[::step]


@pytest.mark.corpus
def test_every_recording_is_known_by_its_first_event() -> None:
    wires = {"anthropic": "anthropic", "glm-anthropic": "anthropic", "openai-chat": "openai-chat"}
    wires |= {"glm": "openai-chat", "openai-responses": "openai-responses", "gemini": "gemini"}
    missed = []
    for folder, wire in wires.items():
        for path in some(folder, 1):
            try:
                found = wire_of(path.read_bytes())
            except UnknownRecording:
                found = "unknown"
            if found != wire:
                missed.append((str(path.relative_to(CORPUS)), found))
    # Bare JSON error bodies: several wires send the same, and there is no stream in them to replay.
    assert missed == [(f"gemini/firebase/{name}.sse", "unknown") for name in BARE]


@pytest.mark.corpus
@pytest.mark.parametrize("folder", ["anthropic", "glm-anthropic", "gemini"])
async def test_recordings_arrive_as_they_were_recorded(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in some(folder, 12):
        [data] = load([path])
        async with playing(Replay([data], speed=0, seed=7)) as replay:
            heard = await use(replay, monkeypatch).round()
        decoder = decode(replay.wire)
        assert b"".join(heard.reads) == data, path
        assert heard.message == assemble(decoder.feed(data) + decoder.close()), path
