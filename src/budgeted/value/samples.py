"""The paper's own way: independent cases drawn from the model, weighted by importance.

For two labels there are closed forms, and `budgeted.value.particles` has less noise at the same
cost; this engine is for the record. The paper says "we have estimated some quantities needed in the
greedy and SFL calculations by importance sampling. Because of our NB structure, generating iid
samples is trivial" (Lizotte, Madani and Greiner, 2003, Section 4), and no more. Read here as:
outcomes of purchases are summed over, and the sum over all x is estimated from S cases drawn from
the current model Q, by the mean of E[loss of the masses P'(x, ·)] / Q(x).

Whether all cells of a decision are compared on the same cases is not said. It decides what is
bought: scores of cells differ by thousandths, the mean of 100 cases is off by hundredths. On the
same cases, ``samples``, all are off alike and the order survives. On cases of its own for each
cell, ``fresh-samples``, the order is noise and everything is bought about equally often.
"""

from __future__ import annotations

from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from budgeted.learners.belief import Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value import beta_binomial
from budgeted.value.base import CELLS, Known, Partial, Sampling
from budgeted.value.drawn import ROUNDING
from budgeted.value.estimate import CellEstimates
from budgeted.value.loss import Loss
from budgeted.value.one_cell import purchases
from budgeted.value.particles import Particles
from budgeted.value.quadrature import Outcomes, few_outcomes, left_out


class Drawn(NamedTuple):
    """Cases drawn from the current model.

    Attributes
    ----------
    values
        Positions of the values, samples × features.
    terms
        log θ of each value after the purchases under way, samples × features × labels.
    ratios
        log P(x, label) after them, minus log Q(x), the chance with which x was drawn; samples ×
        labels.
    """

    values: Integers
    terms: Floats
    ratios: Floats

    def among(self, rows: slice) -> Drawn:
        """Return some of them."""
        return Drawn(self.values[rows], self.terms[rows], self.ratios[rows])


class Samples(Partial):
    """Estimates the scores of all cells of a decision on the same independent cases."""

    name: ClassVar[str] = "samples"
    rank: ClassVar[int] = 95
    draws: ClassVar[bool] = True
    answers: ClassVar[frozenset[str]] = frozenset({CELLS})
    shared: ClassVar[bool] = True

    def supports(self, known: Known, loss: Loss, labels: int) -> bool:
        """Whether particles could do it."""
        return not self.refusal(known, loss, labels)

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        return Particles().refusal(known, loss, labels)

    def feasible(self, known: Known, question: str, depths: Integers, given: Integers) -> bool:
        """Never: it is there for those who ask for it by name."""
        return False

    def cells(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return the estimated loss of each cell; the number of particles is that of cases."""
        rng = sampling.generator()
        bought = [(feature, label) for feature, label in np.argwhere(depths).tolist()]
        outcomes = few_outcomes(purchases(known, depths, given), loss)
        values, errors = np.full(depths.shape, np.nan), np.zeros(depths.shape)
        number = sampling.particles
        drawn = _draw(known, given, number * (1 if self.shared else len(bought)), rng)
        for at, (cell, after) in enumerate(zip(bought, outcomes, strict=True)):
            rows = slice(None) if self.shared else slice(at * number, (at + 1) * number)
            losses = _losses(drawn.among(rows), cell, after, loss)
            values[cell] = losses.mean()
            errors[cell] = losses.std(ddof=1) / sqrt(len(losses))
        most = left_out(outcomes, loss, len(known.problem.labels))
        return CellEstimates(values, self.name, ROUNDING, errors, left_out=most)


class FreshSamples(Samples):
    """Estimates the score of each cell on independent cases of its own."""

    name: ClassVar[str] = "fresh-samples"
    rank: ClassVar[int] = 96
    shared: ClassVar[bool] = False


def _draw(belief: Belief, given: Integers, number: int, rng: np.random.Generator) -> Drawn:
    """Draw cases, and for each one outcome of the purchases under way, apart from the case."""
    prior = np.asarray(belief.problem.prior)
    labels = rng.choice(len(prior), size=number, p=prior)
    values = np.empty((number, len(belief.problem.features)), dtype=np.int64)
    for feature in range(values.shape[1]):
        thresholds = belief.means[:, belief.columns(feature)].cumsum(axis=1)[labels, :-1]
        values[:, feature] = (rng.random(number)[:, None] >= thresholds).sum(axis=1)
    columns = values + belief.layout.starts
    terms = np.moveaxis(belief.log_means[:, columns], 0, -1).copy()
    log_chances = np.logaddexp.reduce(terms.sum(axis=1) + np.log(prior), axis=1)[:, None]
    for feature, label in np.argwhere(given).tolist():
        counts, total = belief.counts[label, columns[:, feature]], belief.totals[label, feature]
        chances = rng.beta(counts, np.maximum(total - counts, beta_binomial.LEAST))
        under_way = int(given[feature, label])
        seen = counts + rng.binomial(under_way, chances)
        terms[:, feature, label] = np.log(seen / (total + under_way))
    return Drawn(values, terms, terms.sum(axis=1) + np.log(prior) - log_chances)


def _losses(drawn: Drawn, cell: tuple[int, int], outcomes: Outcomes, loss: Loss) -> Floats:
    """Return the expected loss of each case after the purchases of a cell, over its chance."""
    feature, label = cell
    rest = np.exp(drawn.ratios[:, label] - drawn.terms[:, feature, label])
    others = [at for at in range(drawn.ratios.shape[1]) if at != label]
    fixed = np.exp(drawn.ratios[:, others])
    value = drawn.values[:, feature]
    moving = rest[:, None] * outcomes.after[value]
    stay = loss.gather.reduce(loss.term(fixed), axis=1)[:, None]
    gathered = loss.gather(stay, loss.term(moving))
    losses = loss.finish(moving + fixed.sum(axis=1)[:, None], gathered)
    result: Floats = (losses * outcomes.chances[value]).sum(axis=1)
    return result
