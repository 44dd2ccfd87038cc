"""Checks of what policies are given."""

from __future__ import annotations

import numpy as np

from budgeted.errors import PolicyError
from budgeted.loss import named


def check_looking(loss: str, particles: int, max_depth: int | None = None) -> None:
    """Raise an error unless these say how to look ahead."""
    named(loss)
    check_count("particles", particles)
    if max_depth is not None:
        check_count("max_depth", max_depth)


def check_count(name: str, number: object) -> None:
    """Raise an error unless a parameter is a whole number from 1."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not (whole and number >= 1):  # type: ignore[operator]
        raise PolicyError(f"{name}: must be a whole number from 1, got {number!r}")


def check_number(name: str, number: object, most: float = float("inf")) -> None:
    """Raise an error unless a parameter is a number above 0, and at most so much."""
    real = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    if not (real and 0 < number < float("inf") and number <= most):  # type: ignore[operator]
        limit = "" if most == float("inf") else f" and at most {most:g}"
        raise PolicyError(f"{name}: must be a number above 0{limit}, got {number!r}")
