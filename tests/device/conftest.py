"""The relay in this process for the server's tests; see tests/relay/conftest.py."""

from tests.relay.conftest import open_page, prepared  # noqa: F401  fixtures
