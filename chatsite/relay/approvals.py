"""What the user said to tool calls that need asking, for one running turn.

An answer may come before, after or without its question; each call is answered once. "ask" tools are asked
about once in a turn, "always" tools at every call.
"""

import asyncio

from chatsite.relay import limits
from chatsite.tools import registry


class Approvals:
    """Event loop only."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[bool]] = {}
        self._allowed: set[str] = set()

    def needed(self, name: str) -> bool:
        """True when the user has to be asked before this tool may run."""
        policy = registry.approval(name)
        return policy == "always" or (policy == "ask" and name not in self._allowed)

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
