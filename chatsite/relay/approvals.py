"""What the user said to tool calls that need asking, for one running turn.

An answer may come before, after or without its question; each call is answered once. "ask" tools are asked
about once in a turn, and never where the user always allows them; "always" tools at every call.
"""

import asyncio
from uuid import UUID

from chatsite.relay import db, limits
from chatsite.relay.models import Turn
from chatsite.tools import permissions, registry


def remembered(turn: UUID, tool: str) -> bool:
    """True when whose turn it is always allows this tool. Synchronous."""
    return permissions.given(Turn.objects.values_list("owner_id", flat=True).get(id=turn), tool)


def can_be_remembered(tool: str) -> bool:
    """True when the user may allow this tool once for all."""
    return registry.approval(tool) == "ask"


class Approvals:
    """Event loop only."""

    def __init__(self, turn: UUID) -> None:
        self._turn = turn
        self._answers: dict[str, asyncio.Future[bool]] = {}
        self._allowed: set[str] = set()

    async def needed(self, name: str) -> bool:
        """True when the user has to be asked before this tool may run."""
        policy = registry.approval(name)
        if policy == "ask":
            return name not in self._allowed and not await db.run(remembered, self._turn, name)
        return policy == "always"

    async def wait(self, call: str, name: str) -> bool:
        """The user's answer; silence for limits.APPROVAL seconds is a no."""
        try:
            async with asyncio.timeout(limits.APPROVAL):
                granted = await asyncio.shield(self._answer(call))
        except TimeoutError:
            granted = False
        if granted:
            self._allowed.add(name)
        return granted

    def answer(self, call: str, granted: bool) -> None:
        """The user answered."""
        if not (future := self._answer(call)).done():
            future.set_result(granted)

    def _answer(self, call: str) -> asyncio.Future[bool]:
        if call not in self._answers:
            self._answers[call] = asyncio.get_running_loop().create_future()
        return self._answers[call]
