"""What the inspector gives: exactly what was recorded, in pages, to its owner alone."""

import zlib
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from chatsite.accounts.models import User
from chatsite.chats import inspector
from chatsite.relay.models import Exchange, Turn
from chatsite.relay.pages import packed
from tests.chats.test_pages import talk

BODY = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message",'
    b'"role":"assistant","model":"x","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}\n\n'
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
    b'"content_block":{"type":"text","text":""}}\n\n'
    + b"".join(
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"word %d "}}\n\n' % n
        for n in range(300)
    )
    + b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
    b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},'
    b'"usage":{"output_tokens":600}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
)
HALF = len(BODY) // 2


def inspected(**fields: Any) -> tuple[Client, Turn]:
    ann = User.objects.create_user("ann")
    turn = talk(ann, 1).turns.get()
    assert turn.started is not None
    Exchange.objects.create(
        **{
            "turn": turn,
            "number": 1,
            "wire": "anthropic",
            "url": "https://upstream.example/v1/messages",
            "request": packed({"body": {"data": "A" * 9_000}}),
            "status": 200,
            "headers": {"request-id": "r"},
            "started_at": turn.started + timedelta(milliseconds=40),
            "response": zlib.compress(BODY),
            "arrivals": [[100, HALF], [900, len(BODY) - HALF]],
        }
        | fields
    )
    client = Client()
    client.force_login(ann)
    return client, turn


@pytest.mark.django_db(transaction=True)
def test_the_figures_are_those_of_what_was_recorded() -> None:
    client, turn = inspected()
    told = client.get(f"/inspect/{turn.id}/").json()
    assert told["turn"]["ending"] == "complete"
    figures = told["figures"]
    assert (figures["deltas"], figures["tokens"], figures["gap"]) == (300, 600, 800)
    assert (figures["verdict"], figures["faults"]) == ("ok", {})
    (exchange,) = told["exchanges"]
    assert (exchange["bytes"], exchange["kept"]) == (len(BODY), len(BODY))
    assert (exchange["started"], exchange["duration"]) == (40, 900)
    assert sum(exchange["strip"]) == len(BODY)


@pytest.mark.django_db(transaction=True)
def test_a_stream_that_lost_most_of_its_text_is_called_so() -> None:
    client, turn = inspected(
        response=zlib.compress(BODY.replace(b'"output_tokens":600', b'"output_tokens":90000'))
    )
    assert client.get(f"/inspect/{turn.id}/").json()["figures"]["verdict"] == "lost"


@pytest.mark.django_db(transaction=True)
def test_frames_come_in_pages_and_through_the_filter() -> None:
    client, turn = inspected()
    address = f"/inspect/{turn.id}/1/"
    first = client.get(address).json()
    assert (len(first["rows"]), first["total"], first["next"]) == (200, 305, 200)
    rest = client.get(address, {"after": first["next"]}).json()
    numbers = [row["n"] for row in first["rows"] + rest["rows"]]
    assert (numbers, rest["next"]) == (list(range(1, 306)), None)
    assert {row["at"] for row in first["rows"] + rest["rows"]} == {100, 900}
    assert [row["n"] for row in client.get(address, {"q": "WORD 77 "}).json()["rows"]] == [80]
    assert client.get(address, {"q": "message_stop"}).json()["total"] == 1
    assert client.get(address, {"q": "nowhere"}).json() | {"request": 0} == first | {
        "rows": [],
        "total": 0,
        "next": None,
        "request": 0,
    }


@pytest.mark.django_db(transaction=True)
def test_long_texts_are_cut_and_can_be_had_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspector, "SHORT", 20)
    client, turn = inspected()
    row = client.get(f"/inspect/{turn.id}/1/").json()["rows"][2]
    assert (row["cut"], len(row["data"])) == (True, 20)
    (whole,) = client.get(f"/inspect/{turn.id}/1/", {"n": 3}).json()["rows"]
    assert "word 0 " in whole["data"]
    sent = client.get(f"/inspect/{turn.id}/1/").json()["request"]
    assert 4_000 < len(sent) < 5_000


@pytest.mark.django_db(transaction=True)
def test_the_download_is_the_answer_byte_for_byte() -> None:
    client, turn = inspected()
    answer = client.get(f"/inspect/{turn.id}/1.sse")
    assert answer.content == BODY
    assert "attachment" in answer["Content-Disposition"]
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db(transaction=True)
def test_the_events_of_the_turn() -> None:
    client, turn = inspected()
    rows = client.get(f"/inspect/{turn.id}/events/").json()["rows"]
    assert [row["name"] for row in rows][:2] == ["request_started", "message_start"]
    assert rows[-1]["name"] == "turn_end"
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)


@pytest.mark.django_db(transaction=True)
def test_only_the_owner_inspects_and_nobody_what_was_deleted() -> None:
    client, turn = inspected()
    bob = Client()
    bob.force_login(User.objects.create_user("bob"))
    paths = [f"/inspect/{turn.id}/{rest}" for rest in ("", "events/", "1/", "1.sse")]
    for path in paths:
        assert client.get(path).status_code == 200
        assert bob.get(path).status_code == 404
        assert Client().get(path).status_code == 302
    assert client.get(f"/inspect/{turn.id}/2/").status_code == 404
    assert client.get(f"/inspect/{turn.id}/1/", {"after": "x", "n": "-1"}).status_code == 200
    client.post(f"/c/{turn.conversation_id}/delete/")
    for path in paths:
        assert client.get(path).status_code == 404


def test_the_strip_keeps_every_byte_in_its_time() -> None:
    assert inspector.strip([]) == []
    assert inspector.strip([[0, 5]]) == [5]
    assert inspector.strip([[0, 1], [1, 2], [3, 4]]) == [1, 2, 0, 4]
    long = inspector.strip([[at, 1] for at in range(1000)])
    assert (len(long), sum(long), set(long) <= {8, 9}) == (inspector.STEPS, 1000, True)
