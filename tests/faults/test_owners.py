"""Two owners for one turn, and clocks that lie."""

import random
import threading
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from chatsite.accounts.models import User
from chatsite.chats.models import Conversation, Message
from chatsite.relay import process, turns
from chatsite.relay.models import Turn
from tests.faults.scale import scale
from tests.faults.upstream import TEXT, mixed


@pytest.mark.django_db(transaction=True)
def test_a_thousand_claims() -> None:
    """Five claim each of 200 turns at once, all under the fence that they saw: one fence wins each."""
    owner = User.objects.create_user("ann")
    rows = []
    for _ in range(scale(40, 200)):
        conversation = Conversation.objects.create(owner=owner)
        message = Message.objects.create(owner=owner, conversation=conversation, role="user", content=[])
        rows.append(
            Turn.objects.create(
                owner=owner, conversation=conversation, user_message=message, client_id=uuid.uuid4(),
                status="running", fence=1,
            )
        )  # fmt: skip
    won: list[uuid.UUID] = []
    barrier = threading.Barrier(5)

    def claim(seed: int) -> None:
        order = list(rows)
        random.Random(seed).shuffle(order)
        barrier.wait()
        won.extend(turn.id for turn in order if turns.interrupt(turn.id, 1))
        connection.close()

    threads = [threading.Thread(target=claim, args=(seed // 2,)) for seed in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == sorted(turn.id for turn in rows)
    assert set(Turn.objects.values_list("fence", "ending")) == {(2, "interrupted")}


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=-1)])
async def test_clock_jumps(
    open_page: Any, upstream: Any, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    async with upstream(mixed(1, 40, 1, 0.01)) as fake:
        page = await open_page()
        turn = (await page.submit("Go"))["turn"]
        await page.until(lambda: page.text(turn))
        real = timezone.now
        monkeypatch.setattr(timezone, "now", lambda: real() + jump)
        for _ in range(3):
            await process.current().look_after_turns()
        shown = await page.ended(turn)
        assert shown["turn"]["ending"] == "complete"
        assert 0 <= shown["turn"]["first_token_at"] <= shown["turn"]["ended_at"] < 60_000
        assert page.text(turn) == TEXT
        assert len(fake.requests) == 1
