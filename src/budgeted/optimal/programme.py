"""The optimal policy by dynamic programming: no other way to spend the money does better.

With money left, the least expected loss of a situation s is (Bellman, 1957)::

    V(s) = min( L(s),  min over affordable cells (i, j) of  Σ_k P(k | s, i, j) · V(s + one k) )

where L is the loss of the belief and P the predictive probability of what a purchase brings. The
programme goes from spent budgets back to the full one, all situations with the same money at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.layout import number_of_cases, position_in
from budgeted.learners.tallied import chances_of_many, means_of_many
from budgeted.optimal.tallies import (
    Codes,
    count_states,
    exchanges,
    whole_units,
)
from budgeted.problem import Action, Problem
from budgeted.value.loss import Loss, named

MOST_STATES = 1_000_000
"""A million situations take less than a minute."""
_LARGEST_TABLE = 2**21
_MOST_UNITS = 10**6


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimal expected loss from every situation within a budget.

    Attributes
    ----------
    start
        The belief at the beginning.
    loss
        Which loss is expected.
    levels
        For each amount of money spent, the codes of the situations, ascending, and their values.
    """

    start: Belief
    loss: Loss
    codes: Codes
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
        """
        problem = self.start.problem
        costs, budget = whole_units(problem)
        tally = (belief.tally - self.start.tally)[None, :]
        spent = int((belief.seen - self.start.seen).sum(axis=1) @ costs)
        means = means_of_many(self.start, tally)
        return {
            action: float(_expected(self.codes, tally, means, self.levels[spent + cost], action)[0])
            for action in problem.actions
            if spent + (cost := costs[action.feature]) <= budget
        }


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
    check_size(start, most_states)
    codes = Codes(start, exchanges(start))
    found = _enumerate(codes)
    levels: list[tuple[Integers, Floats]] = [(each, np.empty(0)) for each in found]
    costs, _ = whole_units(start.problem)
    for spent in reversed(range(len(levels))):
        values = [np.empty(0)]
        for tallies in _parts(codes, found[spent]):
            means = means_of_many(start, tallies)
            best = losses_of_means(start, means, kind)
            for action in start.problem.actions:
                after = spent + costs[action.feature]
                if after < len(levels):
                    np.minimum(
                        best, _expected(codes, tallies, means, levels[after], action), out=best
                    )
            values.append(best)
        levels[spent] = (found[spent], np.concatenate(values))
    return Solution(start, kind, codes, tuple(levels))


def check_size(start: Belief, most_states: int = MOST_STATES) -> int:
    """Return how many states the programme needs; raise an error if that is more than allowed."""
    costs, budget = whole_units(start.problem)
    if budget > _MOST_UNITS:
        raise OptimalError(
            f"the budget is {budget} times the largest sum that all prices are multiples of, more "
            f"than the {_MOST_UNITS} steps that the exact programme takes; lower it, or round the "
            "prices"
        )
    group = exchanges(start)
    horizon = min(budget, 16 * max(costs))
    # A hopeless budget is not counted to its end.
    while (so_far := list(accumulate(count_states(start, group, horizon))))[-1] <= most_states:
        if horizon == budget:
            return so_far[-1]
        horizon = min(budget, 2 * horizon)
    fits = max((spent for spent, states in enumerate(so_far) if states <= most_states), default=0)
    unit = start.problem.feature_prices[0] / costs[0]
    more = "" if horizon == budget else "more than "
    raise OptimalError(
        f"the exact programme would need {more}{so_far[-1]} states, {most_states} are allowed: "
        f"with these features a budget of {fits * unit:f} would fit ({so_far[fits]} states); lower "
        "the budget, or allow more"
    )


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


def _enumerate(codes: Codes) -> list[Integers]:
    """The codes of all situations after each amount of money, ascending."""
    problem = codes.start.problem
    costs, budget = whole_units(problem)
    found = [np.zeros(1, dtype=np.int64)]
    for spent in range(1, budget + 1):
        new = [np.empty(0, dtype=np.int64)]
        for cost in sorted(set(costs)):
            if cost > spent:
                continue
            positions = [
                position
                for action in problem.actions
                if costs[action.feature] == cost
                for position in _positions(problem, action)
            ]
            for tallies in _parts(codes, found[spent - cost]):
                new.extend(np.unique(each) for each in codes.after(tallies, positions))
        found.append(np.unique(np.concatenate(new)))
    return found


def _parts(codes: Codes, states: Integers) -> Iterator[Integers]:
    for begin in range(0, len(states), codes.at_once):
        yield codes.tallies(states[begin : begin + codes.at_once])


def _expected(
    codes: Codes, tallies: Integers, means: Floats, level: tuple[Integers, Floats], action: Action
) -> Floats:
    """Expected value after buying a cell, of many situations with the same money."""
    problem = codes.start.problem
    known, values = level
    chances = chances_of_many(codes.start, means, action.feature)[:, action.label]
    result = np.zeros(len(tallies))
    for value, after in enumerate(codes.after(tallies, _positions(problem, action))):
        result += chances[:, value] * values[np.searchsorted(known, after)]
    return result


def _positions(problem: Problem, action: Action) -> list[int]:
    """Where a tally counts the values of a cell."""
    number = len(problem.features[action.feature].values)
    return [position_in(problem, *action, value) for value in range(number)]
