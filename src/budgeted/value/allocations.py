"""How many values of each cell are bought, by names or positions, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from budgeted.errors import AllocationError
from budgeted.learners.layout import Integers
from budgeted.problem import Action, Problem

Allocation = Mapping[Any, int]
"""(feature, label) → number of purchases; an `Action`, or any pair of names.

Of positions too, where names are no numbers."""

MOST_PURCHASES = 10**6
"""Of one cell: computing time grows with it, and nobody buys a million values of one kind."""


def allocation_array(problem: Problem, allocation: Allocation) -> Integers:
    """Return an allocation as a table, features × labels, or say what is wrong with it."""
    if not isinstance(allocation, Mapping):
        raise AllocationError(
            f"allocation: must map (feature, label) to a number of purchases, got {allocation!r}"
        )
    result = np.zeros((len(problem.features), len(problem.labels)), dtype=np.int64)
    for cell, number in allocation.items():
        feature, label = _cell(cell)
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not 0 <= number <= MOST_PURCHASES:
            raise AllocationError(
                f"allocation[{cell!r}]: must be a whole number of purchases from 0 to "
                f"{MOST_PURCHASES}, got {number!r}"
            )
        at = problem.action_at if isinstance(cell, Action) else problem.action
        result[at(feature, label)] += number
    return result


def depth_array(depths: Integers, shape: tuple[int, ...]) -> Integers:
    """Return numbers of purchases to look ahead as such a table, or say what is wrong."""
    try:
        wanted = np.asarray(depths)
    except ValueError:
        wanted = np.empty(0, dtype=np.int64)
    if wanted.shape != shape or wanted.dtype.kind not in "iu" or (wanted < 0).any():
        raise AllocationError(
            f"depths: must be whole numbers from 0, {shape[0]} features × {shape[1]} labels, "
            f"got {wanted!r}"
        )
    if wanted.max(initial=0) > MOST_PURCHASES:
        raise AllocationError(
            f"depths: {wanted.max()} purchases ahead are too many (at most {MOST_PURCHASES}); look "
            "less far ahead: give the policy a max_depth"
        )
    return wanted.astype(np.int64, copy=False)


def _cell(cell: Any) -> tuple[Any, Any]:
    try:
        feature, label = cell
    except (TypeError, ValueError):
        raise AllocationError(f"allocation: keys must be (feature, label), got {cell!r}") from None
    return feature, label
