"""Lists, pages and submits cost the same queries however long the past is, and go through indexes."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chatsite.accounts.models import User
from chatsite.chats import thread
from chatsite.chats.catchup import lacking
from chatsite.chats.models import Conversation
from chatsite.chats.submit import submit
from chatsite.relay import turns
from chatsite.relay.protocol import Submit
from tests.load.past import conversation, copies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def plain(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One upstream, and pages that name static files without a collected manifest."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_MODEL", "fake-1")
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": plain}}


def queries(work: Callable[[], Any]) -> int:
    """How many queries `work` makes."""
    with CaptureQueriesContext(
        connection,
    ) as seen:
        work()
    return len(seen)


def test_the_number_of_queries_does_not_grow() -> None:
    ann = User.objects.create_user("ann")
    short = conversation(ann, 3)
    client = Client()
    client.force_login(ann)
    small = {name: queries(work) for name, work in works(client, ann, short).items()}
    long = conversation(ann, 30)
    copies(short, 60)
    large = {name: queries(work) for name, work in works(client, ann, long).items()}
    assert {name: count for name, count in large.items() if count > small[name]} == {}
    assert small["search"] <= 8
    # Session and user are two of each page's.
    assert small["list"] <= 10
    assert small["open"] <= 13
    assert small["hello"] <= 4


def works(client: Client, ann: User, chat: Conversation) -> dict[str, Callable[[], Any]]:
    """What a person does, by name."""
    last = thread.outline(chat)[-1]

    def says() -> None:
        frame = Submit(
            id=uuid.uuid4(), conversation=chat.id, parent=last.id, text="And?", model=None, retry=None
        )  # fmt: skip
        accepted = submit(ann.pk, frame)
        turns.finish(accepted.turn.id, 1, "stopped", None, None)

    return {
        "list": lambda: client.get("/"),
        "open": lambda: client.get(f"/c/{chat.id}/"),
        "search": lambda: client.get("/search/", {"q": "lighthouse"}),
        "hello": lambda: lacking(ann.pk, chat.id, {}, set()),
        "submit": says,
    }


def test_what_is_asked_often_goes_through_an_index() -> None:
    ann = User.objects.create_user("ann")
    chat = conversation(ann, 2)
    client = Client()
    client.force_login(ann)
    with CaptureQueriesContext(connection) as seen:
        client.get("/")
        client.get(f"/c/{chat.id}/")
        turns.others([])
        turns.renew([uuid.uuid4()])
    scanned = []
    for query in seen.captured_queries:
        if query["sql"].startswith(("SELECT", "UPDATE")):
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN QUERY PLAN " + query["sql"].replace("%", "%%"))
                scanned += [(row[3], query["sql"]) for row in cursor.fetchall() if row[3].startswith("SCAN")]
    # Upstreams and their listings are a handful of rows, however long the past is, and all are wanted.
    large = [plan for plan in scanned if "INDEX" not in plan[0] and "providers_" not in plan[0]]
    assert large == []
