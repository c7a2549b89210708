"""How long the list, a page and searches take when there is a long past: 10,000 conversations of 50 turns.

    bin/bench history [--conversations 10000] [--turns 50] [--others 20]

On SQLite in a temporary folder (about a kilobyte a turn); the same in one run with a hundredth of the past.
Each of the other users has a hundredth of what the first one has. Milliseconds of a whole request, medians of
nine.
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
    parser.add_argument("--others", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="streamrender-bench-") as folder:
        os.environ["STREAMRENDER_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "chatsite.settings"
        os.environ["LOG_LEVEL"] = "ERROR"
        import django

        django.setup()
        measure(options.conversations, options.turns, options.others)


SIGNS = "\u706f\u5854\u7684\u5149\u5f88\u4eae\u3002"
SAID = f"Some **bold** text about lighthouse number {{n}}, `code`. {SIGNS}\n\n- one\n- two\n"
RARE = "A zephyr; \u51b0\u7684\u5bc6\u5ea6\u3002"
# What is looked for, and by which of the two users that are measured.
SEARCHES = {
    "a word in every answer": ("ann", "lighthouse"),
    "three such words": ("ann", "bold number code"),
    "the beginning of one": ("ann", "lig"),
    "two letters": ("ann", "li"),
    "beginnings of three": ("ann", "ligh numb cod"),
    "a word said once": ("ann", "zephyr"),
    "a word that nobody said": ("ann", "quixotic"),
    "a common and a rare one": ("ann", "lighthouse zephyr"),
    "two Chinese signs, common": ("ann", "\u706f\u5854"),
    "two Chinese signs, rare": ("ann", "\u5bc6\u5ea6"),
    "one Chinese sign": ("ann", "\u5149"),
    "a Chinese phrase": ("ann", "\u706f\u5854\u7684\u5149"),
    "by somebody with little": ("bob", "lighthouse"),
    "the same, a beginning": ("bob", "lig"),
}


def measure(conversations: int, turns: int, others: int) -> None:
    """In steps: a hundredth of the past, then all of it."""
    from django.core.management import call_command
    from django.test import Client

    from chatsite import collected
    from chatsite.accounts.models import User
    from chatsite.chats.catchup import lacking
    from tests.load.past import conversation, copies

    call_command("migrate", verbosity=0, interactive=False)
    collected.refresh()
    names = ["ann", "bob", *(f"other{n}" for n in range(others - 1))]
    users = [User.objects.create_user(name) for name in names]
    clients = {}
    for name, user in zip(names[:2], users, strict=False):
        clients[name] = Client(headers={"host": "localhost"})
        clients[name].force_login(user)
    chats = [conversation(user, turns, SAID) for user in users]
    conversation(users[0], 1, RARE)
    works: dict[str, Callable[[], Any]] = {
        "the list": lambda: clients["ann"].get("/"),
        "a page": lambda: clients["ann"].get(f"/c/{chats[0].id}/"),
        "a hello": lambda: lacking(users[0].pk, chats[0].id, {}, set()),
    }
    for name, (who, query) in SEARCHES.items():
        works[f"search: {name}"] = lambda who=who, query=query: clients[who].get("/search/", {"q": query})
    made, rows = [1] * len(users), []
    for wanted in (max(2, conversations // 100), conversations):
        for number, chat in enumerate(chats):
            goal = wanted if number == 0 else max(1, wanted // 100)
            while made[number] < goal:
                step = min(500, goal - made[number])
                copies(chat, step)
                made[number] += step
        rows.append({name: milliseconds(work) for name, work in works.items()})
    print(
        f"{'ms':>36}  {max(2, conversations // 100):>8}  {conversations:>8}  conversations of {turns} turns"
    )
    for name in works:
        print(f"{name:>36}  {rows[0][name]:>8.1f}  {rows[1][name]:>8.1f}")


if __name__ == "__main__":
    main()
