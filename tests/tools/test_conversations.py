"""A model finds what its own user said elsewhere, and nothing of anybody else."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model

from chatsite.chats import searching
from chatsite.chats.models import Conversation, Message
from chatsite.relay import turns


@pytest.mark.django_db
def test_only_the_owners_other_conversations_are_found() -> None:
    ann: Any = get_user_model().objects.create_user("ann")
    bob: Any = get_user_model().objects.create_user("bob")
    here = Conversation.objects.create(owner=ann, title="walrus now")
    Conversation.objects.create(owner=ann, title="walrus before")
    Conversation.objects.create(owner=bob, title="walrus of bob")
    said = Message.objects.create(owner=ann, conversation=here, role="user", content=[])
    turn = turns.begun(
        owner=ann, conversation=here, user_message=said, client_id=uuid4(), model="", provider=""
    )
    assert [one["title"] for one in searching._find(turn.id, "walrus")] == ["walrus before"]
    assert searching._find(uuid4(), "walrus") == []
