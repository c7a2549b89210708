"""How long the faults go on: short in every run of the tests, long with `bin/test --faults`."""

import os
from typing import TypeVar

T = TypeVar("T")

LONG = os.environ.get("STREAM_FAULTS") == "long"


def scale(short: T, long: T) -> T:
    """The value for this run."""
    return long if LONG else short
