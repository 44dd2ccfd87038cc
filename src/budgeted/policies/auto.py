"""The default: the best value per money, under the belief that the classifier is made of."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Protocol, cast

import numpy as np

from budgeted.learners import Hierarchical, Learner
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.learners.posterior import SPIKE_AND_SLAB, Posterior
from budgeted.policies import bundles
from budgeted.policies.base import Choice
from budgeted.policies.goals import Goal
from budgeted.policies.lookahead import cheapest
from budgeted.policies.pair_lookahead import evenly, rest_to_the_best
from budgeted.problem import Action, Problem, money
from budgeted.problem.money import MoneyLike
from budgeted.state import State
from budgeted.value.base import Gains, Known

MOST_PLANNED = 100
"""Purchases that one decision is good for, if several are wanted before anything comes back."""
_AS_GOOD, _MOST_LABELS = 0.005, 4
"""Who is less behind than this is as good; and so many labels are named in a reason."""
_SURE = 0.1
"""That a feature does not matter is out of the question if it is less probable than this."""
_TIE = 1e-6
"""Relative to the best: what differs by less is as good."""


class Believer(Protocol):
    """A learner that says what it believes, in a form that an engine supports."""

    def believed(self, belief: Belief) -> Known:
        """Return what is known after the values that a belief has seen."""
        ...


@dataclass(frozen=True)
class Auto:
    """Buy of the feature whose values lower the expected loss most for their money.

    What is expected is what the learner of the study believes, `budgeted.learners.Hierarchical`
    with the parameters that the study recorded, unless it chooses another: how many features
    matter, and how strongly. `budgeted.value.information` says how much the loss falls if more
    values are bought. Of a learner that does not say what it believes, it is what `Hierarchical`
    would.

    - A feature tells labels apart only when it is known under each of them, so its values are
      weighed by *handfuls*, evenly over the labels: one of each label, and four of each, because a
      few values may change nothing where some more do. The better of the two counts, as in KG(*)
      (Frazier and Powell, 2010)::

          max over n of (L − E[L after n values of each label]) / (n · labels · cost)

    - Of the best feature one value is bought, of the label with the fewest; and then one of each
      other label that has fewer, before anything is weighed anew: half a comparison says little.
    - Where what an order costs depends on what else is bought of its case (a fee for a visit, a
      panel), whole orders are weighed: `budgeted.policies.bundles`.
    - With a limit for each new case, L is the loss of the classifier that is bounded by it: it
      answers from the best set of tests that the limit pays for (`budgeted.value.bounded`).
      Handfuls of eight of each label are weighed then: it takes more to replace a test.
    - Requests under way count as bought. The rest of the handful goes along as a plan, for those
      who want several requests at once (`budgeted.policies.base.Several`).

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

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "the default: the best value per money, whole features at a time"
    looks_back: ClassVar[int] = 1
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")
    prefers: ClassVar[Mapping[str, str]] = {"case_rule": "settle", "learner": "hierarchical"}
    """What goes with this policy in studies and experiments unless told otherwise."""

    case_limit: MoneyLike | None = None
    case_costs: str = ""

    believer: ClassVar[Believer] = Hierarchical()
    """Who says what is known; `for_learner` gives an object another one."""

    def __post_init__(self) -> None:
        _ = self.goal  # which says what is wrong with it

    @property
    def goal(self) -> Goal:
        """What is bought for."""
        return Goal(self.case_limit, self.case_costs)

    def unfit(self, problem: Problem) -> list[str]:
        """Return what is wrong with the parameters for a problem, in words."""
        return [f"case_limit: {each}" for each in self.goal.unfit(problem)]

    def for_learner(self, learner: Learner) -> Auto:
        """Return the policy that buys by what a learner believes, if it says what that is."""
        if not callable(getattr(learner, "believed", None)):
            return self
        made = copy(self)  # of a subclass, with its own parameters
        object.__setattr__(made, "believer", learner)
        return made

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the best feature; the scores are the expected change per money."""
        depths = state.depths()
        if not depths.any():
            return None
        bought = _bought(state)
        if not state.problem.separable:
            known = self.believer.believed(state.belief)
            values = _values(state, depths, bought, known, self.goal)
            return bundles.choose(
                state, depths, values, rng, lambda at: so_far(state, at, known), self.goal.words
            )
        rest = _rest_of_a_round(state, depths, bought, rng)
        if rest is not None:
            return rest
        known = self.believer.believed(state.belief)
        rates, numbers = _rates(state, depths, bought, known, self.goal)
        cells = [Action(*cell) for cell in np.argwhere(depths).tolist()]
        most = np.nanmax(rates)
        best = rates >= most - _TIE * abs(most)
        fewest = np.where(depths > 0, bought, np.inf)
        tied = best[:, None] & (fewest <= fewest.min(axis=1, keepdims=True))
        chosen = cells[cheapest(state, cells, tied[depths > 0], rng)]
        number = int(numbers[chosen.feature])
        reason = in_words(state, chosen.feature, rates, number, known, self.goal.words)
        scores = {cell: -float(rates[cell.feature]) for cell in cells}
        only = slice(chosen.feature, chosen.feature + 1)
        shares = spread(numbers[only], depths[only], bought[only])[0]
        plan = in_turns(chosen, shares, bought[chosen.feature])
        return Choice(chosen, scores, reason, plan=plan[1:])

    def worth(self, state: State) -> Floats:
        """Return what each cell is worth per money, features × labels; NaN where none is sold."""
        depths = state.depths()
        if not depths.any():
            return np.full(depths.shape, np.nan)
        bought = _bought(state)
        if not state.problem.separable:
            values = _values(state, depths, bought, self.believer.believed(state.belief), self.goal)
            return bundles.worth(state, depths, values)
        known = self.believer.believed(state.belief)
        rates, _ = _rates(state, depths, bought, known, self.goal)
        return np.where(depths > 0, rates[:, None], np.nan)


def _rest_of_a_round(
    state: State, depths: Integers, bought: Floats, rng: np.random.Generator
) -> Choice | None:
    """Return a label of the feature asked for last that has fewer values than the one asked for."""
    last = state.last_action
    if last is None:
        return None
    known = np.where(depths[last.feature] > 0, bought[last.feature], np.inf)
    if known.min() >= bought[last.feature, last.label]:
        return None
    fewest = np.flatnonzero(known == known.min())
    label = int(fewest[rng.integers(len(fewest))])
    labels = state.problem.labels
    reason = (
        f"it completes a comparison: the value asked for last was of {labels[last.label]!r}; "
        f"{so_far(state, last.feature)}"
    )
    return Choice(Action(last.feature, label), reason=reason)


def _rates(
    state: State, depths: Integers, bought: Floats, known: Known, goal: Goal
) -> tuple[Floats, Integers]:
    """For each feature the best fall of the loss per money, and over how many purchases."""
    costs = np.array([float(price) for price in state.problem.feature_prices])
    worth = goal.gains(known)
    return _best_handfuls(state, depths, bought, worth, costs, goal.handfuls(state.problem))


def _values(state: State, depths: Integers, bought: Floats, believed: Known, goal: Goal) -> Floats:
    """What one more value of each cell is worth, whatever it costs, features × labels.

    Its share of a handful that is spread evenly over the labels, for the labels with the fewest
    values; or what values of this label alone bring, if that is more.
    """
    one = np.ones(len(state.problem.features))
    worth = goal.gains(believed)
    best = _best_handfuls(state, depths, bought, worth, one, goal.handfuls(state.problem))[0]
    evenly_spread = np.nan_to_num(best)
    known = np.where(depths > 0, bought, np.inf)
    fewest = (depths > 0) & (known <= known.min(axis=1, keepdims=True))
    result: Floats = np.where(fewest, np.maximum(evenly_spread, 0)[:, None], 0.0)
    under_way = _under_way(state, depths)
    already = worth.gains(under_way)
    for label, each in product(range(depths.shape[1]), goal.handfuls(state.problem)):
        number = np.minimum(each, depths[:, label])
        more = under_way.copy()
        more[:, label] += number
        rate = (worth.gains(more) - already) / np.maximum(number, 1)
        result[:, label] = np.maximum(result[:, label], rate)
    return result


def _best_handfuls(
    state: State,
    depths: Integers,
    bought: Floats,
    worth: Gains,
    costs: Floats,
    handfuls: tuple[int, ...],
) -> tuple[Floats, Integers]:
    """For each feature the handful that lowers the loss most per cost, and its size."""
    most = state.purchases(depths)
    under_way = _under_way(state, depths)
    # Of labels with as many values the more frequent comes first, wherever it is listed.
    fewest_first = bought - np.asarray(state.problem.prior) / 2
    already = worth.gains(np.where(most[:, None] > 0, under_way, 0))
    rates = np.full(len(costs), np.nan)
    numbers = np.zeros(len(costs), dtype=np.int64)
    for each in handfuls:
        total = np.minimum(most, each * depths.shape[1])
        weighed = total > numbers
        shares = spread(total, depths, fewest_first)
        more = np.where(weighed[:, None], shares + under_way, 0)
        rate = (worth.gains(more) - already) / (np.maximum(total, 1) * costs)
        better = weighed & ~(rate <= rates)
        rates[better], numbers[better] = rate[better], total[better]
    return rates, numbers


def in_words(
    state: State, feature: int, rates: Floats, number: int, known: Known, goal: str = ""
) -> str:
    """Return why a feature is bought: what is known of it, its rank, and who comes second."""
    names = [each.name for each in state.problem.features]
    amount = money.times(state.problem.feature_prices[feature], number)
    words = f"{so_far(state, feature, known)}; it is the best use of the next {money.show(amount)}"
    words = f"{words} {goal}".rstrip()
    others = np.where(np.arange(len(rates)) == feature, np.nan, rates)
    if np.isnan(others).all() or rates[feature] <= 0:
        return words
    second = int(np.nanargmax(others))
    behind = min(1.0, 1 - others[second] / rates[feature])
    rank = "would be as good" if behind < _AS_GOOD else f"is {100 * behind:.0f} % behind"
    return f"{words}; {names[second]!r} {rank}"


def so_far(state: State, feature: int, known: Known | None = None) -> str:
    """Return how many values of a feature there are, and whether they say anything."""
    problem = state.problem
    seen = state.belief.seen[feature].astype(int).tolist()
    counts = [f"{number} {label!r}" for number, label in zip(seen, problem.labels, strict=True)]
    listed = counts if len(counts) <= _MOST_LABELS else [*counts[:_MOST_LABELS], "so on"]
    here = sum(number for cell, number in state.under_way().items() if cell.feature == feature)
    under_way = f", {here} more under way" if here else ""
    if not any(seen):
        return f"nothing of it is known yet{under_way}"
    words = f"{', '.join(listed[:-1])} and {listed[-1]} values so far{under_way}"
    irrelevant = _irrelevant(known, feature)
    if irrelevant is None or here:
        return words
    if irrelevant < _SURE:
        return f"{words}, which differ"
    if irrelevant > 1 / 2:
        return f"{words}, which show no difference yet"
    return f"{words}, too few to tell whether they differ"


def _irrelevant(known: Known | None, feature: int) -> float | None:
    """How probable it is that a feature does not matter; None if the learner does not say."""
    if known is None or known.form != SPIKE_AND_SLAB:
        return None
    posterior = cast("Posterior", known)
    if feature in posterior.stated:
        return None
    each = posterior.components.shape[2]  # of every evenness, the first one is irrelevance
    return float(posterior.chances[feature, :-1:each].sum())


def spread(total: Integers, most: Integers, bought: Floats) -> Integers:
    """Share purchases of each feature evenly, what does not divide to the labels with the fewest.

    >>> spread(np.array([3]), np.array([[9, 9]]), np.array([[4.0, 2.0]])).tolist()
    [[1, 2]]
    """
    return rest_to_the_best(evenly(total, most), total, most, bought)


def in_turns(first: Action, shares: Integers, bought: Floats) -> tuple[Action, ...]:
    """Return the purchases of a feature that were weighed, in an order.

    If there is none of the first one's label, one of another label is exchanged for it; a label of
    which there are few comes early.

    >>> order = in_turns(Action(0, 1), np.array([3, 2]), np.array([4.0, 3.0]))
    >>> [each.label for each in order]
    [1, 0, 1, 0, 0]
    """
    left, known = shares.tolist(), bought.tolist()  # a few numbers: lists are faster
    if not left[first.label]:
        left[left.index(max(left))] -= 1
        left[first.label] += 1
    plan = [first]
    while True:
        left[plan[-1].label] -= 1
        known[plan[-1].label] += 1
        labels = [label for label, number in enumerate(left) if number > 0]
        if not labels or len(plan) == MOST_PLANNED:
            return tuple(plan)
        plan.append(Action(first.feature, min(labels, key=known.__getitem__)))


def _under_way(state: State, depths: Integers) -> Integers:
    """How many requests are under way of each cell."""
    result = np.zeros_like(depths)
    for cell, number in state.under_way().items():
        result[cell] = number
    return result


def _bought(state: State) -> Floats:
    """How many values there are of each cell, those under way included, features × labels."""
    seen = state.belief.seen.astype(float)
    for cell, number in state.under_way().items():
        seen[cell] += number
    return seen
