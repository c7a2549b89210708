"""Recorded tool rounds of every wire, replayed as one turn: the request after the tools must be acceptable,
and what a provider signed must go back exactly as its recording says."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from chatsite.providers.demo import validate
from chatsite.providers.registry import choices
from chatsite.providers.replay import Replay, load
from tests.corpus import CORPUS
from tests.providers import strict
from tests.providers.talk import Heard, Talk

pytestmark = [pytest.mark.corpus, pytest.mark.usefixtures("upstreams")]


def turns(folder: str) -> list[list[Path]]:
    """Recordings NAME.1.sse, NAME.2.sse, … that begin at 1, as lists in order."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((CORPUS / folder).rglob("*.sse")):
        if numbered := re.fullmatch(r"(.*)\.(\d+)\.sse", path.name):
            found[f"{path.parent}/{numbered[1]}"].append(path)
    return [paths for paths in found.values() if len(paths) > 1 and paths[0].name.endswith(".1.sse")]


async def play(paths: list[Path], monkeypatch: pytest.MonkeyPatch) -> tuple[Replay, list[Heard]]:
    replay = Replay(load(paths), speed=0, seed=3)
    await replay.start()
    try:
        for setting in replay.environment().split():
            name, _, value = setting.partition("=")
            monkeypatch.setenv(name, value)
        return replay, await Talk(choices()[0]).ask("go")
    finally:
        await replay.stop()


@pytest.mark.parametrize("folder", ["anthropic", "gemini", "openai-chat", "openai-responses"])
async def test_the_request_after_the_tools(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate, "is_signed", lambda thinking, signature: bool(signature))
    monkeypatch.setattr(validate, "is_sealed", bool)
    played = 0
    for paths in turns(folder)[:40]:
        replay, rounds = await play(paths, monkeypatch)
        for heard, body in zip(rounds, replay.requests[1:], strict=False):
            wrong = judge(replay.wire, body)
            assert wrong is None, (paths[0], wrong)
            assert missing(replay.wire, heard.message, body) == [], paths[0]
            played += 1
    assert played > 3


def judge(wire: str, body: dict[str, Any]) -> str | None:
    if wire == "anthropic":
        known = {block["type"] for message in body["messages"] for block in message["content"]}
        if known <= set(validate.KEYS):
            return validate.problem(body, {"anthropic-version": "x"})
        return None
    if wire == "gemini":
        text = json.dumps(body)
        signed = re.sub(r'"thoughtSignature": "[^"]+"', '"thoughtSignature": "own"', text)
        return strict.gemini(json.loads(signed))
    return strict.chat(body) if wire == "openai-chat" else strict.responses(body)


def missing(wire: str, message: dict[str, Any], body: dict[str, Any]) -> list[Any]:
    """What the provider signed in its answer and does not find again in the next request."""
    sent = json.dumps(body, ensure_ascii=False)
    signed: list[Any] = []
    for block in message["content"]:
        private = block.get("provider") or {}
        if wire == "anthropic" and block["type"] == "thinking" and block.get("signature"):
            signed += [block["thinking"], block["signature"]]
        elif wire == "anthropic" and block["type"] == "redacted_thinking":
            signed.append(block["data"])
        elif wire == "gemini" and "thoughtSignature" in private:
            signed.append(private["thoughtSignature"])
        elif wire == "openai-responses" and block["type"] == "thinking":
            encrypted = private["item"].get("encrypted_content")
            signed += [encrypted, private["item"]["id"]] if encrypted else []
    return [one for one in signed if json.dumps(one, ensure_ascii=False)[1:-1] not in sent]
