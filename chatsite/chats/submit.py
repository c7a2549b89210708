"""A user's message becomes a turn, exactly once. Synchronous; call from a database thread.

One transaction makes the conversation (if new), the message and the turn. The same client id again gives the
turn that it made; a conversation with an unfinished turn refuses another. The unique constraints decide, not
the looks.
"""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from chatsite.accounts import preferences
from chatsite.chats import attachments, search, thread
from chatsite.chats.history import prompt_for
from chatsite.chats.models import Attachment, Conversation, Message
from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import Choice, UnknownChoice, get
from chatsite.relay import turns
from chatsite.relay.fed_choice import device_choice, is_device
from chatsite.relay.models import Turn
from chatsite.relay.pages import journaled
from chatsite.relay.protocol import Submit

LONGEST_TITLE = 60
MOST_DOUBLED = 4
UNFINISHED_ENDINGS = ("length", "tool_limit", "stopped", "error", "cut_off", "interrupted")
"""Endings of an answer that can be gone on with."""


class Refused(Exception):
    """`code` and `message` of the `no` frame."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Accepted:
    """A committed turn; without choice and prompt it is a duplicate, which is not to be run again."""

    turn: Turn
    choice: Choice | None = None
    prompt: Prompt | None = None
    title: str | None = None


def submit(owner_id: int, frame: Submit) -> Accepted:
    """Store the message and its turn. Raises Refused."""
    if (known := _known(owner_id, frame)) is not None:
        return known
    try:
        with transaction.atomic():
            turn, choice, title = _new(owner_id, frame)
    except IntegrityError:
        # Somebody was faster: with the same message, or with another one in the same conversation.
        if (known := _known(owner_id, frame)) is not None:
            return known
        raise Refused("busy", "The conversation has an unfinished turn.") from None
    # Read after the commit: a long history must not keep everybody else from writing.
    prompt = prompt_for(turn, choice.takes)
    if frame.more:
        prompt = replace(prompt, max_tokens=prompt.max_tokens * higher(turn))
    if frame.goes_on and frame.retry is not None:
        begun = Turn.objects.get(id=frame.retry)
        prompt = replace(prompt, begun=journaled(begun)[1], begun_in=str(begun.id))
    return Accepted(turn, choice, prompt, title)


def higher(turn: Turn) -> int:
    """By how much the limit is raised: twice for each answer to the same message that reached it."""
    cut = Turn.objects.filter(user_message=turn.user_message_id, ending__in=("length", "length_in_thinking"))
    return 1 << min(cut.count(), MOST_DOUBLED)


def _known(owner_id: int, frame: Submit) -> Accepted | None:
    turn = Turn.objects.filter(owner_id=owner_id, client_id=frame.id).defer("record", "page").first()
    return Accepted(turn) if turn is not None else None


def _new(owner_id: int, frame: Submit) -> tuple[Turn, Choice, str | None]:
    title = None
    if frame.conversation is None:
        if frame.retry or frame.parent:
            raise Refused("not_found", "A new conversation has no turns.")
        choice = _choice(frame, frame.model)
        title = title_of(frame.text) or _named_after_files(owner_id, frame)
        conversation = Conversation.objects.create(
            owner_id=owner_id,
            title=title,
            titled_by=Conversation.TitledBy.WORDS,
            model=choice.key,
            system_prompt=preferences.of(owner_id).system_prompt,
        )
    else:
        found = thread.conversation_of(owner_id, frame.conversation)
        if found is None:
            raise Refused("not_found", "There is no such conversation.")
        conversation = found
        choice = _choice(frame, frame.model or conversation.model or None)
        if Turn.objects.filter(turns.UNFINISHED, conversation=conversation).exists():
            raise Refused("busy", "The conversation has an unfinished turn.")
    parent, message = _place(owner_id, conversation, frame)
    untaken = attachments.kinds(message.content) - choice.takes
    if untaken:
        raise Refused("attachment", f"{choice.label} takes no {' and no '.join(sorted(untaken))}.")
    turn = turns.begun(
        owner_id=owner_id,
        conversation=conversation,
        parent=parent,
        user_message=message,
        client_id=frame.id,
        model=choice.key,
        provider=choice.provider,
    )
    Conversation.objects.filter(id=conversation.id).update(model=choice.key, updated=timezone.now())
    return turn, choice, title


def _place(owner_id: int, conversation: Conversation, frame: Submit) -> tuple[Turn | None, Message]:
    """The parent turn and the user's message: that of the retried turn, or a new one behind the parent's
    last.
    """
    if frame.retry is not None:
        again = _turn(conversation, frame.retry)
        if frame.goes_on and (
            again.ending not in UNFINISHED_ENDINGS or is_device(frame.model or conversation.model)
        ):
            raise Refused("not_found", "There is no answer that this model could go on with.")
        return again.parent, again.user_message
    parent = _turn(conversation, frame.parent) if frame.parent is not None else None
    behind = None
    if parent is not None:
        behind = Message.objects.filter(turn=parent).order_by("-number").first() or parent.user_message
    message = Message.objects.create(
        owner_id=owner_id,
        conversation=conversation,
        parent=behind,
        role=Message.Role.USER,
        content=_content(owner_id, conversation, frame),
    )
    search.keep([message])
    return parent, message


def _content(owner_id: int, conversation: Conversation, frame: Submit) -> list[dict[str, Any]]:
    """Files first: models read them before what is asked about them."""
    try:
        files = attachments.send(owner_id, conversation, frame.attachments) if frame.attachments else []
    except attachments.Unusable as error:
        raise Refused("attachment", error.message) from None
    text = [{"type": "text", "text": frame.text}] if frame.text.strip() or not files else []
    return files + text


def _named_after_files(owner_id: int, frame: Submit) -> str:
    found = Attachment.objects.filter(owner_id=owner_id, id__in=frame.attachments).first()
    return title_of(found.name) if found else ""


def _turn(conversation: Conversation, turn: UUID) -> Turn:
    turns_ = Turn.objects.select_related("user_message", "parent").defer(
        "record", "page", "parent__record", "parent__page"
    )
    found = turns_.filter(conversation=conversation, id=turn, removed_at=None).first()
    if found is None:
        raise Refused("not_found", "There is no such turn in this conversation.")
    return found


def _choice(frame: Submit, key: str | None) -> Choice:
    if is_device(key):
        choice = device_choice(str(key), frame.feed.model) if frame.feed is not None else None
        if choice is None:
            raise Refused("no_upstream", "This model runs in a tab, and no tab offers to run it.")
        return choice
    try:
        return get(key)
    except UnknownChoice as error:
        raise Refused("no_upstream", str(error)) from None


def title_of(text: str) -> str:
    """The first words of a message: one line, cut between words where there are any.

    >>> title_of("  Why is\\nthe sky blue?  ")
    'Why is the sky blue?'
    """
    line = " ".join(text.split())
    if len(line) <= LONGEST_TITLE:
        return line
    cut = line[: LONGEST_TITLE - 1]
    at_word = cut.rpartition(" ")[0]
    return (at_word if len(at_word) > LONGEST_TITLE // 2 else cut) + "…"
