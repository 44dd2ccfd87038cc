"""IGA: estimate everything well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Belief, Floats
from budgeted.policies.base import Choice
from budgeted.policies.lookahead import cheapest, costs_of
from budgeted.problem import Action
from budgeted.state import State
from budgeted.value import beta_binomial

_ROUNDING = 1e-15


@dataclass(frozen=True)
class IncrementalGreedyAllocation:
    """Buy where the parameters' expected error falls most per money, whatever they are good for.

    The greedy algorithm IGA of Li, Póczos, Szepesvári and Greiner (2010), *Budgeted distribution
    learning of belief net parameters*, ICML. It learns the distribution, not the classifier: its
    loss is the Kullback-Leibler divergence between the true joint distribution and the estimated
    one, which for naive Bayes is Σ_j π_j Σ_i KL(θ_ij ‖ mean of θ_ij). A baseline: a policy that
    knows what the parameters are for should do better.

    Of E[KL] only the entropy of the means moves in expectation, so with h(t) = t log t the fall
    after one purchase of cell (i, j) is π_j Σ_k (E[h(mean_k after it)] − h(mean_k)), where the
    number of sightings of a value is beta-binomial. Requests under way count as bought.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = IncrementalGreedyAllocation().choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason
    (Action(feature=0, label=0), 'the expected divergence falls most per money, by 0.0283')
    """

    name: ClassVar[str] = "iga"
    summary: ClassVar[str] = "where the error of the estimates falls most per money"
    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the cell whose divergence falls most; the scores are its change per money."""
        cells = state.affordable()
        if not cells:
            return None
        falls = divergence_falls(state.belief, state.under_way())
        costs = costs_of(state, cells)
        rates = np.array([falls[cell] for cell in cells]) / costs
        best = cheapest(state, cells, rates >= rates.max() - _ROUNDING / costs, rng)
        return Choice(
            cells[best],
            dict(zip(cells, (-rates).tolist(), strict=True)),
            f"the expected divergence falls most per money, by {rates[best]:.4f}",
        )


def divergence_falls(belief: Belief, under_way: Mapping[Action, int]) -> Floats:
    """Return the fall in divergence after one more value of each cell, features × labels."""
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
