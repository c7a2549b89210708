"""The parts of the page's models that need no browser, in Node."""

import subprocess
from pathlib import Path


def test_in_node() -> None:
    file = Path(__file__).parent / "models.test.mjs"
    done = subprocess.run(["node", "--test", str(file)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
