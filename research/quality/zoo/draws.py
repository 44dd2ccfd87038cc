"""Small draws that several traits need."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import TypeVar

import numpy as np

Name = TypeVar("Name")


def one_of(rng: np.random.Generator, chances: Mapping[Name, float]) -> Name:
    """Return a name, drawn with its chance."""
    bounds = np.cumsum(list(chances.values()))
    at = int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right"))
    return list(chances)[at]


def uniform_in_logs(rng: np.random.Generator, low: float, high: float) -> float:
    """Return a number whose logarithm is uniform."""
    return min(high, max(low, exp(rng.uniform(log(low), log(high)))))


def whole_in_logs(rng: np.random.Generator, low: int, high: int) -> int:
    """Return a whole number k with a chance that is proportional to log((k + 1) / k).

    These are the numbers below those that are uniform in logs, both ends included.
    """
    return min(high, int(uniform_in_logs(rng, low, high + 1)))
