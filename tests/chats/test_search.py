"""Search finds what the owner's conversations say, in any script, and nothing of others."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chatsite.accounts.models import User
from chatsite.chats import search
from chatsite.chats.models import Conversation, Message, Said
from chatsite.chats.tokens import match, tag, tokens, tsquery
from tests.chats.test_pages import talk


def told(owner: User, text: str) -> Conversation:
    """A conversation of one turn about this text."""
    conversation = talk(owner, 1)
    message = Message.objects.get(conversation=conversation, role="user")
    Message.objects.filter(id=message.id).update(content=[{"type": "text", "text": text}])
    Said.objects.filter(message=message).delete()
    message.refresh_from_db()
    search.keep([message])
    return conversation


def excerpts(owner: User, query: str) -> list[str]:
    return ["|".join(one["parts"]) for one in search.find(owner.pk, query) if one["turn"]]


@pytest.mark.django_db(transaction=True)
def test_words_beginnings_and_chinese_are_found() -> None:
    ann = User.objects.create_user("ann")
    told(ann, "Why is the Sky blue?")
    told(ann, "冰的密度比水小，所以会浮在水面。")
    assert excerpts(ann, "sky") == ["Why is the |Sky| blue?"]
    assert excerpts(ann, "BLU why") == ["|Why| is the Sky blue?"]
    assert excerpts(ann, "密度") == ["冰的|密度|比水小，所以会浮在水面。"]
    assert excerpts(ann, "面") == ["冰的密度比水小，所以会浮在水|面|。"]
    assert excerpts(ann, "度密") == []
    told(ann, "Une tasse de CAF\u00c9, s'il vous pla\u00eet")
    assert excerpts(ann, "cafe plait") == excerpts(ann, "café") == ["Une tasse de |CAFÉ|, s'il vous plaît"]
    assert excerpts(ann, "sky 密度") == []
    told(ann, "Water has 1.000 and ice 0.917 kg/l")
    assert excerpts(ann, "0.917") == ["Water has 1.000 and ice |0.917| kg/l"]
    for hostile in ('"', "* AND", "owner : u1", "a' OR 1=1 --", "NEAR(", "", "   "):
        search.find(ann.pk, hostile)


@pytest.mark.django_db(transaction=True)
def test_answers_and_titles_are_found_and_lead_to_their_turn() -> None:
    ann = User.objects.create_user("ann")
    conversation = talk(ann, 3)
    title, answer = search.find(ann.pk, "talk")[0], search.find(ann.pk, "answer")
    assert (title["conversation"], title["turn"]) == (str(conversation.id), None)
    turns = {
        str(id_) for id_ in conversation.messages.filter(role="assistant").values_list("turn", flat=True)
    }
    assert {one["turn"] for one in answer} == turns


@pytest.mark.django_db(transaction=True)
def test_nobody_finds_what_is_not_theirs_or_was_deleted() -> None:
    ann, bob = User.objects.create_user("ann"), User.objects.create_user("bob")
    conversation = told(ann, "a secret")
    assert search.find(bob.pk, "secret") == []
    client = Client()
    assert client.get("/search/?q=secret").status_code == 302
    client.force_login(bob)
    assert client.get("/search/?q=secret").json() == {"found": []}
    client.force_login(ann)
    assert len(client.get("/search/?q=secret").json()["found"]) == 1
    client.post(f"/c/{conversation.id}/delete/")
    assert client.get("/search/?q=secret").json() == {"found": []}
    mark = tag(ann.pk)
    conversation.delete()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM chats_search WHERE chats_search MATCH %s", [mark + "secret"])
            assert cursor.fetchone() == (0,)


@pytest.mark.django_db(transaction=True)
def test_queries_do_not_grow_with_what_is_found() -> None:
    ann = User.objects.create_user("ann")
    client = Client()
    client.force_login(ann)

    def count() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/search/?q=answer").json()["found"]
        return len(captured)

    talk(ann, 1)
    few = count()
    talk(ann, 12)
    assert count() == few <= 8


def test_tokens() -> None:
    assert tokens("Ice, ICE_age 冰山 a") == "ice ice age 冰山 a 冰 山"
    assert match("", 1, True) == match("!?", 1, True) == ""
    assert match("冰山 ice a", 1, True) == '"000001q冰山" AND "000001qice"* AND "000001qa"'
    assert match("冰山一 ice", 1, False) == '"000001q冰山 000001q山一" AND "000001qice"'
    assert tsquery("冰山一 ice", 1, True) == "'000001q冰山' & '000001q山一' & '000001qice':*"
