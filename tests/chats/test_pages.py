"""Opening and listing stay quick however much there is: queries are counted, not timed."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chatsite.accounts.models import User
from chatsite.chats import thread
from chatsite.chats.models import Conversation, Message
from chatsite.relay import turns
from chatsite.relay.journal import Row, commit
from chatsite.relay.models import Turn
from chatsite.relay.pages import page_of
from streamrender.markdown import MarkdownStream


def events(text: str) -> list[dict[str, Any]]:
    """The events of an answer."""
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "usage": {}}
    made: list[dict[str, Any]] = [
        {"type": "request_started", "round": 1, "provider": "anthropic", "wire": "anthropic", "model": "x"},
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "stream_end", "ended": "completed", "error": None},
    ]
    return [{**event, "at": at} for at, event in enumerate(made)]


def talk(owner: User, length: int) -> Conversation:
    """A conversation of some turns."""
    conversation = Conversation.objects.create(owner=owner, title="Talk")
    parent = None
    for n in range(length):
        message = Message.objects.create(
            owner=owner,
            conversation=conversation,
            role="user",
            content=[{"type": "text", "text": f"ask {n}"}],
        )
        parent = turns.begun(
            owner=owner,
            conversation=conversation,
            parent=parent,
            user_message=message,
            client_id=uuid.uuid4(),
        )
        commit([Row(parent.id, 1, 1, 6, events(f"answer **{n}**"), lambda _: None)])
        turns.finish(parent.id, 1, "complete", None, 9)
    return conversation


def queries(client: Client, path: str) -> int:
    """How many queries a page takes."""
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


@pytest.mark.django_db(transaction=True)
def test_queries_do_not_grow() -> None:
    ann = User.objects.create_user("ann")
    client = Client()
    client.force_login(ann)
    short, long = talk(ann, 2), talk(ann, 12)
    for conversation in (short, long):
        client.get(f"/c/{conversation.id}/")
    assert queries(client, f"/c/{long.id}/") == queries(client, f"/c/{short.id}/") <= 13
    few = queries(client, "/")
    for _ in range(5):
        talk(ann, 1)
    assert queries(client, "/") == few
    assert queries(client, f"/c/{long.id}/export.md") == queries(client, f"/c/{short.id}/export.md")


@pytest.mark.django_db(transaction=True)
def test_kept_pages_are_those_made_anew() -> None:
    conversation = talk(User.objects.create_user("ann"), 2)
    first = [page_of(turn) for turn in thread.shown(conversation)]
    assert all(turn.page for turn in Turn.objects.all())
    assert [page_of(turn) for turn in thread.shown(conversation)] == first
    # Pages of another version of the renderer are not trusted.
    Turn.objects.update(page=b"old", page_by="older")
    assert [page_of(turn) for turn in thread.shown(conversation)] == first


@pytest.mark.django_db(transaction=True)
def test_fault_of_the_renderer_closes_no_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    ann = User.objects.create_user("ann")
    conversation = talk(ann, 2)
    client = Client()
    client.force_login(ann)

    def faulty(self: Any, text: str) -> None:
        raise RuntimeError("renderer")

    with monkeypatch.context() as patched:
        patched.setattr(MarkdownStream, "feed", faulty)
        assert b"answer **1**" in client.get(f"/c/{conversation.id}/").content
    # Nothing of it is kept.
    assert b"strong" in client.get(f"/c/{conversation.id}/").content


@pytest.mark.django_db(transaction=True)
def test_every_address_of_a_conversation_is_its_owners() -> None:
    ann, bob = User.objects.create_user("ann"), User.objects.create_user("bob")
    conversation = talk(ann, 1)
    hers, his, nobody = Client(), Client(), Client()
    hers.force_login(ann)
    his.force_login(bob)
    base = f"/c/{conversation.id}/"
    for method, path, data in (
        ("get", base, {}),
        ("get", base + "export.md", {}),
        ("post", base + "rename/", {"title": "x"}),
        *(("post", f"{base}{action}/", {}) for action in ("pin", "unpin", "archive", "unarchive")),
        ("post", base + "delete/", {}),
        ("post", base + "restore/", {}),
        ("post", base + "delete/", {}),
    ):
        assert getattr(his, method)(path, data).status_code == 404, path
        assert getattr(nobody, method)(path, data).status_code == 302, path
        other = "post" if method == "get" else "get"
        assert getattr(hers, other)(path, data).status_code == 405, path
        assert getattr(hers, method)(path, data).status_code in (200, 302), path
    gone = hers.get(base)
    assert gone.status_code == 404
    assert f'action="{base}restore/"' in gone.content.decode()
    assert b"restore" not in his.get(base).content
    assert b"Talk" not in his.get("/").content


@pytest.mark.django_db(transaction=True)
def test_pinned_archived_and_deleted_conversations_stand_in_their_places() -> None:
    ann = User.objects.create_user("ann")
    old, middle, new = (Conversation.objects.create(owner=ann, title=title) for title in ("o", "m", "n"))
    client = Client()
    client.force_login(ann)

    def lists() -> tuple[list[str], list[str]]:
        context = client.get("/").context
        return tuple([item["title"] for item in context[name]] for name in ("conversations", "archived"))

    assert lists() == (["n", "m", "o"], [])
    client.post(f"/c/{old.id}/pin/")
    client.post(f"/c/{middle.id}/archive/")
    assert lists() == (["o", "n"], ["m"])
    client.post(f"/c/{new.id}/delete/")
    client.post(f"/c/{middle.id}/unarchive/")
    assert lists() == (["o", "m"], [])
    client.post(f"/c/{new.id}/restore/")
    client.post(f"/c/{old.id}/unpin/")
    assert lists() == (["n", "m", "o"], [])


@pytest.mark.django_db(transaction=True)
def test_export_is_markdown() -> None:
    ann = User.objects.create_user("ann")
    conversation = talk(ann, 2)
    client = Client()
    client.force_login(ann)
    text = client.get(f"/c/{conversation.id}/export.md").content.decode()
    assert text == (
        "# Talk\n\n## You\n\nask 0\n\n## Assistant\n\nanswer **0**\n\n"
        "## You\n\nask 1\n\n## Assistant\n\nanswer **1**\n"
    )


@pytest.mark.django_db(transaction=True)
def test_export_says_that_another_model_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = events

    def by_another(text: str) -> list[dict[str, Any]]:
        asked, *rest = plain(text)
        start = next(event for event in rest if event["type"] == "message_start")
        start["message"]["model"] = "an_other"
        return [{**asked, "model": "wanted"}, *rest]

    monkeypatch.setattr(f"{__name__}.events", by_another)
    ann = User.objects.create_user("ann")
    client = Client()
    client.force_login(ann)
    address = f"/c/{talk(ann, 1).id}/export"
    text = client.get(f"{address}.md").content.decode()
    assert text.endswith("answer **0**\n\n*(answered by an\\_other; wanted was asked)*\n")
    page = client.get(f"{address}.html").content.decode()
    assert "<bdi>an_other</bdi>; <bdi>wanted</bdi> was asked" in page


@pytest.mark.django_db
def test_policy_has_no_holes() -> None:
    ann = User.objects.create_user("ann", is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(ann)
    policy = client.get("/")["Content-Security-Policy"]
    for part in ("frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'", "form-action 'self'",
                 "require-trusted-types-for 'script'", "trusted-types streamrender", "style-src 'self'",
                 "img-src 'self' data: blob:", "ws://testserver"):  # fmt: skip
        assert part in policy
    for hole in ("unsafe", "strict-dynamic", "*"):
        assert hole not in policy
    assert "trusted-types" not in client.get("/admin/")["Content-Security-Policy"]
