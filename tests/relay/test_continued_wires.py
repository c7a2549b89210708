"""Continue after the limit, twice, on every wire: what goes upstream is exactly what that wire allows.

Each answer is begun, gone on with twice and followed by a question, through the relay and the database.
The bodies are compared word for word, held against the strict servers and the official SDKs' types, and made
again after a round trip through an export.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from chatsite.chats import archive
from chatsite.chats.history import prompt_for
from chatsite.chats.models import Conversation
from chatsite.providers import anthropic, gemini, openai_chat, openai_responses
from chatsite.providers.demo import validate
from chatsite.providers.history import CONTINUE
from chatsite.providers.prompt import UpstreamRequest
from chatsite.providers.registry import Choice
from chatsite.relay.models import Turn
from tests.providers import sdk, strict
from tests.relay.upstream import block, start, stop

Script = list[bytes]
PIECES = ("One **bo", "ld** wo", "rd.")


def data(*values: dict[str, Any]) -> Script:
    """Server-sent events that are data alone."""
    return [f"data: {json.dumps(value)}\n\n".encode() for value in values]


def messages(n: int, last: bool) -> Script:
    """An Anthropic answer that thinks and says its n-th piece."""
    end = stop("end_turn" if last else "max_tokens", tokens=7)
    return [start(f"msg_{n}"), *block(0, "thinking", ["Hm."]), *block(1, "text", [PIECES[n]]), end]


def generate(n: int, last: bool) -> Script:
    thought = {"text": "Hm.", "thought": True}
    said = {"text": PIECES[n], "thoughtSignature": "own"}
    about = {"modelVersion": "m", "responseId": f"r{n}"}
    return data(
        {"candidates": [{"content": {"role": "model", "parts": [thought]}, "index": 0}], **about},
        {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [said]},
                    "finishReason": "STOP" if last else "MAX_TOKENS",
                    "index": 0,
                }
            ],
            **about,
        },
    )


def chat(n: int, last: bool) -> Script:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": f"c{n}", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}

    return [
        *data(chunk({"role": "assistant", "reasoning_content": "Hm."}), chunk({"content": PIECES[n]})),
        *data(chunk({}, "stop" if last else "length")),
        b"data: [DONE]\n\n",
    ]


def responses(n: int, last: bool) -> Script:
    thought = {"id": f"rs_{n}", "type": "reasoning", "summary": []}
    said = {"id": f"msg_{n}", "type": "message", "role": "assistant", "content": []}
    part = {"type": "output_text", "text": PIECES[n], "annotations": []}
    whole = [
        {**thought, "encrypted_content": f"sealed {n}"},
        {**said, "status": "completed" if last else "incomplete", "content": [part]},
    ]
    end = {"id": f"resp_{n}", "model": "m", "status": "completed" if last else "incomplete", "output": whole}
    end["incomplete_details"] = None if last else {"reason": "max_output_tokens"}
    where = {"item_id": said["id"], "output_index": 1, "content_index": 0}
    empty = {**part, "text": ""}
    return data(
        {"type": "response.created", "response": {"id": f"resp_{n}", "model": "m", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": thought},
        {"type": "response.output_item.done", "output_index": 0, "item": whole[0]},
        {"type": "response.output_item.added", "output_index": 1, "item": said},
        {"type": "response.content_part.added", **where, "part": empty},
        {"type": "response.output_text.delta", **where, "delta": PIECES[n]},
        {"type": "response.output_text.done", **where, "text": PIECES[n]},
        {"type": "response.output_item.done", "output_index": 1, "item": whole[1]},
        {"type": "response.completed" if last else "response.incomplete", "response": end},
    )


def sent_messages(pieces: int, words: str) -> list[dict[str, Any]]:
    """Anthropic: signed thinking stays where it was, between the texts."""
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}
    answer = [one for text in PIECES[:pieces] for one in (thought, {"type": "text", "text": text})]
    return [
        {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": [{"type": "text", "text": words}]},
    ]


def sent_contents(pieces: int, words: str) -> list[dict[str, Any]]:
    """Gemini: each text with its own signature; unsigned thoughts stay here."""
    return [
        {"role": "user", "parts": [{"text": "Why?"}]},
        {"role": "model", "parts": [{"text": text, "thoughtSignature": "own"} for text in PIECES[:pieces]]},
        {"role": "user", "parts": [{"text": words}]},
    ]


def sent_chat(pieces: int, words: str) -> list[dict[str, Any]]:
    """Chat Completions: one text, as if it had never been cut."""
    return [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "".join(PIECES[:pieces])},
        {"role": "user", "content": words},
    ]


def sent_input(pieces: int, words: str) -> list[dict[str, Any]]:
    """Responses: each message item behind the reasoning that led to it."""
    items = []
    for n, text in enumerate(PIECES[:pieces]):
        items += [
            {"id": f"rs_{n}", "type": "reasoning", "summary": [], "encrypted_content": f"sealed {n}"},
            {
                "type": "message",
                "id": f"msg_{n}",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            },
        ]
    asked = {"role": "user", "content": [{"type": "input_text", "text": "Why?"}]}
    return [asked, *items, {"role": "user", "content": [{"type": "input_text", "text": words}]}]


@dataclass(frozen=True)
class Wire:
    """How one wire is spoken, and what is expected on it. `problem`: what its strict server says."""

    provider: str
    build: Callable[..., UpstreamRequest]
    script: Callable[[int, bool], Script]
    field: str
    sent: Callable[[int, str], list[dict[str, Any]]]
    problem: Callable[[dict[str, Any]], str | None]
    fits: Callable[[dict[str, Any]], Any]


def anthropic_problem(body: dict[str, Any]) -> str | None:
    return validate.problem(body, {"anthropic-version": "x"})


def gemini_fits(body: dict[str, Any]) -> None:
    """The strict server's word for a signature is no base64."""
    sdk.gemini(json.loads(json.dumps(body).replace('"own"', '"AAAA"')))


def anthropic_wire(provider: str) -> Wire:
    build, fits = anthropic.request, sdk.messages
    return Wire(provider, build, messages, "messages", sent_messages, anthropic_problem, fits)


WIRES = {
    "anthropic": anthropic_wire("anthropic"),
    "glm": anthropic_wire("glm"),
    "gemini": Wire("gemini", gemini.request, generate, "contents", sent_contents, strict.gemini, gemini_fits),
    "openai-chat": Wire("openai", openai_chat.request, chat, "messages", sent_chat, strict.chat, sdk.chat),
    "openai-responses": Wire(
        "openai", openai_responses.request, responses, "input", sent_input, strict.responses, sdk.responses
    ),
}


def without_cache(value: Any) -> Any:
    """Without the marks that say what to cache; tests/providers/test_cache_prefix.py is about those."""
    if isinstance(value, dict):
        return {key: without_cache(one) for key, one in value.items() if key != "cache_control"}
    return [without_cache(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", WIRES)
async def test_each_request_is_what_the_wire_allows(
    name: str, open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validate, "is_signed", lambda thinking, signature: bool(signature))
    wire = WIRES[name]
    async with upstream(*[wire.script(n, n == 2) for n in range(3)], wire.script(2, True)) as fake:
        choice = Choice("k", "K", wire.provider, name, "m", base_url=fake.url, build=wire.build)
        monkeypatch.setattr("chatsite.chats.submit.get", lambda key: choice)
        page = await open_page()
        turn = (await page.submit("Why?"))["turn"]
        shown = await page.ended(turn)
        for ending in ("length", "complete"):
            assert shown["turn"]["ending"] == "length"
            turn = (await page.submit("", retry=turn, **{"continue": True}))["turn"]
            shown = await page.ended(turn)
            assert shown["turn"]["ending"] == ending
        assert [pane["markdown"] for pane in shown["panes"] if pane["kind"] == "text"] == ["".join(PIECES)]
        await page.ended((await page.submit("So?", parent=turn))["turn"])

    bodies = fake.requests[1:]
    expected = [wire.sent(1, CONTINUE), wire.sent(2, CONTINUE), wire.sent(3, "So?")]
    assert [without_cache(body[wire.field]) for body in bodies] == expected
    for body in bodies:
        assert wire.problem(body) is None
        wire.fits(body)

    def imported() -> dict[str, Any]:
        """The last request again, from the conversation as an export gives it."""
        conversation = Conversation.objects.get(id=page.conversation)
        again = archive.read(conversation.owner_id, archive.written(conversation))
        last = Turn.objects.filter(conversation=again).latest("created")
        made: dict[str, Any] = choice.request(prompt_for(last)).body
        return made

    assert without_cache((await sync_to_async(imported)())[wire.field]) == expected[-1]
