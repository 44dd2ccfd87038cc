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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.learners.believed import Believed
from budgeted.loss.losses import Floats, Integers
from budgeted.policies.base import Choice, View, drawn
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
_MOST_LABELS = 4
"""So many labels are named in a reason."""
_SURE = 0.1
"""That a feature does not matter is out of the question if it is less probable than this."""
_TIE = 1e-6
"""Relative to the best: what differs by less is as good."""

Sold = tuple[tuple[int, ...], Decimal]
"""Features of one case, and what they cost together."""


@dataclass(frozen=True)
class Bundle:
    """An order that could be placed.

    Attributes
    ----------
    features, label
        What it has.
    price, cost
        What it costs; and the same as a number that one can divide by.
    worth
        Of all its values.
    cases
        On how many visited cases it could be placed; fresh ones are without end.
    """

    features: tuple[int, ...]
    label: int
    price: Decimal
    cost: float
    worth: float
    cases: float

    @property
    def rate(self) -> float:
        """Worth per money."""
        return self.worth / self.cost

    @property
    def visited(self) -> bool:
        """Whether its case was visited before."""
        return self.cases < np.inf


def choose(now: View, values: Floats, goal: str = "") -> Choice | None:
    """Return the order that is worth most for its money.

    Parameters
    ----------
    now
        What there is to buy.
    values
        What one more value of each cell is worth, features × labels.
    goal
        For whom it is bought, in words, unless for a classifier with all tests.
    """
    bundles = list(_bundles(now.state, now.depth, values))
    brought = _brought(bundles, float(now.state.free))
    found: dict[Action, tuple[float, Bundle]] = {}
    for bundle, score in zip(bundles, brought.tolist(), strict=True):
        for feature in bundle.features:
            cell = Action(feature, bundle.label)
            if cell not in found or score > found[cell][0]:
                found[cell] = (score, bundle)
    scores = np.full(now.depth.shape, np.nan)
    for cell, (score, _) in found.items():
        scores[cell] = -score
    best = scores <= np.nanmin(scores) + _TIE * abs(np.nanmin(scores))
    best &= now.cost <= now.cost[best].min()
    first = Action(*drawn(best, None, now))
    others = tuple(each for each in found[first][1].features if each != first.feature)
    compared = {cell: -score for cell, (score, _) in sorted(found.items())}
    return Choice(first, compared, _in_words(now, first, found, goal), others)


def worth(now: View, values: Floats) -> Floats:
    """Return what the best order with each cell is worth per money; NaN where none is sold."""
    result = np.full(now.depth.shape, np.nan)
    for bundle in _bundles(now.state, now.depth, values):
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
    now: View, first: Action, found: dict[Action, tuple[float, Bundle]], goal: str
) -> str:
    """Why this order: what is known of what it begins with, its rank, and who comes second."""
    names = [each.name for each in now.problem.features]
    score, bundle = found[first]
    alone = len(bundle.features) == 1
    begins, those = ("", "it is") if alone else (f"{names[first.feature]}: ", "together they are")
    words = (
        f"{begins}{so_far(now, first.feature)}; {those} the best use of the next "
        f"{money.show(bundle.price)} {goal}"
    ).rstrip()
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


def so_far(now: View, feature: int, plain: bool = False) -> str:
    """Return how many values of a feature there are of each label, and whether they say anything.

    Parameters
    ----------
    now, feature
        What is decided from, and which feature.
    plain
        Whether to leave out what they say.
    """
    problem = now.problem
    seen = now.state.belief.seen[feature].astype(int).tolist()
    counts = [f"{number} {label!r}" for number, label in zip(seen, problem.labels, strict=True)]
    listed = counts if len(counts) <= _MOST_LABELS else [*counts[:_MOST_LABELS], "so on"]
    here = int(now.under_way[feature].sum())
    under_way = f", {here} more under way" if here else ""
    if not any(seen):
        return f"nothing of it is known yet{under_way}"
    words = f"{', '.join(listed[:-1])} and {listed[-1]} values so far{under_way}"
    irrelevant = None if plain else _irrelevant(now, feature)
    if irrelevant is None or here:
        return words
    if irrelevant < _SURE:
        return f"{words}, which differ"
    if irrelevant > 1 / 2:
        return f"{words}, which show no difference yet"
    return f"{words}, too few to tell whether they differ"


def _irrelevant(now: View, feature: int) -> float | None:
    """How probable it is that a feature does not matter; None if the belief does not say."""
    if not isinstance(now.belief, Believed):
        return None
    posterior = now.belief.parameters
    if feature in posterior.stated:
        return None
    each = posterior.components.shape[2]  # of every evenness, the first one is irrelevance
    return float(posterior.chances[feature, :-1:each].sum())
