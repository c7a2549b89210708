"""Shared by all tests.

Property tests try the same examples in every run. Without the recorded streams the tests that need them are
deselected, in one printed line.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from hypothesis import settings

from tests import corpus

# The same examples in every run, whatever the machine is busy with; tests/fuzz looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def plain_static(settings: Any) -> None:
    """Pages name static files without a collected manifest: none is there in a fresh clone."""
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": plain}}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests marked `corpus` where the corpus is absent; under CI that is an error instead."""
    if not corpus.missing():
        return
    gone = [item for item in items if item.get_closest_marker("corpus")]
    if not gone:
        return
    if os.environ.get("CI") == "true":
        raise pytest.UsageError(f"No recorded streams in {corpus.CORPUS}: set STREAM_CORPUS to their folder.")
    config.hook.pytest_deselected(items=gone)
    items[:] = [item for item in items if not item.get_closest_marker("corpus")]
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter:
        reporter.write_line(
            f"{len(gone)} tests on recorded streams deselected: STREAM_CORPUS names no folder with INDEX.tsv."
        )


def pytest_unconfigure() -> None:
    """The test database's side files stay where a thread has it open to the last: they go with the tests."""
    database = Path(str(django_settings.DATABASES["default"].get("TEST", {}).get("NAME") or ""))
    for ending in ("", "-wal", "-shm"):
        if database.name.startswith("streamrender-test-"):
            database.with_name(database.name + ending).unlink(missing_ok=True)
