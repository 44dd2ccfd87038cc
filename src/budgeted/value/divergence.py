"""How far the estimates are expected to be from the truth, by the Kullback-Leibler divergence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from budgeted.learners.belief import Belief, Floats
from budgeted.problem import Action
from budgeted.value import beta_binomial


def divergence_falls(belief: Belief, under_way: Mapping[Action, int]) -> Floats:
    """Return the fall in expected divergence after one more value of each cell, features × labels.

    A cell counts as much as its label is frequent.

    Parameters
    ----------
    belief
        What is known.
    under_way
        Requests that count as bought, in expectation.
    """
    problem, layout, counts = belief.problem, belief.layout, belief.counts
    totals = np.repeat(np.add.reduceat(counts, layout.offsets, axis=1), layout.sizes, axis=1)
    waiting = np.zeros((len(problem.labels), len(problem.features)), dtype=np.int64)
    for cell, number in under_way.items():
        waiting[cell.label, cell.feature] = number
    waiting = np.repeat(waiting, layout.sizes, axis=1)
    falls = np.empty_like(counts)
    for number in np.unique(waiting).tolist():
        here = waiting == number
        before, after = (
            _expected_h(counts[here], totals[here], bought) for bought in (number, number + 1)
        )
        falls[here] = after - before
    result: Floats = np.add.reduceat(falls, layout.offsets, axis=1).T * problem.prior
    return result


def _expected_h(counts: Floats, totals: Floats, bought: int) -> Floats:
    """Return E[t log t] of each value's mean t after some purchases of its cell."""
    chances = beta_binomial.weights(counts, totals, bought)
    means = (counts[:, None] + np.arange(bought + 1)) / (totals[:, None] + bought)
    result: Floats = (chances * means * np.log(means)).sum(axis=1)
    return result
