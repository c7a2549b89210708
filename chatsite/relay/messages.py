"""The messages of a turn as a fold of its events: what goes upstream in the next round, and into the database
at the end. The same fold serves a running turn, a finished one and the journal of one whose process died.
"""

from collections.abc import Iterable
from typing import Any

from streamrender import Assembler
from streamrender.events import RELAY_KINDS, Event


class TurnMessages:
    """Feed it every event of a turn. `take()` gives the messages so far: an assistant's for each round that
    brought content, and after it a user's with the results of its tool calls, in the order of the calls. A
    refusal counts also without content: it tells that what was asked must not go upstream again.
    """

    def __init__(self) -> None:
        self._done: list[dict[str, Any]] = []
        self._round: Assembler | None = None
        self._about: dict[str, Any] = {}
        self._results: dict[str, dict[str, Any]] = {}

    def feed(self, event: Event) -> None:
        """Take one event in."""
        kind = event.get("type")
        if kind == "request_started":
            self._done = self.take()
            self._round, self._results = Assembler(), {}
            self._about = {"provider": event.get("provider", ""), "model": event.get("model", "")}
        elif kind == "tool_result":
            self._results[event["id"]] = {
                "type": "tool_result",
                "tool_use_id": event["id"],
                "content": event["content"],
                "is_error": bool(event.get("is_error")),
            }
        elif kind not in RELAY_KINDS and self._round is not None:
            self._round.feed(event)

    def message(self) -> dict[str, Any]:
        """The assembled message of the round that runs now; empty content before the first."""
        return (self._round or Assembler()).to_dict()

    def take(self) -> list[dict[str, Any]]:
        """All messages so far; asking changes nothing."""
        messages = list(self._done)
        if self._round is None:
            return messages
        message = self._round.to_dict()
        if message["content"] or message.get("stop_reason") == "refusal":
            messages.append(
                {
                    "role": "assistant",
                    "content": _whole(message),
                    "provider": self._about["provider"],
                    "model": message.get("model") or self._about["model"],
                    "stop_reason": message.get("stop_reason") or "",
                }
            )
        if self._results:
            messages.append({"role": "user", "content": self._ordered(message["content"])})
        return messages

    def _ordered(self, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
        calls = [block["id"] for block in content if block.get("type") == "tool_use"]
        rank = {call: number for number, call in enumerate(calls)}
        return sorted(self._results.values(), key=lambda block: rank.get(block["tool_use_id"], len(rank)))


def _whole(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The content, with what the provider said of the message as a whole and wants back: `reasoning_details`
    of Chat Completions. Stored messages have no place for it but a block, so the first one carries it.
    """
    content: list[dict[str, Any]] = message["content"]
    details = (message.get("provider") or {}).get("reasoning_details")
    if not details or not content:
        return content
    private = {**(content[0].get("provider") or {}), "reasoning_details": details}
    return [{**content[0], "provider": private}, *content[1:]]


def messages_of(events: Iterable[Event]) -> list[dict[str, Any]]:
    """The messages that a turn's events make."""
    fold = TurnMessages()
    for event in events:
        fold.feed(event)
    return fold.take()
