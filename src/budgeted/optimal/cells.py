"""All situations with a price for each feature: the tallies of what was seen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

import numpy as np

from budgeted.errors import OptimalError
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import position_in
from budgeted.optimal.steps import MOST_STATES, Step, parts
from budgeted.optimal.tallies import Codes, check_units, count_states, exchanges, whole_units
from budgeted.problem import Action, Problem


class Cells:
    """Codes of tallies, and the cells that can be bought.

    Parameters
    ----------
    start
        What is known at the beginning.
    """

    def __init__(self, start: Belief) -> None:
        self._start = start

    @cached_property
    def codes(self) -> Codes:
        """A number for each class of equivalent tallies."""
        return Codes(self._start, exchanges(self._start))

    @property
    def at_once(self) -> int:
        """How many situations to handle at once, so that memory stays bounded."""
        return self.codes.at_once

    def levels(self, most_states: int) -> list[Integers]:
        """Return the codes of all situations after each amount of money, ascending."""
        check_size(self._start, most_states)
        problem = self._start.problem
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
                for states in parts(self, found[spent - cost]):
                    tallies = self.tallies(states)
                    new.extend(np.unique(each) for each in self.codes.after(tallies, positions))
            found.append(np.unique(np.concatenate(new)))
        return found

    def at(self, belief: Belief) -> tuple[int, Integers]:
        """Return the units that a belief cost, and its code, which stands for itself."""
        costs, _ = whole_units(self._start.problem)
        spent = int((belief.seen - self._start.seen).sum(axis=1) @ costs)
        return spent, self.codes.as_it_is(belief.tally - self._start.tally)

    def tallies(self, codes: Integers) -> Integers:
        """Return the tally that stands for each code."""
        return self.codes.tallies(codes)

    def steps(self, codes: Integers) -> Iterator[Step]:
        """Yield the purchase of each cell; it is possible in all situations."""
        problem, tallies = self._start.problem, self.tallies(codes)
        costs, _ = whole_units(problem)
        for action in problem.actions:
            after = self.codes.after(tallies, _positions(problem, action))
            yield Step(costs[action.feature], slice(None), (action.feature,), action.label, after)


def check_size(start: Belief, most_states: int = MOST_STATES) -> int:
    """Return how many states the programme needs; raise an error if that is more than allowed."""
    costs, budget = whole_units(start.problem)
    check_units(budget)
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


def _positions(problem: Problem, action: Action) -> list[int]:
    """Where a tally counts the values of a cell."""
    number = len(problem.features[action.feature].values)
    return [position_in(problem, *action, value) for value in range(number)]
