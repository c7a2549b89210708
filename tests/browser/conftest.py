"""Fixtures of the browser tests: one Chromium, a few apps, and pages that fail their test on any console
error."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.app import App, copied, migrated
from tests.browser.chat import Chat
from tests.browser.upstream import MODEL, Upstream
from tests.browser.visitors import Visitors

FLAGS = [
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


def chromium() -> str | None:
    """The installed Chromium, or None for Playwright's own."""
    names = [
        os.environ.get("CHROMIUM", ""),
        "/usr/bin/chromium",
        "chromium",
        "google-chrome",
        "chromium-browser",
    ]
    return next((found for name in names if name and (found := shutil.which(name))), None)


# Package scope: Playwright keeps an event loop running in this thread, which other tests must not find.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated data folder, to be copied."""
    return migrated(tmp_path_factory.mktemp("template") / "data")


@pytest.fixture(scope="package")
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _gates(upstream: Upstream) -> Iterator[None]:
    """No stream outlives its test."""
    yield
    upstream.release()


StartApp = Callable[..., App]


@pytest.fixture(scope="package")
def start_app(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartApp]:
    """Starts an app with these settings; all are stopped at the end."""
    apps: list[App] = []

    def start(**extra: str) -> App:
        app = App(copied(template, tmp_path_factory.mktemp("app") / "data"), **extra)
        apps.append(app)
        return app

    yield start
    for app in apps:
        app.kill()


@pytest.fixture(scope="package")
def app(start_app: StartApp, upstream: Upstream) -> App:
    """The app in front of the scripted upstream."""
    return start_app(ANTHROPIC_BASE_URL=upstream.url, ANTHROPIC_MODEL=MODEL)


@pytest.fixture(scope="package")
def demo(start_app: StartApp) -> App:
    """The app as a newcomer has it: no keys, the demo upstream, a few times faster."""
    return start_app(STREAMRENDER_DEMO_SPEED="6")


@pytest.fixture(scope="package")
def all_visitors(browser: Browser) -> Visitors:
    return Visitors(browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


FAILED = pytest.StashKey[bool]()
PICTURES = Path(__file__).resolve().parent.parent.parent / ".cache" / "failures"


@pytest.fixture
def visitors(all_visitors: Visitors, request: pytest.FixtureRequest) -> Iterator[Visitors]:
    """Opens pages; fails the test when any of them complained. Failed tests leave pictures of their pages."""
    yield all_visitors
    if request.node.stash.get(FAILED, False):
        for number, page in enumerate(all_visitors.pages()):
            page.screenshot(path=PICTURES / f"{request.node.name}-{number}.png")
    complaints = all_visitors.leave()
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def chat(visitors: Visitors, app: App) -> Chat:
    """A new chat, open and connected, in front of the scripted upstream."""
    return visitors.visit(app).open()
