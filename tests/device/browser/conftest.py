"""The real app and a real browser; see tests/browser/conftest.py."""

from tests.browser.conftest import (  # noqa: F401  fixtures
    _gates,
    all_visitors,
    app,
    browser,
    chat,
    demo,
    pytest_runtest_makereport,
    start_app,
    template,
    upstream,
    visitors,
)
