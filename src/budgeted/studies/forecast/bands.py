"""What some runs say together: the error that is expected, and where nine of ten lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.learners.layout import Floats
from budgeted.learners.prospect import FINEST

CONFIDENCE = 0.9


@dataclass(frozen=True)
class Point:
    """What is expected once an amount of money is spent.

    Attributes
    ----------
    money
        Spent in all.
    error, low, high
        The error that is expected, and where one more run has it in nine of ten cases.
    """

    money: Decimal
    error: float
    low: float
    high: float


def points_of(amounts: Sequence[Decimal], errors: Floats) -> tuple[Point, ...]:
    """Return what runs say of each amount of money.

    The band is where one more run would lie with a probability of nine tenths: between two order
    statistics of n runs the next one lies with a probability of their distance over n + 1
    (Weibull's plotting positions), so that few runs give a wide band and not a bold one. It is
    never narrower than half a percentage point on either side, as that of the error of today.

    >>> runs = np.linspace(0.1, 0.3, 21)[:, None]
    >>> point, = points_of([Decimal(10)], runs)
    >>> round(point.error, 3), round(point.low, 3), round(point.high, 3)
    (0.2, 0.101, 0.299)
    """
    ends = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    mean = errors.mean(axis=0)
    low, high = np.quantile(errors, ends, axis=0, method="weibull")
    low, high = np.minimum(low, mean - FINEST), np.maximum(high, mean + FINEST)
    bands = np.stack([mean, np.maximum(low, 0), np.minimum(high, 1)], axis=1).tolist()
    return tuple(Point(amount, *band) for amount, band in zip(amounts, bands, strict=True))
