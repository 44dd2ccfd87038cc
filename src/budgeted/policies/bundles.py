"""Which features to order together of which case, where one that is there anyway costs less.

A visit fee, or the set-up of a panel, is paid once for all that it covers. So it is whole orders
that are weighed against each other, on fresh cases and on those that were visited:

- An order grows from one feature. At each step the feature that is worth most for what it adds to
  the price is taken along, and every step on the way is an order that could be placed. On fresh
  cases there is a path for each panel, from its best feature, and one for the rest; on visited
  cases there is one.
- What an order brings is what its values are worth, and what the rest of the money would bring if
  it went to the orders that are worth most for their price, as far as it pays for them (a *rollout*
  of the greedy rule; Bertsekas, Tsitsiklis and Wu, 1997). While there is much money, that comes to
  the worth for the price; towards its end no fee is paid that leaves too little for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.policies.base import Choice
from budgeted.policies.lookahead import cheapest
from budgeted.problem import Action, money
from budgeted.state import State
from budgeted.state.offers import Terms

MOST_WEIGHED = 16
"""Features that may be taken along in an order: those that are worth most."""
MOST_TERMS = 3
"""Kinds of visited cases of a label on which whole orders are weighed: the best ones."""
_FIRST = 1e-3
"""How much it counts to begin with what is worth most for its price, where plans are as good."""
_FREE = 1e-6
"""What costs nothing counts as this part of the lowest price, so that one can divide by it."""
_TIE = 1e-6
"""Relative to the best: what differs by less is as good."""

Sold = tuple[tuple[int, ...], Decimal]
"""Features of one case, and what they cost together."""


@dataclass(frozen=True)
class Bundle:
    """An order that could be placed."""

    features: tuple[int, ...]
    label: int
    price: Decimal
    cost: float
    worth: float  # of all its values
    cases: float  # on how many visited cases it could be placed; fresh ones are without end

    @property
    def rate(self) -> float:
        """Worth per money."""
        return self.worth / self.cost

    @property
    def visited(self) -> bool:
        """Whether its case was visited before."""
        return self.cases < np.inf


def choose(
    state: State,
    depths: Integers,
    values: Floats,
    rng: np.random.Generator,
    so_far: Callable[[int], str],
    goal: str = "",
) -> Choice | None:
    """Return the order worth most for its money; `values` says what one more of a cell is worth."""
    bundles = list(_bundles(state, depths, values))
    brought = _brought(bundles, float(state.free))
    found: dict[Action, tuple[float, Bundle]] = {}
    for bundle, score in zip(bundles, brought.tolist(), strict=True):
        for feature in bundle.features:
            cell = Action(feature, bundle.label)
            if cell not in found or score > found[cell][0]:
                found[cell] = (score, bundle)
    cells = sorted(found)
    scores = np.array([found[cell][0] for cell in cells])
    tied = scores >= scores.max() - _TIE * abs(scores.max())
    first = cells[cheapest(state, cells, tied, rng)]
    others = tuple(each for each in found[first][1].features if each != first.feature)
    reason = _in_words(state, first, found, so_far, goal)
    return Choice(first, dict(zip(cells, (-scores).tolist(), strict=True)), reason, together=others)


def worth(state: State, depths: Integers, values: Floats) -> Floats:
    """Return what the best order with each cell is worth per money; NaN where none is sold."""
    result = np.full(depths.shape, np.nan)
    for bundle in _bundles(state, depths, values):
        for feature in bundle.features:
            cell = (feature, bundle.label)
            result[cell] = np.fmax(result[cell], bundle.rate)
    return result


def _brought(bundles: Sequence[Bundle], free: float) -> Floats:
    """What each order brings with the rest of the money, per money."""
    worths = np.array([each.worth for each in bundles])
    rates = np.array([each.rate for each in bundles])
    costs = np.array([each.cost for each in bundles])
    left, total = free - costs, worths.copy()
    for each in _best_for_the_rest(bundles):
        number = np.floor(left / each.cost + _TIE)
        if each.visited:  # there may be one less
            taken = [
                other.visited and other.label == each.label and each.features[0] in other.features
                for other in bundles
            ]
            number = np.minimum(number, each.cases - np.array(taken))
        number = np.maximum(number, 0)
        total += number * each.worth
        left -= number * each.cost
    # What costs nothing can be had without money, too.
    result: Floats = total / max(free, float(costs.max())) + _FIRST * rates
    return result


def _best_for_the_rest(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Orders for what is left of the money, those first that are worth most for their price.

    One that costs more than a better one on fresh cases is never come to. On visited cases the fee
    is paid: there it is enough to look at single features.
    """
    chosen: list[Bundle] = []
    lowest = np.inf
    for each in sorted(bundles, key=lambda each: -each.rate):
        if each.cost >= lowest or (each.visited and len(each.features) > 1):
            continue
        chosen.append(each)
        if not each.visited:
            lowest = each.cost
    return chosen


def _bundles(state: State, depths: Integers, values: Floats) -> Iterator[Bundle]:
    """All orders that are weighed."""
    least = _FREE * float(min(map(min, state.problem.fresh_prices)))
    for label in range(depths.shape[1]):
        worths = values[:, label]
        for features, price, cases in _sold(state, depths, label, worths, least):
            total, cost = float(worths[list(features)].sum()), max(float(price), least)
            yield Bundle(features, label, price, cost, total, cases)


def _sold(
    state: State, depths: Integers, label: int, worths: Floats, least: float
) -> Iterator[tuple[tuple[int, ...], Decimal, float]]:
    """Orders of a label, their prices, and on how many cases they could be placed.

    Each feature alone, on fresh cases and where it costs least; and larger orders.
    """
    limit = state.spendable
    every = list(state.offers.terms(label))
    fresh, visited = ([each for each in every if bool(each.cases) is was] for was in (False, True))
    alone: dict[int, Decimal] = {}
    for terms in fresh:  # of the group where each costs least
        for at, price in _affordable(state, terms, depths, limit).items():
            alone[at] = min(price, alone.get(at, price))
    for at in np.flatnonzero(depths[:, label]).tolist():
        price, number = state.offers.ladders[at][label][0]
        if at not in alone or price < alone[at]:
            yield (at,), price, float(number)
    yield from (((at,), price, np.inf) for at, price in alone.items())
    for terms in (*fresh, *_most_promising(state, visited, worths, least)):
        cases = float(len(terms.cases)) if terms.cases else np.inf
        sold = _affordable(state, terms, depths, limit)
        for features, price in _larger(state, terms, sold, worths, limit):
            yield features, price, cases


def _affordable(state: State, terms: Terms, depths: Integers, limit: Decimal) -> dict[int, Decimal]:
    """What each feature costs alone that a case can give and the money pays for."""
    label = terms.so_far.label
    return {
        at: price
        for at, price in state.offers.alone(terms).items()
        if price <= limit and depths[at, label]
    }


def _most_promising(
    state: State, visited: Sequence[Terms], worths: Floats, least: float
) -> list[Terms]:
    """The kinds of visited cases whose best feature is worth most for its price."""
    worth = worths.tolist()
    promise = {
        at: max((worth[feature] / max(float(price), least)
                 for feature, price in state.offers.alone(terms).items()), default=0.0)
        for at, terms in enumerate(visited)
    }  # fmt: skip
    best = sorted(promise, key=lambda at: -promise[at])[:MOST_TERMS]
    return [visited[at] for at in best]


def _larger(
    state: State, terms: Terms, alone: dict[int, Decimal], worths: Floats, limit: Decimal
) -> Iterator[Sold]:
    """Orders of several features of a case, and their prices."""
    along = sorted(alone, key=lambda at: (-worths[at], at))[:MOST_WEIGHED]
    left = set(along)
    while left:
        first = max(along, key=lambda at: (at in left, worths[at] / (float(alone[at]) or _FREE)))
        yield from _grown(state, terms, (first, alone[first]), along, worths, limit)
        if terms.cases:
            return
        left -= {first, *_sharing(state, terms, first, along, alone)}


def _sharing(
    state: State, terms: Terms, first: int, along: Sequence[int], alone: dict[int, Decimal]
) -> list[int]:
    """The features that share more with one than others do: those of its panel."""
    saved = {
        at: money.subtract(
            money.add(alone[first], alone[at]), state.offers.quote((first, at), terms.so_far)
        )
        for at in along
        if at != first
    }
    usual = min(saved.values(), default=Decimal(0))
    return [at for at, amount in saved.items() if amount > usual] or list(saved)


def _grown(
    state: State,
    terms: Terms,
    begin: tuple[int, Decimal],
    along: Sequence[int],
    worths: Floats,
    limit: Decimal,
) -> Iterator[Sold]:
    """Yield the orders that grow from a feature, as long as the money pays for them."""
    first, price = begin
    features: tuple[int, ...] = (first,)
    left = [at for at in along if at != first]
    while left:
        steps = []
        for at in left:
            more = state.offers.quote((*features, at), terms.so_far)
            if more <= limit:
                extra = float(money.subtract(more, price))
                steps.append((worths[at] / extra if extra else np.inf, worths[at], -at, more))
        if not steps:
            return
        _, _, place, price = max(steps)
        features = (*features, -place)
        left.remove(-place)
        yield features, price


def _in_words(
    state: State,
    first: Action,
    found: dict[Action, tuple[float, Bundle]],
    so_far: Callable[[int], str],
    goal: str,
) -> str:
    """Why this order: what is known of what it begins with, its rank, and who comes second."""
    names = [each.name for each in state.problem.features]
    score, bundle = found[first]
    alone = len(bundle.features) == 1
    words = (
        f"{so_far(first.feature)}; it is the best use of the next {money.show(bundle.price)}"
        if alone
        else f"{names[first.feature]}: {so_far(first.feature)}; together they are the best use of "
        f"the next {money.show(bundle.price)}"
    )
    words = f"{words} {goal}".rstrip()
    others = [
        (other, cell.feature)
        for cell, (other, _) in found.items()
        if cell.feature not in bundle.features
    ]
    if not others or score <= 0:
        return words
    second, feature = max(others)
    behind = 100 * min(1.0, 1 - second / score)
    rank = "would be as good" if behind < 0.5 else f"is {behind:.0f} % behind"
    return f"{words}; an order with {names[feature]!r} {rank}"
