"""The files in deploy/ and docs/deploy.md against the code: times that fit, and no variable left out."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from chatsite.providers.registry import UPSTREAMS
from chatsite.relay import limits, protocol
from tests.corpus import ROOT
from tests.relay.served import environment

READ = re.compile(r"""(?:environ(?:\.get|\.setdefault)?[\[(]|getenv\()\s*f?["']([A-Z_{}a-z.]+)["']""")


def read_variables() -> set[str]:
    """Every environment variable that the code names where it reads the environment."""
    found: set[str] = set()
    for path in (ROOT / "chatsite").rglob("*.py"):
        for name in READ.findall(path.read_text()):
            if name.startswith("{"):
                found |= {upstream.prefix + name.partition("}")[2] for upstream in UPSTREAMS}
            else:
                found.add(name)
    return found


def documented() -> set[str]:
    """The variables of the table in docs/deploy.md."""
    table = (ROOT / "docs" / "deploy.md").read_text().partition("## Environment")[2]
    return {
        name for row in re.findall(r"^\|([^|]*)\|", table, re.M) for name in re.findall(r"`([A-Z_]+)`", row)
    }


def test_every_variable_is_documented() -> None:
    variables = read_variables()
    assert {"DATABASE_URL", "STREAMRENDER_DATA", "GLM_API_KEY"} <= variables
    # One prefix alone speaks two wires.
    assert variables - documented() - {f"{u.prefix}_WIRE" for u in UPSTREAMS if u.prefix != "OPENAI"} == set()


def test_no_variable_is_made_up() -> None:
    assert documented() - read_variables() == {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}


def text(path: str) -> str:
    """A file of deploy/."""
    return (ROOT / "deploy" / path).read_text()


def seconds(pattern: str, path: str) -> list[int]:
    """Numbers that a pattern finds."""
    found: list[Any] = re.findall(pattern, text(path))
    assert found, (pattern, path)
    return [int(number) for number in found]


def test_proxies_are_more_patient_than_the_heartbeat() -> None:
    for limit in seconds(r"proxy_(?:read|send)_timeout (\d+)s", "nginx.conf"):
        assert limit > 2 * (protocol.HEARTBEAT + protocol.PONG_WITHIN)
    assert "proxy_set_header Upgrade $http_upgrade;" in text("nginx.conf")
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in text("nginx.conf")


def test_stops_wait_for_the_drain() -> None:
    for grace in (
        *seconds(r"stop_grace_period: (\d+)s", "compose.yaml"),
        *seconds(r"TimeoutStopSec=(\d+)", "systemd/streamrender@.service"),
    ):
        assert grace >= limits.DRAIN + 5


def test_units_are_understood_by_systemd(tmp_path: Path) -> None:
    """With the program in a place that is there; an unknown directive or a wrong value would be named."""
    program = f"{tmp_path}/.venv/bin/python"
    Path(program).parent.mkdir(parents=True)
    Path(program).symlink_to(sys.executable)
    for unit in (ROOT / "deploy" / "systemd").iterdir():
        moved = unit.read_text().replace("/opt/streamrender", str(tmp_path))
        (tmp_path / unit.name.replace("@", "@8001")).write_text(moved)
    units = sorted(map(str, tmp_path.glob("*.service")))
    assert len(units) == 2
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_compose_file_keeps_to_its_specification() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(ROOT / "deploy" / "compose.yaml")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_what_the_image_copies_is_all_that_runs(tmp_path: Path) -> None:
    """The files that the Dockerfile names are there, and the app starts with them alone."""
    for line in re.findall(r"^COPY (.+)$", text("Dockerfile"), re.M):
        *sources, target = line.split()
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, tmp_path / target)
            else:
                shutil.copy(ROOT / source, tmp_path / target)
    command = [sys.executable, "manage.py", "check", "--fail-level", "WARNING"]
    env = environment(tmp_path / "data")
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
