"""manage.py replay as a person starts it: one line that says how to go on, then a server until Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from chatsite.providers.recordings import closing
from tests.corpus import ROOT


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "replay", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    recording = tmp_path / "one.sse"
    recording.write_bytes(closing("anthropic"))
    process = start(str(recording), "--speed", "0")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.split(" at ")[1].split()[0]
        assert f"ANTHROPIC_BASE_URL={url} ANTHROPIC_MODEL=replay bin/chat" in line
        body = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
        request = urllib.request.Request(f"{url}/v1/messages", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as response:
            assert response.read() == closing("anthropic")
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_file_that_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    process = start(str(tmp_path / "x"))
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert errors == "CommandError: This is no recorded stream of a known wire.\n"
