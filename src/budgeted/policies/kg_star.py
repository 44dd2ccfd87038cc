"""KG(*): the best value per money, however many purchases that takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.lookahead import Lookahead, cheapest, costs_of, gains
from budgeted.problem import Action
from budgeted.state import State


@dataclass(frozen=True)
class KnowledgeGradientStar(Lookahead):
    """Buy one value of the cell with the largest fall in expected loss per money, at its best n.

    Frazier and Powell (2010), *Paradoxes in learning and the marginal value of information*,
    Decision Analysis 7(4). The worth of n purchases need not grow evenly: one value may change
    nothing, ten may. So each cell is judged at the number of purchases that does it most good::

        max over n of (L − E[L after n purchases]) / (n · cost)

    With n = 1 alone this is greedy per money, with the largest n alone it is single feature
    lookahead per money. Not every n is tried: 1, 2, 3, 4, 6, 8, 12, 16, 24, … and the largest that
    the money and the cases allow; as expected losses never rise with purchases, a number in
    between can beat those tried by less than half.
    Requests under way count as bought.

    Parameters
    ----------
    max_depth
        Look at most this many purchases ahead; as far as the money goes unless given.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    engine, particles
        As for `budgeted.value.lookahead`.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = KnowledgeGradientStar().choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason
    (Action(feature=0, label=0), 'the gini loss is expected to fall most per money, by 0.0135 \
for 1 spent, over 1 purchase of it')
    """

    name: ClassVar[str] = "kg-star"
    summary: ClassVar[str] = "the largest fall in expected loss per money, over any number"

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the cell with the best rate; the scores are the expected change per money."""
        depths = state.depths(at_most=self.max_depth)
        if not depths.any():
            return None
        asked = depths > 0
        several = [np.minimum(depths, number) for number in numbers(int(depths.max()))]
        now, found = gains(
            state, several, rng, loss=self.loss, engine=self.engine, particles=self.particles
        )
        cells = [Action(*cell) for cell in np.argwhere(asked).tolist()]
        costs = costs_of(state, cells)
        bought = np.stack([each[asked] for each in several])  # numbers × cells
        rates = np.stack([(now - each.values[asked]) for each in found]) / (bought * costs)
        errors = 2 * np.array([each.resolution for each in found])[:, None] / (bought * costs)
        at = rates.argmax(axis=0), np.arange(len(cells))
        scores, unsure = rates[at], errors[at]
        tied = scores >= scores.max() - np.maximum(unsure, unsure[scores.argmax()])
        best = cheapest(state, cells, tied, rng)
        number = int(bought[at][best])
        reason = (
            f"the {self.loss} loss is expected to fall most per money, by {scores[best]:.4f} "
            f"for 1 spent, over {number} purchase{'s' if number > 1 else ''} of it"
        )
        compared = dict(zip(cells, (-scores).tolist(), strict=True))
        return Choice(
            cells[best], compared, reason, found[0].engine, resolution=float(unsure.max())
        )


def numbers(most: int) -> list[int]:
    """Return 1, 2, 3, 4, 6, 8, 12, … up to `most`, which is the last.

    >>> numbers(20)
    [1, 2, 3, 4, 6, 8, 12, 16, 20]
    """

    def growing() -> Iterator[int]:
        yield 1
        power = 2
        while True:
            yield from (power, power + power // 2)
            power *= 2

    result: list[int] = []
    for number in growing():
        if number >= most:
            return [*result, most]
        result.append(number)
    raise AssertionError("it grows for ever")
