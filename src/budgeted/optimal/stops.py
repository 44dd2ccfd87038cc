"""Where the default stops beyond a soft budget, beside where it is optimal to.

On small problems the optimal stop is known (`budgeted.optimal.stopping`). The default is played in
worlds that are drawn from what is believed at first. It stops *within one purchase* of the optimum
if an optimal policy that goes on from where it stopped, in the same world, buys at most one value
more; and if none of the situations that it passed through, up to two purchases before its stop and
more, was one in which an optimal policy stops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from budgeted.learners import Hierarchical, Learner, NaiveBayes
from budgeted.learners.belief import Belief
from budgeted.learners.believed import believing
from budgeted.optimal.stopping import Stopping, solve_stopping
from budgeted.optimal.yardsticks import EVEN, KNOWN, Counts, small_problem
from budgeted.policies import for_learner, policy
from budgeted.policies.base import Chooser
from budgeted.policies.stopping import Thrifty
from budgeted.problem import Action, Problem, Soft
from budgeted.problem.orders import Purchase
from budgeted.state import State

WORTHS = ("0.25", "0.50", "1", "2", "4")
"""Of a percentage point, where the cheapest value costs 1."""
AMOUNTS = (0, 2)
"""Where the soft part begins."""
RATE = "0.2"


@dataclass(frozen=True)
class Small:
    """A problem of the grid: of each feature its values, price and prior counts; and the limits.

    The belief of the default learner takes longer for each situation, so its limit is lower.
    """

    name: str
    values: tuple[int, ...]
    costs: tuple[int, ...]
    stated: tuple[Counts, ...]
    prior: tuple[float, ...]
    limits: tuple[int, int]

    def problem(self, amount: int, point_worth: str, learner: Learner | None = None) -> Problem:
        """Return it with a soft budget, whose limit is the lower one for the default learner."""
        limit = self.limits[learner is not None and learner.name == Hierarchical.name]
        made = small_problem(self.values, self.costs, self.stated, self.prior, limit)
        return made.but(budget=Soft(amount, limit, point_worth, RATE))


GRID = (
    Small("one", (2,), (1,), (1,), EVEN, (16, 14)),
    Small("two", (2, 2), (1, 1), (1, 1), EVEN, (12, 8)),
    Small("prices 1 and 3", (2, 2), (1, 3), (1, 1), EVEN, (14, 10)),
    Small("labels 70 : 30", (2, 2), (1, 1), (1, 1), (0.7, 0.3), (12, 7)),
    Small("one is known", (2, 2), (1, 1), (KNOWN, 1), EVEN, (10, 7)),
    Small("three", (2, 2, 2), (1, 1, 1), (1, 1, 1), EVEN, (9, 6)),
    Small("three values", (3, 3), (1, 1), (1, 1), EVEN, (9, 6)),
    Small("three labels", (2, 2), (1, 1), (1, 1), (0.4, 0.3, 0.3), (8, 5)),
)
"""Each with every amount and worth of a point."""


@dataclass(frozen=True)
class Stop:
    """One run.

    Attributes
    ----------
    bought
        How many purchases the default made.
    late
        How many of them after the first situation in which an optimal policy stops.
    early
        How many more an optimal policy buys from there.
    """

    bought: int
    late: int
    early: int

    @property
    def within_one(self) -> bool:
        """Whether it stopped within one purchase of the optimum."""
        return self.late <= 1 and self.early <= 1


def play_stops(
    problem: Problem, learner: Learner, runs: int, seed: int = 0, name: str = "auto"
) -> Iterator[Stop]:
    """Yield where a policy stops in each of some worlds, beside the optimum.

    Parameters
    ----------
    problem, learner
        With a soft budget; and whose belief is true, so that worlds are drawn from it.
    runs, seed
        How many worlds, and which.
    name
        The policy.

    Examples
    --------
    >>> small = GRID[0].problem(0, "1")
    >>> [(each.bought, each.late, each.early) for each in play_stops(small, NaiveBayes(), 3)]
    [(4, 0, 0), (4, 0, 0), (2, 0, 0)]
    """
    optimum = solve_stopping(believing(learner.name, Belief.prior(problem)))
    buyer = Thrifty(for_learner(policy(name), lambda: learner), lambda: learner)
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        yield _one(State.start(problem), learner.name, optimum, buyer, rng)


def _one(
    state: State, learner: str, optimum: Stopping, buyer: Chooser, rng: np.random.Generator
) -> Stop:
    bought, stopped = 0, None
    while True:
        believed = believing(learner, state.belief)
        if stopped is None and optimum.best(believed) is None:
            stopped = bought
        choice = buyer.choose(state, rng)
        if choice is None:
            break
        state = _bought(state, believed, choice.action, rng)
        bought += 1
    early = 0
    while (wanted := optimum.best(believed)) is not None:
        state = _bought(state, believed, wanted, rng)
        believed = believing(learner, state.belief)
        early += 1
    return Stop(bought, 0 if stopped is None else bought - stopped, early)


def _bought(state: State, believed: Belief, cell: Action, rng: np.random.Generator) -> State:
    """Buy a value that is as probable as it is believed to be: so worlds are drawn."""
    chances = believed.mean(cell.feature)[cell.label]
    value = int(rng.choice(len(chances), p=chances / chances.sum()))
    return state.after(Purchase(*cell, value, state.price(cell)))


LEARNERS: tuple[Learner, ...] = (Hierarchical(), NaiveBayes())
"""The default one, and the paper's."""
