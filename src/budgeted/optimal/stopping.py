"""When to stop: the optimal policy where money may be kept, by dynamic programming.

With a soft budget the money beyond b is spent only while it is worth it. What a situation s costs
in the end, in money, is least (Bellman, 1957)::

    V(s) = min( w · error(s),  min over cells (i, j) of  price + surcharge + Σ_k P(k) · V(s + k) )

where w is the worth of an error of 1, a hundred times that of a percentage point. Below b nobody
stops, so there the first of the two is left out as long as something can be bought within b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.tallied import means_of_many
from budgeted.optimal.cells import Cells
from budgeted.optimal.programme import expected_after, losses_of_means
from budgeted.optimal.steps import MOST_STATES, parts
from budgeted.optimal.tallies import whole_units
from budgeted.problem import Action, Problem
from budgeted.value.loss import ZERO_ONE

_SURE = 1e-9
"""Relative to the worth of all error: what differs by less is as good."""


@dataclass(frozen=True, eq=False)
class Stopping:
    """The least expected cost, in money, of every situation within the limit of a soft budget.

    Attributes
    ----------
    start, space
        The belief at the beginning, and all situations.
    levels
        For each amount of money spent, the codes of the situations, ascending, and their costs.
    """

    start: Belief
    space: Cells
    levels: tuple[tuple[Integers, Floats], ...]

    @property
    def states(self) -> int:
        """How many situations there are, equivalent ones counted once."""
        return sum(len(codes) for codes, _ in self.levels)

    def choices(self, belief: Belief) -> dict[Action | None, float]:
        """Return what it costs in the end to buy each cell next, and, as None, to stop now.

        To stop is left out where money below b is left that pays for something.
        """
        spent, code = self.space.at(belief)
        tally = self.space.tallies(code)
        means = means_of_many(self.start, tally)
        found: dict[Action | None, float] = {}
        rules = _steps(self.start.problem, len(self.levels))
        if not rules.below[spent]:
            found[None] = rules.worth * float(errors_of_many(self.start, tally, means)[0])
        for step in self.space.steps(code):
            after = spent + step.cost
            if rules.allows(spent, after):
                ahead = expected_after(self.start, tally, means, self.levels[after], step)
                action = Action(step.features[0], step.label)
                found[action] = rules.paid(spent, after) + float(ahead[0])
        return found

    def best(self, belief: Belief) -> Action | None:
        """Return what an optimal policy buys next; None if it stops, as it does among equals."""
        found = self.choices(belief)
        least = min(found.values())
        if found.get(None, np.inf) <= least + _SURE * _steps(self.start.problem, 1).worth:
            return None
        return min(found, key=found.__getitem__)


def solve_stopping(start: Belief, most_states: int = MOST_STATES) -> Stopping:
    """Return what a soft budget is worth at best, and when an optimal policy stops.

    Parameters
    ----------
    start
        What is known at the beginning, of a problem with a soft budget; cases are without end. As
        for `budgeted.optimal.programme.solve`, it may be another belief than a plain one.
    most_states
        Refuse problems with more situations than this.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Soft
    >>> soft = Soft(2, limit=8, point_worth="0.20", rate="0.5")
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), soft)
    >>> found = solve_stopping(Belief.prior(problem))
    >>> belief = Belief.prior(problem).observe("fever", "ill", "yes").observe("fever", "well", "no")
    >>> {key and tuple(key): round(cost, 2) for key, cost in found.choices(belief).items()}
    {None: 6.67, (0, 0): 8.17, (0, 1): 8.17}
    >>> found.best(belief) is None
    True
    """
    problem = start.problem
    if problem.soft is None:
        raise OptimalError("budget: must be soft; with a firm one all of it is spent")
    space = Cells(start)
    found = space.levels(most_states)
    rules = _steps(problem, len(found))
    levels: list[tuple[Integers, Floats]] = [(each, np.empty(0)) for each in found]
    for spent in reversed(range(len(levels))):
        values = [np.empty(0)]
        for states in parts(space, found[spent]):
            tallies = space.tallies(states)
            means = means_of_many(start, tallies)
            if rules.below[spent]:
                best = np.full(len(tallies), np.inf)
            else:
                best = rules.worth * errors_of_many(start, tallies, means)
            for step in space.steps(states):
                after = spent + step.cost
                if rules.allows(spent, after):
                    ahead = expected_after(start, tallies, means, levels[after], step)
                    paid = rules.paid(spent, after) + ahead
                    best[step.rows] = np.minimum(best[step.rows], paid)
            values.append(best)
        levels[spent] = (found[spent], np.concatenate(values))
    return Stopping(start, space, tuple(levels))


def errors_of_many(start: Belief, tallies: Integers, means: Floats) -> Floats:
    """Return the expected 0/1 error after each tally.

    A belief of another kind may offer ``errors_of_many(tallies)``, where its classifier is not the
    product of its means.
    """
    offered = getattr(start, "errors_of_many", None)
    if offered is None:
        return losses_of_means(start, means, ZERO_ONE)
    return np.asarray(offered(tallies), dtype=float)


@dataclass(frozen=True)
class _Steps:
    """What steps between amounts of money cost.

    Attributes
    ----------
    worth
        Of an error of 1.
    costs
        All that is paid, surcharge included, once so many units are spent.
    below
        Whether something can still be bought within b.
    amount
        b, in units.
    """

    worth: float
    costs: tuple[float, ...]
    below: tuple[bool, ...]
    amount: float

    def allows(self, spent: int, after: int) -> bool:
        """Whether a purchase may be made: within the limit, and below b not beyond it."""
        return after < len(self.costs) and not (self.below[spent] and after > self.amount)

    def paid(self, spent: int, after: int) -> float:
        return self.costs[after] - self.costs[spent]


def _steps(problem: Problem, levels: int) -> _Steps:
    soft = problem.soft
    assert soft is not None
    prices, _ = whole_units(problem)
    unit = problem.feature_prices[0] / prices[0]
    amounts = [unit * spent for spent in range(levels)]
    least = min(prices)
    return _Steps(
        100 * float(soft.point_worth),
        tuple(float(each + soft.surcharge(each)) for each in amounts),
        tuple(each + unit * least <= soft.amount for each in amounts),
        float(soft.amount / unit) + _SURE,
    )
