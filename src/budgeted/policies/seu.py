"""Sampled expected utility: the best of a few, by log gain per money."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.policies.base import Cell, Policy, Scores, View
from budgeted.policies.parameters import check_count, check_looking


@dataclass(frozen=True)
class SampledExpectedUtility(Policy):
    """Of a random sample of cells, buy the one that improves the log gain most per money.

    Melville, Saar-Tsechansky, Provost and Mooney (2005), *Economical active feature-value
    acquisition through expected utility estimation*, KDD Workshop on Utility-Based Data Mining;
    log gain is from Saar-Tsechansky, Melville and Provost (2009), *Active feature-value
    acquisition*, Management Science 55(4). There are too many (case, feature) pairs to weigh all,
    so a sample is. Cases of one label are alike before anything of them is seen, so the pairs here
    are cells. The log gain is −log P(label | case); what the model expects of it is the entropy
    loss. The score is its expected change after one purchase, divided by the cost.

    Parameters
    ----------
    candidates
        How many cells to draw, each once; with as many as there are nothing is left to chance.
    particles
        How many cases are drawn where there are too many to go through.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = SampledExpectedUtility(candidates=3).choose(state, np.random.default_rng(0))
    >>> len(choice.scores), choice.reason
    (3, 'most log gain per money, 0.0082, of 3 cells drawn')
    """

    name = "seu"
    summary = "of a random sample, the most expected log gain per money"
    history_needed = 0
    symmetries = ("features", "labels", "values")

    candidates: int = 10
    particles: int = 1_000

    def __post_init__(self) -> None:
        check_looking("entropy", self.particles)
        check_count("candidates", self.candidates)

    def scores(self, now: View) -> Scores:
        """Return the expected change per money of the cells that are drawn."""
        cells = np.argwhere(now.depth)
        if len(cells) > self.candidates:
            cells = cells[np.sort(now.rng.choice(len(cells), self.candidates, replace=False))]
        one = np.zeros_like(now.depth)
        one[tuple(cells.T)] = 1
        found = now.lookahead(one, "entropy", self.particles)
        loss = float(now.loss("entropy", self.particles))
        return Scores((found.values - loss) / now.cost, 2 * found.tie / now.cost)

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the rate."""
        number = np.count_nonzero(~np.isnan(scores.values))
        return f"most log gain per money, {-scores.values[cell]:.4f}, of {number} cells drawn"
