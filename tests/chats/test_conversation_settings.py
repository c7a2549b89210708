"""Each conversation has its own settings; they reach its next request, and nobody else changes them."""

from typing import Any

import pytest
from django.test import Client

from chatsite.accounts.models import User
from chatsite.chats.history import prompt_for
from chatsite.chats.models import Conversation, Message
from chatsite.relay import turns

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = {
    "effort": "high",
    "system_prompt": "Be brief.",
    "temperature": "0.3",
    "max_tokens": "900",
    "server_tools": ["web_search", "code_execution"],
}


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann")


def page_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_what_is_set_reaches_the_next_request(ann: User) -> None:
    chat = Conversation.objects.create(owner=ann)
    address = f"/c/{chat.id}/settings/"
    assert page_of(ann).post(address, GOOD).status_code == 204
    said = page_of(ann).get(address).json()
    assert said == {**GOOD, "temperature": 0.3, "max_tokens": 900}
    chat.refresh_from_db()
    message = Message.objects.create(
        owner=ann, conversation=chat, role="user", content=[{"type": "text", "text": "a"}]
    )
    turn = turns.begun(
        owner_id=ann.pk,
        conversation=chat,
        parent=None,
        user_message=message,
        client_id=chat.id,
        model="demo",
        provider="demo",
    )
    prompt = prompt_for(turn)
    assert (prompt.thinking, prompt.temperature, prompt.max_tokens) == ("high", 0.3, 900)
    assert (prompt.system, prompt.server_tools) == ("Be brief.", ("web_search", "code_execution"))


def test_empty_is_as_usual(ann: User) -> None:
    chat = Conversation.objects.create(owner=ann, temperature=1.0, max_tokens=9, server_tools=["web_fetch"])
    assert page_of(ann).post(f"/c/{chat.id}/settings/", {}).status_code == 204
    chat.refresh_from_db()
    assert (chat.effort, chat.temperature, chat.max_tokens, chat.server_tools) == ("", None, None, [])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("effort", "huge"),
        ("temperature", "2.1"),
        ("temperature", "nan"),
        ("temperature", "warm"),
        ("max_tokens", "15"),
        ("max_tokens", "1.5"),
        ("server_tools", ["rm"]),
        ("system_prompt", "x" * 20_001),
    ],
)
def test_a_value_that_no_model_takes_is_named(ann: User, field: str, value: Any) -> None:
    chat = Conversation.objects.create(owner=ann)
    answer = page_of(ann).post(f"/c/{chat.id}/settings/", {**GOOD, field: value})
    assert (answer.status_code, answer.json()) == (400, {"fields": [field]})
    chat.refresh_from_db()
    assert chat.effort == ""


def test_nobody_else_reads_or_changes_them(ann: User) -> None:
    chat = Conversation.objects.create(owner=ann)
    bob = page_of(User.objects.create_user("bob"))
    assert bob.get(f"/c/{chat.id}/settings/").status_code == 404
    assert bob.post(f"/c/{chat.id}/settings/", GOOD).status_code == 404
