"""Two owners for one turn, and clocks that lie."""

import json
import signal
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from chatsite.relay import process
from tests.corpus import ROOT
from tests.faults.cluster import Grounds
from tests.faults.house import lite
from tests.faults.scale import scale
from tests.faults.upstream import TEXT, mixed
from tests.relay.served import environment

MADE = """
import json, sys, uuid
from tests.faults.claims import made
print(json.dumps(made(int(sys.argv[1]))))
"""
CLAIMS = """
import json, sys
from tests.faults.claims import claims
sys.stdout.write("ready\\n"); sys.stdout.flush()
print(json.dumps(claims(json.loads(sys.stdin.readline()), int(sys.argv[1]))))
"""


def started(env: dict[str, str], code: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that runs `code` with Django set up."""
    command = [sys.executable, "-c", "import django; django.setup()" + code, *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, env=env, text=True, **pipes)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_thousand_claims(engine: str, request: pytest.FixtureRequest) -> None:
    """Two processes of three threads each claim every turn at once, all under the fence that they saw: one
    fence wins each. PostgreSQL is started anew in the midst of it. Who held a turn before writes no more.
    """
    land: Grounds | None = request.getfixturevalue("land") if engine == "postgres" else None
    data = land.folder if land is not None else request.getfixturevalue("data")
    env = environment(data, **(land.env if land is not None else {}))
    workers = [started(env, CLAIMS, str(seed)) for seed in range(2)]
    with started(env, MADE, str(scale(60, 340))) as maker:
        rows = json.loads(maker.communicate()[0])
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(json.dumps(rows) + "\n")
        worker.stdin.flush()
    if land is not None:
        land.postgres.end(signal.SIGINT)
        land.postgres.start()
    won: list[str] = []
    for worker in workers:
        won += json.loads(worker.communicate(timeout=60)[0])
    # A claim whose answer was lost with the connection is in the database alone: fence 2 says there was one.
    assert len(won) == len(set(won))
    assert set(won) <= set(rows)
    assert land is not None or len(won) == len(rows)
    ids = ", ".join(f"'{row.replace('-', '')}'" for row in rows)
    query = f"SELECT DISTINCT fence, ending FROM relay_turn WHERE id IN ({ids})"
    found = land.postgres.sql("chat", query) if land is not None else lite(data, query)
    assert [tuple(row) for row in found] == [(2, "interrupted")]


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
