"""Full-text search in what one user's conversations say: titles, questions and answers.

search_index.py says which messages have the words; here they are looked up through their owner, those of
deleted conversations and removed turns are passed over, and each gets the excerpt that is shown.
"""

from typing import Any

from django.db.models import Q

from chatsite.chats import search_index
from chatsite.chats.models import Conversation, Message
from chatsite.chats.search_index import keep
from chatsite.chats.thread import text_of
from chatsite.chats.tokens import IS_CJK, folded, has_beginnings, words
from chatsite.relay.models import Turn

__all__ = ["excerpt", "find", "keep"]

FOUND = 40
AROUND = 70
EXAMINED = 20_000  # letters in which a word with accents is looked for
LONGEST = 200
DEEPEST = 4000  # hits that are looked at, where those of deleted conversations stand first


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
    messages = _messages(owner_id, query)
    asked = [one.id for one in messages if one.turn_id is None]
    answered = [one.turn_id for one in messages if one.turn_id is not None]
    there = Turn.objects.filter(Q(user_message__in=asked) | Q(id__in=answered), removed_at=None)
    pairs = list(there.values_list("user_message_id", "id"))
    answers, shown = dict(pairs), {turn for _, turn in pairs}
    for one in sorted(messages, key=lambda one: one.created, reverse=True):
        turn = one.turn_id or answers.get(one.id)
        if turn in shown:
            found.append(_result(one.conversation, turn, excerpt(text_of(one), query)))
    return found


def excerpt(text: str, query: str) -> list[str]:
    """The first place where the query stands, or else one of its words: before it, itself, after it."""
    line = " ".join(text.split())
    at, length = _first(line.lower(), query) or _first(_plain(line[:EXAMINED]), query) or (0, 0)
    start = max(0, at - AROUND // 2)
    end = at + length
    before = ("…" if start else "") + line[start:at]
    after = line[end : end + AROUND * 2] + ("…" if end + AROUND * 2 < len(line) else "")
    return [before, line[at:end], after]


def _first(line: str, query: str) -> tuple[int, int] | None:
    whole = " ".join(query.lower().split())
    for sought in ([whole], words(query)):
        places = [(line.find(word), len(word)) for word in sought]
        if there := [(at, length) for at, length in places if at >= 0]:
            return min(there)
    return None


def _plain(line: str) -> str:
    """The line without case and accents, every sign in its place."""
    return "".join(one if len(one := folded(sign)) == 1 else sign for sign in line)


def _messages(owner_id: int, query: str) -> list[Message]:
    """The newest that have the words; where these are few, also those with words that begin like them."""
    found: dict[Any, Message] = {}
    for beginnings in (False, True) if has_beginnings(query) else (False,):
        below, limit, looked = None, FOUND, 0
        while len(found) < FOUND and looked < DEEPEST:
            numbers = search_index.look(owner_id, query, beginnings, below, limit)
            for message in _told(owner_id, query, numbers)[: FOUND - len(found)]:
                found[message.id] = message
            if len(numbers) < limit:
                break
            below, limit, looked = numbers[-1], min(2 * limit, 640), looked + limit
    return list(found.values())


def _told(owner_id: int, query: str, numbers: list[int]) -> list[Message]:
    """The messages of these rows, newest first, that the owner still has and that say it."""
    if not numbers:
        return []
    # By their numbers alone: with another condition SQLite walks through all messages of the owner.
    rows = Message.objects.filter(said__number__in=numbers)
    kept = [
        one
        for one in rows.select_related("conversation", "said").order_by()
        if one.owner_id == owner_id and one.conversation.deleted_at is None
    ]
    said = [one for one in kept if says(text_of(one), query)]
    return sorted(said, key=lambda one: one.said.number, reverse=True)


def says(text: str, query: str) -> bool:
    """Whether runs of signs stand in the text as they are in the query."""
    longer = [word for word in words(query) if len(word) > 2 and IS_CJK.match(word)]
    return all(word in text for word in longer)


def _result(conversation: Conversation, turn: Any, parts: list[str]) -> dict[str, Any]:
    title = conversation.title
    return {
        "conversation": str(conversation.id),
        "title": title,
        "turn": str(turn) if turn else None,
        "parts": parts,
    }
