"""A tab that runs a model, as docs/protocol.md tells it to: the feeding side of the socket."""

import json
import uuid
from typing import Any

from tests.relay.page import Page

DONE = {"done": True}


class Tab:
    """Feeds one turn through a page's socket; several pages one after the other are a tab that reconnects."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.secret = str(uuid.uuid4())
        self.turn = ""
        self.n = 0

    async def submit(
        self, text: str = "Hi", model: str = "device:prompt-api", **fields: Any
    ) -> dict[str, Any]:
        """Submit a message for this tab's model, and wait to be told the prompt."""
        feed = {"secret": self.secret, "model": "tiny"}
        answer = await self.page.submit(text, model=model, feed=feed, **fields)
        self.turn = answer["turn"]
        return await self.told("prompt")

    async def told(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The newest frame of this kind about the turn."""
        wanted = {"type": kind, "turn": self.turn, **fields}

        def find() -> dict[str, Any] | None:
            frames = (f for f in reversed(self.page.frames) if wanted.items() <= f.items())
            return next(frames, None)

        found: dict[str, Any] = await self.page.until(find)
        return found

    async def send(self, *lines: Any, **fields: Any) -> None:
        """Send lines up as the next frame; nothing is waited for."""
        self.n += 1
        data = [json.dumps(line) for line in lines]
        frame = {"type": "chunks", "turn": self.turn, "secret": self.secret, "n": self.n, "data": data}
        await self.page.send(**{**frame, **fields})

    async def feed(self, *lines: Any) -> None:
        """Send lines up and wait until the server has them."""
        await self.send(*lines)
        await self.told("chunks_ok", n=self.n)

    async def back(self, page: Page) -> int:
        """The tab is on another socket; what the server has."""
        self.page = page
        await page.send(type="feed", turn=self.turn, secret=self.secret)
        found: int = (await self.told("chunks_ok"))["n"]
        return found

    async def refused(self) -> str:
        """The code of the first frame that was not taken."""
        no: dict[str, Any] = await self.page.until(lambda: self.page.answers.get(f"feed {self.turn}"))
        code: str = no["code"]
        return code
