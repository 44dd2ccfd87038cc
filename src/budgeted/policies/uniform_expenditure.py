"""Uniform expenditure: the same money for every feature (the paper's Section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from budgeted.policies.base import Cell, Policy, Scores, View
from budgeted.problem import money


@dataclass(frozen=True)
class UniformExpenditure(Policy):
    """Buy from the feature on which the least money was spent so far.

    Each of n features gets about b/n of a budget b, so expensive ones are bought less often
    (Lizotte, Madani and Greiner, 2003, Section 3.2). Ties between features go round; within the
    feature it is the turn of the label that was bought least.

    Examples
    --------
    >>> from collections import Counter
    >>> from budgeted import Feature, Problem, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 4)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=16)
    >>> state, rng = State.start(problem), np.random.default_rng(0)
    >>> while (choice := UniformExpenditure().choose(state, rng)) is not None:
    ...     state = state.reserve(choice.action)
    >>> Counter(problem.features[request.feature].name for request in state.pending)
    Counter({'fever': 8, 'scan': 2})
    """

    name = "uniform-expenditure"
    summary = "the same money for every feature, so expensive ones less often"
    history_needed = 1
    symmetries = ("values",)

    def scores(self, now: View) -> Scores:
        """Return how much money went to the feature of each cell."""
        spent = np.array([float(each) for each in _spent(now)])
        return Scores(np.repeat(spent[:, None], now.depth.shape[1], axis=1))

    def due(self, now: View, scores: Scores) -> NDArray[np.bool_]:
        """Return the next in turn of the poorest features, of its label that was bought least."""
        spent, sold = _spent(now), np.flatnonzero(now.depth.any(axis=1)).tolist()
        least = min(spent[feature] for feature in sold)
        turns = now.turns("features")[:, 0].tolist()
        feature = min((each for each in sold if spent[each] == least), key=turns.__getitem__)
        number = [0] * now.depth.shape[1]
        for each in (*now.state.history, *now.state.pending):
            number[each.label] += each.feature == feature
        labels = np.flatnonzero(now.depth[feature]).tolist()
        due = np.zeros(now.depth.shape, dtype=bool)
        due[feature, min(labels, key=lambda label: (number[label], label))] = True
        return due

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return how much money that is."""
        name = now.problem.features[cell[0]].name
        return f"least money went to {name!r} so far: {_spent(now)[cell[0]]}"


def _spent(now: View) -> list[Decimal]:
    spent = [Decimal(0)] * len(now.problem.features)
    for each in (*now.state.history, *now.state.pending):
        spent[each.feature] = money.add(spent[each.feature], each.cost)
    return spent
