"""The optimal policy by dynamic programming: no other way to spend the money does better.

With money left, the least expected loss of a situation s is (Bellman, 1957)::

    V(s) = min( L(s),  min over affordable cells (i, j) of  Σ_k P(k | s, i, j) · V(s + one k) )

where L is the loss of the belief and P the predictive probability of what a purchase brings. The
programme goes from spent budgets back to the full one, all situations with the same money at once.

What a situation is depends on the price list. With a price for each feature it is a tally of what
was seen; where prices look at the case, as a visit fee does, it is also how many cases there are of
which so much was bought (`budgeted.optimal.visits`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.layout import number_of_cases
from budgeted.learners.tallied import chances_of_many, means_of_many
from budgeted.optimal.cells import Cells
from budgeted.optimal.steps import MOST_STATES, Space, Step, chances, parts
from budgeted.optimal.tallies import one_price_each
from budgeted.optimal.visits import Visits
from budgeted.problem import Action, Order
from budgeted.state import State
from budgeted.value.loss import Loss, named

_LARGEST_TABLE = 2**21


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimal expected loss from every situation within a budget.

    Attributes
    ----------
    start
        The belief at the beginning.
    loss
        Which loss is expected.
    space
        All situations.
    levels
        For each amount of money spent, the codes of the situations, ascending, and their values.
    """

    start: Belief
    loss: Loss
    space: Space
    levels: tuple[tuple[Integers, Floats], ...]

    @property
    def states(self) -> int:
        """How many situations there are, equivalent ones counted once."""
        return sum(len(codes) for codes, _ in self.levels)

    @property
    def loss_now(self) -> float:
        """The loss before anything is bought."""
        nothing = np.zeros_like(self.start.tally)[None]
        return float(losses(self.start, nothing, self.loss)[0])

    @property
    def expected(self) -> float:
        """The least expected loss that the budget can buy."""
        return float(self.levels[0][1][0])

    def scores(self, belief: Belief) -> dict[Action, float]:
        """Return, for each affordable cell, the expected loss if it is bought and then all is done
        as well as can be; the least of them is what an optimal policy buys.

        Of problems with a price for each feature; for others see `orders`.
        """
        if not isinstance(self.space, Cells):
            raise OptimalError(
                f"with the price list {self.start.problem.prices.name!r} it depends on the case "
                "what a value costs; ask for the orders of a state"
            )
        spent, code = self.space.at(belief)
        return {
            Action(step.features[0], step.label): score for step, score in self._next(spent, code)
        }

    def orders(self, state: State) -> dict[Order, float]:
        """Return what `scores` does for orders: of each feature on each kind of case.

        What costs nothing more comes along. Which case it is stands in the order; a fresh one has
        a number that no other case has.

        Parameters
        ----------
        state
            Begun with the belief of the solution, with cases without end; nothing is under way.
        """
        if isinstance(self.space, Cells):
            return {
                Order((each.feature,), each.label): score
                for each, score in self.scores(state.belief).items()
            }
        assert isinstance(self.space, Visits)
        spent = int(Fraction(state.spent) / self.space.charges.unit)
        return {
            Order(step.features, step.label, self.space.case(state, step)): score
            for step, score in self._next(spent, self.space.at(state))
        }

    def _next(self, spent: int, code: Integers) -> Iterator[tuple[Step, float]]:
        tallies = self.space.tallies(code)
        means = means_of_many(self.start, tallies)
        for step in self.space.steps(code):
            if spent + step.cost < len(self.levels):
                found = expected_after(
                    self.start, tallies, means, self.levels[spent + step.cost], step
                )
                yield step, float(found[0])


def solve(start: Belief, loss: str | Loss = "gini", most_states: int = MOST_STATES) -> Solution:
    """Return the least expected loss that the budget of a problem can buy, and how.

    Parameters
    ----------
    start
        What is known at the beginning; cases are without end. Besides a `Belief` this may be
        anything with its `problem`, `observed`, `observe` and `means` that treats interchangeable
        things alike.
    loss
        ``gini``, ``entropy`` or ``zero_one``.
    most_states
        Refuse problems with more situations than this, equivalent ones counted once.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 4)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=14)
    >>> solution = solve(Belief.prior(problem))
    >>> print(f"{solution.loss_now:.4f} falls to {solution.expected:.4f}: {solution.states} states")
    0.5000 falls to 0.4246: 1688 states
    >>> solve(Belief.prior(problem), most_states=1_000)
    Traceback (most recent call last):
    ...
    budgeted.errors.OptimalError: the exact programme would need 1688 states, 1000 are allowed: \
with these features a budget of 12 would fit (856 states); lower the budget, or allow more
    """
    kind = named(loss)
    space: Space = Cells(start) if one_price_each(start.problem) else Visits(start)
    found = space.levels(most_states)
    levels: list[tuple[Integers, Floats]] = [(each, np.empty(0)) for each in found]
    for spent in reversed(range(len(levels))):
        values = [np.empty(0)]
        for states in parts(space, found[spent]):
            tallies = space.tallies(states)
            means = means_of_many(start, tallies)
            best = losses_of_means(start, means, kind)
            for step in space.steps(states):
                after = spent + step.cost
                if after < len(levels):
                    expected = expected_after(start, tallies, means, levels[after], step)
                    best[step.rows] = np.minimum(best[step.rows], expected)
            values.append(best)
        levels[spent] = (found[spent], np.concatenate(values))
    return Solution(start, kind, space, tuple(levels))


def losses(start: Belief, tallies: Integers, kind: Loss) -> Floats:
    """Return the loss of the belief after each tally."""
    return losses_of_means(start, means_of_many(start, tallies), kind)


def losses_of_means(start: Belief, means: Floats, kind: Loss) -> Floats:
    """Return the loss of each classifier, by multiplying out all its cases; its means by rows."""
    problem = start.problem
    cases = number_of_cases(problem) * len(problem.labels)
    result = np.empty(len(means))
    step = max(1, _LARGEST_TABLE // cases)
    for begin in range(0, len(means), step):
        part = means[begin : begin + step]
        masses = np.broadcast_to(np.asarray(problem.prior)[:, None], (*part.shape[:2], 1))
        for feature in range(len(problem.features)):
            factor = chances_of_many(start, part, feature)
            masses = (masses[..., None] * factor[:, :, None, :]).reshape(*part.shape[:2], -1)
        result[begin : begin + step] = kind(np.swapaxes(masses, 1, 2)).sum(axis=1)
    return result


def expected_after(
    start: Belief, tallies: Integers, means: Floats, level: tuple[Integers, Floats], step: Step
) -> Floats:
    """Expected value after a purchase, of the situations in which it can be made."""
    known, values = level
    tallies, means = tallies[step.rows], means[step.rows]
    result = np.zeros(len(tallies))
    likely = chances(start, tallies, means, step.features, step.label)
    for chance, after in zip(likely, step.after, strict=True):
        result += chance * values[np.searchsorted(known, after)]
    return result
