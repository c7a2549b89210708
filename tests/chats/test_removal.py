"""Deleting from a message on takes exactly that away, everywhere, and can be undone."""

import uuid

import pytest
from django.test import Client

from chatsite.accounts.models import User
from chatsite.chats import archive, export, search, submit, thread
from chatsite.chats.catchup import lacking
from chatsite.chats.models import Conversation
from chatsite.chats.removal import following
from chatsite.relay.models import Turn
from chatsite.relay.protocol import Submit
from tests.chats.test_archive import branched


def opened() -> tuple[Client, Conversation, list[Turn]]:
    """A client and its conversation of two turns, the first with another version."""
    ann = User.objects.create_user("ann")
    client = Client()
    client.force_login(ann)
    conversation = branched(ann)
    return client, conversation, thread.shown(conversation)


@pytest.mark.django_db(transaction=True)
def test_what_follows_goes_too_and_other_versions_stay() -> None:
    client, conversation, (first, second, again) = opened()
    gone = client.post(f"/c/{conversation.id}/turns/{first.id}/remove/").json()["turns"]
    assert gone == [str(first.id), str(second.id)]
    assert [turn.id for turn in thread.shown(conversation)] == [again.id]
    assert [turn.id for turn in thread.branch(conversation)] == [again.id]
    page = client.get(f"/c/{conversation.id}/").content.decode()
    assert str(again.id) in page
    assert str(second.id) not in page
    assert "ask 1" not in export.markdown(conversation)
    assert len(archive.written(conversation)["turns"]) == 1
    assert [id_ for id_, _ in lacking(conversation.owner_id, conversation.id, {}, set()) or []] == [
        str(again.id)
    ]
    assert client.get(f"/inspect/{first.id}/").status_code == 404
    assert {hit["turn"] for hit in search.find(conversation.owner_id, "another")} == {str(again.id)}
    assert search.find(conversation.owner_id, "answer") == []


@pytest.mark.django_db(transaction=True)
def test_it_comes_back_as_it_was_and_only_what_went_with_it() -> None:
    client, conversation, (first, second, again) = opened()
    client.post(f"/c/{conversation.id}/turns/{second.id}/remove/")
    client.post(f"/c/{conversation.id}/turns/{first.id}/remove/")
    assert client.post(f"/c/{conversation.id}/turns/{first.id}/restore/").status_code == 204
    assert [turn.id for turn in thread.shown(conversation)] == [first.id, again.id]
    assert client.post(f"/c/{conversation.id}/turns/{second.id}/restore/").status_code == 204
    assert [turn.id for turn in thread.shown(conversation)] == [first.id, second.id, again.id]
    assert client.post(f"/c/{conversation.id}/turns/{second.id}/restore/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_tab_that_does_not_know_yet_cannot_build_on_it() -> None:
    client, conversation, (first, *_) = opened()
    client.post(f"/c/{conversation.id}/turns/{first.id}/remove/")
    frame = Submit(
        id=uuid.uuid4(), conversation=conversation.id, parent=first.id, text="x", model=None, retry=None
    )
    with pytest.raises(submit.Refused) as refused:
        submit.submit(conversation.owner_id, frame)
    assert refused.value.code == "not_found"


@pytest.mark.django_db(transaction=True)
def test_only_the_owner_removes() -> None:
    client, conversation, (first, *_) = opened()
    bob = Client()
    bob.force_login(User.objects.create_user("bob"))
    for action in ("remove", "restore"):
        assert bob.post(f"/c/{conversation.id}/turns/{first.id}/{action}/").status_code == 404
    assert client.get(f"/c/{conversation.id}/turns/{first.id}/remove/").status_code == 405
    assert client.post(f"/c/{conversation.id}/turns/{uuid.uuid4()}/remove/").status_code == 404
    assert len(thread.shown(conversation)) == 3


def test_following() -> None:
    a, b, c, d, e = (uuid.uuid4() for _ in range(5))
    parents = {a: None, b: a, c: a, d: b, e: d}
    assert following(b, parents) == [b, d, e]
    assert following(c, parents) == [c]
    assert following(uuid.uuid4(), parents) == []
