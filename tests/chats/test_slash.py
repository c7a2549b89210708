"""What the slash menu is given: the user's prompts, and the tools of the conversation."""

import doctest

import pytest
from django.test import Client

from chatsite.accounts.models import SavedPrompt, User
from chatsite.chats import slash
from chatsite.chats.models import Conversation


@pytest.mark.django_db
def test_the_page_begins_with_prompts_and_tools() -> None:
    ann = User.objects.create_user("ann")
    client = Client()
    client.force_login(ann)
    SavedPrompt.objects.create(user=ann, title="Review", text="Review <this>")
    page = client.get("/").content.decode()
    assert "Review \\u003Cthis\\u003E" in page
    tools = client.get("/tools/").json()["tools"]
    assert "calculator" in [tool["name"] for tool in tools]
    assert all(tool["about"] for tool in tools)
    searching = Conversation.objects.create(owner=ann, server_tools=["web_search"])
    answer = client.get(f"/c/{searching.id}/tools/")
    assert answer.json()["tools"] == [*tools, {"name": "web_search", "about": "Run by the provider"}]


@pytest.mark.django_db
def test_nobody_learns_the_tools_of_others() -> None:
    found = Conversation.objects.create(owner=User.objects.create_user("ben"))
    client = Client()
    assert client.get("/tools/").status_code == 302
    client.force_login(User.objects.create_user("ann"))
    assert client.get(f"/c/{found.id}/tools/").status_code == 404


def test_the_examples_hold() -> None:
    assert doctest.testmod(slash).failed == 0
