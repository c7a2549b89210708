"""How long the list, a page and a search take when there is a long past: 10,000 conversations of 50 turns.

    bin/bench history [--conversations 10000] [--turns 50]

On SQLite in a temporary folder (about a kilobyte a turn); the same in one run with a hundredth of the past.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def milliseconds(work: Callable[[], Any]) -> float:
    """The median of nine."""
    times = []
    for _ in range(9):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return sorted(times)[4]


def main() -> None:
    """Make the past, measure, print."""
    parser = argparse.ArgumentParser(prog="bin/bench history", description=__doc__)
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="streamrender-bench-") as folder:
        os.environ["STREAMRENDER_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "chatsite.settings"
        os.environ["LOG_LEVEL"] = "ERROR"
        import django

        django.setup()
        measure(options.conversations, options.turns)


def measure(conversations: int, turns: int) -> None:
    """In steps: a hundredth of the past, then all of it."""
    from django.core.management import call_command
    from django.test import Client

    from chatsite import collected
    from chatsite.accounts.models import User
    from chatsite.chats.catchup import lacking
    from tests.load.past import conversation, copies

    call_command("migrate", verbosity=0, interactive=False)
    collected.refresh()
    ann = User.objects.create_user("ann")
    client = Client(headers={"host": "localhost"})
    client.force_login(ann)
    chat = conversation(ann, turns)
    works: dict[str, Callable[[], Any]] = {
        "list": lambda: client.get("/"),
        "open": lambda: client.get(f"/c/{chat.id}/"),
        "hello": lambda: lacking(ann.pk, chat.id, {}, set()),
        "search": lambda: client.get("/search/", {"q": "lighthouse"}),
        "search, one hit": lambda: client.get("/search/", {"q": "number 7, code"}),
    }
    made = 1
    print(f"{'conversations':>14}  " + "  ".join(f"{name + ' ms':>18}" for name in works))
    for wanted in (max(2, conversations // 100), conversations):
        while made < wanted:
            step = min(500, wanted - made)
            copies(chat, step)
            made += step
        print(
            f"{made:>14}  " + "  ".join(f"{milliseconds(work):>18.1f}" for work in works.values()), flush=True
        )


if __name__ == "__main__":
    main()
