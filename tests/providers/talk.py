"""A small relay for tests: sends a prompt, decodes the answer, runs the tools, asks again."""

from dataclasses import dataclass, field
from typing import Any

from chatsite.providers.client import UpstreamCut, open_stream
from chatsite.providers.prompt import Prompt
from chatsite.providers.registry import Choice
from chatsite.tools import registry as tools
from streamrender import Assembler, decode

Message = dict[str, Any]


@dataclass
class Heard:
    """What came of one request."""

    message: Message
    events: list[dict[str, Any]]
    reads: list[bytes]


@dataclass
class Talk:
    """A conversation with one choice; `messages` is what would be stored."""

    choice: Choice
    messages: list[Message] = field(default_factory=list)
    thinking: bool | str = True
    max_tokens: int = 16000

    async def ask(self, text: str) -> list[Heard]:
        """Send a question and go on until no tool is wanted; the rounds in order."""
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
        rounds = [await self.round()]
        while rounds[-1].message["stop_reason"] == "tool_use":
            assert len(rounds) < 10
            self.messages.append(await self._results(rounds[-1].message))
            rounds.append(await self.round())
        return rounds

    async def round(self) -> Heard:
        """One request with the messages so far; its answer is appended."""
        prompt = Prompt(
            self.messages,
            tools=tools.definitions(),
            thinking=self.thinking,
            max_tokens=self.max_tokens,
        )
        decoder, assembler = decode(self.choice.wire), Assembler()
        events: list[dict[str, Any]] = []
        reads: list[bytes] = []
        try:
            async with open_stream(self.choice.request(prompt)) as response:
                async for data in response:
                    reads.append(data)
                    events += decoder.feed(data)
        except UpstreamCut:
            pass
        events += decoder.close()
        for event in events:
            assembler.feed(event)
        message = assembler.to_dict()
        if message["content"]:
            self.messages.append(
                {
                    "role": "assistant",
                    "content": message["content"],
                    "provider": self.choice.provider,
                    "model": message["model"],
                    "stop_reason": message["stop_reason"],
                }
            )
        return Heard(message, events, reads)

    async def _results(self, message: Message) -> Message:
        content = []
        for call in message["content"]:
            if call["type"] == "tool_use":
                outcome = await tools.run(call["name"], call["input"], _quiet)
                content.append(
                    {
                        "type": "tool_result",
                        "tool_use_id": call["id"],
                        "content": outcome.content,
                        "is_error": outcome.is_error,
                    }
                )
        return {"role": "user", "content": content}


async def _quiet(text: str) -> None:
    return None


def said(heard: Heard) -> str:
    """All text of an answer."""
    return "".join(block["text"] for block in heard.message["content"] if block["type"] == "text")
