"""The current time in any zone of the system's (or Python's) time zone data."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


class ZoneError(ValueError):
    """No such time zone; the message says how zones are written."""


def current_time(zone: str = "UTC", now: datetime | None = None) -> str:
    """Date, weekday and time of day in `zone` with its offset; `now` (aware) for tests.

    >>> current_time("Asia/Shanghai", datetime(2026, 3, 1, 4, 5, 6, tzinfo=UTC))
    '2026-03-01T12:05:06+08:00 (Sunday, Asia/Shanghai)'
    """
    try:
        info = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        hint = "Write it like Europe/Berlin or UTC."
        raise ZoneError(f"No time zone is named {zone[:60]!r}. {hint}") from error
    moment = (now or datetime.now(UTC)).astimezone(info)
    return f"{moment.isoformat(timespec='seconds')} ({moment:%A}, {zone})"
