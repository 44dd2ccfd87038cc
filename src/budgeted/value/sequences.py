"""What values of one feature, bought one by one, could lead to, if one may stop at any of them.

A handful of values that are all bought whatever comes back is worth less than the same values
bought one by one: after the first ones one may know enough, or know that there is nothing to
find. So the stopping problem of each feature alone is solved exactly, over all tallies of a few
more values of it, with all other features held (`budgeted.value.held`). It is the programme of
`budgeted.optimal` for one feature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from budgeted.cache import remembered
from budgeted.errors import EngineError
from budgeted.learners.belief import DIRICHLET, Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.learners.posterior import SPIKE_AND_SLAB
from budgeted.value.base import Known
from budgeted.value.held import Held
from budgeted.value.outcomes import evidence_ratios

MOST_TALLIES = 1_000
LONGEST = 8
"""Purchases that are looked ahead at most, and fewer where a feature has many values."""


@dataclass(frozen=True)
class Prospects:
    """What the best way to go on with a feature is expected to bring, and to cost.

    Attributes
    ----------
    saved
        By how much the error falls.
    paid
        What is paid until one stops, surcharges included; the first value is always bought.
    """

    saved: float
    paid: float


class _Tallies(NamedTuple):
    """All tallies of up to so many values, those with fewer first.

    Attributes
    ----------
    counts
        Tallies × labels × values.
    begins
        Where those of each size begin, and where all end.
    after
        The tally with one value more, tallies × labels × values; without those of the largest size.
    """

    counts: Floats
    begins: tuple[int, ...]
    after: Integers


def length_for(labels: int, values: int) -> int:
    """Return how many purchases of a feature can be looked ahead.

    >>> length_for(2, 2), length_for(2, 5), length_for(3, 40)
    (8, 3, 1)
    """
    cells = labels * values
    fits = [n for n in range(1, LONGEST + 1) if math.comb(n + cells, cells) <= MOST_TALLIES]
    return max(fits, default=1)


def prospects(
    known: Known,
    held: Held,
    feature: int,
    costs: Sequence[Sequence[float]],
    most: Sequence[int],
    worth: float,
) -> Prospects:
    """Return what going on with a feature brings, stopping when it is best to.

    Parameters
    ----------
    known, held
        What is believed, and what the other features say.
    feature
        Which one.
    costs
        For each number of values bought before, what one more value of each label costs.
    most
        How many values of each label there are to buy.
    worth
        Of an error of 1, in the same money.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> belief = Belief.prior(problem)
    >>> held = Held.of(belief, [0])
    >>> found = prospects(belief, held, 0, [(1.0, 1.0)] * 4, (9, 9), worth=100)
    >>> print(f"{found.saved:.3f} for {found.paid:.2f}")
    0.117 for 2.83
    """
    problem = known.problem
    labels, values = len(problem.labels), len(problem.features[feature].values)
    length = min(len(costs), length_for(labels, values))
    table = _tallies(labels, values, length)
    chances = parameters_after(known, feature, table.counts)
    errors = held.errors(feature, chances)
    bought = table.counts.sum(axis=2)
    paid, left = np.zeros(len(errors)), errors.copy()
    for size in reversed(range(length)):
        rows = slice(table.begins[size], table.begins[size + 1])
        after = table.after[rows]
        more = (chances[rows] * paid[after]).sum(axis=2) + np.asarray(costs[size])
        then = (chances[rows] * left[after]).sum(axis=2)
        total = np.where(bought[rows] < np.asarray(most), more + worth * then, np.inf)
        label = total.argmin(axis=1)
        at = np.arange(len(label))
        better = total[at, label] < worth * errors[rows] if size else np.isfinite(total[at, label])
        paid[rows] = np.where(better, more[at, label], 0.0)
        left[rows] = np.where(better, then[at, label], errors[rows])
    return Prospects(float(errors[0] - left[0]), float(paid[0]))


def parameters_after(known: Any, feature: int, more: Floats) -> Floats:
    """Return the expected parameters of a feature after more values of it, many × labels × values.

    Parameters
    ----------
    known
        A plain belief, or what the hierarchical learner believes.
    feature, more
        Which one; and how often each value of it is seen besides, many × labels × values.
    """
    columns = layout_of(known.problem).columns(feature)
    if known.form == DIRICHLET:
        counts = known.counts[:, columns] + more
        result: Floats = counts / counts.sum(axis=2, keepdims=True)
        return result
    if known.form != SPIKE_AND_SLAB:
        raise EngineError(
            f"looking ahead one by one needs {DIRICHLET} or {SPIKE_AND_SLAB}, which "
            f"{type(known).__name__} has not"
        )
    prior = layout_of(known.problem).prior_counts[:, columns]
    counts = known.counts[:, columns] + more
    found = evidence_ratios(known.counts[:, columns], prior, more, known.evenness, known.levels)
    weights = known.chances[feature] * np.exp(found.logs - found.logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    totals = counts.sum(axis=2)[:, None]  # many × 1 × labels
    kappa = known.kappas([feature])[0]
    finite = np.where(np.isinf(kappa), 1.0, kappa)[:, None]
    own = np.where(np.isinf(kappa)[:, None], 0.0, 1 / (totals + finite))
    pulled = np.where(np.isinf(kappa)[:, None], 1.0, finite * own)  # many × components × labels
    stated = (counts + prior) / (counts + prior).sum(axis=2, keepdims=True)
    levels = weights[:, :-1]
    result = np.einsum("tc,tcy,tyk->tyk", levels, own, counts)
    result += np.einsum("tc,tcy,tck->tyk", levels, pulled, found.shares)
    result += weights[:, -1, None, None] * stated
    return result


@remembered
def _tallies(labels: int, values: int, length: int) -> _Tallies:
    cells = labels * values
    found: list[tuple[int, ...]] = [(0,) * cells]
    begins, level = [0, 1], found[:]
    places = {found[0]: 0}
    for _ in range(length):
        new: dict[tuple[int, ...], None] = {}
        for tally in level:
            new.update(dict.fromkeys(_one_more(tally)))
        level = list(new)
        places.update({tally: len(found) + at for at, tally in enumerate(level)})
        found += level
        begins.append(len(found))
    after = np.array([
        [places[each] for each in _one_more(tally)] for tally in found[: begins[-2]]
    ])  # fmt: skip
    counts = np.array(found, dtype=float).reshape(-1, labels, values)
    return _Tallies(counts, tuple(begins), after.reshape(-1, labels, values))


def _one_more(tally: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*tally[:at], tally[at] + 1, *tally[at + 1 :]) for at in range(len(tally))]
