"""Whether this process still takes new turns. A plain flag, because views in threads ask it too."""

_draining = False


def draining() -> bool:
    """True from SIGTERM on."""
    return _draining


def set_draining(value: bool) -> None:
    """Set by the drain, and reset by tests."""
    global _draining
    _draining = value
