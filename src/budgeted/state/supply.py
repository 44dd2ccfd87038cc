"""How many cases there are to buy each cell from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from budgeted.errors import PurchaseError
from budgeted.learners.belief import Integers
from budgeted.problem import Problem
from budgeted.state.offers import NO_LIMIT


def supply_of(problem: Problem, cases: Sequence[int] | Integers | None) -> Integers:
    """Return how many cases each cell can be bought from, features × labels.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature(each, ("no", "yes"), 1) for each in ("fever", "cough")],
    ...                   ("well", "ill"), (0.5, 0.5), 10)
    >>> supply_of(problem, (20, 5)).tolist()
    [[20, 5], [20, 5]]
    """
    shape = (len(problem.features), len(problem.labels))
    given = [NO_LIMIT] * shape[1] if cases is None else cases
    if isinstance(given, np.ndarray) and given.shape == shape:
        counts = given.ravel().tolist() if given.dtype.kind in "iu" else [None]
    else:
        counts = list(given) if isinstance(given, Sequence) and len(given) == shape[1] else [None]
    if not all(map(_is_count, counts)):
        raise PurchaseError(
            f"cases: must be a whole number from 0 for each of {shape[1]} labels, or an array of "
            f"such numbers, {shape[0]} features × {shape[1]} labels, got {cases!r}"
        )
    result = np.resize(np.asarray(counts, dtype=np.int64), shape)
    result.setflags(write=False)
    return result


def _is_count(number: object) -> bool:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    return whole and 0 <= int(number) <= NO_LIMIT  # type: ignore[call-overload]
