"""The paper's own way to score cells: independent cases drawn from the model, weighted by importance.

The paper says "we have estimated some quantities needed in the greedy and SFL calculations by
importance sampling. Because of our NB structure, generating iid samples is trivial" (Section 4),
and no more. Read here as: outcomes of purchases are summed over, and the sum over all x is estimated
from S cases drawn from the current model Q, by the mean of E[GINI of the masses P'(x, ·)] / Q(x).

Whether all cells of a decision are compared on the same cases is not said. It decides what is
bought: scores of cells differ by thousandths, the mean of 100 cases is off by hundredths. On the
same cases all are off alike and the order survives. On cases of its own for each cell the order is
noise and everything is bought about equally often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted import Belief, State
from budgeted.policies import Choice
from budgeted.policies.lookahead import cheapest
from budgeted.value import beta_binomial

_ROUNDING = 1e-12
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Integers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class SampledLookahead:
    """Single feature lookahead with sampled scores, in simulations: nothing is under way."""

    name: ClassVar[str] = "sampled-lookahead"
    summary: ClassVar[str] = "sfl with scores from sampled cases, as in the paper"

    max_depth: int = 30
    samples: int = 100
    shared: bool = True

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the cell with the least estimated loss; of equals the cheapest."""
        cells, depths = state.affordable(), state.depths(at_most=self.max_depth)
        if not cells:
            return None
        values = _draw(state.belief, self.samples * (1 if self.shared else len(cells)), rng)
        scores = []
        for at, (feature, label) in enumerate(cells):
            rows = slice(None) if self.shared else slice(at * self.samples, (at + 1) * self.samples)
            more = int(depths[feature, label])
            scores.append(score(state.belief, values[rows], feature, label, more))
        tied = np.array(scores) <= min(scores) + _ROUNDING
        best = cheapest(state, cells, tied, rng)
        reason = f"least estimated gini loss, {scores[best]:.4f}, of {self.samples} sampled cases"
        return Choice(cells[best], dict(zip(cells, scores, strict=True)), reason)


def _draw(belief: Belief, number: int, rng: np.random.Generator) -> Integers:
    """Draw cases from the current model, cases × features."""
    prior = np.asarray(belief.problem.prior)
    labels = rng.choice(len(prior), size=number, p=prior)
    values = np.empty((number, len(belief.problem.features)), dtype=np.int64)
    for feature in range(values.shape[1]):
        thresholds = belief.means[:, belief.columns(feature)].cumsum(axis=1)[labels, :-1]
        values[:, feature] = (rng.random(number)[:, None] >= thresholds).sum(axis=1)
    return values


def score(belief: Belief, values: Integers, feature: int, label: int, more: int) -> float:
    """Return the estimated GINI loss after `more` purchases of a cell, from drawn cases."""
    terms = belief.log_means[:, values + belief.layout.starts]  # labels × cases × features
    joint = terms.sum(axis=2) + np.log(belief.problem.prior)[:, None]
    ratios = np.exp(joint - np.logaddexp.reduce(joint, axis=0))  # P(x, label) / Q(x)
    value = values[:, feature]
    counts = belief.counts[label, belief.columns(feature)]
    total = np.full(len(counts), belief.totals[label, feature])
    chances = beta_binomial.weights(counts, total, more)[value]
    shares = (counts[:, None] + np.arange(more + 1)) / (total[:, None] + more)
    moving = (ratios[label] / np.exp(terms[label, :, feature]))[:, None] * shares[value]
    fixed = np.delete(ratios, label, axis=0)
    squares = (fixed**2).sum(axis=0)[:, None] + moving**2
    masses = fixed.sum(axis=0)[:, None] + moving
    return float(((masses - squares / masses) * chances).sum(axis=1).mean())
