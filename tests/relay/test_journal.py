"""Events are committed before they are shown, by one owner only."""

import asyncio
import dataclasses
import json
import random
import threading
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection
from django.utils import timezone

from chatsite.accounts.models import User
from chatsite.chats.models import Conversation, Message
from chatsite.relay import journal as journal_module
from chatsite.relay import limits, owner, process, runner, turns
from chatsite.relay.exchange import keep_exchange
from chatsite.relay.journal import Fenced, Journal, JournalFailed, Row, commit
from chatsite.relay.models import JournalRow, Turn
from chatsite.relay.pages import unpacked
from chatsite.relay.recorder import Recorder
from chatsite.relay.watch import Watch
from streamrender.events import Event
from tests.relay.upstream import answer, block, start


def new_turn(**fields: Any) -> Turn:
    """A running turn of a user of its own."""
    user = User.objects.create_user(str(uuid4()))
    conversation = Conversation.objects.create(owner=user)
    message = Message.objects.create(
        owner=user, conversation=conversation, role="user", content=[{"type": "text", "text": "Hi"}]
    )
    turn = turns.begun(owner=user, conversation=conversation, user_message=message, client_id=uuid4())
    Turn.objects.filter(id=turn.id).update(**fields)
    return Turn.objects.get(id=turn.id)


def row(turn: Turn, seq: int, fence: int | None = None, count: int = 1) -> Row:
    """A row of `count` pings."""
    events: list[Event] = [{"type": "ping", "at": seq + n} for n in range(count)]
    return Row(turn.id, turn.fence if fence is None else fence, seq, seq + count - 1, events, lambda _: None)


@pytest.fixture
async def journal() -> Any:
    made = Journal()
    yield made
    await asyncio.to_thread(made.close)


def committed(turn: UUID) -> list[Event]:
    """What a reader on another connection finds."""
    found: list[Event] = []

    def read() -> None:
        for one in JournalRow.objects.filter(turn=turn).order_by("seq"):
            found.extend(json.loads(one.events))
        connection.close()

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    return found


@pytest.mark.parametrize("seed", range(4))
async def test_nothing_is_shown_that_is_not_committed(
    transactional_db: None, journal: Journal, seed: int
) -> None:
    rng = random.Random(seed)
    turn = await sync_to_async(new_turn)()
    shown: list[Event] = []

    def show(events: list[Event], last: int) -> None:
        shown.extend(events)
        assert len(shown) == last
        assert committed(turn.id)[: len(shown)] == shown

    recorder = Recorder(turn.id, turn.fence, journal, show, lambda error: pytest.fail(str(error)))
    given: list[Event] = []
    for n in range(60):
        events: list[Event] = [{"type": "ping", "n": f"{n}.{k}"} for k in range(rng.randint(0, 4))]
        given += events
        recorder.record(events)
        if rng.random() < 0.4:
            await asyncio.sleep(0.003)
    await recorder.settled()
    assert shown == given
    assert await sync_to_async(JournalRow.objects.filter(turn=turn).count)() < 60


async def test_rows_of_many_turns_share_a_transaction(
    transactional_db: None, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def counted(rows: list[Row]) -> list[Exception | None]:
        sizes.append(len(rows))
        return commit(rows)

    monkeypatch.setattr(journal_module, "commit", counted)
    many = [await sync_to_async(new_turn)() for _ in range(5)]
    recorders = [Recorder(t.id, t.fence, journal, lambda *_: None, lambda _: None) for t in many]
    for _ in range(20):
        for recorder in recorders:
            recorder.record([{"type": "ping"}])
    for recorder in recorders:
        await recorder.settled()
    assert len(sizes) < 20
    assert max(sizes) >= 4


@pytest.mark.django_db(transaction=True)
def test_only_the_newest_fence_writes() -> None:
    turn = new_turn()
    assert commit([row(turn, 1)]) == [None]
    Turn.objects.filter(id=turn.id).update(fence=2)
    other = new_turn()
    results = commit([row(turn, 2), row(other, 1), row(turn, 2, fence=2)])
    assert [type(result) for result in results] == [Fenced, type(None), type(None)]
    turns.finish(turn.id, 2, "complete", None, 9)
    assert isinstance(commit([row(turn, 3, fence=2)])[0], Fenced)
    with pytest.raises(Fenced):
        turns.finish(turn.id, 1, "complete", None, 9)


@pytest.mark.django_db(transaction=True)
def test_numbers_are_unique() -> None:
    turn, other = new_turn(), new_turn()
    assert commit([row(turn, 1)]) == [None]
    results = commit([row(turn, 1, count=2), row(other, 1)])
    assert [type(result) for result in results] == [Fenced, type(None)]
    assert JournalRow.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_commit_whose_answer_was_lost_is_not_another_owners() -> None:
    turn, other = new_turn(), new_turn()
    assert commit([row(turn, 1), row(other, 1)]) == [None, None]
    assert commit([row(turn, 1), row(other, 1)]) == [None, None]
    changed = dataclasses.replace(row(turn, 1), events=[{"type": "ping", "other": True}])
    assert isinstance(commit([changed])[0], Fenced)
    assert JournalRow.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_racing_owners_one_wins() -> None:
    """Many look at an abandoned turn at once; one ends it."""
    for _ in range(5):
        turn = new_turn(lease_until=timezone.now() - timedelta(seconds=1))
        results: list[bool] = []
        barrier = threading.Barrier(6)

        def take(turn: Turn = turn, results: list[bool] = results, barrier: Any = barrier) -> None:
            barrier.wait()
            results.append(turns.interrupt(turn.id, turn.fence))
            connection.close()

        threads = [threading.Thread(target=take) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == [False] * 5 + [True]
        assert Turn.objects.get(id=turn.id).fence == 2


@pytest.mark.django_db(transaction=True)
def test_abandoned_turns() -> None:
    """Dead owners at once; silent ones after a lease by our own monotonic clock, whatever the dates say."""
    host = owner.name().partition(":")[0]
    dead = {
        new_turn(lease_owner=f"{host}:999999999:1").id,
        new_turn(lease_owner=owner.name().rpartition(":")[0] + ":1").id,
    }
    mine = new_turn(lease_until=timezone.now() - timedelta(hours=1))
    fast = new_turn(lease_owner="elsewhere:1:1", lease_until=timezone.now() + timedelta(hours=1))
    slow = new_turn(lease_owner="elsewhere:1:1", lease_until=timezone.now() - timedelta(hours=1))
    now = 0.0
    watch = Watch(lambda: now)

    def abandoned() -> set[Any]:
        return {turn.id for turn in watch.abandoned(turns.others([mine.id]))}

    for passed in (0.0, 3.0, 6.0):
        now = passed
        assert abandoned() == dead
        Turn.objects.filter(id=slow.id).update(lease_until=timezone.now())
    now = 9.0
    assert abandoned() == {*dead, fast.id}
    # The database was away, or this process asleep: nobody could renew.
    for passed in (30.0, 33.0, 36.0):
        now = passed
        assert abandoned() == dead
    now = 39.0
    assert abandoned() == {*dead, fast.id, slow.id}


@pytest.mark.django_db(transaction=True)
def test_interrupted_turn_keeps_its_partial() -> None:
    turn = new_turn()
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [], "usage": {}}
    events: list[Event] = [
        {"type": "request_started", "round": 1, "provider": "anthropic", "wire": "anthropic", "model": "x"},
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "partial"}},
    ]
    events = [{**event, "at": 10 * n} for n, event in enumerate(events)]
    commit([Row(turn.id, 1, 1, 4, events, lambda _: None)])
    assert turns.interrupt(turn.id, 1)
    found = Turn.objects.get(id=turn.id)
    assert (found.ending, found.last_seq, found.fence) == ("interrupted", 5, 2)
    assert unpacked(found.record or b"")[-1] == {
        "type": "turn_end", "ending": "interrupted", "error": None, "at": 30
    }  # fmt: skip
    (kept,) = Message.objects.filter(turn=turn)
    assert kept.content[0]["text"] == "partial"
    assert not turns.interrupt(turn.id, 2)


@pytest.mark.django_db(transaction=True)
def test_stop_wins_over_a_racing_finish() -> None:
    turn = new_turn()
    found = turns.stop(turn.owner_id, turn.id)
    assert found is not None
    assert found[1] is False
    turns.finish(turn.id, 1, "complete", None, 9)
    assert Turn.objects.get(id=turn.id).ending == "stopped"
    again = turns.stop(turn.owner_id, turn.id)
    assert again is not None
    assert again[1] is True


async def test_locked_database_is_waited_for(
    transactional_db: None, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = 3

    def sometimes(rows: list[Row]) -> list[Exception | None]:
        nonlocal fails
        fails -= 1
        if fails >= 0:
            raise OperationalError("database is locked")
        return commit(rows)

    monkeypatch.setattr(journal_module, "commit", sometimes)
    turn = await sync_to_async(new_turn)()
    shown: list[int] = []
    recorder = Recorder(turn.id, 1, journal, lambda _, last: shown.append(last), lambda _: None)
    recorder.record([{"type": "ping"}])
    await recorder.settled()
    assert shown == [1]


async def test_full_disk_ends_the_turn_and_says_so(
    open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    full = False

    def commit_until_full(rows: list[Row]) -> list[Exception | None]:
        if full:
            raise OperationalError("database or disk is full")
        return commit(rows)

    monkeypatch.setattr(journal_module, "PATIENCE", 0.2)
    monkeypatch.setattr(journal_module, "commit", commit_until_full)
    parts = block(0, "text", ["stored ", "lost"])
    async with upstream([start(), *parts[:2], gate, *parts[2:]]):
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn) == "stored ")
        full = True
        gate.set()
        shown = await page.ended(turn)
    assert (shown["turn"]["ending"], shown["turn"]["error"]["type"]) == ("error", "storage")
    assert page.text(turn) == "stored "


async def closed(page: Any) -> int:
    """The code with which the server closes the socket, whatever it says before."""
    while (message := await page.socket.receive_output(10))["type"] != "websocket.close":
        pass
    return int(message["code"])


async def test_turn_that_could_not_even_be_ended_is_ended_later_in_sight(
    open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    full = False
    finish = turns.finish

    def unless_full(work: Any) -> Any:
        def job(*args: Any) -> Any:
            if full:
                raise OperationalError("database or disk is full")
            return work(*args)

        return job

    monkeypatch.setattr(journal_module, "PATIENCE", 0.2)
    monkeypatch.setattr(journal_module, "commit", unless_full(commit))
    monkeypatch.setattr(runner, "FINISH_TRIES", 1)
    monkeypatch.setattr(turns, "finish", unless_full(finish))
    parts = block(0, "text", ["stored ", "lost"])
    async with upstream([start(), *parts[:2], gate, *parts[2:]]):
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn) == "stored ")
        full = True
        gate.set()
        assert await closed(page) == 4412
        # It comes back while the turn is still unfinished: nobody runs it, and it has to be followed.
        again = await open_page(conversation=page.conversation)
        await again.until(lambda: again.text(turn) == "stored ")
        full = False
        assert await sync_to_async(turns.interrupt)(UUID(turn), 1)
        shown = await again.ended(turn)
    assert shown["turn"]["ending"] == "interrupted"
    assert again.text(turn) == "stored "


async def test_lost_turn_writes_nothing_more(open_page: Any, upstream: Any) -> None:
    gate, forever = asyncio.Event(), asyncio.Event()
    parts = block(0, "text", ["mine ", "not mine"])
    async with upstream([start(), *parts[:2], gate, *parts[2:], forever]) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn) == "mine ")
        # Another process takes the turn and ends it.
        assert await sync_to_async(turns.interrupt)(UUID(turn), 1)
        gate.set()
        assert await closed(page) == 4412
        await asyncio.wait_for(fake.closed_by_client.wait(), 30)
        forever.set()
        again = await open_page(conversation=page.conversation)
        shown = await again.ended(turn)
    assert shown["turn"]["ending"] == "interrupted"
    assert again.text(turn) == "mine "


async def test_lease_is_renewed_and_a_stop_from_elsewhere_is_heard(
    open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RENEW", 0.05)
    forever = asyncio.Event()
    async with upstream([start(), *block(0, "text", ["x"])[:2], forever]):
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn))
        past = timezone.now() - timedelta(hours=1)
        # A clock that jumped must not make a process reap its own turns.
        await sync_to_async(Turn.objects.filter(id=turn).update)(lease_until=past)
        await process.current().look_after_turns()
        found = await sync_to_async(Turn.objects.get)(id=turn)
        assert found.status == "running"
        assert found.lease_until is not None
        assert found.lease_until > timezone.now()
        await sync_to_async(turns.stop)(found.owner_id, found.id)
        await process.current().look_after_turns()
        assert (await page.ended(turn))["turn"]["ending"] == "stopped"
        forever.set()


async def test_silent_upstream_is_cut(open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "IDLE", 0.05)
    forever = asyncio.Event()
    async with upstream([start(), *block(0, "text", ["x"])[:2], forever], answer("x")):
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn))
        await asyncio.sleep(0.1)
        await process.current().look_after_turns()
        assert (await page.ended(turn))["turn"]["ending"] == "cut_off"
        forever.set()


async def test_failed_commit_is_reported_once(
    transactional_db: None, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "PATIENCE", 0.0)

    def never(rows: list[Row]) -> list[Exception | None]:
        raise OperationalError("no")

    monkeypatch.setattr(journal_module, "commit", never)
    errors: list[Exception] = []
    recorder = Recorder(uuid4(), 1, journal, lambda *_: pytest.fail("shown"), errors.append)
    recorder.record([{"type": "ping"}])
    with pytest.raises(JournalFailed):
        await recorder.settled()
    with pytest.raises(JournalFailed):
        recorder.record([{"type": "ping"}])
    assert len(errors) == 1


async def test_row_that_cannot_be_stored_fails_alone(transactional_db: None, journal: Journal) -> None:
    good, bad = await sync_to_async(new_turn)(), await sync_to_async(new_turn)()
    errors: list[Exception] = []
    first = Recorder(bad.id, 1, journal, lambda *_: pytest.fail("shown"), errors.append)
    second = Recorder(good.id, 1, journal, lambda *_: None, lambda error: pytest.fail(str(error)))
    first.record([{"type": "ping", "text": "\ud800"}])
    second.record([{"type": "ping"}])
    await second.settled()
    with pytest.raises(JournalFailed):
        await first.settled()
    assert len(errors) == 1
    second.record([{"type": "ping"}])
    await second.settled()


async def test_answer_without_end_is_cut(
    open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LONGEST_ANSWER", 2000)
    async with upstream([start(), *block(0, "text", ["all work and no play "] * 200)]):
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        assert (await page.ended(turn))["turn"]["ending"] == "cut_off"
        assert 0 < len(page.text(turn)) < 1000


@pytest.mark.django_db(transaction=True)
def test_old_exchanges_are_forgotten(settings: Any) -> None:
    turn = new_turn()
    for number, days in ((1, 1), (2, 100)):
        keep_exchange(
            {
                "turn_id": turn.id, "number": number, "wire": "anthropic", "request": {}, "response": b"",
                "arrivals": [], "started_at": timezone.now() - timedelta(days=days),
            }
        )  # fmt: skip
    settings.KEEP_EXCHANGES_DAYS = 0
    assert turns.forget_exchanges() == 0
    settings.KEEP_EXCHANGES_DAYS = 90
    assert turns.forget_exchanges() == 1
