"""A fake Anthropic upstream for load: 50 stamped deltas a second and stream, spread evenly.

`python -m tests.load.upstream SECONDS` prints its URL and serves for at most ten minutes.
"""

import asyncio
import json
import sys
import time

RATE = 50
SLOTS = 1000 // RATE
WORDS = [
    "lorem ips ",
    "dolor **sit** ",
    "amet, `con` ",
    "sectetur\n\n",
    "- elit\n",
    "`sed` do ",
    "eius $x$ mod ",
]
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


def chunk(*events: dict[str, object]) -> bytes:
    """Events in one chunk of the transfer."""
    body = b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)
    return b"%x\r\n%s\r\n" % (len(body), body)


def opening() -> bytes:
    """The start of a message."""
    message = {
        "id": "msg", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
    }  # fmt: skip
    return chunk({"type": "message_start", "message": message})


class Stream(asyncio.Protocol):
    """One connection: thinking for a fifth of the events, then text."""

    wheel: list[set["Stream"]] = [set() for _ in range(SLOTS)]
    made = 0

    def __init__(self, total: int) -> None:
        self._total, self._sent, self._asked = total, 0, b""
        self._slot: set[Stream] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Begin once the whole request is there."""
        self._asked += data
        head, blank, body = self._asked.partition(b"\r\n\r\n")
        size = next(
            (int(n.split(b":")[1]) for n in head.lower().split(b"\r\n") if n.startswith(b"content-length")), 0
        )
        if self._slot is None and blank and len(body) >= size:
            Stream.made += 1
            self._slot = self.wheel[Stream.made % SLOTS]
            self._slot.add(self)
            self._write(HEAD + opening() + self._block(0, "thinking"))

    def connection_lost(self, error: Exception | None) -> None:
        """The client has gone."""
        if self._slot is not None:
            self._slot.discard(self)

    def beat(self) -> None:
        """The next delta, or the end."""
        n = self._sent = self._sent + 1
        text = f"t={time.monotonic_ns()} {WORDS[n % len(WORDS)]}"
        turn = max(1, self._total // 5)
        if n <= turn:
            self._write(self._delta(0, {"type": "thinking_delta", "thinking": text}))
            if n == turn:
                self._write(chunk({"type": "content_block_stop", "index": 0}) + self._block(1, "text"))
        else:
            self._write(self._delta(1, {"type": "text_delta", "text": text}))
        if n >= self._total:
            end = {"stop_reason": "end_turn", "stop_sequence": None}
            self._write(
                chunk(
                    {"type": "content_block_stop", "index": 1},
                    {"type": "message_delta", "delta": end, "usage": {"output_tokens": n}},
                    {"type": "message_stop"},
                )
                + b"0\r\n\r\n"
            )
            self.connection_lost(None)

    def _block(self, index: int, kind: str) -> bytes:
        start = {"type": kind, kind: "", **({"signature": ""} if kind == "thinking" else {})}
        return chunk({"type": "content_block_start", "index": index, "content_block": start})

    def _delta(self, index: int, delta: dict[str, str]) -> bytes:
        return chunk({"type": "content_block_delta", "index": index, "delta": delta})

    def _write(self, data: bytes) -> None:
        assert isinstance(self._transport, asyncio.Transport)
        self._transport.write(data)


async def main(seconds: float) -> None:
    """Serve."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Stream(int(seconds * RATE)), "127.0.0.1", 0, backlog=1024)
    print(f"Listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    began, beat = loop.time(), 0
    while loop.time() - began < 600:
        beat += 1
        await asyncio.sleep(max(0, began + beat / 1000 - loop.time()))
        for stream in list(Stream.wheel[beat % SLOTS]):
            stream.beat()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
