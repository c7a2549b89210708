"""The relay of this process: journal, hub and runner on one event loop, and the clock that keeps them honest.

`current()` gives the one of the running loop and makes it at first use. Every few seconds it renews the
leases of its turns, hears of stops and takeovers, ends turns whose owner is gone, and cuts upstreams that
fell silent.
"""

import asyncio
import logging
import weakref
from collections.abc import Callable
from typing import Any
from uuid import UUID

from chatsite.providers import client
from chatsite.relay import db, lifecycle, limits, protocol, turns
from chatsite.relay.bell import Bell
from chatsite.relay.hub import Hub
from chatsite.relay.journal import Journal
from chatsite.relay.runner import Runner
from chatsite.relay.signals import swept
from chatsite.relay.watch import Watch
from chatsite.tools.mcp import servers

log = logging.getLogger(__name__)


class Relay:
    """`start` it once; `drain` ends it the gentle way, `close` at once."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.hub = Hub()
        self.journal = Journal()
        self.bell = Bell(self._heard)
        self.listeners: list[Callable[[dict[str, Any]], None]] = []
        self.runner = Runner(self.journal, self.hub, self.bell.moved)
        self._watch = Watch()
        self._tasks = [
            asyncio.create_task(self._beat(), name="heartbeats"),
            asyncio.create_task(self._keep_leases(), name="leases"),
            asyncio.create_task(self._sweep(), name="janitor"),
        ]

    async def drain(self, within: float = limits.DRAIN) -> None:
        """No new turns; running ones may finish for `within` seconds, then they are kept as interrupted; then
        every socket is closed with a spread of return times.
        """
        lifecycle.set_draining(True)
        for number, viewer in enumerate(list(self.hub.viewers)):
            viewer.tell(protocol.bye("drain", 250 + (number * 2473) % 3600))
            if viewer.conversation not in self._busy():
                viewer.end(protocol.Close.DRAIN)
        tasks = [run.task for run in self.runner.runs.values()]
        if tasks:
            log.info("Draining: %d turns may finish within %g seconds", len(tasks), within)
            await asyncio.wait(tasks, timeout=within)
        await self.runner.end_all("interrupted", within=3)
        for viewer in list(self.hub.viewers):
            viewer.end(protocol.Close.DRAIN)
        # Time for the last frames and the close frames to leave.
        await asyncio.sleep(0.2)
        await self.close()

    async def close(self) -> None:
        """End what is left and stop the clock and the journal."""
        await self.runner.end_all("interrupted", within=5)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.bell.close()
        self.journal.beat.close()
        await asyncio.to_thread(self.journal.close)
        await client.close()
        await servers.close()
        _relays.pop(self.loop, None)

    def _heard(self, message: dict[str, Any]) -> None:
        """A bell of another process."""
        if "stop" in message:
            self.runner.stop(UUID(message["stop"]))
        if "approve" in message:
            self.runner.answer(UUID(message["approve"]), message["call"], message["granted"])
        if "tell" in message:
            self.hub.tell(message["owner"], message["tell"])
        for listener in self.listeners:
            listener(message)

    def tell(self, owner: int, frame: dict[str, Any]) -> None:
        """A control frame for all sockets of a user, in every process."""
        self.hub.tell(owner, frame)
        self.bell.ring(owner=owner, tell=frame)

    def stop(self, turn: UUID) -> None:
        """Stop a turn wherever it runs; its stop_at is already committed."""
        self.runner.stop(turn)
        self.bell.ring(stop=str(turn))

    def approve(self, turn: UUID, call: str, granted: bool) -> None:
        """Hand on an answer to a tool call wherever the turn runs; it is already committed."""
        self.runner.answer(turn, call, granted)
        self.bell.ring(approve=str(turn), call=call, granted=granted)

    def _busy(self) -> set[UUID]:
        return {UUID(run.live.heading["conversation"]) for run in self.runner.runs.values()}

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(1)
            self.hub.tick()

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(limits.RENEW)
            try:
                await self.look_after_turns()
            except Exception:
                log.exception("Leases could not be looked after")

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(limits.JANITOR)
            try:
                await db.run(turns.forget_exchanges)
                await db.run(swept.send, Relay)
            except Exception:
                log.exception("What is past its days could not be removed")

    async def look_after_turns(self) -> None:
        """Renew, obey, reap: one round of the clock."""
        runs = self.runner.runs
        for run in runs.values():
            if run.silence > limits.IDLE:
                run.end("cut_off")
            elif run.age > limits.LONGEST_TURN:
                run.end("interrupted")
        asked = {turn: run for turn, run in runs.items()}
        held = await db.run(turns.renew, list(asked)) if asked else {}
        for turn, run in asked.items():
            mine = held.get(turn)
            if mine is None or mine.fence != run.fence:
                # It may also have ended in this very moment; then nothing is left to be lost.
                run.end("lost")
            elif mine.stop_wanted:
                run.end("stopped")
            else:
                for call, granted in mine.approvals.items():
                    run.answer(call, granted)
        await interrupt_abandoned(set(self.runner.runs), self._watch)


async def interrupt_abandoned(running: set[UUID], watch: Watch | None = None) -> int:
    """End turns that nobody runs as interrupted, their partial kept; how many.

    Without a watch that has looked before: those whose owner is certainly dead.
    """
    count = 0
    for turn in (watch or Watch()).abandoned(await db.run(turns.others, list(running))):
        if await db.run(turns.interrupt, turn.id, turn.fence):
            log.warning("Turn %s had lost its owner: interrupted", turn.id)
            count += 1
    return count


_relays: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Relay] = weakref.WeakKeyDictionary()


def current() -> Relay:
    """The relay of the running loop."""
    loop = asyncio.get_running_loop()
    relay = _relays.get(loop)
    if relay is None:
        relay = _relays[loop] = Relay()
    return relay


def everywhere(work: Callable[..., None], *args: Any) -> None:
    """Call `work(relay, *args)` on the loop of every relay of this process; from any thread."""
    for loop, relay in list(_relays.items()):
        if not loop.is_closed():
            loop.call_soon_threadsafe(work, relay, *args)
