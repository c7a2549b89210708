"""What processes of a test do to one database: make turns whose owner is gone, and claim them in a race."""

import random
import threading
import time
import uuid

from django.db import Error, connection

from chatsite.accounts.models import User
from chatsite.chats.models import Conversation, Message
from chatsite.relay import turns
from chatsite.relay.journal import Fenced, Row, commit
from chatsite.relay.models import Turn

EVENT = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}, "at": 1}


def made(count: int) -> list[str]:
    """Ids of new turns that run under fence 1, each with an event in its journal."""
    owner = User.objects.get(username="bob")
    rows = []
    for _ in range(count):
        conversation = Conversation.objects.create(owner=owner)
        message = Message.objects.create(owner=owner, conversation=conversation, role="user", content=[])
        turn = Turn.objects.create(
            owner=owner, conversation=conversation, user_message=message, client_id=uuid.uuid4(),
            status="running", fence=1, lease_owner="elsewhere:1:1",
        )  # fmt: skip
        assert commit([Row(turn.id, 1, 1, 1, [EVENT], lambda _: None)]) == [None]
        rows.append(str(turn.id))
    return rows


def claims(rows: list[str], seed: int) -> list[str]:
    """Claim every turn from three threads; those that were won."""
    won: list[str] = []
    threads = [threading.Thread(target=_claim, args=(rows, 3 * seed + n, won)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return won


def _claim(rows: list[str], seed: int, won: list[str]) -> None:
    order = list(rows)
    # Pairs of threads of both processes go the same way, and meet.
    random.Random(seed % 3).shuffle(order)
    for turn in order:
        while True:
            try:
                if turns.interrupt(uuid.UUID(turn), 1):
                    won.append(turn)
                refused = commit([Row(uuid.UUID(turn), 1, 2, 2, [EVENT], lambda _: None)])
                break
            except Error:
                # The database went away; it may have taken the claim all the same.
                connection.close()
                time.sleep(0.05)
        assert isinstance(refused[0], Fenced), "a stale owner wrote"
    connection.close()
