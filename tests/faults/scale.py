"""How long the faults go on: short in every run of the tests, long with `bin/test --faults`."""

import os
from typing import TypeVar

T = TypeVar("T")

LONG = os.environ.get("STREAM_FAULTS") == "long"


def patience() -> float:
    """By how much bounds in seconds are stretched on a machine that others keep busy."""
    return max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


def scale(short: T, long: T) -> T:
    """The value for this run."""
    return long if LONG else short
