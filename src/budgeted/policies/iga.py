"""IGA: estimate everything well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.loss.losses import Floats
from budgeted.loss.tally import tally
from budgeted.policies.base import Cell, Policy, Scores, View

_ROUNDING = 1e-15


@dataclass(frozen=True)
class IncrementalGreedyAllocation(Policy):
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

    name = "iga"
    summary = "where the error of the estimates falls most per money"
    history_needed = 0
    symmetries = ("features", "labels", "values")

    def scores(self, now: View) -> Scores:
        """Return the change of the divergence per money."""
        values = np.full(now.depth.shape, np.nan)
        known: dict[tuple[bytes, int], float] = {}
        for feature, label in np.argwhere(now.depth).tolist():
            counts = now.state.belief.counts[label, now.state.belief.columns(feature)]
            waiting = int(now.under_way[feature, label])
            key = counts.tobytes(), waiting
            if key not in known:
                known[key] = _expected_h(counts, waiting) - _expected_h(counts, waiting + 1)
            values[feature, label] = known[key] * now.problem.prior[label]
        return Scores(values / now.cost, _ROUNDING / now.cost)

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the rate."""
        return f"the expected divergence falls most per money, by {-scores.values[cell]:.4f}"


def _expected_h(counts: Floats, bought: int) -> float:
    """Return E[Σ t log t] of the means t of a cell after some purchases."""
    chances, means = tally(counts, bought)
    return float((chances * means * np.log(means)).sum())
