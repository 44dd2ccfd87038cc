"""What a policy's money is worth exactly, where what an order costs depends on its case.

As in `budgeted.optimal.playing` the probability of every situation is carried forward. A situation
is also how many cases there are of which so much was bought. Orders are placed on the case where
they cost least; where cases of different profiles cost the same, each profile is as likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from budgeted.errors import DrawError
from budgeted.learners.belief import Belief
from budgeted.learners.layout import position_in
from budgeted.optimal.charges import Charges, Profile
from budgeted.optimal.draws import order_odds
from budgeted.optimal.ends import Ends, Played
from budgeted.optimal.visits import price_exchanges
from budgeted.policies.base import Policy, alike, looks_back
from budgeted.problem import CaseSoFar, Order
from budgeted.problem.orders import Purchase, along
from budgeted.state import State
from budgeted.state.cases import pick_place
from budgeted.value.loss import Loss


def play_orders(policy: Policy, start: Belief, loss: Loss, most_situations: int) -> Played:
    """Return the exact expected loss of a policy that spends the whole budget on orders.

    Parameters
    ----------
    policy, start, loss, most_situations
        As for `budgeted.optimal.playing.play`. A policy with a ``case_rule`` has its cases picked
        by that rule, whatever it costs, unless the money does not suffice.
    """
    market = _Market(Charges.of(start.problem), getattr(policy, "case_rule", None))
    keys = _Keys(policy, start, market)
    ends = Ends(start, loss)
    ahead: list[dict[object, tuple[State, float]]]
    ahead = [{} for _ in range(market.charges.budget + 1)]
    ahead[0][()] = (State.start(start.problem, belief=start), 1.0)
    situations = 0
    for spent in range(len(ahead)):
        level, ahead[spent] = ahead[spent], {}
        for state, chance in level.values():
            if not market.can_sell(state):
                ends.add(state.belief.tally - start.tally, chance)
                continue
            situations += 1
            if situations > most_situations:
                return Played(None, situations - 1, f"more than {most_situations} situations")
            try:
                chosen = order_odds(policy, state)
            except DrawError as error:
                return Played(None, situations, str(error))
            for wanted, share in chosen.items():
                if wanted is None:
                    ends.add(state.belief.tally - start.tally, chance * share)
                    continue
                for order, part in market.placed(state, wanted):
                    for after, likely in _outcomes(state, order):
                        weight = chance * share * part * likely
                        key = keys.of(after)
                        there = ahead[market.units(after)]
                        known = there.get(key, (after, 0.0))
                        there[key] = (known[0], known[1] + weight)
    return Played(ends.total(), situations)


def _outcomes(state: State, order: Order) -> Iterator[tuple[State, float]]:
    """Every state after an order came back, with its probability."""
    assert order.case is not None
    fresh = CaseSoFar(label=order.label, name=order.case)
    number = state.next_number
    under_way = state.reserve(order, state.visited.get(order.case, fresh))

    def told(state: State, at: int) -> Iterator[tuple[State, float]]:
        if at == len(order.features):
            yield state, 1.0
            return
        request = state.pending.find(number + at)
        assert request is not None
        for value, chance in enumerate(state.belief.mean(request.feature)[order.label].tolist()):
            bought = Purchase(*request.action, value, request.cost, order.case, request.number)
            for after, likely in told(state.after(bought), at + 1):
                yield after, chance * likely

    yield from told(under_way, 0)


class _Market:
    """Where orders are placed, and at what price, in an endless supply of cases."""

    def __init__(self, charges: Charges, case_rule: str | None) -> None:
        self.charges, self.case_rule = charges, case_rule

    def units(self, state: State) -> int:
        """Return what was spent."""
        return int(Fraction(state.spent) / self.charges.unit)

    def profiles(self, state: State, label: int) -> dict[str | int, Profile]:
        """Return what was bought of each case of a label; who was visited first comes first."""
        held = [
            (name, case.features) for name, case in state.visited.items() if case.label == label
        ]
        return dict(sorted(held, key=lambda each: -int(each[0])))

    def can_sell(self, state: State) -> bool:
        """Whether there is money for anything."""
        left = self.charges.budget - self.units(state)
        every = range(len(self.charges.problem.features))
        return any(
            self.charges.price(label, profile, feature) <= left
            for label in range(len(self.charges.problem.labels))
            for profile in {frozenset[int](), *self.profiles(state, label).values()}
            for feature in every
            if feature not in profile
        )

    def placed(self, state: State, wanted: Order) -> Iterator[tuple[Order, float]]:
        """Yield the order on the cases where it may be placed, each with its probability.

        What the money does not pay for is left out, and what costs nothing more comes along.
        """
        left = self.charges.budget - self.units(state)
        for order in wanted.shortened():
            price, cases = self._cases(state, order, left)
            if price <= left:
                break
        for case in cases:
            so_far = state.visited.get(case, CaseSoFar(label=order.label, name=case))
            every = range(len(self.charges.problem.features))
            here = along(self.charges.problem, replace(order, case=case), so_far, every)
            yield here, 1 / len(cases)

    def _cases(self, state: State, order: Order, left: int) -> tuple[int, Sequence[str | int]]:
        """The price of an order, and a case of each profile on which it may be placed."""
        held = self.profiles(state, order.label)
        fresh = -state.next_number
        amounts = self.charges.amounts[order.label]

        def price(case: str | int) -> int:
            had = held.get(case, frozenset())
            return amounts[had.union(order.features)] - amounts[had]

        if order.case is not None:
            return price(order.case), (order.case,)
        can = {case: had for case, had in held.items() if had.isdisjoint(order.features)}
        if self.case_rule is not None:
            case = self._by_rule(self.case_rule, held, order.features[0], fresh)
            if price(case) <= left:
                return price(case), (case,)
        lowest = min(map(price, (*can, fresh)))
        tied = {had: case for case, had in reversed(can.items()) if price(case) == lowest}
        return lowest, tuple(tied.values()) or (fresh,)

    @staticmethod
    def _by_rule(rule: str, held: dict[str | int, Profile], feature: int, fresh: int) -> str | int:
        can = np.array([*(feature not in had for had in held.values()), True])
        touched = np.array([True] * len(held) + [False])
        place = pick_place(rule, can, sum(feature in had for had in held.values()), touched)
        assert place is not None
        return [*held, fresh][place]


class _Keys:
    """Which situations are the same to a policy: the least of the equivalent ones stands for all.

    A key is the tally, what was bought of each case, and as many of the last purchases as the
    policy looks at; all that were made of one case one after the other count as one.
    """

    def __init__(self, policy: Policy, start: Belief, market: _Market) -> None:
        self._start, self._market = start, market
        self._back = looks_back(policy)
        self._exchanges = price_exchanges(start, market.charges, alike(policy))
        self._moves = [np.argsort(each.positions) for each in self._exchanges]

    def of(self, state: State) -> object:
        """Return the key of a situation."""
        tally = state.belief.tally - self._start.tally
        held = [
            list(self._market.profiles(state, label).values())
            for label in range(len(self._start.problem.labels))
        ]
        recent = self._recent(state.history)
        keys = []
        for exchange, moves in zip(self._exchanges, self._moves, strict=True):
            place = {old: new for new, old in enumerate(exchange.features)}
            cases = []
            for label in exchange.labels:
                moved = [tuple(sorted(place[at] for at in had)) for had in held[label]]
                cases.append(tuple(moved if self._market.case_rule else sorted(moved)))
            seen = tuple((int(moves[position]), case) for position, case in recent)
            keys.append((tally[exchange.positions].tobytes(), tuple(cases), seen))
        return min(keys)

    def _recent(self, history: Sequence[Purchase]) -> list[tuple[int, int]]:
        """What the policy looks at, as positions, each with its case, counted from the end."""
        back, found = self._back, list[tuple[int, int]]()
        numbers: dict[object, int] = {}
        for each in reversed(history):
            same = numbers.setdefault(each.case, len(numbers)) == 0
            if back is not None and (back == 0 or (len(found) >= back and not same)):
                break
            value = each.value
            assert value is not None  # every answer here has one
            position = position_in(self._start.problem, each.feature, each.label, value)
            found.append((position, numbers[each.case]))
        return found
