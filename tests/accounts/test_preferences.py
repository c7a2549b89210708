"""What a user likes is kept, checked, and used for new conversations."""

import uuid

import pytest
from django.test import Client

from chatsite.accounts import preferences
from chatsite.accounts.models import Preferences, User
from chatsite.chats.models import Conversation
from chatsite.chats.submit import submit
from chatsite.relay.protocol import Submit

FORM = {"send_key": "ctrl_enter", "thinking": "closed", "default_model": "demo", "system_prompt": "Be brief."}


def owner() -> tuple[Client, User]:
    ann = User.objects.create_user("ann")
    client = Client()
    client.force_login(ann)
    return client, ann


@pytest.mark.django_db
def test_the_usual_holds_until_something_is_chosen() -> None:
    client, ann = owner()
    assert preferences.of(ann.pk).send_key == "enter"
    assert not Preferences.objects.exists()
    assert client.post("/preferences/", {**FORM, "notifications": "on"}).status_code == 204
    assert client.post("/preferences/", FORM).status_code == 204
    kept = Preferences.objects.get()
    assert (kept.user, kept.thinking, kept.notifications) == (ann, "closed", False)
    page = client.get("/").content.decode()
    assert 'data-send-key="ctrl_enter"' in page
    assert 'data-thinking="closed"' in page


@pytest.mark.django_db
def test_what_is_not_valid_is_named_and_changes_nothing() -> None:
    client, _ = owner()
    answer = client.post("/preferences/", {**FORM, "send_key": "space", "system_prompt": "x" * 20_001})
    assert answer.status_code == 400
    assert answer.json() == {"fields": ["send_key", "system_prompt"]}
    assert not Preferences.objects.exists()
    assert Client().post("/preferences/", FORM).status_code == 302
    assert client.get("/preferences/").status_code == 405


@pytest.mark.django_db(transaction=True)
def test_new_conversations_begin_with_the_instructions() -> None:
    client, ann = owner()
    client.post("/preferences/", FORM)
    frame = Submit(id=uuid.uuid4(), conversation=None, parent=None, text="Hi", model=None, retry=None)
    accepted = submit(ann.pk, frame)
    assert Conversation.objects.get().system_prompt == "Be brief."
    assert accepted.prompt is not None
    assert accepted.prompt.system == "Be brief."
