"""The rules that every wire shares about what of a stored conversation may go upstream again.

Guarantees of `replayable`: refused turns are gone; superseded blocks are gone; roles alternate, the first
is a user's; every tool call is followed at once by exactly one result for it; no result stands without its
call; call ids are unique; no text is blank. What is private to another provider is removed, what is the
receiver's own is kept untouched (the very same dicts).
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from typing import Any

from chatsite.providers.prompt import Block, Message

NO_RESULT = "The tool was not run: the turn ended before it could be."
CONTINUE = (
    "Continue exactly where your last message stopped. Do not repeat anything and do not introduce it: "
    "begin with the very next characters."
)
"""Asks for the rest of an answer that met a limit. Beginning the answer for the model would join more
closely, but newer models and thinking refuse it, and some wires know no such thing."""
CUT = frozenset({"max_tokens", "model_context_window_exceeded", ""})
"""Stop reasons of an answer that others go on with; empty: its stream never came to one."""
THINKING = frozenset({"thinking", "redacted_thinking"})
SHARED = frozenset({"text", "tool_use", "tool_result", "image", "document"})
"""Block types that any provider can be told about. All others belong to the provider that made them."""


def replayable(messages: list[Message], receiver: str, rename: Callable[[str], str] = str) -> list[Message]:
    """The conversation as `receiver` ("anthropic", "glm", …) may get it: {"role", "content"} messages.

    `rename` makes call ids of other wires fit. A conversation that ends with an answer asks for its rest.
    """
    kept = _without_refused(messages)
    pieces = [piece for message in kept for piece in _rounds(message)]
    cleaned = [
        {"role": piece["role"], "content": _allowed(piece, receiver), "cut": was_cut(piece)}
        for piece in pieces
    ]
    ready = _paired(_merged(cleaned), rename)
    if ready and ready[-1]["role"] == "assistant" and _is_cut(messages[-1]):
        ready.append({"role": "user", "content": [{"type": "text", "text": CONTINUE}]})
    return ready


def _is_cut(message: Message) -> bool:
    """True for an answer that is to be continued; one that waits for the provider's tools is not."""
    return message["role"] == "assistant" and message.get("stop_reason") != "pause_turn"


def was_cut(message: Message) -> bool:
    """True for an answer that stopped in the middle: what comes next goes on with its last text."""
    return message["role"] == "assistant" and message.get("stop_reason") in CUT


def run_on(before: list[Block], after: list[Block]) -> list[Block]:
    """Blocks of an answer and of what went on with it; a text that was cut in two is one again.

    >>> run_on([{"type": "text", "text": "Hel"}], [{"type": "text", "text": "lo"}])
    [{'type': 'text', 'text': 'Hello'}]
    """
    if not (before and after and _bare(before[-1]) and _bare(after[0])):
        return before + after
    return [*before[:-1], {"type": "text", "text": before[-1]["text"] + after[0]["text"]}, *after[1:]]


def _bare(block: Block) -> bool:
    """True for a text to which no provider added anything."""
    return block.get("type") == "text" and not any(block[key] for key in block if key not in ("type", "text"))


def origin(message: Message) -> str | None:
    """The name of the provider that wrote an assistant message, None when it is not recorded."""
    provider = message.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("name")
    return provider if isinstance(provider, str) else None


def call_input(block: Block) -> dict[str, Any]:
    """A tool call's arguments as an object; what never parsed is wrapped, so that the model sees it.

    >>> call_input({"input": None, "input_text": '{"a": ', "input_status": "incomplete"})
    {'INVALID_JSON': '{"a": '}
    """
    value = block.get("input")
    if isinstance(value, dict) and block.get("input_status", "complete") == "complete":
        return value
    text = block.get("input_text")
    if not text:
        return value if isinstance(value, dict) else {}
    return {"INVALID_JSON": text}


def result_text(block: Block) -> str:
    """A tool result's content as one text; blocks that are no text become a short note or JSON."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    parts = []
    for part in content or []:
        if part.get("type") == "text":
            parts.append(part.get("text", ""))
        elif part.get("type") in ("image", "document"):
            parts.append(f"[{part['type']} not shown]")
        else:
            parts.append(json.dumps(part, ensure_ascii=False))
    return "\n".join(parts)


def _is_question(message: Message) -> bool:
    """True for a user message that starts a turn, False for one that only carries tool results."""
    return message["role"] == "user" and any(b.get("type") != "tool_result" for b in _blocks(message))


def _without_refused(messages: list[Message]) -> list[Message]:
    """Drop each refused answer with its question and the rounds between them."""
    kept: list[Message] = []
    for message in messages:
        if message["role"] == "assistant" and message.get("stop_reason") == "refusal":
            while kept and not _is_question(kept[-1]):
                kept.pop()
            if kept:
                kept.pop()
            continue
        kept.append(message)
    return kept


def _blocks(message: Message) -> list[Block]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content or [])


def _rounds(message: Message) -> list[Message]:
    """A stored answer of several rounds (results between its calls) as one message a round and role."""
    if message["role"] != "assistant":
        return [message]
    calls = {b.get("id") for b in _blocks(message) if b.get("type") == "tool_use"}
    pieces: list[Message] = []
    for block in _blocks(message):
        ours = block.get("type") == "tool_result" and block.get("tool_use_id") in calls
        role = "user" if ours else "assistant"
        if not pieces or pieces[-1]["role"] != role:
            pieces.append({**message, "role": role, "content": []})
        pieces[-1]["content"].append(block)
    return pieces


def _allowed(message: Message, receiver: str) -> list[Block]:
    """The blocks of one message that may go out; foreign private parts are left out."""
    source = origin(message)
    own = message["role"] == "user" or source is None or source == receiver
    kept: list[Block] = []
    for block in _blocks(message):
        kind = block.get("type")
        if block.get("superseded"):
            continue
        blank = kind == "text" and not str(block.get("text") or "").strip()
        if blank and not (own and block.get("provider")):
            continue
        if kind == "fallback":
            # Calls made before a fallback must not be repeated; the seam itself stays in its place.
            kept = [b for b in kept if b.get("type") != "tool_use"]
        if own:
            kept.append(block)
        elif kind in SHARED:
            private = ("provider", "citations", "caller")
            kept.append({key: value for key, value in block.items() if key not in private})
    return kept


def _merged(messages: list[Message]) -> list[Message]:
    """Join neighbours of the same role, drop empty messages, start with the user."""
    merged: list[Message] = []
    for message in messages:
        if not message["content"] or (not merged and message["role"] == "assistant"):
            continue
        if merged and merged[-1]["role"] == message["role"]:
            join = run_on if merged[-1].get("cut") else operator.add
            merged[-1] |= {
                "content": join(merged[-1]["content"], message["content"]),
                "cut": message.get("cut"),
            }
        else:
            merged.append(dict(message))
    return merged


def _paired(messages: list[Message], rename: Callable[[str], str]) -> list[Message]:
    """Give every call its result in the very next message, and take results without call away.

    Call ids are made fit by `rename` and unique: some servers begin counting again in every answer.
    """
    out: list[Message] = []
    taken: set[str] = set()
    pending: list[tuple[str, str]] = []
    for position, message in enumerate(messages):
        content = message["content"]
        if message["role"] == "user":
            content, pending = _results(content, pending), []
        elif out:
            following = messages[position + 1] if position + 1 < len(messages) else None
            content = _answerable(content, following)
            for n, block in enumerate(content):
                if block.get("type") == "tool_use":
                    ident = _free(rename(block["id"]), taken)
                    pending.append((block["id"], ident))
                    content[n] = block if ident == block["id"] else {**block, "id": ident}
        else:
            # The first message left must be a user's.
            continue
        if content:
            out.append({"role": message["role"], "content": content})
    if pending:
        out.append({"role": "user", "content": _results([], pending)})
    return _merged(out)


def _results(content: list[Block], pending: list[tuple[str, str]]) -> list[Block]:
    """A user's blocks with exactly one result first for each pending (given id, sent id)."""
    given: dict[str, list[Block]] = {}
    for block in content:
        if block.get("type") == "tool_result":
            given.setdefault(block["tool_use_id"], []).append(block)
    results = []
    for stored, ident in pending:
        block = given[stored].pop(0) if given.get(stored) else no_result(ident)
        results.append(block if block["tool_use_id"] == ident else {**block, "tool_use_id": ident})
    return results + [block for block in content if block.get("type") != "tool_result"]


def _free(ident: str, taken: set[str]) -> str:
    """The id itself, or with a number when it was used before; it is taken from then on."""
    number, free = 1, ident
    while free in taken:
        number += 1
        free = f"{ident}_{number}"
    taken.add(free)
    return free


def _answerable(content: list[Block], following: Message | None) -> list[Block]:
    """Leave out calls whose arguments were cut off and that nobody answered."""
    answered = {b.get("tool_use_id") for b in (following or {}).get("content", [])}
    return [
        b
        for b in content
        if b.get("type") != "tool_use"
        or b.get("input_status", "complete") == "complete"
        or b.get("id") in answered
    ]


def no_result(call: str) -> Block:
    """The synthetic error result of a call that was never run."""
    return {"type": "tool_result", "tool_use_id": call, "content": NO_RESULT, "is_error": True}
