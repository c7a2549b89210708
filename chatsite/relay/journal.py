"""The durable log of running turns: rows of events, committed before anybody sees them.

One writer thread per process takes whatever rows are waiting, of all turns, and commits them in one
transaction; while a commit is in flight the next batch gathers. Turns hand over with `beat`. Each row carries
the fence of its writer and is refused when a newer one has taken the turn. Raw SQL: one ORM call per event
would cost fifty times as much.
"""

import asyncio
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any
from uuid import UUID

from django.db import Error, IntegrityError, connection, transaction

from chatsite.relay.beat import Beat
from chatsite.relay.exchange import Raw
from chatsite.relay.models import JournalRow, Turn
from streamrender.events import Event

log = logging.getLogger(__name__)

PATIENCE = 15.0
SLICE = 0.02  # seconds of showing before the loop looks at its sockets again


class Fenced(Exception):
    """Somebody else owns the turn now, or it has ended: write nothing more."""


class JournalFailed(Exception):
    """The database took no rows for `PATIENCE` seconds; nothing of this row is stored."""


@dataclass(slots=True, frozen=True)
class Row:
    """Events numbered seq..last of one turn. `done` is called on the loop: None once committed, or why
    not.
    """

    turn: UUID
    fence: int
    seq: int
    last: int
    events: list[Event]
    done: Callable[[Exception | None], None]
    raw: Sequence[Raw] = ()


class Journal:
    """Takes rows on the event loop, commits them in its thread, reports back on the loop."""

    def __init__(self) -> None:
        self.beat = Beat()
        self._loop = asyncio.get_running_loop()
        self._rows: list[Row] = []
        self._waiting: SimpleQueue[list[Row] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
        self._thread.start()

    def append(self, row: Row) -> None:
        """Queue a row; its `done` follows."""
        if not self._rows:
            # All rows of this turn of the loop go together.
            self._loop.call_soon(self._hand_over)
        self._rows.append(row)

    def close(self) -> None:
        """Commit what waits and end the thread; call it in another thread than the loop's."""
        rows, self._rows = self._rows, []
        self._waiting.put(rows)
        self._waiting.put(None)
        self._thread.join()

    def _hand_over(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self._waiting.put(rows)

    def _write(self) -> None:
        try:
            while rows := self._gathered():
                self._tell(rows, self._commit(rows))
        finally:
            connection.close()

    def _gathered(self) -> list[Row]:
        """What waits, at least one row; empty when the journal is closed."""
        rows: list[Row] = []
        while (more := self._waiting.get()) is not None:
            rows += more
            if rows and self._waiting.empty():
                return rows
        if rows:
            self._waiting.put(None)
        return rows

    def _tell(self, rows: list[Row], results: list[Exception | None]) -> None:
        try:
            self._loop.call_soon_threadsafe(self._report, deque(zip(rows, results, strict=True)))
        except RuntimeError:
            log.warning("The loop of the journal has ended before %d rows were reported", len(rows))

    def _report(self, done: deque[tuple[Row, Exception | None]]) -> None:
        """Let rows be shown, for a slice of time; then others have their turn, a first token above all."""
        until = self._loop.time() + SLICE
        while done:
            row, result = done.popleft()
            row.done(result)
            if done and self._loop.time() > until:
                self._loop.call_soon(self._report, done)
                return

    def _commit(self, rows: list[Row]) -> list[Exception | None]:
        until = time.monotonic() + PATIENCE
        pause = 0.05
        while True:
            try:
                return commit(rows)
            except Error as error:
                if time.monotonic() + pause > until:
                    log.error("Journal: %d rows given up: %s", len(rows), error)
                    return [JournalFailed(str(error))] * len(rows)
                log.warning("Journal: commit failed, trying again: %s", error)
                connection.close()
                time.sleep(pause)
                pause = min(pause * 2, 1.0)
            except Exception as error:
                # What cannot be stored at all: only its own turn fails, and the thread goes on.
                log.exception("Journal: %d rows are refused", len(rows))
                if len(rows) == 1:
                    return [JournalFailed(str(error))]
                return [result for row in rows for result in self._commit([row])]


def commit(rows: list[Row]) -> list[Exception | None]:
    """Insert the rows in one transaction; for each None, or Fenced."""
    try:
        with transaction.atomic():
            if _insert(rows) == len(rows):
                _insert_raw(rows)
                return [None] * len(rows)
            transaction.set_rollback(True)
    except IntegrityError:
        # The answer to an earlier commit was lost; or there are two writers under one fence, a fault of ours.
        pass
    # Rare: only the rows that have no right are refused.
    if len(rows) == 1:
        if _stored(rows[0]):
            return [None]
        return [Fenced("the turn has another owner, or events of these numbers")]
    return [result for row in rows for result in commit([row])]


def _insert(rows: list[Row]) -> int:
    """How many rows went in: those whose turn runs under their fence.

    One statement for all: SQLite lets go of the interpreter's lock at each, and a busy loop gives it back
    late.
    """
    key = Turn._meta.pk
    postgres = connection.vendor == "postgresql"
    types = ("::uuid", "::int", "::int", "::int", "::text") if postgres else ("",) * 5
    values = ", ".join("(" + ", ".join(f"%s{type_}" for type_ in types) + ")" for _ in rows)
    # INSERT comes first: Python's sqlite3 counts rows of nothing else.
    sql = (
        "INSERT INTO relay_journalrow (turn_id, seq, last, fence, events) "  # noqa: S608
        f"WITH given (turn_id, seq, last, fence, events) AS (VALUES {values}) "
        "SELECT given.* FROM given JOIN relay_turn ON relay_turn.id = given.turn_id "
        "AND relay_turn.fence = given.fence AND relay_turn.status <> 'ended'"
    )
    parameters: list[Any] = []
    for row in rows:
        turn = key.get_db_prep_value(row.turn, connection)
        parameters += [turn, row.seq, row.last, row.fence, _text(row)]
    with connection.cursor() as cursor:
        cursor.execute(sql + (" FOR SHARE OF relay_turn" if postgres else ""), parameters)
        return int(cursor.rowcount)


def _text(row: Row) -> str:
    return json.dumps(row.events, ensure_ascii=False, separators=(",", ":"))


def _stored(row: Row) -> bool:
    """Whether exactly this row is in the journal: a connection may break between commit and answer."""
    found = JournalRow.objects.filter(turn=row.turn, seq=row.seq, last=row.last, fence=row.fence)
    return found.values_list("events", flat=True).first() == _text(row)


def _insert_raw(rows: list[Row]) -> None:
    """The bytes that these rows were made from."""
    given = [(row, raw) for row in rows for raw in row.raw]
    if not given:
        return
    values = ", ".join(["(%s, %s, %s, %s, %s)"] * len(given))
    parameters: list[Any] = []
    for row, raw in given:
        turn = Turn._meta.pk.get_db_prep_value(row.turn, connection)
        arrivals = json.dumps(raw.arrivals, separators=(",", ":"))
        parameters += [turn, raw.number, row.seq, bytes(raw.data), arrivals]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO relay_rawchunk (turn_id, number, seq, data, arrivals) VALUES {values}",  # noqa: S608
            parameters,
        )
