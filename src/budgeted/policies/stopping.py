"""Whether it is worth going on beyond a soft budget; it stands before every policy.

Below the amount b of a soft budget (`budgeted.problem.budgets.Soft`) a policy buys as with a firm
one. Beyond it, a purchase is made only while something is expected to be gained that is worth what
is paid, surcharge included. What is gained is a lower 0/1 error of the classifier that is
delivered, by what its learner believes, and the user says what a percentage point of it is worth.

A single value seldom changes which label is most probable, and so lowers the expected error by
nothing; some more of them do. So handfuls are weighed: of each feature up to 16 values of each
label; and, where features of one case cost less together, what the policy orders of some cases.

If any of it is worth more than it costs, the policy goes on, with what it likes best. Each feature
is weighed with all others held: that two of them might be worth it together is not seen, so it can
stop early, by little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from budgeted.learners import Hierarchical, Learner, NaiveBayes
from budgeted.learners.belief import Belief, Integers
from budgeted.policies.base import Choice, Chooser
from budgeted.policies.pair_lookahead import evenly, rest_to_the_best
from budgeted.problem import CaseSoFar, Order, money
from budgeted.state import State
from budgeted.state.surcharges import added_by, within_amount
from budgeted.value import gains
from budgeted.value.base import Gains, Known

HANDFULS = (1, 4, 16)
"""Values of each label that are weighed together."""
MOST_WEIGHED = 16
"""Features that are weighed: those that tell the labels apart best for their money."""
_NOTHING = 1e-9


@dataclass(frozen=True)
class Weighed:
    """Something that could be bought beyond the budget."""

    what: tuple[int, ...]  # the features, by position
    price: Decimal
    surcharge: Decimal
    saved: float  # by how much it is expected to lower the error, from 0 to 1
    worth: float  # of that, in money

    @property
    def goes_on(self) -> bool:
        """Whether it is worth more than it costs."""
        return self.worth > float(self.paid)

    @property
    def paid(self) -> Decimal:
        """Price and surcharge together."""
        return money.add(self.price, self.surcharge)

    def words(self) -> str:
        """Return why it is not bought: in money, and in error."""
        paid, parts = money.show(self.paid), f"{self.price} and {self.surcharge} surcharge"
        if self.saved <= _NOTHING:
            return f"the next {paid} ({parts}) would not lower the error"
        return (
            f"the next {paid} ({parts}) would lower the error by about {100 * self.saved:.2g} "
            f"points, worth {self.worth:.2f}"
        )


class Thrifty:
    """Lets a policy go on beyond a soft budget only while that is worth it.

    >>> from budgeted import Feature, Problem, Soft
    >>> from budgeted.policies import policy
    >>> def stops(point_worth):
    ...     soft = Soft(4, limit=40, point_worth=point_worth, rate="0.5")
    ...     scan = Feature("scan", ("no", "yes"), 1)
    ...     problem = Problem([scan], ("well", "ill"), (0.5, 0.5), soft)
    ...     state, buyer = State.start(problem), Thrifty(policy("round-robin"), NaiveBayes)
    ...     while (choice := buyer.choose(state, None)) is not None:
    ...         state = state.reserve(choice.action)
    ...     return state.reserved
    >>> [str(stops(point_worth)) for point_worth in ("0.01", "0.50", "5")]
    ['4', '4', '7']
    """

    def __init__(self, chooser: Chooser, learner: Callable[[], Learner]) -> None:
        self._chooser, self._learner = chooser, learner

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return what the policy buys next; None also where nothing is worth its price."""
        choice = self._chooser.choose(state, rng)
        within = within_amount(state)
        if choice is None or within is None or price_of(state, choice.order) <= within:
            return choice
        weighed = weigh(state, self._learner(), choice.order)
        if weighed is None or weighed.goes_on:
            return choice
        if not within and state.problem.separable:
            return None  # where prices look at the case, something may be had for nothing
        limit = within if state.at_most is None else min(within, state.at_most)
        return self._chooser.choose(state.changed(at_most=limit), rng)


def price_of(state: State, order: Order) -> Decimal:
    """Return what an order costs at least."""
    if state.problem.separable or len(order.features) == 1:
        prices = [state.price((feature, order.label)) for feature in order.features]
        return money.total(prices)
    found = state.offers.cheapest(order.features, order.label)
    return state.free if found is None else found[0]


def known_of(learner: Learner, belief: Belief) -> Known:
    """Return what a learner believes; the hierarchical one, if it cannot say."""
    believed: Callable[[Belief], Known] | None = getattr(learner, "believed", None)
    if believed is not None:
        return believed(belief)
    return belief if learner.name == NaiveBayes.name else Hierarchical().believed(belief)


def weigh(state: State, learner: Learner, order: Order | None = None) -> Weighed | None:
    """Return the best that could be bought beyond a soft budget; None if nothing can be.

    What the policy wants is weighed as a bundle where features cost less together.
    """
    soft = state.problem.soft
    depths = state.depths()
    if soft is None or not depths.any():
        return None
    known, worth = known_of(learner, state.belief), 100 * float(soft.point_worth)
    found = list(_handfuls(state, known, depths, order))
    best = max(found, key=lambda each: worth * each.saved / float(each.paid), default=None)
    return None if best is None else replace(best, worth=worth * best.saved)


def _candidates(state: State, known: Known, depths: Integers) -> list[int]:
    """The features that are worth weighing."""
    sold = np.flatnonzero(depths.any(axis=1))
    if len(sold) <= MOST_WEIGHED:
        return sold.tolist()
    some = np.minimum(depths, 4)
    costs = state.costs().max(axis=1) * np.maximum(some.sum(axis=1), 1)
    rates = gains(known).gains(some)[sold] / costs[sold]
    return sorted(sold[np.argsort(-rates, kind="stable")[:MOST_WEIGHED]].tolist())


def _handfuls(
    state: State, known: Known, depths: Integers, order: Order | None
) -> Iterator[Weighed]:
    """Handfuls of each feature, and of all features of an order together."""
    labels = depths.shape[1]
    under_way = np.zeros_like(depths)
    for cell, number in state.under_way().items():
        under_way[cell] = number
    seen = state.belief.seen + under_way - np.asarray(state.problem.prior) / 2
    chosen = np.isin(np.arange(len(depths)), _candidates(state, known, depths))[:, None]
    saves = gains(known, "zero_one")
    waiting = np.where(chosen, under_way, 0)
    already = saves.gains(waiting) if waiting.any() else np.zeros(len(depths))
    most = np.where(chosen[:, 0], np.minimum(state.purchases(depths), depths.sum(axis=1)), 0)
    before = np.zeros_like(most)
    for each in HANDFULS:
        total = np.minimum(most, each * labels)
        total[total <= before] = 0  # there is no more of it
        if not total.any():
            break
        shares = rest_to_the_best(evenly(total, depths), total, depths, seen)
        saved = saves.gains(np.where(total[:, None] > 0, shares + under_way, 0)) - already
        for feature in np.flatnonzero(total).tolist():
            price = _price(state, feature, shares[feature])
            if 0 < price <= state.free:
                yield _weighed(state, (feature,), price, saved[feature])
        before = np.maximum(before, total)
    if order is not None and len(order.features) > 1 and not state.problem.separable:
        yield from _bundles(state, saves, depths, order, already, under_way)


def _bundles(
    state: State,
    saves: Gains,
    depths: Integers,
    order: Order,
    already: np.ndarray[tuple[int], np.dtype[np.float64]],
    under_way: Integers,
) -> Iterator[Weighed]:
    """The features of an order, of some cases of each label; what they save is added up."""
    labels, features = depths.shape[1], list(order.features)
    one = money.total(
        state.offers.quote(order.features, CaseSoFar(label=label)) for label in range(labels)
    )
    for each in HANDFULS:
        price = money.times(one, each)
        if price > state.free or (depths[features] < each).any():
            return
        more = np.zeros_like(depths)
        more[features] = each + under_way[features]
        saved = (saves.gains(more) - already)[features].sum()
        yield _weighed(state, order.features, price, float(saved))


def _weighed(state: State, what: tuple[int, ...], price: Decimal, saved: float) -> Weighed:
    return Weighed(what, price, added_by(state, price), max(0.0, float(saved)), 0.0)


def _price(state: State, feature: int, shares: Integers) -> Decimal:
    """What so many values of each label cost."""
    numbers = shares.tolist()
    if not state.problem.separable:
        return money.total(state.offers.total(feature, *each) for each in enumerate(numbers))
    prices = state.problem.fresh_prices[feature]
    return money.total(money.times(*each) for each in zip(prices, numbers, strict=True))
