"""A clean environment for every test here: no upstream configured, the demo without pauses."""

from collections.abc import AsyncIterator

import pytest

from chatsite.providers import client, registry
from chatsite.providers.registry import UPSTREAMS


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for upstream in UPSTREAMS:
        for name in ("API_KEY", "BASE_URL", "MODEL", "WIRE"):
            monkeypatch.delenv(f"{upstream.prefix}_{name}", raising=False)
    monkeypatch.setenv("STREAMRENDER_DEMO_SPEED", "0")
    # Nothing was set up in the admin, unless a test asks the database.
    monkeypatch.setattr(registry, "stored", list)
    monkeypatch.setattr(registry, "listings", dict)


@pytest.fixture
async def upstreams() -> AsyncIterator[None]:
    """Closes this test's client session and demo upstream afterwards."""
    yield
    await client.close()
