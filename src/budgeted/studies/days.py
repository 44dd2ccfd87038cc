"""The day on which something was written, for prices that depend on it."""

from __future__ import annotations

from datetime import date


def day_of(at: str) -> date | None:
    """Return the day of a time as journals have it, in UTC; None where there is no time.

    >>> day_of("2026-11-18T09:30:00.000000Z")
    datetime.date(2026, 11, 18)
    """
    return date.fromisoformat(at[:10]) if at else None
