"""A long past: many conversations of many turns, copied row by row from one that the relay ended."""

import json
import uuid
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from chatsite.accounts.models import User
from chatsite.chats import search
from chatsite.chats.models import Conversation, Message
from chatsite.relay import turns
from chatsite.relay.journal import Row, commit
from chatsite.relay.models import Turn
from chatsite.relay.pages import page_of

SAID = "Some **bold** text about lighthouse number {n}, `code`.\n\n- one\n- two\n"


def events(text: str) -> list[dict[str, Any]]:
    """What an upstream sent for a short answer."""
    usage = {"input_tokens": 10, "output_tokens": 20}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "usage": usage}
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    listed: list[dict[str, Any]] = [
        {"type": "request_started", "round": 1, "provider": "anthropic", "wire": "anthropic", "model": "x"},
        {"type": "message_start", "message": message}, start, delta,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"}, {"type": "stream_end", "ended": "completed", "error": None},
    ]  # fmt: skip
    return [{**event, "at": n} for n, event in enumerate(listed)]


def conversation(owner: User, length: int, said: str = SAID) -> Conversation:
    """One conversation of `length` turns in a row, ended as the relay ends them, answered by `said`."""
    made = Conversation.objects.create(owner=owner, title="About lighthouses", model="anthropic:fake-1")
    parent = None
    for n in range(length):
        message = Message.objects.create(
            owner=owner,
            conversation=made,
            role="user",
            content=[{"type": "text", "text": f"Lighthouse {n}?"}],
        )
        search.keep([message])
        turn = turns.begun(
            owner=owner, conversation=made, parent=parent, user_message=message, client_id=uuid.uuid4(),
            model="anthropic:fake-1", provider="anthropic",
        )  # fmt: skip
        sent = events(said.format(n=n))
        commit([Row(turn.id, 1, 1, len(sent), sent, lambda _: None)])
        turns.finish(turn.id, 1, "complete", None, None)
        page_of(Turn.objects.get(id=turn.id))
        parent = turn
    return made


def copies(of: Conversation, count: int) -> None:
    """`count` more like it, with ids of their own, on SQLite."""
    tables = {
        Conversation._meta.db_table: ("id", of.id.hex),
        Message._meta.db_table: ("conversation_id", of.id.hex),
        Turn._meta.db_table: ("conversation_id", of.id.hex),
    }
    found: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {}
    with connection.cursor() as cursor:
        for table, (column, value) in tables.items():
            cursor.execute(f"SELECT * FROM {table} WHERE {column} = %s", [value])
            found[table] = ([part[0] for part in cursor.description], cursor.fetchall())
        said = list(Message.objects.filter(conversation=of))
        ids = {row[names.index("id")] for names, rows in found.values() for row in rows}
        clients = {
            row[found[Turn._meta.db_table][0].index("client_id")] for row in found[Turn._meta.db_table][1]
        }
        with transaction.atomic():
            cursor.execute("PRAGMA defer_foreign_keys = ON")
            for _ in range(count):
                new = {old: uuid.uuid4().hex for old in ids | clients}
                for table, (names, rows) in found.items():
                    marks = ", ".join(["%s"] * len(names))
                    copied = [
                        [new.get(cell, cell) if isinstance(cell, str) else cell for cell in row]
                        for row in rows
                    ]
                    quoted = ", ".join(f'"{name}"' for name in names)
                    cursor.executemany(f"INSERT INTO {table} ({quoted}) VALUES ({marks})", copied)
                search.keep([_moved(one, new[one.id.hex]) for one in said])
    Conversation.objects.filter(owner=of.owner).update(updated=timezone.now())


def _moved(message: Message, to: str) -> Message:
    return Message(
        id=uuid.UUID(to), owner_id=message.owner_id, content=json.loads(json.dumps(message.content))
    )
