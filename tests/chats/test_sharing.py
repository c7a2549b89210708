"""A share shows one moment of one conversation to whoever has its link, until it is taken back."""

import pytest
from django.test import Client

from chatsite.accounts.models import User
from chatsite.chats.models import Conversation
from tests.chats.test_pages import talk


def shared() -> tuple[Client, Conversation, str]:
    ann = User.objects.create_user("ann")
    conversation = talk(ann, 2)
    client = Client()
    client.force_login(ann)
    return client, conversation, client.post(f"/c/{conversation.id}/share/").json()["path"]


@pytest.mark.django_db(transaction=True)
def test_anybody_with_the_link_reads_it_and_no_robot() -> None:
    client, conversation, path = shared()
    answer = Client().get(path)
    assert b"answer" in answer.content
    assert b'content="noindex' in answer.content
    assert "noindex" in answer["X-Robots-Tag"]
    assert len(path) > 40
    assert path in client.get(f"/c/{conversation.id}/").content.decode()
    assert Client().get(path[:-2] + "x/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_what_is_said_later_is_not_shown_until_it_is_updated() -> None:
    client, conversation, path = shared()
    Conversation.objects.filter(id=conversation.id).update(title="Later")
    assert b"Later" not in Client().get(path).content
    assert client.post(f"/c/{conversation.id}/share/").json()["path"] == path
    assert b"Later" in Client().get(path).content


@pytest.mark.django_db(transaction=True)
def test_a_link_taken_back_or_a_deleted_conversation_shows_nothing() -> None:
    client, conversation, path = shared()
    client.post(f"/c/{conversation.id}/delete/")
    assert Client().get(path).status_code == 404
    client.post(f"/c/{conversation.id}/restore/")
    assert Client().get(path).status_code == 200
    assert client.post(f"/c/{conversation.id}/unshare/").status_code == 204
    assert Client().get(path).status_code == 404
    assert client.post(f"/c/{conversation.id}/share/").json()["path"] != path


@pytest.mark.django_db(transaction=True)
def test_only_the_owner_shares() -> None:
    _, conversation, path = shared()
    bob = Client()
    bob.force_login(User.objects.create_user("bob"))
    for action in ("share", "unshare"):
        assert bob.post(f"/c/{conversation.id}/{action}/").status_code == 404
        assert Client().post(f"/c/{conversation.id}/{action}/").status_code == 302
    assert Client().get(path).status_code == 200
