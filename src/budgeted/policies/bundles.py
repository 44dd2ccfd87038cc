"""Which features to order together of which case, where one that is there anyway costs less.

A visit fee, or the set-up of a panel, is paid once for all that it covers. So it is whole orders
that are weighed against each other: what all their values are worth, by what they cost together.

For every cell the best order that has it is looked for: on a fresh case, and on the case that was
visited where the cell costs least. It grows from that one feature; at each step the feature that
brings most for what it adds to the price is taken along, as long as that raises the worth per
money of the whole (Dinkelbach's rule for the best ratio, 1967, by greedy steps). Of all these
orders the one that is worth most for its money is placed.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.policies.base import Choice
from budgeted.policies.lookahead import cheapest
from budgeted.problem import Action, money
from budgeted.state import State
from budgeted.state.offers import Terms

MOST_WEIGHED = 24
"""Features that may be taken along in an order: those that are worth most."""
_FOR_NOTHING = 1e9
"""By so much more than at a price of 1 is worth what is free: the rest of a panel paid for."""
_TIE = 1e-6
"""Relative to the best: what differs by less is as good."""


@dataclass(frozen=True)
class Bundle:
    """Features of one case, what they cost together, and what their values are worth."""

    features: tuple[int, ...]
    price: Decimal
    worth: float

    @property
    def rate(self) -> float:
        """Worth per money."""
        return self.worth / float(self.price) if self.price else self.worth * _FOR_NOTHING


def choose(
    state: State, depths: Integers, values: Floats, bought: Floats, rng: np.random.Generator
) -> Choice | None:
    """Return the order that is worth most for its money, or one that completes the last one.

    Parameters
    ----------
    state, depths
        What there is to buy, and how often each cell could be.
    values
        What one more value of each feature is worth, evenly over the labels.
    bought
        Values that there are, those under way included, features × labels.
    rng
        Picks among equals.
    """
    table = _by_cell(values, depths, bought)
    rest = _rest_of_a_round(state, depths, table, bought, rng)
    if rest is not None:
        return rest
    found = _best(state, depths, table)
    cells = list(found)
    rates = np.array([found[cell].rate for cell in cells])
    tied = rates >= rates.max() - _TIE * abs(rates.max())
    first = cells[cheapest(state, cells, tied, rng)]
    bundle = found[first]
    others = tuple(each for each in bundle.features if each != first.feature)
    scores = {cell: -float(rate) for cell, rate in zip(cells, rates, strict=True)}
    return Choice(first, scores, _in_words(state, first, found), together=others)


def worth(state: State, depths: Integers, values: Floats, bought: Floats) -> Floats:
    """Return what the best order with each cell is worth per money; NaN where none is sold."""
    result = np.full(depths.shape, np.nan)
    for cell, bundle in _best(state, depths, _by_cell(values, depths, bought)).items():
        result[cell] = bundle.rate
    return result


def _by_cell(values: Floats, depths: Integers, bought: Floats) -> Floats:
    """What one more value of each cell is worth: nothing of a label that is ahead of others."""
    known = np.where(depths > 0, bought, np.inf)
    fewest = (depths > 0) & (known <= known.min(axis=1, keepdims=True))
    return np.where(fewest, np.maximum(np.nan_to_num(values), 0)[:, None], 0.0)


def _best(state: State, depths: Integers, table: Floats) -> dict[Action, Bundle]:
    """For each cell that can be bought the best order that has it."""
    limit = state.free if state.at_most is None else min(state.free, state.at_most)
    found: dict[Action, Bundle] = {}
    for label in range(depths.shape[1]):
        for terms in _worth_weighing(state, depths, table, label):
            can = [at for at in state.offers.can_give(terms) if depths[at, label]]
            along = sorted(can, key=lambda at: -table[at, label])[:MOST_WEIGHED]
            for feature in can:
                cell = Action(feature, label)
                bundle = _grown(state, terms, (feature,), along, table[:, label], limit)
                if bundle is not None and (cell not in found or bundle.rate > found[cell].rate):
                    found[cell] = bundle
    return found


def _worth_weighing(state: State, depths: Integers, table: Floats, label: int) -> list[Terms]:
    """The terms of fresh cases, and for each cell those visited on which it costs least."""
    offers = state.offers
    fresh, *visited = offers.terms(label)
    best: dict[int, tuple[Decimal, Terms]] = {}
    for terms in visited:
        for feature in offers.can_give(terms):
            price = offers.quote((feature,), terms.so_far)
            if feature not in best or price < best[feature][0]:
                best[feature] = (price, terms)
    chosen = {terms.so_far: terms for _, terms in best.values()}
    return [fresh, *chosen.values()]


def _grown(
    state: State,
    terms: Terms,
    begin: tuple[int, ...],
    along: list[int],
    worths: Floats,
    limit: Decimal,
) -> Bundle | None:
    """The order that grows from some features, or None if they alone cost too much."""
    quote, so_far = state.offers.quote, terms.so_far
    price = quote(begin, so_far)
    if price > limit:
        return None
    bundle = Bundle(begin, price, float(sum(worths[at] for at in begin)))
    left = [at for at in along if at not in begin]
    while left:
        steps = []
        for at in left:
            more = quote((*bundle.features, at), so_far)
            if more <= limit:
                extra = float(money.subtract(more, bundle.price))
                steps.append((worths[at] / extra if extra else np.inf, -at, more))
        if not steps:
            return bundle
        rate, place, price = max(steps)
        if not rate > bundle.rate:
            return bundle
        bundle = Bundle((*bundle.features, -place), price, bundle.worth + float(worths[-place]))
        left.remove(-place)
    return bundle


def _rest_of_a_round(
    state: State, depths: Integers, table: Floats, bought: Floats, rng: np.random.Generator
) -> Choice | None:
    """Return the features of the last order that another label has fewer of.

    Half a comparison says little. They are ordered together of the case where they cost least, with
    what is worth taking along.
    """
    features, label = _last_order(state)
    behind = np.zeros(depths.shape, dtype=bool)
    for at in features:
        behind[at] = (depths[at] > 0) & (bought[at] < bought[at, label])
    if not behind.any():
        return None
    number = behind.sum(axis=0)
    most = np.flatnonzero(number == number.max())
    other = int(most[rng.integers(len(most))])
    limit = state.free if state.at_most is None else min(state.free, state.at_most)
    wanted = sorted(np.flatnonzero(behind[:, other]).tolist(), key=lambda at: -table[at, other])
    for size in range(len(wanted), 0, -1):  # no case may have all of them, or the money not pay
        found = state.offers.cheapest(wanted[:size], other)
        if found is not None and found[0] <= limit:
            break
    else:
        return None
    can = [at for at in state.offers.can_give(found[1]) if depths[at, other]]
    along = sorted(can, key=lambda at: -table[at, other])[:MOST_WEIGHED]
    begin = tuple(wanted[:size])
    bundle = _grown(state, found[1], begin, along, table[:, other], limit)
    assert bundle is not None
    names = [state.problem.features[at].name for at in begin]
    reason = (
        f"to set beside {'the value' if size == 1 else 'the values'} of "
        f"{', '.join(map(repr, names))} of {state.problem.labels[label]!r} that "
        f"{'was' if size == 1 else 'were'} asked for before"
    )
    first, *others = bundle.features
    return Choice(Action(first, other), reason=reason, together=tuple(others))


def _last_order(state: State) -> tuple[tuple[int, ...], int]:
    """The features of the last order, and its label."""
    numbered = {each.number: each for each in state.history[-len(state.problem.features) :]}
    features: list[int] = []
    last = None
    for number in range(state.next_number - 1, 0, -1):
        each = state.pending.find(number) or numbered.get(number)
        if each is None or (last is not None and (each.case, each.label) != last):
            break
        last = (each.case, each.label)
        features.append(each.feature)
    return tuple(features), 0 if last is None else last[1]


def _in_words(state: State, first: Action, found: dict[Action, Bundle]) -> str:
    """Why this order: its rank, and who comes second."""
    names = [each.name for each in state.problem.features]
    bundle = found[first]
    they = "it is" if len(bundle.features) == 1 else "together they are"
    words = f"{they} the best use of the next {money.show(bundle.price)}"
    others = [
        (other.rate, cell.feature) for cell, other in found.items()
        if cell.feature not in bundle.features
    ]  # fmt: skip
    if not others or bundle.rate <= 0:
        return words
    rate, second = max(others)
    behind = 100 * min(1.0, 1 - rate / bundle.rate)
    rank = "would be as good" if behind < 0.5 else f"is {behind:.0f} % behind"
    return f"{words}; an order with {names[second]!r} {rank}"
