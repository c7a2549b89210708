"""Doorbells between processes: hints over the channel layer, which may be lost, late or doubled.

A bell says "look again": a turn of this conversation moved, somebody wants this turn stopped, this user's
login changed. The truth is in the database, and whoever hears no bell looks there anyway (chats/follow.py,
leases). With one process there is nobody to ring for.
"""

import asyncio
import logging
import uuid
from collections.abc import Callable
from typing import Any

from channels.layers import get_channel_layer
from django.conf import settings

log = logging.getLogger(__name__)

GROUP = "streamrender.processes"
REJOIN = 3600.0  # the layer forgets members after a day
QUIET = 0.05  # seconds between two bells that say what moved, for all conversations of the process


class Bell:
    """`hear(message)` gets what other processes ring. `ring` never waits and never fails."""

    def __init__(self, hear: Callable[[dict[str, Any]], None]) -> None:
        self._hear = hear
        self._name = uuid.uuid4().hex
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: set[str] = set()
        self._loop = asyncio.get_running_loop()
        if settings.SEVERAL_PROCESSES:
            self._start(self._listen())

    def moved(self, conversation: str) -> None:
        """A turn of this conversation has new events, began or ended."""
        if settings.SEVERAL_PROCESSES:
            if not self._waiting:
                self._loop.call_later(QUIET, self._rung)
            self._waiting.add(conversation)

    def ring(self, **message: Any) -> None:
        """Ring with any message of plain values."""
        if settings.SEVERAL_PROCESSES:
            self._start(self._send(message))

    async def close(self) -> None:
        """Stop listening."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _rung(self) -> None:
        moved, self._waiting = sorted(self._waiting), set()
        self.ring(moved=moved)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, message: dict[str, Any]) -> None:
        layer = get_channel_layer()
        try:
            if layer is not None:
                await layer.group_send(GROUP, {"type": "bell", "by": self._name, **message})
        except Exception as error:
            log.info("A bell was not rung: %r", error)

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                log.warning("Bells are not heard for a moment: %r", error)
                await asyncio.sleep(1)

    async def _listen_once(self) -> None:
        layer = get_channel_layer()
        if layer is None:
            return
        channel = await layer.new_channel()
        while True:
            await layer.group_add(GROUP, channel)
            try:
                async with asyncio.timeout(REJOIN):
                    while True:
                        message = await layer.receive(channel)
                        if message.get("by") != self._name:
                            self._hear(message)
            except TimeoutError:
                continue
