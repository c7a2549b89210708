"""Runs turns: one task each, belonging to the process and never to a socket.

Closing a tab changes nothing about a turn. A turn ends in one of three ways: its rounds come to an ending;
somebody wants it to end (the user: stopped; the server: interrupted); or it turns out to belong to another
process, and then nothing more is written.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import Error

from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import Choice
from chatsite.relay import db, limits, turns
from chatsite.relay.endings import Ending
from chatsite.relay.exchange import Keeper
from chatsite.relay.hub import Hub
from chatsite.relay.journal import Fenced, Journal, JournalFailed
from chatsite.relay.live import LiveTurn
from chatsite.relay.recorder import Recorder
from chatsite.relay.rounds import Rounds
from streamrender.events import Event

log = logging.getLogger(__name__)

FINISH_TRIES = 8


class Run:
    """One running turn. `live` shows it."""

    def __init__(
        self,
        turn: UUID,
        fence: int,
        live: LiveTurn,
        choice: Choice,
        prompt: Prompt,
        journal: Journal,
        hub: Hub,
        moved: Callable[[], None],
    ) -> None:
        self.turn = turn
        self.fence = fence
        self.live = live
        self._last_heard = time.monotonic()
        self._hub = hub
        self._moved = moved
        self._reason: str | None = None
        self._why = f"Nothing came for {limits.IDLE:g} seconds."
        self._finishing = False
        self._keeper = Keeper()
        self._recorder = Recorder(turn, fence, journal, self._committed, self._failed)
        self._rounds = Rounds(turn, choice, prompt, self._recorder, self._keeper.changed, self._hear)
        self.task = asyncio.create_task(self._run(), name=f"turn {turn}")

    def end(self, reason: str, why: str = "") -> None:
        """End it as `stopped`, `interrupted`, `cut_off` (`why`: unless it was silence) or, without writing
        anything more, `lost`.
        """
        if self._reason is None and not self._finishing:
            self._reason = reason
            self._why = why or self._why
            self.task.cancel()

    @property
    def silence(self) -> float:
        """Seconds since the upstream was last heard, 0 while nothing is expected of it."""
        return time.monotonic() - self._last_heard if self._rounds.streaming else 0.0

    @property
    def age(self) -> float:
        """Seconds since it began."""
        return self._recorder.at() / 1000

    def answer(self, call: str, granted: bool) -> None:
        """The user allowed or refused a tool call."""
        self._rounds.approvals.answer(call, granted)

    async def _run(self) -> None:
        ending: Ending
        try:
            ending = await self._rounds.run()
        except asyncio.CancelledError:
            # Ours, or the loop is closing; either way the partial is kept.
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
            ending = self._wanted()
        except (Fenced, JournalFailed) as error:
            ending = self._refused(error)
        except BaseExceptionGroup as group:
            log.exception("Turn %s: a tool's task failed", self.turn, exc_info=group)
            ending = ("error", {"type": "internal", "message": "The server failed while it ran a tool."})
        except Exception:
            log.exception("Turn %s failed", self.turn)
            ending = (
                "error",
                {"type": "internal", "message": "The server failed while it ran this turn."},
            )
        self._finishing = True
        await self._finish(ending)

    def _wanted(self) -> Ending:
        if self._reason == "cut_off":
            return "cut_off", {"type": "timeout", "message": self._why}
        if self._recorder.error is not None:
            return self._refused(self._recorder.error)
        return self._reason or "interrupted", None

    def _refused(self, error: Exception) -> Ending:
        if isinstance(error, Fenced):
            return "lost", None
        return "error", {"type": "storage", "message": "The database did not take what came."}

    async def _finish(self, ending: Ending) -> None:
        try:
            if ending[0] != "lost":
                await self._end(await self._settled(ending))
                return
        except Fenced:
            pass
        except Exception:
            # Unfinished in the database: whoever looks for abandoned turns ends it as interrupted.
            log.exception("Turn %s could not be ended", self.turn)
        log.warning("Turn %s is left to another owner", self.turn)
        self._hub.lost(self.live)

    async def _settled(self, ending: Ending) -> Ending:
        """Wait for what is on its way into the database; the ending, unless the journal refused the rest."""
        try:
            await self._recorder.settled()
        except JournalFailed as error:
            log.error("Turn %s ends without its last events: they were never stored or shown", self.turn)
            ending = self._refused(error)
        await self._keeper.settled()
        return ending

    async def _end(self, ending: Ending) -> None:
        for attempt in range(FINISH_TRIES):
            try:
                end = await db.run(turns.finish, self.turn, self.fence, *ending, self._recorder.at())
                break
            except Error as error:
                if attempt == FINISH_TRIES - 1:
                    raise
                log.warning("Turn %s: ending it failed, trying again: %s", self.turn, error)
                await asyncio.sleep(min(0.2 * 2**attempt, 3))
        if end is None:
            raise Fenced("already ended")
        seq = end.pop("seq")
        self._committed([end], seq)
        await self.live.rendered()
        self._hub.close(self.live)
        if self.live.broken:
            return
        try:
            await db.run(turns.keep_page, self.turn, self.live.snapshot()["page"])
        except Error as error:
            log.warning("The page of turn %s was not kept, it will be made again: %s", self.turn, error)

    def _committed(self, events: list[Event], last: int) -> None:
        self.live.committed(events, last)
        self._moved()

    def _failed(self, error: Exception) -> None:
        self.end("lost" if isinstance(error, Fenced) else "error")

    def _hear(self) -> None:
        self._last_heard = time.monotonic()


class Runner:
    """The turns that this process runs."""

    def __init__(self, journal: Journal, hub: Hub, moved: Callable[[str], None]) -> None:
        """`moved(conversation)` is called whenever a turn of it has something new."""
        self._moved = moved
        self.runs: dict[UUID, Run] = {}
        self._journal = journal
        self._hub = hub

    def start(self, heading: dict[str, Any], fence: int, choice: Choice, prompt: Prompt) -> None:
        """Run a turn that was begun in the database by this process."""
        turn = UUID(heading["turn"])
        live = LiveTurn(heading, f"{turn}:{fence}", self._journal.beat.spent)
        self._hub.open(live)
        conversation = heading["conversation"]
        self._moved(conversation)
        run = Run(
            turn, fence, live, choice, prompt, self._journal, self._hub, lambda: self._moved(conversation)
        )
        self.runs[turn] = run
        run.task.add_done_callback(lambda _: self.runs.pop(turn, None))

    def stop(self, turn: UUID) -> None:
        """Stop a turn if it runs here; its stop_at is already committed."""
        if (run := self.runs.get(turn)) is not None:
            run.end("stopped")

    def answer(self, turn: UUID, call: str, granted: bool) -> None:
        """Hand on what the user said to a tool call, if the turn runs here; it is already committed."""
        if (run := self.runs.get(turn)) is not None:
            run.answer(call, granted)

    async def end_all(self, reason: str, within: float) -> None:
        """End every turn and wait for it."""
        tasks = [run.task for run in self.runs.values()]
        for run in list(self.runs.values()):
            run.end(reason)
        if tasks:
            await asyncio.wait(tasks, timeout=within)
