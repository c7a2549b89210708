"""A conversation as Markdown: what a person would paste elsewhere, tool calls and results included."""

import json
from itertools import takewhile
from typing import Any

from chatsite.chats import cited, thread
from chatsite.chats.attachments import named
from chatsite.chats.models import Conversation, Message
from chatsite.providers.history import CUT, run_on
from chatsite.relay.pages import page_of


def markdown(conversation: Conversation) -> str:
    """The newest branch; headings say who speaks, tools stand in fences longer than any inside them."""
    parts = [f"# {conversation.title or conversation.id}"]
    turns = thread.loaded([turn.id for turn in thread.branch(conversation)])
    made: dict[Any, list[Message]] = {}
    for message in Message.objects.filter(turn__in=[turn.id for turn in turns]).order_by("turn_id", "number"):
        made.setdefault(message.turn_id, []).append(message)
    asked = None
    for turn in turns:
        if turn.user_message_id != asked:
            files = "".join(f"*{file['name']}*\n\n" for file in named(turn.user_message.content))
            parts.append("## You\n\n" + files + thread.text_of(turn.user_message))
            asked = turn.user_message_id
        parts.append("## Assistant")
        parts.extend(filter(None, map(_block, cited.joined(_blocks(made.get(turn.id, []))))))
        if models := page_of(turn)[1]["turn"]["substituted"]:
            asked_for, served = cited.plain(models["asked"]), cited.plain(models["served"])
            parts.append(f"*(answered by {served}; {asked_for} was asked)*")
        if turn.ending and turn.ending != "complete":
            parts.append(f"*({turn.ending.replace('_', ' ')})*")
    return "\n\n".join(parts) + "\n"


def _blocks(messages: list[Message]) -> list[dict[str, Any]]:
    """All blocks of a turn. A text that was cut and what went on with it are one, as on the page; what was
    thought in between stands before it.
    """
    blocks: list[dict[str, Any]] = []
    cut = False
    for message in messages:
        thought = (
            list(takewhile(lambda block: block.get("type") == "thinking", message.content)) if cut else []
        )
        rest = message.content[len(thought) :]
        joined = run_on(blocks[-1:], rest) if cut else blocks[-1:] + rest
        if len(joined) == len(blocks[-1:]) + len(rest):
            blocks += message.content
        else:
            blocks = [*blocks[:-1], *thought, *joined]
        cut = message.role == Message.Role.ASSISTANT and message.stop_reason in CUT
    return blocks


def _block(block: dict[str, Any]) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "thinking" and block.get("thinking"):
        return "\n".join(f"> {line}".rstrip() for line in block["thinking"].splitlines())
    if kind == "tool_use":
        given = block.get("input_text") or json.dumps(block.get("input"), ensure_ascii=False)
        return f"**{block.get('name', '')}**\n\n{_fenced(given)}"
    if kind == "fallback":
        before, after = (cited.plain(str((block.get(end) or {}).get("model", ""))) for end in ("from", "to"))
        return f"*({before} → {after})*"
    if kind == "tool_result":
        content = block.get("content")
        return _fenced(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
    return ""


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
