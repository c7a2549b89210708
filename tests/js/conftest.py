"""A real Chromium for the tests of the page's scripts. It is closed after each file, so that tests which need
an event loop of their own can follow."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.js.stage import ORIGIN, Stage

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Its availability is asked for at every page, and a browser without the service complains.
    "--disable-features=AIPromptAPI",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def stage(chromium: Browser) -> Iterator[Stage]:
    """A page that is not open yet; at the end the console must have been silent."""
    context = chromium.new_context(
        viewport={"width": 1200, "height": 800}, locale="en", service_workers="block"
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=ORIGIN)
    context.set_default_timeout(10_000)
    context.set_default_navigation_timeout(30_000)
    made = Stage(context.new_page())
    yield made
    context.close()
    assert made.errors == []
