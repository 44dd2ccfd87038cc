"""The default: the best value per money of whole features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted import money
from budgeted.belief import Floats, Integers
from budgeted.expectation import check_engine, expected_loss, feature_lookahead, lookahead
from budgeted.loss import named
from budgeted.policies.base import Choice
from budgeted.policies.lookahead import cheapest
from budgeted.policies.pair_lookahead import evenly, rest_to_the_best
from budgeted.problem import Action
from budgeted.state import State

GROWTH = 4
"""Numbers of purchases per label that are weighed: 1, 4, 16, 64, …"""
_AS_GOOD, _MOST_LABELS = 0.005, 4
"""Who is less behind than this is as good; and so many labels are named in a reason."""
MOST_PLANNED = 100
"""Purchases that one decision is good for, if several are wanted before anything comes back."""


@dataclass(frozen=True)
class Auto:
    """Buy from the feature with the largest fall in expected loss per money, at its best number.

    A feature tells labels apart only when it is known under each of them, so its purchases are
    weighed evenly over the labels, as in class-pair lookahead; and a few values may change nothing
    where many do, so each feature is judged at the number that does it most good, as in KG(*)
    (Frazier and Powell, 2010)::

        max over n of (L − E[L after n values of each label]) / (n · labels · cost)

    Of the best feature one value is bought, of the label whose share of these purchases would do
    most good alone (if several would, of the one with the fewest values); then all is weighed anew.
    Requests under way count as bought. The rest of the handful goes along as a plan, for those who
    want several requests at once (`budgeted.policies.planner`).

    It is the default for the sake of what comes with it unless told otherwise: a belief in which
    features may be irrelevant, cases whose values overlap, and a classifier that does not count the
    same evidence twice. docs/benchmark.md compares it with all others.

    Parameters
    ----------
    loss
        ``gini`` or ``entropy``; with a plain belief also ``zero_one``.
    engine, particles
        As for `budgeted.expectation.lookahead`.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 9)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=50)
    >>> state = State.start(problem).after(Purchase(0, 1, value=1, cost=1))
    >>> choice = Auto().choose(state, np.random.default_rng(0))
    >>> choice.action, choice.reason
    (Action(feature=0, label=0), "it is the best use of the next 2; known or under way: 0 'well', \
1 'ill'; 'scan' is 86 % behind")
    """

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "the default: the best value per money, whole features at a time"
    looks_back: ClassVar[int] = 0
    alike: ClassVar[tuple[str, ...]] = ("features", "labels", "values")
    settings: ClassVar[Mapping[str, str]] = {
        "belief": "relevance",
        "cases": "settle",
        "learner": "hierarchical",
    }
    """What goes with this policy in studies and experiments unless told otherwise."""

    loss: str = "gini"
    engine: str = "auto"
    particles: int = 1_000

    def __post_init__(self) -> None:
        named(self.loss)
        check_engine(self.engine, self.particles)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the best feature; the scores are the expected change per money."""
        depths = state.depths()
        if not depths.any():
            return None
        bought = _bought(state)
        rates, numbers, engine = self._rates(state, depths, bought)
        cells = [Action(*cell) for cell in np.argwhere(depths).tolist()]
        best = rates >= np.nanmax(rates) - 1e-12
        tied = best[:, None] & self._best_labels(state, depths, np.where(best, numbers, 0), bought)
        chosen = cells[cheapest(state, cells, tied[depths > 0], rng)]
        reason = in_words(state, chosen.feature, rates, int(numbers[chosen.feature]), bought)
        scores = {cell: -float(rates[cell.feature]) for cell in cells}
        only = slice(chosen.feature, chosen.feature + 1)
        shares = spread(numbers[only], depths[only], bought[only])[0]
        plan = in_turns(chosen, shares, bought[chosen.feature])
        return Choice(chosen, scores, reason, engine, plan[1:])

    def _best_labels(
        self, state: State, depths: Integers, numbers: Integers, bought: Floats
    ) -> NDArray[np.bool_]:
        """Of features with a number of purchases, the labels that are best when bought alone.

        A few values of one label often change no decision, and so no 0/1 error, whichever label
        it is; then it is one of which least is known.
        """
        share = -(-numbers // depths.shape[1])[:, None]  # rounded up
        alone = lookahead(
            state.belief,
            np.minimum(depths, share),
            self.loss,
            given=state.under_way(),
            engine=self.engine,
            particles=self.particles,
        )
        losses = np.where(np.isnan(alone.values), np.inf, alone.values)
        best = losses <= losses.min(axis=1, keepdims=True) + alone.resolution
        known = np.where(best & np.isfinite(losses), bought, np.inf)
        result: NDArray[np.bool_] = known <= known.min(axis=1, keepdims=True)
        return result & np.isfinite(known)

    def _rates(
        self, state: State, depths: Integers, bought: Floats
    ) -> tuple[Floats, Integers, str]:
        """For each feature the best fall per money, over how many purchases; and the engine."""
        given = state.under_way()
        now = expected_loss(
            state.belief, given, self.loss, engine=self.engine, particles=self.particles
        )
        features = state.problem.features
        costs = np.array([float(feature.cost) for feature in features])
        paid = np.array([money.how_many(state.free, feature.cost) for feature in features])
        most = np.minimum(paid, depths.sum(axis=1))
        rates = np.full(len(features), np.nan)
        numbers = np.zeros(len(features), dtype=np.int64)
        each, engine = 1, ""
        while each == 1 or each * depths.shape[1] < GROWTH * most.max():
            total = np.minimum(most, each * depths.shape[1])
            # No purchase saves more than the whole loss: where even that is less per money than
            # what a feature was found to save, more of it need not be weighed.
            at_best = float(now) / (np.maximum(total, 1) * costs)
            hopeful = (total > numbers) & ~(at_best <= rates)
            if not hopeful.any():
                break
            found = feature_lookahead(
                state.belief,
                np.where(hopeful[:, None], spread(total, depths, bought), 0),
                self.loss,
                given=given,
                engine=self.engine,
                particles=self.particles,
            )
            engine = found.engine
            rate = (float(now) - found.values) / (np.maximum(total, 1) * costs)
            better = hopeful & ~(rate <= rates)
            rates[better], numbers[better] = rate[better], total[better]
            each *= GROWTH
        return rates, numbers, engine


def in_words(state: State, feature: int, rates: Floats, number: int, bought: Floats) -> str:
    """Return why a feature is bought: what is known of it, its rank, and who comes second.

    Parameters
    ----------
    state
        Names and prices.
    feature
        The one that is bought.
    rates
        What was compared, for each feature; more is better.
    number
        How many purchases of it were weighed together.
    bought
        Values that there are, those under way included, features × labels.
    """
    names = [each.name for each in state.problem.features]
    amount = money.times(state.problem.features[feature].cost, number)
    words = f"it is the best use of the next {money.show(amount)}; {_known(state, bought[feature])}"
    others = np.where(np.arange(len(rates)) == feature, np.nan, rates)
    if np.isnan(others).all() or rates[feature] <= 0:
        return words
    second = int(np.nanargmax(others))
    behind = min(1.0, 1 - others[second] / rates[feature])
    rank = "would be as good" if behind < _AS_GOOD else f"is {100 * behind:.0f} % behind"
    return f"{words}; {names[second]!r} {rank}"


def _known(state: State, bought: Floats) -> str:
    """How many values of a feature there are of each label."""
    if not bought.any():
        return "nothing of it is known yet"
    counts = zip(bought.astype(int).tolist(), state.problem.labels, strict=True)
    known = [f"{number} {label!r}" for number, label in counts]
    more = ["and so on"] if len(known) > _MOST_LABELS else []
    return f"known or under way: {', '.join([*known[:_MOST_LABELS], *more])}"


def spread(total: Integers, most: Integers, bought: Floats) -> Integers:
    """Share purchases of each feature evenly, what does not divide to the labels with the fewest.

    >>> spread(np.array([3]), np.array([[9, 9]]), np.array([[4.0, 2.0]])).tolist()
    [[1, 2]]
    """
    return rest_to_the_best(evenly(total, most), total, most, bought)


def in_turns(first: Action, shares: Integers, bought: Floats) -> tuple[Action, ...]:
    """Return the purchases of a feature that were weighed, in an order.

    Parameters
    ----------
    first
        The one that comes first.
    shares
        How many of each label; if there is none of the first one's, one is exchanged for it.
    bought
        Values of each label that there are; a label of which there are few comes early.

    Examples
    --------
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


def _bought(state: State) -> Floats:
    """How many values there are of each cell, those under way included, features × labels."""
    starts = state.problem.offsets
    seen = np.add.reduceat(state.belief.observed, starts, axis=1).T.astype(float)
    for cell, number in state.under_way().items():
        seen[cell] += number
    return seen
