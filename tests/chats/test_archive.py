"""A saved conversation comes back as it was: every version, its messages, its pages."""

import copy
import json
import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from chatsite.accounts.models import User
from chatsite.chats import archive, search, thread
from chatsite.chats.models import Conversation
from chatsite.relay import turns
from chatsite.relay.journal import Row, commit
from chatsite.relay.models import Turn
from tests.chats.test_pages import events, talk


def branched(owner: User) -> Conversation:
    """Two turns, and another answer to the first message."""
    conversation = talk(owner, 2)
    first = Turn.objects.filter(conversation=conversation).order_by("created")[0]
    again = turns.begun(
        owner=owner,
        conversation=conversation,
        parent=None,
        user_message=first.user_message,
        client_id=uuid.uuid4(),
    )
    commit([Row(again.id, 1, 1, 6, events("another"), lambda _: None)])
    turns.finish(again.id, 1, "complete", None, 9)
    return conversation


def pages(conversation: Conversation) -> list[Any]:
    found = thread.shown(conversation)
    number = {turn.id: i for i, turn in enumerate(found)}
    return [
        (
            thread.text_of(turn.user_message),
            number.get(turn.parent_id) if turn.parent_id else None,
            thread.snapshot_of(turn)["page"],
        )
        for turn in found
    ]


@pytest.mark.django_db(transaction=True)
def test_what_was_saved_comes_back() -> None:
    ann, bob = User.objects.create_user("ann"), User.objects.create_user("bob")
    conversation = branched(ann)
    hers, his = Client(), Client()
    hers.force_login(ann)
    his.force_login(bob)
    saved = hers.get(f"/c/{conversation.id}/export.json").content
    assert his.get(f"/c/{conversation.id}/export.json").status_code == 404
    path = his.post("/import/", {"file": SimpleUploadedFile("c.json", saved)}).json()["path"]
    made = Conversation.objects.get(owner=bob)
    assert path == f"/c/{made.id}/"
    assert hers.get(path).status_code == 404
    assert pages(made) == pages(conversation)
    roles = [
        list(one.messages.order_by("created").values_list("role", flat=True)) for one in (made, conversation)
    ]
    assert sorted(roles[0]) == sorted(roles[1])
    assert len(search.find(bob.pk, "another")) == 1
    again = archive.written(made)["turns"]
    assert [turn["events"] for turn in again] == [turn["events"] for turn in json.loads(saved)["turns"]]


@pytest.mark.django_db(transaction=True)
def test_a_damaged_file_makes_nothing() -> None:
    ann = User.objects.create_user("ann")
    good = json.loads(json.dumps(archive.written(talk(ann, 2))))
    client = Client()
    client.force_login(ann)

    def refused(content: bytes) -> None:
        assert client.post("/import/", {"file": SimpleUploadedFile("c.json", content)}).status_code == 400

    for content in (b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b'{"format": 1}'):
        refused(content)
    # Files of earlier versions have no attachments and settings.
    for field in good.keys() - {"attachments", "settings"}:
        refused(json.dumps({key: value for key, value in good.items() if key != field}).encode())
    for field in good["turns"][1]:
        for value in (7, {}, "nobody"):
            if field in ("error", "id") or (
                value == "nobody" and field in ("text", "model", "provider", "ending", "message")
            ):
                continue
            if field == "message" and value == 7:
                continue
            bad = copy.deepcopy(good)
            bad["turns"][1][field] = value
            refused(json.dumps(bad).encode())
    assert client.post("/import/").status_code == 400
    assert Conversation.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_settings_come_along_as_far_as_they_are_known() -> None:
    ann = User.objects.create_user("ann")
    conversation = talk(ann, 1)
    kept = {"effort": "high", "temperature": 0.5, "max_tokens": 900, "server_tools": ["web_search"]}
    Conversation.objects.filter(id=conversation.id).update(**kept)
    data = archive.written(Conversation.objects.get(id=conversation.id))
    again = archive.read(ann.pk, json.loads(json.dumps(data)))
    assert {name: getattr(again, name) for name in kept} == kept
    data["settings"] = {"effort": "enormous", "temperature": 7, "max_tokens": 900}
    odd = archive.read(ann.pk, data)
    assert (odd.effort, odd.temperature, odd.max_tokens, odd.server_tools) == ("", None, 900, [])
    del data["settings"]
    assert archive.read(ann.pk, data).effort == ""
