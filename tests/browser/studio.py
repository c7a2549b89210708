"""An app and a browser for scripts that take pictures of the page."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.app import App, migrated
from tests.browser.conftest import FLAGS, chromium
from tests.browser.visitors import Visitors


@contextmanager
def studio(**settings: str) -> Iterator[tuple[App, Visitors]]:
    """A new app with these settings, as environment, and who visits it; both are gone afterwards."""
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        app = App(migrated(Path(data) / "data"), **settings)
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield app, Visitors(browser)
        finally:
            browser.close()
            app.kill()
