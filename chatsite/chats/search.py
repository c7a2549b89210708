"""Full-text search in the messages of one user.

SQLite has an FTS5 table beside the messages, written in the transaction that stores a message; the owner is a
column of the index, so a search never touches what others wrote. PostgreSQL looks through the messages
themselves. Both are behind `keep` and `find`.
"""

from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.db.models.signals import post_delete
from django.dispatch import receiver

from chatsite.chats.models import Conversation, Message
from chatsite.chats.thread import text_of
from chatsite.chats.tokens import match, tokens, words
from chatsite.relay.models import Turn

FOUND = 40
AROUND = 70
LONGEST = 200


def keep(messages: list[Message]) -> None:
    """Put new messages into the index. Call in the transaction that stores them."""
    if connection.vendor != "sqlite":
        return
    rows = [(tokens(text_of(one)), f"u{one.owner_id}", f"m{one.id.hex}") for one in messages]
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO chats_search (tokens, owner, message) VALUES (%s, %s, %s)", rows)


@receiver(post_delete, sender=Message, dispatch_uid="chats.search")
def forget(instance: Message, **_: Any) -> None:
    """A message is gone: so is what the index has of it."""
    if connection.vendor != "sqlite":
        return
    same = "SELECT rowid FROM chats_search WHERE chats_search MATCH %s"
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM chats_search WHERE rowid IN ({same})", [f"message : m{instance.id.hex}"])  # noqa: S608


def find(owner_id: int, query: str) -> list[dict[str, Any]]:
    """What the owner's conversations have of a query: titles first, then messages, newest first.

    Each is `{conversation, title, turn, parts}`: `turn` is null for a title; `parts`: `[before, hit, after]`.
    """
    query = query[:LONGEST]
    if not words(query):
        return []
    titled = Q()
    for word in query.split():
        titled &= Q(title__icontains=word)
    own = Conversation.objects.filter(owner_id=owner_id, deleted_at=None)
    by_title = own.filter(titled).order_by("-updated")[:FOUND]
    found = [_result(one, None, ["", "", ""]) for one in by_title.only("id", "title")]
    messages = list(_messages(owner_id, query).filter(conversation__in=own).select_related("conversation"))
    asked = [one.id for one in messages if one.turn_id is None]
    answers = dict(Turn.objects.filter(user_message__in=asked).values_list("user_message_id", "id"))
    for one in sorted(messages, key=lambda one: one.created, reverse=True):
        turn = one.turn_id or answers.get(one.id)
        if turn is not None:
            found.append(_result(one.conversation, turn, excerpt(text_of(one), query)))
    return found


def excerpt(text: str, query: str) -> list[str]:
    """The first place where a word of the query stands, on one line: before it, itself, after it."""
    line = " ".join(text.split())
    lower = line.lower()
    places = [(lower.find(word), len(word)) for word in words(query)]
    at, length = min(((at, n) for at, n in places if at >= 0), default=(0, 0))
    start = max(0, at - AROUND // 2)
    end = at + length
    before = ("…" if start else "") + line[start:at]
    after = line[end : end + AROUND * 2] + ("…" if end + AROUND * 2 < len(line) else "")
    return [before, line[at:end], after]


def _messages(owner_id: int, query: str) -> QuerySet[Message]:
    owned = Message.objects.filter(owner_id=owner_id)
    if connection.vendor != "sqlite":
        owned = owned.annotate(said=Cast("content", TextField()))
        for word in words(query):
            owned = owned.filter(said__icontains=word)
        return _newest(owned)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT message FROM chats_search WHERE chats_search MATCH %s ORDER BY rowid DESC LIMIT %s",
            [f"owner : u{owner_id} AND tokens : ({match(query)})", FOUND],
        )
        return owned.filter(id__in=[row[0][1:] for row in cursor.fetchall()])


def _newest(messages: QuerySet[Message]) -> QuerySet[Message]:
    ids = list(messages.order_by("-created").values_list("id", flat=True)[:FOUND])
    return Message.objects.filter(id__in=ids)


def _result(conversation: Conversation, turn: Any, parts: list[str]) -> dict[str, Any]:
    title = conversation.title
    return {
        "conversation": str(conversation.id),
        "title": title,
        "turn": str(turn) if turn else None,
        "parts": parts,
    }
