"""Checks of what a policy is given: shares, numbers and counts."""

from __future__ import annotations

import numpy as np

from budgeted.errors import PolicyError


def check_share(name: str, number: object) -> None:
    """Raise an error unless a parameter is a number above 0 and at most 1."""
    real = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    if not (real and 0 < number <= 1):  # type: ignore[operator]
        raise PolicyError(f"{name}: must be a number above 0 and at most 1, got {number!r}")


def check_number(name: str, number: object) -> None:
    """Raise an error unless a parameter is a finite number above 0."""
    real = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    if not (real and 0 < number < float("inf")):  # type: ignore[operator]
        raise PolicyError(f"{name}: must be a number above 0, got {number!r}")


def check_count(name: str, number: object) -> None:
    """Raise an error unless a parameter is a whole number from 1."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not (whole and number >= 1):  # type: ignore[operator]
        raise PolicyError(f"{name}: must be a whole number from 1, got {number!r}")
