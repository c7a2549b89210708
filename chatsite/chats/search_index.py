"""The index of all that was said: which messages of an owner have the words of a query, newest first.

A row of `Said` stands beside each message, written in the transaction that stores it, with the tokens that
were indexed. SQLite has an FTS5 table over these rows that keeps no text of its own; PostgreSQL a column made
from the tokens, with a GIN index. Every token carries its owner, so a search costs what the owner has said,
whatever others did.
"""

from django.db import connection
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from chatsite.chats.models import Message, Said
from chatsite.chats.thread import text_of
from chatsite.chats.tokens import match, tagged, tokens, tsquery

RECENT = 5000  # messages of an owner that PostgreSQL looks through before it asks the index
MOST = 20_000  # tokens of one message, and
MOST_BYTES = 400_000  # theirs: with the owner's tag before each, PostgreSQL takes a megabyte


def keep(messages: list[Message]) -> None:
    """Put new messages into the index. Call in the transaction that stores them."""
    rows = [Said(message=one, owner_id=one.owner_id, tokens=few(tokens(text_of(one)))) for one in messages]
    Said.objects.bulk_create(rows)
    if connection.vendor == "sqlite":
        index(rows)


def few(text: str) -> str:
    """As many of the tokens as are kept of one message."""
    text = " ".join(text.split(" ", MOST)[:MOST])
    if len(text.encode()) <= MOST_BYTES:
        return text
    return text.encode()[:MOST_BYTES].decode(errors="ignore").rpartition(" ")[0]


def index(rows: list[Said]) -> None:
    """Put rows into SQLite's index."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO chats_search (rowid, tokens) VALUES (%s, %s)",
            [(row.number, tagged(row.tokens, row.owner_id)) for row in rows],
        )


@receiver(pre_delete, sender=Said, dispatch_uid="chats.search")
def forget(instance: Said, **_: object) -> None:
    """A message goes: so does what the index has of it."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO chats_search (chats_search, rowid, tokens) VALUES ('delete', %s, %s)",
                [instance.number, tagged(instance.tokens, instance.owner_id)],
            )


def look(owner_id: int, query: str, beginnings: bool, below: int | None, limit: int) -> list[int]:
    """Numbers of the newest rows with all words of the query (which has some), under `below`.

    beginnings: words may go on after what is asked for. On PostgreSQL a run of three signs or more is only
    certain to have its pairs.
    """
    under = 2**62 if below is None else below
    if connection.vendor == "sqlite":
        return _numbers(
            "SELECT rowid FROM chats_search WHERE chats_search MATCH %s AND rowid < %s "
            "ORDER BY rowid DESC LIMIT %s",
            match(query, owner_id, beginnings), under, limit,
        )  # fmt: skip
    # The planner cannot know whether a word is common, and takes the wrong way once in a while. A common one
    # is found among the newest, a rare one by the index; `+ 0` keeps it from walking through all the rest.
    wanted = tsquery(query, owner_id, beginnings)
    oldest = "SELECT number FROM chats_said WHERE owner_id = %s ORDER BY number DESC OFFSET %s LIMIT 1"
    recent = _numbers(
        "SELECT number FROM (SELECT number, terms FROM chats_said WHERE owner_id = %s AND number < %s "  # noqa: S608
        f"AND number > coalesce(({oldest}), 0) ORDER BY number DESC OFFSET 0) newest "
        "WHERE terms @@ %s::tsquery ORDER BY number DESC LIMIT %s",
        owner_id, under, owner_id, RECENT, wanted, limit,
    )  # fmt: skip
    if len(recent) == limit:
        return recent
    return _numbers(
        "SELECT number FROM chats_said WHERE terms @@ %s::tsquery AND number < %s "
        "ORDER BY number + 0 DESC LIMIT %s",
        wanted, under, limit,
    )  # fmt: skip


def _numbers(sql: str, *parameters: int | str) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return [number for (number,) in cursor.fetchall()]
