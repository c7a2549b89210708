"""A conversation as a JSON file, and back: every version of every turn, with its events.

The events are the truth of a turn, so a file holds those and what the user wrote; messages and pages are made
from them again. A file may come from anybody: it is checked as a whole, and what it says is treated like any
upstream's words.
"""

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.dateparse import parse_datetime

from chatsite.chats import attachments, search, thread
from chatsite.chats.conversation_settings import SettingsForm
from chatsite.chats.models import Conversation, Message
from chatsite.providers.registry import choices
from chatsite.relay.messages import messages_of
from chatsite.relay.models import Turn
from chatsite.relay.pages import journaled, packed, rendered
from chatsite.relay.signals import turn_ended
from chatsite.relay.turns import used

FORMAT, VERSION = "streamrender-conversation", 1
MOST_TURNS = 5000
SETTINGS = ("effort", "temperature", "max_tokens", "server_tools")


class Unreadable(Exception):
    """The file is none of ours, or is damaged."""


def written(conversation: Conversation) -> dict[str, Any]:
    """The conversation as data; turns oldest first, without one that is still being written."""
    turns = Turn.objects.filter(conversation=conversation, status=Turn.Status.ENDED, removed_at=None)
    ordered = turns.select_related("user_message").defer("page").order_by("created", "id")
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": conversation.title,
        "model": conversation.model,
        "system_prompt": conversation.system_prompt,
        "settings": {name: getattr(conversation, name) for name in SETTINGS},
        "attachments": attachments.packed(conversation),
        "turns": [_turn(turn) for turn in ordered.iterator(chunk_size=20)],
    }


def read(owner_id: int, data: Any) -> Conversation:
    """A new conversation of the owner from what `written` gave. Raises Unreadable; then nothing is made."""
    try:
        if data["format"] != FORMAT or data["version"] != VERSION or not 0 < len(data["turns"]) <= MOST_TURNS:
            raise Unreadable
        with transaction.atomic():
            return _made(owner_id, data)
    except Unreadable:
        raise
    # Whatever is wrong with a file shows as one of these, wherever it is met.
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise Unreadable from error


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "id": str(turn.id),
        "parent": str(turn.parent_id) if turn.parent_id else None,
        "message": str(turn.user_message_id),
        "text": thread.text_of(turn.user_message),
        "attachments": [file["id"] for file in attachments.named(turn.user_message.content)],
        "model": turn.model,
        "provider": turn.provider,
        "ending": turn.ending,
        "error": turn.error,
        "created": turn.created.isoformat(),
        "events": journaled(turn)[1],
    }


def _made(owner_id: int, data: dict[str, Any]) -> Conversation:
    known = {choice.key for choice in choices()}
    conversation = Conversation.objects.create(
        owner_id=owner_id,
        title=_text(data["title"])[:200],
        model=data["model"] if data["model"] in known else "",
        system_prompt=_text(data["system_prompt"]),
        **_settings(data.get("settings", {})),
    )
    files = attachments.unpacked(conversation, data.get("attachments", {}))
    turns: dict[str, Turn] = {}
    messages: dict[str, Message] = {}
    for item in data["turns"]:
        parent = turns[item["parent"]] if item["parent"] is not None else None
        if item["message"] not in messages:
            messages[item["message"]] = _message(
                conversation,
                parent,
                _text(item["text"]),
                [files[id_] for id_ in _list(item.get("attachments", []))],
            )
        turns[item["id"]] = _stored(conversation, parent, messages[item["message"]], item)
    return conversation


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """How it was answered, as far as the dialog would take it; a file may know other values, or none."""
    form = SettingsForm({name: given[name] for name in SETTINGS if given.get(name) is not None})
    form.is_valid()
    return {name: form.cleaned_data[name] for name in SETTINGS if name in form.cleaned_data}


def _message(
    conversation: Conversation, parent: Turn | None, text: str, files: list[dict[str, Any]]
) -> Message:
    behind = None
    if parent is not None:
        behind = Message.objects.filter(turn=parent).order_by("-number").first() or parent.user_message
    message = Message.objects.create(
        owner_id=conversation.owner_id,
        conversation=conversation,
        parent=behind,
        role=Message.Role.USER,
        content=[*files, *([{"type": "text", "text": text}] if text.strip() or not files else [])],
    )
    search.keep([message])
    return message


def _stored(conversation: Conversation, parent: Turn | None, message: Message, item: dict[str, Any]) -> Turn:
    events = item["events"]
    if not all(isinstance(event["type"], str) and isinstance(event["at"], int) for event in events):
        raise Unreadable
    if not events or events[-1]["type"] != "turn_end":
        raise Unreadable
    turn = Turn(
        owner_id=conversation.owner_id,
        conversation=conversation,
        parent=parent,
        user_message=message,
        client_id=uuid.uuid4(),
        status=Turn.Status.ENDED,
        ending=_text(item["ending"])[:20],
        error=item["error"],
        model=_text(item["model"])[:200],
        provider=_text(item["provider"])[:40],
        usage=used(events),
        fence=1,
        last_seq=len(events),
        record=packed(events),
    )
    rendered(turn, events)
    turn.save()
    Turn.objects.filter(id=turn.id).update(created=_time(item["created"]))
    turn_ended.send(sender=Turn, turn=turn, messages=messages_of(events))
    return turn


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Unreadable
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Unreadable
    return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def _time(value: Any) -> datetime:
    time = parse_datetime(value)
    if time is None or time.tzinfo is None:
        raise Unreadable
    return time
