"""Shared by all tests: without the recorded streams their tests are deselected, in one printed line."""

import os

import pytest

from tests import corpus


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
