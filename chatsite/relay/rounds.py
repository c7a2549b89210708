"""The agent loop of one turn: ask, show, run tools, ask again, until an ending.

It knows neither sockets nor leases: it takes a prompt, records events and gives the ending. Retries happen
before the first byte only; after content there is never a blind one.
"""

import asyncio
import dataclasses
import random
from collections.abc import Callable
from uuid import UUID

from chatsite.providers.client import UpstreamCut, UpstreamError
from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import Choice
from chatsite.relay import limits
from chatsite.relay.approvals import Approvals
from chatsite.relay.calls import run_calls
from chatsite.relay.endings import Ending, ending_of
from chatsite.relay.exchange import Capture
from chatsite.relay.messages import TurnMessages
from chatsite.relay.recorder import Recorder
from chatsite.tools import registry
from chatsite.tools.conversations import TURN
from chatsite.tools.mcp import servers
from streamrender import decode
from streamrender.events import Event

PASSING = frozenset({"rate_limit", "overloaded", "timeout", "server", "network"})
"""Types of errors (streamrender/errors.py) that may be gone a moment later."""


class Rounds:
    """`keep(capture)` is called with every exchange when it begins and when it is over, also a failed or
    cancelled one.
    """

    def __init__(
        self,
        turn: UUID,
        choice: Choice,
        prompt: Prompt,
        recorder: Recorder,
        keep: Callable[[Capture], None],
        heard: Callable[[], None] = lambda: None,
    ) -> None:
        self._turn = turn
        self._choice = choice
        self._prompt = prompt
        self._recorder = recorder
        self._keep = keep
        self._heard = heard
        self.approvals = Approvals(turn)
        self.streaming = False
        self._messages = TurnMessages()
        self._exchanges = 0

    async def run(self) -> Ending:
        """Run to an ending: (ending, error)."""
        TURN.set(self._turn)
        before = self._go_on()
        if self._prompt.tools and await servers.ready():
            self._prompt = dataclasses.replace(self._prompt, tools=registry.definitions())
            if absent := servers.absent():
                self._emit({"type": "tools_absent", "servers": absent})
        for number in range(before + 1, before + limits.ROUNDS + 1):
            end = await self._ask(number, continues=number == before + 1 > 1)
            message = self._messages.message()
            ending = ending_of(message, end)
            if ending is not None:
                return ending
            calls = [block for block in message["content"] if block.get("type") == "tool_use"]
            if message["stop_reason"] == "tool_use":
                if not calls:
                    return "complete", None
                if number == before + limits.ROUNDS:
                    break
                await run_calls(calls, self._emit, self.approvals, self._recorder.settled)
        return "tool_limit", None

    def _emit(self, event: Event) -> None:
        self._messages.feed(event)
        self._recorder.record([event])

    def _go_on(self) -> int:
        """Take in what an answer that met its limit had come to; how many rounds that took."""
        begun = self._prompt.begun
        if not begun:
            return 0
        *events, end = begun
        for event in events:
            self._messages.feed(event)
        self._recorder.go_on(events, end["at"])
        return max((event["round"] for event in events if event["type"] == "request_started"), default=0)

    async def _ask(self, number: int, continues: bool = False) -> Event:
        """One round; its `stream_end`."""
        prompt = dataclasses.replace(self._prompt, messages=[*self._prompt.messages, *self._messages.take()])
        for attempt in range(1, limits.RETRIES + 2):
            self._emit(
                {
                    "type": "request_started",
                    "round": number,
                    "provider": self._choice.provider,
                    "wire": self._choice.wire,
                    "model": self._choice.model,
                    **({"continues": True, "turn": self._prompt.begun_in} if continues else {}),
                }
            )
            try:
                return await self._stream(prompt)
            except UpstreamError as error:
                wait = _wait(error, attempt)
                if wait is None:
                    end: Event = {"type": "stream_end", "ended": "error", "error": error.to_dict()}
                    self._emit(end)
                    return end
                seconds = round(wait, 3)
                self._emit(
                    {"type": "retry_wait", "attempt": attempt, "seconds": seconds, "error": error.to_dict()}
                )
                await asyncio.sleep(wait)
        raise AssertionError("the last attempt neither ended nor failed")

    async def _stream(self, prompt: Prompt) -> Event:
        request = self._choice.request(prompt)
        self._exchanges += 1
        capture = Capture(self._turn, self._exchanges, self._choice.wire, request.redacted())
        decoder = decode(self._choice.wire)
        self._heard()
        self.streaming = True
        self._keep(capture)
        try:
            async with self._choice.open(request) as response:
                capture.status, capture.headers = response.status, dict(response.headers)
                try:
                    async for data in response:
                        self._recorder.raw(capture.number, capture.take(data), data)
                        self._take(decoder.feed(data))
                        if capture.received > limits.LONGEST_ANSWER:
                            capture.error = {"type": "too_large", "message": "The answer has no end."}
                            break
                        if self._recorder.crowded:
                            await self._recorder.settled(limits.BACKLOG // 2)
                except UpstreamCut as cut:
                    capture.error = {"type": "cut_off", "message": str(cut)}
            events = decoder.close()
            self._take(events)
            return events[-1]
        except UpstreamError as error:
            capture.status, capture.error = error.status, error.to_dict()
            raise
        finally:
            self.streaming = False
            capture.over = True
            self._keep(capture)

    def _take(self, events: list[Event]) -> None:
        self._heard()
        for event in events:
            self._messages.feed(event)
        self._recorder.record(events)


def _wait(error: UpstreamError, attempt: int) -> float | None:
    """Seconds until the next attempt, None to give up."""
    if error.type not in PASSING or attempt > limits.RETRIES:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= limits.LONGEST_RETRY_WAIT else None
    return limits.FIRST_RETRY_WAIT * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.25)  # noqa: S311 (only spread)
