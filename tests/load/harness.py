"""An independent load harness against our server: its upstream, its client, its bare relay, in one run.

    python -m tests.load.harness FOLDER [--streams 20,60,100] [--seconds 8]

FOLDER holds the harness: upstream.py (a fake Anthropic upstream that stamps each delta), load.py (a client
on raw sockets) and srv/aio.py (a bare aiohttp relay). Its client speaks no protocol of ours, so it is taught
four things while it is loaded: to log in, to submit, to acknowledge, and to count a stamp once where the
source and the HTML of a page both carry it.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.engines import free_port
from tests.load.servers import Server, chat, pin
from tests.relay.served import prepare

SUBMIT = (
    "frame(json.dumps({'type':'submit','id':str(__import__('uuid').uuid4()),'conversation':None,'parent':None,"
    "'text':'Go','model':None,'retry':None}).encode())"
)
TAUGHT = [
    ("{PATH} HTTP/1.1\\r\\nHost", "{PATH} HTTP/1.1\\r\\nCookie: {os.environ[\"COOKIE\"]}\\r\\nHost"),
    ("frame(b'{\"type\":\"start\"}')", SUBMIT),
    ("def scan(b):", "def scan(b, s=None):"),
    ("        k += 1; i = j\n",
     "        i = j\n        if s is not None and t <= s.t: continue\n"
     "        k += 1\n        if s is not None: s.t = t\n"),
    ("s.buf = b''; s.up = False;", "s.t = s.k = 0; s.buf = b''; s.up = False;"),
    ("                if not scan(p) and b'\"done\"' in p and not s.fin: s.finish()",
     "                s.k += 1; scan(p, s)\n"
     "                if s.k > 15 and p.startswith(b'{\"type\":\"ops\"'):\n"
     "                    s.k = 0; f = json.loads(p)\n"
     "                    ack = {'type': 'ack', 'turn': f['turn'], 'rev': f['to']}\n"
     "                    s.tr.write(frame(json.dumps(ack).encode()))\n"
     "                end = p.startswith(b'{\"type\":\"ops\"') and b'\"ending\":\"' in p\n"
     "                if end and not s.fin: s.finish()"),
]  # fmt: skip


def taught(source: str) -> str:
    """The harness's client, able to speak to us."""
    for old, new in TAUGHT:
        if old not in source:
            raise SystemExit(f"The client of this harness is another one: it has no {old!r}")
        source = source.replace(old, new)
    return source


class Plain(Server):
    """A process of the harness, which does not say where it listens."""

    def __init__(self, command: list[str], port: int, core: int, **env: str) -> None:
        self._process = subprocess.Popen(command, env={**os.environ, **env}, stdout=subprocess.DEVNULL)
        pin(self._process.pid, core)
        self.base = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if asyncio.run(_answers(port)):
                return
            time.sleep(0.05)
        raise SystemExit(f"{command} does not listen")


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def run(client: str, base: str, count: int, seconds: float, cpu: "Server") -> dict[str, float]:
    """One run of the harness's client; its figures, and microseconds of CPU for each event."""
    url = base.replace("http", "ws", 1) + "/ws/"
    command = [sys.executable, client, "--url", url, "--n", str(count), "--dur", str(seconds)]
    load = subprocess.Popen([*command, "--ramp", str(count * 0.05)], stdout=subprocess.PIPE, text=True)
    pin(load.pid, 1)
    marks: list[float] = []
    found: dict[str, float] = {}
    assert load.stdout is not None
    for line in load.stdout:
        if line.startswith("MARK"):
            marks.append(cpu.cpu())
        elif line.startswith("{"):
            found = json.loads(line)
    load.wait()
    return {**found, "us": 1e6 * (marks[1] - marks[0]) / max(1, found["ev_win"])}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--streams", default="20,60,100")
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    folder = options.folder.resolve()
    pin(os.getpid(), 1)
    with tempfile.TemporaryDirectory(prefix="streamrender-bench-") as made:
        client = Path(made) / "load.py"
        client.write_text(taught((folder / "load.py").read_text()))
        prepared = prepare(Path(made) / "data")
        os.environ["COOKIE"] = f"sessionid={prepared.sessions['ann']}"
        print("streams  relay   p50 ms   p99 ms  CPU us/event  events/s of wanted  missing  load")
        for count in (int(part) for part in options.streams.split(",")):
            seconds = options.seconds + count * 0.05
            port = free_port()
            upstream = Plain(
                [sys.executable, str(folder / "upstream.py"), "--port", str(port), "--dur", str(seconds),
                 "--max-life", "120"], port, 1,
            )  # fmt: skip
            try:
                bare, ours = (
                    one(kind, folder, client, upstream.base, count, seconds, prepared.folder)
                    for kind in ("bare", "chat")
                )
                print(f"{count:7}  CPU, times the bare relay's: {ours / bare:.2f} (limit 3)", flush=True)
            finally:
                upstream.end()


def one(
    kind: str, folder: Path, client: Path, upstream: str, count: int, seconds: float, data: Path
) -> float:
    """Measure one relay and print its row; its CPU for each event."""
    if kind == "bare":
        port = free_port()
        relay = [sys.executable, str(folder / "srv" / "aio.py"), str(port)]
        server: Server = Plain(relay, port, 0, UVLOOP="0", UPSTREAM=f"{upstream}/v1/messages")
        source = folder / "load.py"
    else:
        server, source = chat(data, upstream).only, client
    try:
        got = run(str(source), server.base, count, seconds, server)
    finally:
        server.end()
    share = got["rate_win"] / got["rate_want"]
    print(
        f"{count:7}  {kind:5}  {got['p50']:7.1f}  {got['p99']:7.1f}  {got['us']:12.0f}  {share:18.1%}"
        f"  {got['missing']:7}  {os.getloadavg()[0]:4.1f}", flush=True,
    )  # fmt: skip
    return got["us"]


if __name__ == "__main__":
    main()
