"""A conversation saved as a web page stands alone, shows what was said, and runs nothing."""

import re

import pytest
from django.template.loader import render_to_string
from django.test import Client

from chatsite.accounts.models import User
from chatsite.chats.models import Conversation, Message
from tests.chats.test_pages import talk

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def saved(text: str = "ask") -> tuple[Client, Conversation, str]:
    ann = User.objects.create_user("ann")
    conversation = talk(ann, 2)
    Message.objects.filter(conversation=conversation, role="user").update(
        content=[{"type": "text", "text": text}]
    )
    Conversation.objects.filter(id=conversation.id).update(title=text)
    client = Client()
    client.force_login(ann)
    answer = client.get(f"/c/{conversation.id}/export.html")
    assert answer.status_code == 200
    assert "attachment" in answer["Content-Disposition"]
    return client, conversation, answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_it_holds_every_message_and_its_style() -> None:
    _, _, page = saved("A question")
    assert page.count("A question") == 4  # title, heading, two messages
    assert "answer <strong>0</strong>" in page
    assert "answer <strong>1</strong>" in page
    assert ".prose" in page
    assert "--paper" in page


@pytest.mark.django_db(transaction=True)
def test_it_needs_nothing_and_runs_nothing() -> None:
    _, _, page = saved(EVIL)
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|img|iframe|object)\b|url\(|@import|\bon\w+=\"", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.django_db(transaction=True)
def test_only_its_owner_saves_it() -> None:
    _, conversation, _ = saved()
    bob = Client()
    bob.force_login(User.objects.create_user("bob"))
    assert bob.get(f"/c/{conversation.id}/export.html").status_code == 404


def test_sources_pictures_and_names_of_files_are_in_it() -> None:
    picture = {"media_type": "image/gif", "data": "R0lGODlhAQABAAAAADs="}
    source = {"url": "https://a.example/?a=1&b=2", "title": "<b>A</b>", "quote": "quoted"}
    panes = [
        {"kind": "text", "html": "<p>so</p>", "citations": [source]},
        {"kind": "tool", "name": "draw", "args": [], "result": "", "images": [picture]},
    ]
    user = {"text": "", "attachments": [{"name": "plan <1>.pdf"}]}
    turns = [{"user": user, "about": {"ending": "complete"}, "panes": panes}]
    page = render_to_string(
        "chats/webpage.html", {"conversation": {"title": "T"}, "turns": turns, "style": ""}
    )
    assert 'href="https://a.example/?a=1&amp;b=2"' in page
    assert "<bdi>&lt;b&gt;A&lt;/b&gt;</bdi>" in page
    assert "quoted" in page
    assert 'src="data:image/gif;base64,R0lGODlhAQABAAAAADs="' in page
    assert "plan &lt;1&gt;.pdf" in page


def test_another_model_than_was_asked_is_in_it() -> None:
    seam = {"kind": "seam", "from_model": "<a>", "to_model": "b"}
    about = {"ending": "complete", "substituted": {"asked": "<a>", "served": "b"}}
    context = {"conversation": {"title": "T"}, "turns": [{"about": about, "panes": [seam]}], "style": ""}
    page = " ".join(re.sub(r"</?bdi>", "", render_to_string("chats/webpage.html", context)).split())
    assert "Another model goes on: &lt;a&gt; → b" in page
    assert "Answered by b; &lt;a&gt; was asked" in page
