"""The conversation that a turn answers, as a prompt: its branch, oldest message first."""

from collections.abc import Set
from typing import Any

from django.conf import settings

from chatsite.chats.attachments import resolved
from chatsite.chats.models import Message
from chatsite.chats.thread import ancestors
from chatsite.providers.prompt import Prompt
from chatsite.relay.models import Turn
from chatsite.tools.mcp import servers
from chatsite.tools.registry import definitions


def prompt_for(turn: Turn, takes: Set[str] = frozenset({"text"})) -> Prompt:
    """All messages of the turns before it on its branch, then the user's message that it answers.

    `takes`: the kinds of files that the model can be given; of others it gets the name.
    """
    servers.configure()
    before = ancestors(turn)
    made: dict[Any, list[dict[str, Any]]] = {}
    for row in Message.objects.filter(turn__in=[one.id for one in before]).order_by("number"):
        made.setdefault(row.turn_id, []).append(_plain(row))
    messages: list[dict[str, Any]] = []
    for one in before:
        messages += [_plain(one.user_message), *made.get(one.id, [])]
    messages.append(_plain(turn.user_message))
    for message in messages:
        if message["role"] == Message.Role.USER:
            message["content"] = resolved(message["content"], takes)
    return Prompt(
        messages=messages,
        system=turn.conversation.system_prompt,
        tools=definitions(),
        max_tokens=turn.conversation.max_tokens or settings.MAX_TOKENS,
        thinking=turn.conversation.effort or settings.THINKING,
        temperature=turn.conversation.temperature,
        server_tools=tuple(turn.conversation.server_tools),
    )


def _plain(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == Message.Role.ASSISTANT:
        plain |= {"provider": message.provider, "model": message.model, "stop_reason": message.stop_reason}
    return plain
