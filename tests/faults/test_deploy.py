"""The files in deploy/ and docs/deploy.md against the code: times that fit, and no variable left out."""

import re
from typing import Any

from chatsite.providers.registry import UPSTREAMS
from chatsite.relay import limits, protocol
from tests.corpus import ROOT

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
