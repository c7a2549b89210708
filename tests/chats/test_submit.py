"""A message happens once, in one place, for its owner."""

import uuid
from threading import Barrier, Thread
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from chatsite.accounts.models import User
from chatsite.chats.models import Conversation, Message
from chatsite.chats.submit import Accepted, Refused, submit, title_of
from chatsite.relay import turns
from chatsite.relay.models import Turn
from chatsite.relay.protocol import Submit
from tests.chats.test_pages import talk


def frame(**fields: Any) -> Submit:
    """A submit frame."""
    given = {
        "id": uuid.uuid4(),
        "conversation": None,
        "parent": None,
        "text": "Hi",
        "model": None,
        "retry": None,
    }
    return Submit(**{**given, **fields})


@pytest.fixture
def ann(transactional_db: None) -> User:
    return User.objects.create_user("ann")


@pytest.fixture
def bob(transactional_db: None) -> User:
    return User.objects.create_user("bob")


def code(user: User, **fields: Any) -> str:
    """The code of the refusal."""
    with pytest.raises(Refused) as refused:
        submit(user.pk, frame(**fields))
    return refused.value.code


def ended(accepted: Accepted) -> Turn:
    """End the turn of a submit."""
    turns.finish(accepted.turn.id, 1, "complete", None, 5)
    return Turn.objects.get(id=accepted.turn.id)


def test_same_id_again_is_the_same_turn(ann: User) -> None:
    given = frame()
    first, second = submit(ann.pk, given), submit(ann.pk, given)
    assert first.turn == second.turn
    assert first.prompt is not None
    assert second.prompt is None
    assert (Message.objects.count(), Turn.objects.count(), Conversation.objects.count()) == (1, 1, 1)


def test_same_id_of_two_users_are_two_turns(ann: User, bob: User) -> None:
    given = frame()
    assert submit(ann.pk, given).turn != submit(bob.pk, given).turn


def test_unfinished_turn_refuses_another(ann: User) -> None:
    first = submit(ann.pk, frame())
    conversation = first.turn.conversation_id
    assert code(ann, conversation=conversation) == "busy"
    assert Message.objects.count() == 1
    ended(first)
    submit(ann.pk, frame(conversation=conversation, parent=first.turn.id))


def race(jobs: list[Any]) -> list[Any]:
    """Run the jobs at once in threads with connections of their own; results or exceptions."""
    barrier, results = Barrier(len(jobs)), []

    def work(job: Any) -> None:
        barrier.wait()
        try:
            results.append(job())
        except Refused as refused:
            results.append(refused.code)
        finally:
            connection.close()

    threads = [Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_racing_duplicates_are_one_turn(ann: User) -> None:
    given = frame()
    results = race([lambda: submit(ann.pk, given)] * 6)
    assert len({result.turn.id for result in results}) == 1
    assert sum(result.prompt is not None for result in results) == 1
    assert Message.objects.count() == 1


def test_racing_messages_in_one_conversation_are_one_turn(ann: User) -> None:
    conversation = Conversation.objects.create(owner=ann, title="x")
    results = race([lambda: submit(ann.pk, frame(conversation=conversation.id)) for _ in range(6)])
    assert sorted(map(str, results)).count("busy") == 5
    assert Turn.objects.count() == Message.objects.count() == 1


def test_what_belongs_to_others_is_not_found(ann: User, bob: User) -> None:
    hers = ended(submit(ann.pk, frame()))
    his = ended(submit(bob.pk, frame()))
    assert code(bob, conversation=hers.conversation_id) == "not_found"
    assert code(bob, conversation=his.conversation_id, parent=hers.id) == "not_found"
    assert code(bob, conversation=his.conversation_id, retry=hers.id) == "not_found"
    assert code(bob, retry=hers.id) == "not_found"
    assert turns.stop(bob.pk, hers.id) is None
    Conversation.objects.update(deleted_at=hers.created)
    assert code(ann, conversation=hers.conversation_id) == "not_found"


def test_unknown_model_is_said(ann: User) -> None:
    assert code(ann, model="nobody:nothing") == "no_upstream"
    assert Conversation.objects.count() == 0


def test_messages_form_a_chain(ann: User) -> None:
    one = submit(ann.pk, frame())
    turn = ended(one)
    two = submit(ann.pk, frame(conversation=turn.conversation_id, parent=turn.id))
    assert two.turn.parent_id == turn.id
    assert two.turn.user_message.parent_id == turn.user_message_id
    ended(two)
    again = submit(ann.pk, frame(conversation=turn.conversation_id, retry=two.turn.id, text=""))
    assert again.turn.user_message == two.turn.user_message
    assert again.turn.parent_id == turn.id


def test_titles() -> None:
    assert title_of("short\n one") == "short one"
    cut = title_of("word " * 40)
    assert len(cut) <= 60
    assert cut.endswith("word…")
    assert len(title_of("字" * 100)) == 60


@pytest.mark.django_db(transaction=True)
def test_a_retry_may_ask_for_a_higher_limit() -> None:
    ann = User.objects.create_user("ann")
    talk(ann, 1)
    first = Turn.objects.get()
    Turn.objects.update(ending="length")
    frame = {
        "conversation": first.conversation_id,
        "parent": None,
        "text": "",
        "model": None,
        "retry": first.id,
    }
    plain = submit(ann.pk, Submit(id=uuid.uuid4(), **frame))
    assert plain.prompt is not None
    assert plain.prompt.max_tokens == settings.MAX_TOKENS
    Turn.objects.filter(id=plain.turn.id).update(status="ended", ending="length_in_thinking")
    more = submit(ann.pk, Submit(id=uuid.uuid4(), **frame, more=True))
    assert more.prompt is not None
    assert more.prompt.max_tokens == 4 * settings.MAX_TOKENS
