"""The real app as a process of its own, with a data folder of its own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60
OURS = ("ANTHROPIC_", "GLM_", "GEMINI_", "OPENAI_", "STREAMRENDER_")


def environment(data: Path, extra: dict[str, str]) -> dict[str, str]:
    """This process's environment without anybody's keys, with `extra` and the data folder."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return clean | {"STREAMRENDER_DATA": str(data), "PYTHONUNBUFFERED": "1"} | extra


def manage(data: Path, *arguments: str, **extra: str) -> str:
    """What a management command prints."""
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(command, env=environment(data, extra), cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"manage.py {' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class App:
    """A server under test. `data`: its folder, migrated; `extra`: its settings, as environment."""

    def __init__(self, data: Path, **extra: str) -> None:
        self.data = data
        self.extra = extra
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(self.port)]
        with self.log.open("ab") as log:
            env = environment(self.data, self.extra)
            self._process = subprocess.Popen(command, env=env, cwd=ROOT, stdout=log, stderr=log)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            assert self._process.poll() is None, f"The server ended:\n{self.log.read_text()}"
            try:
                with urllib.request.urlopen(f"{self.url}/livez", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise AssertionError(f"No answer from {self.url}:\n{self.log.read_text()}")

    def entry(self) -> str:
        """A URL that logs in, once."""
        return self.url + manage(self.data, "entry_token", **self.extra).strip()

    def kill(self) -> None:
        """End the server as a crash does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the server politely."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(40)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._process = None


def migrated(folder: Path) -> Path:
    """A data folder with an empty database."""
    folder.mkdir(parents=True, exist_ok=True)
    manage(folder, "migrate", "--verbosity", "0", "--no-input")
    return folder


def copied(template: Path, folder: Path) -> Path:
    """A data folder like the template."""
    shutil.copytree(template, folder)
    return folder
