"""The default: the best value per money, under the belief that the classifier is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.learners import Hierarchical
from budgeted.loss.losses import Floats, Integers
from budgeted.policies import orders
from budgeted.policies.base import Cell, Choice, Policy, Scores, View
from budgeted.policies.limit import Goal
from budgeted.policies.sfl import evenly, rest_to_the_best
from budgeted.problem import Problem, money
from budgeted.problem.money import MoneyLike
from budgeted.state import State

_AS_GOOD = 0.005
"""Who is less behind than this is as good."""
_TIE = 1e-6
"""Relative to the best: what differs by less is as good."""


@dataclass(frozen=True)
class Auto(Policy):
    """Buy of the feature whose values lower the expected loss most for their money.

    What is expected is what the learner of the study believes, `budgeted.learners.Hierarchical`
    with the parameters that the study recorded, unless it chooses another: how many features
    matter, and how strongly. Of a learner that does not say what it believes, it is what
    `Hierarchical` would.

    - A feature tells labels apart only when it is known under each of them, so its values are
      weighed by *handfuls*, evenly over the labels: one of each label, and four of each, because a
      few values may change nothing where some more do. The better of the two counts, as in KG(*)
      (Frazier and Powell, 2010)::

          max over n of (L − E[L after n values of each label]) / (n · labels · cost)

    - Of the best feature one value is bought, of the label with the fewest; and then one of each
      other label that has fewer, before anything is weighed anew: half a comparison says little.
    - Where what an order costs depends on what else is bought of its case (a fee for a visit, a
      panel), whole orders are weighed: `budgeted.policies.orders`.
    - With a limit for each new case, L is the loss of the classifier that is bounded by it: it
      answers from the best set of tests that the limit pays for (`budgeted.policies.within_limit`).
      Handfuls of eight of each label are weighed then: it takes more to replace a test.
    - Requests under way count as bought. A decision is good for the whole handful, for those who
      want several requests at once (`budgeted.policies.base.Several`).

    Features, labels and values are exchangeable: nothing but the choice among equals depends on
    their order, and if all prices and the budget are multiplied by a number, the same is bought.

    Parameters
    ----------
    case_limit
        What the classifier may spend on the tests of each new case, at most; None: it has all.
    case_costs
        Prices of tests of a new case where they differ from the study's: ``"scan=12, crp=4"``.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem)
    >>> for label in (0, 1):
    ...     state = state.after(Purchase(0, label, value=label, cost=1))
    >>> choice = Auto().choose(state, np.random.default_rng(0))
    >>> choice.action.feature, choice.reason
    (0, "1 'well' and 1 'ill' values so far, too few to tell whether they differ; it is the best \
use of the next 2; 'scan' is 88 % behind")
    """

    name = "auto"
    summary = "the default: the best value per money, whole features at a time"
    learner = "hierarchical"
    case_rule = "settle"
    history_needed = 1
    symmetries = ("features", "labels", "values")
    follows_learner = True
    believer = Hierarchical()

    case_limit: MoneyLike | None = None
    case_costs: str = ""

    def __post_init__(self) -> None:
        _ = self.goal  # which says what is wrong with it

    @cached_property
    def goal(self) -> Goal:
        """What is bought for."""
        return Goal(self.case_limit, self.case_costs)

    def unfit(self, problem: Problem) -> list[str]:
        """Return why the limit for a case makes no sense for a problem."""
        return [f"case_limit: {each}" for each in self.goal.unfit(problem)]

    def choose(self, state: State, rng: np.random.Generator | None) -> Choice | None:
        """Return what to buy next; whole orders are weighed where prices look at the case."""
        if state.problem.separable:
            return super().choose(state, rng)
        now = View(state, self.believer, rng)
        if not now.depth.any():
            return None
        return orders.choose(now, _values(now, self.goal), self.goal.words)

    def scores(self, now: View) -> Scores:
        """Return the expected change per money of the feature of each cell."""
        if _rest_of_a_round(now) is not None:
            return Scores(np.zeros(now.depth.shape), compared=False)
        rates, _ = now.remember("rates", lambda: _rates(now, self.goal))
        most = np.nanmax(rates)
        return Scores(np.repeat(-rates[:, None], now.depth.shape[1], axis=1), _TIE * abs(most))

    def due(self, now: View, scores: Scores) -> NDArray[np.bool_]:
        """Return the labels with the fewest values of the best features."""
        rest = _rest_of_a_round(now)
        if rest is not None:
            due = np.zeros(now.depth.shape, dtype=bool)
            due[rest] = True
            return due
        best = scores.values <= np.nanmin(scores.values) + scores.tie
        fewest = np.where(now.depth > 0, now.bought, np.inf)
        best &= fewest <= fewest.min(axis=1, keepdims=True)
        return super().due(now, Scores(np.where(best, 0.0, np.nan)))

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return what is known of the feature, its rank, and who comes second."""
        if _rest_of_a_round(now) is not None:
            assert now.last is not None
            label = now.problem.labels[now.last.label]
            return (
                f"it completes a comparison: the value asked for last was of {label!r}; "
                f"{orders.so_far(now, cell[0], plain=True)}"
            )
        rates, numbers = now.remember("rates", lambda: _rates(now, self.goal))
        return in_words(now, cell[0], rates, int(numbers[cell[0]]), self.goal.words)

    def batch(self, now: View, cell: Cell) -> int:
        """Return how many values were weighed together."""
        if _rest_of_a_round(now) is not None:
            return 1
        _, numbers = now.remember("rates", lambda: _rates(now, self.goal))
        return int(numbers[cell[0]])

    def worth(self, state: State) -> Floats:
        """Return what each cell is worth per money, features × labels; NaN where none is sold."""
        now = View(state, self.believer, None)
        if not now.depth.any():
            return np.full(now.depth.shape, np.nan)
        if not state.problem.separable:
            return orders.worth(now, _values(now, self.goal))
        rates, _ = _rates(now, self.goal)
        return np.where(now.depth > 0, rates[:, None], np.nan)


def _rest_of_a_round(now: View) -> Any:
    """Places of the feature asked for last that have fewer values than the one asked for."""
    if now.last is None:
        return None
    known = np.where(now.depth[now.last.feature] > 0, now.bought[now.last.feature], np.inf)
    if known.min() >= now.bought[now.last]:
        return None
    fewest = np.flatnonzero(known == known.min())
    return np.full(len(fewest), now.last.feature), fewest


def _rates(now: View, goal: Goal) -> tuple[Floats, Integers]:
    """For each feature the best fall of the loss per money, and over how many purchases."""
    costs = np.array([float(price) for price in now.problem.feature_prices])
    return _best_handfuls(now, goal, costs)


def _values(now: View, goal: Goal) -> Floats:
    """What one more value of each cell is worth, whatever it costs, features × labels.

    Its share of a handful that is spread evenly over the labels, for the labels with the fewest
    values; or what values of this label alone bring, if that is more.
    """
    best = _best_handfuls(now, goal, np.ones(len(now.depth)))[0]
    known = np.where(now.depth > 0, now.bought, np.inf)
    fewest = (now.depth > 0) & (known <= known.min(axis=1, keepdims=True))
    result: Floats = np.where(fewest, np.maximum(np.nan_to_num(best), 0)[:, None], 0.0)
    already = goal.gains(now.belief, now.under_way)
    for label, each in product(range(now.depth.shape[1]), goal.handfuls(now.problem)):
        number = np.minimum(each, now.depth[:, label])
        more = now.under_way.copy()
        more[:, label] += number
        rate = (goal.gains(now.belief, more) - already) / np.maximum(number, 1)
        result[:, label] = np.maximum(result[:, label], rate)
    return result


def _best_handfuls(now: View, goal: Goal, costs: Floats) -> tuple[Floats, Integers]:
    """For each feature the handful that lowers the loss most per cost, and its size."""
    depths = now.depth
    most = now.state.purchases(depths)
    # Of labels with as many values the more frequent comes first, wherever it is listed.
    fewest_first = now.bought - np.asarray(now.problem.prior) / 2
    already = goal.gains(now.belief, np.where(most[:, None] > 0, now.under_way, 0))
    rates = np.full(len(costs), np.nan)
    numbers = np.zeros(len(costs), dtype=np.int64)
    for each in goal.handfuls(now.problem):
        total = np.minimum(most, each * depths.shape[1])
        weighed = total > numbers
        shares = spread(total, depths, fewest_first)
        more = np.where(weighed[:, None], shares + now.under_way, 0)
        rate = (goal.gains(now.belief, more) - already) / (np.maximum(total, 1) * costs)
        better = weighed & ~(rate <= rates)
        rates[better], numbers[better] = rate[better], total[better]
    return rates, numbers


def in_words(now: View, feature: int, rates: Floats, number: int, goal: str = "") -> str:
    """Return why a feature is bought: what is known of it, its rank, and who comes second.

    Parameters
    ----------
    now, feature
        What was decided from, and what is bought.
    rates
        What was compared, for each feature; more is better.
    number
        How many purchases of it were weighed together.
    goal
        For whom it is bought, in words, unless for a classifier with all tests.
    """
    names = [each.name for each in now.problem.features]
    amount = money.times(now.problem.feature_prices[feature], number)
    words = f"{orders.so_far(now, feature)}; it is the best use of the next {money.show(amount)}"
    words = f"{words} {goal}".rstrip()
    others = np.where(np.arange(len(rates)) == feature, np.nan, rates)
    if np.isnan(others).all() or rates[feature] <= 0:
        return words
    second = int(np.nanargmax(others))
    behind = min(1.0, 1 - others[second] / rates[feature])
    rank = "would be as good" if behind < _AS_GOOD else f"is {100 * behind:.0f} % behind"
    return f"{words}; {names[second]!r} {rank}"


def spread(total: Integers, most: Integers, bought: Floats) -> Integers:
    """Share purchases of each feature evenly, what does not divide to the labels with the fewest.

    >>> spread(np.array([3]), np.array([[9, 9]]), np.array([[4.0, 2.0]])).tolist()
    [[1, 2]]
    """
    return rest_to_the_best(evenly(total, most), total, most, bought)
