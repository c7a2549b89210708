"""An upstream that does what a test says, when the test says so: an Anthropic server whose streams have
gates.

A test adds scripts for a question and sends that question from the page. A stream stops at a gate until
the test opens it, so "in mid-stream" is a place in the stream and not a moment.
"""

import itertools
import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAIT = 60.0
MODEL = "scripted-1"


class Gate:
    """A place where a stream waits, at most so many seconds. `reached` is set when it got there."""

    def __init__(self, seconds: float = WAIT) -> None:
        self._seconds = seconds
        self.reached = threading.Event()
        self._open = threading.Event()

    def open(self) -> None:
        """Let the stream go on."""
        self._open.set()

    def arrive(self) -> None:
        """The stream got here; come back when the gate is open."""
        self.reached.set()
        self._open.wait(self._seconds)

    def wait(self) -> None:
        """Wait until the stream has got here."""
        assert self.reached.wait(WAIT), "the stream never came to this gate"


class Pause:
    """A moment between two events, so that the page can draw what came."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Die:
    """The connection ends without an end."""


class Refuse:
    """No stream at all, but this status."""

    def __init__(self, status: int, kind: str, message: str, **headers: str) -> None:
        self.status = status
        self.body = {"type": "error", "error": {"type": kind, "message": message}}
        self.headers = headers


Piece = str | Gate | Pause


class Script:
    """One response: blocks in order, then an end."""

    def __init__(self, **usage: int) -> None:
        self.steps: list[Any] = []
        self._index = 0
        message = {
            "id": f"msg_{id(self)}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [],
        }
        counts = {"input_tokens": 12, "output_tokens": 1} | usage
        message |= {"stop_reason": None, "stop_sequence": None, "usage": counts}
        self._event("message_start", message=message)
        self._event("ping")

    def by(self, model: str) -> "Script":
        """Answered under another name than the one that was asked."""
        self.steps[0]["message"]["model"] = model
        return self

    def _event(self, kind: str, **fields: Any) -> None:
        self.steps.append({"type": kind, **fields})

    def _block(self, block: dict[str, Any], kind: str, field: str, pieces: tuple[Piece, ...]) -> "Script":
        index, self._index = self._index, self._index + 1
        self._event("content_block_start", index=index, content_block=block)
        for piece in pieces:
            if isinstance(piece, Gate | Pause):
                self.steps.append(piece)
            else:
                self._event("content_block_delta", index=index, delta={"type": kind, field: piece})
        if block["type"] == "thinking":
            self._event(
                "content_block_delta", index=index, delta={"type": "signature_delta", "signature": "c2ln"}
            )
        self._event("content_block_stop", index=index)
        return self

    def think(self, *pieces: Piece) -> "Script":
        """A thinking block."""
        block = {"type": "thinking", "thinking": "", "signature": ""}
        return self._block(block, "thinking_delta", "thinking", pieces)

    def say(self, *pieces: Piece) -> "Script":
        """A text block."""
        return self._block({"type": "text", "text": ""}, "text_delta", "text", pieces)

    def call(self, tool_id: str, name: str, *pieces: Piece) -> "Script":
        """A tool call; the pieces are its JSON."""
        block = {"type": "tool_use", "id": tool_id, "name": name, "input": {}}
        return self._block(block, "input_json_delta", "partial_json", pieces)

    def block(self, block: dict[str, Any]) -> "Script":
        """A block that comes whole."""
        return self._block(block, "", "", ())

    def gate(self, gate: Gate | Pause) -> "Script":
        """Wait here."""
        self.steps.append(gate)
        return self

    def end(self, reason: str = "end_turn", sequence: str | None = None, **details: Any) -> "Script":
        """The proper end."""
        delta = {"stop_reason": reason, "stop_sequence": sequence} | details
        self._event("message_delta", delta=delta, usage={"output_tokens": 34})
        self._event("message_stop")
        return self

    def error(self, kind: str, message: str) -> "Script":
        """An error event in place of an end."""
        self._event("error", error={"type": kind, "message": message})
        return self

    def die(self) -> "Script":
        """The connection breaks."""
        self.steps.append(Die())
        return self


class Upstream:
    """The server. `requests` holds the bodies it was sent, in order."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self._scripts: dict[str, list[Any]] = {}
        self._gates: list[Gate] = []
        self._numbers = itertools.count(1)
        handler = type("Handler", (_Handler,), {"upstream": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def add(self, *scripts: Script | Refuse, question: str | None = None) -> str:
        """A question (a new one unless it is given) that gets these answers in turn; the last one stays."""
        question = question or f"Question number {next(self._numbers)}"
        self._scripts[question] = list(scripts)
        for script in scripts:
            if isinstance(script, Script):
                self._gates += [step for step in script.steps if isinstance(step, Gate)]
        return question

    def release(self) -> None:
        """Open every gate there is."""
        for gate in self._gates:
            gate.open()
        self._gates.clear()

    def stop(self) -> None:
        """Stop listening."""
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def take(self, body: dict[str, Any]) -> Script | Refuse:
        """The answer to a request."""
        self.requests.append(body)
        scripts = self._scripts.get(_question(body["messages"]))
        if not scripts:
            return Script().say("An answer to anything else.").end()
        return scripts.pop(0) if len(scripts) > 1 else scripts[0]


def _question(messages: list[dict[str, Any]]) -> str:
    """The text of the last message that a person wrote."""
    for message in reversed(messages):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        if message["role"] == "user" and texts:
            return str(texts[-1])
    return ""


class _Handler(BaseHTTPRequestHandler):
    upstream: Upstream
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        script = self.upstream.take(body)
        if isinstance(script, Refuse):
            data = json.dumps(script.body).encode()
            self.send_response(script.status)
            for name, value in script.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            self._stream(script)
        except OSError:
            self.close_connection = True

    def _stream(self, script: Script) -> None:
        for step in script.steps:
            if isinstance(step, Gate):
                step.arrive()
            elif isinstance(step, Pause):
                time.sleep(step.seconds)
            elif isinstance(step, Die):
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            else:
                data = f"event: {step['type']}\ndata: {json.dumps(step, ensure_ascii=False)}\n\n".encode()
                self._chunk(data)
        self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()
