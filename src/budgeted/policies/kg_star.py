"""KG(*): the best value per money, however many purchases that takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.policies.base import Cell, Scores, View
from budgeted.policies.sfl import SingleFeatureLookahead


@dataclass(frozen=True)
class KnowledgeGradientStar(SingleFeatureLookahead):
    """Buy one value of the cell with the largest fall in expected loss per money, at its best n.

    Frazier and Powell (2010), *Paradoxes in learning and the marginal value of information*,
    Decision Analysis 7(4). The worth of n purchases need not grow evenly: one value may change
    nothing, ten may. So each cell is judged at the number of purchases that does it most good::

        max over n of (L − E[L after n purchases]) / (n · cost)

    With n = 1 alone this is greedy per money, with the largest n alone it is single feature
    lookahead per money. Not every n is tried: 1, 2, 3, 4, 6, 8, 12, 16, 24, … and the largest that
    the money and the cases allow; as expected losses never rise with purchases, a number in
    between can beat those tried by less than half.

    Parameters
    ----------
    max_depth, loss, particles
        As for single feature lookahead.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = KnowledgeGradientStar().choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason
    (Action(feature=0, label=0), 'the gini loss is expected to fall most per money, by 0.0135 \
for 1 spent')
    """

    name = "kg-star"
    summary = "the largest fall in expected loss per money, over any number"

    def scores(self, now: View) -> Scores:
        """Return the change of the expected loss per money, at the best number of purchases."""
        most = self.numbers(now)
        loss = now.loss(self.loss, self.particles)
        values = np.full(most.shape, np.nan)
        ties = np.zeros(most.shape)
        for number in numbers(int(most.max())):
            some = np.minimum(most, number)
            found = now.lookahead(some, self.loss, self.particles)
            paid = np.maximum(some, 1) * now.cost
            rate = (found.values - float(loss)) / paid
            better = ~(rate >= values) & (most > 0)
            values[better], ties[better] = rate[better], (2 * found.tie / paid)[better]
        return Scores(values, np.maximum(ties, ties.flat[np.nanargmin(values)]))

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the rate."""
        return (
            f"the {self.loss} loss is expected to fall most per money, by "
            f"{-scores.values[cell]:.4f} for 1 spent"
        )


def numbers(most: int) -> list[int]:
    """Return 1, 2, 3, 4, 6, 8, 12, … up to `most`, which is the last.

    >>> numbers(20)
    [1, 2, 3, 4, 6, 8, 12, 16, 20]
    """
    result, power = [1], 2
    while power < most:
        result += [power, power + power // 2]
        power *= 2
    return [each for each in result if each < most] + [most]
