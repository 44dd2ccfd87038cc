"""The day on which something was written, and how long ago that is."""

from __future__ import annotations

from datetime import date


def day_of(at: str) -> date | None:
    """Return the day of a time as journals have it, in UTC; None where there is no time.

    >>> day_of("2026-11-18T09:30:00.000000Z")
    datetime.date(2026, 11, 18)
    """
    return date.fromisoformat(at[:10]) if at else None


def age_in_days(at: str, today: date | None) -> int:
    """Return how many days ago a time is; 0 where nobody knows.

    >>> age_in_days("2026-11-18T09:30:00.000000Z", date(2026, 12, 1))
    13
    """
    day = day_of(at)
    return 0 if day is None or today is None else max(0, (today - day).days)
