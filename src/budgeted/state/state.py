"""Where a study stands: what is known, what was bought, what is under way, and the money.

All budget arithmetic of the package is here. A state is immutable; the simulator and a real study
fold it forward with the same steps: `State.reserve`, `State.after` and `State.release`. What only
real studies need is here too: a value that was wrong, cases that come and go, another budget; more
of it is in `budgeted.state.revisions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from budgeted.errors import PurchaseError
from budgeted.learners.belief import Belief, Floats, Integers
from budgeted.problem import Action, CaseSoFar, Order, Problem, money, position_of
from budgeted.problem.orders import Purchase, Request
from budgeted.state.offers import NO_LIMIT, Offers, supply_of
from budgeted.state.requests import Cell, History, Pending, as_order, requests_of

_NEXT_TO_NOTHING = 1e-6
"""Of the lowest price on a fresh case."""


@dataclass(frozen=True, eq=False)
class State:
    """Everything that a policy may look at.

    Parameters
    ----------
    problem, belief
        What is for sale, and what is known.
    remaining
        Budget not yet spent; what is reserved for pending requests is part of it.
    history
        All purchases, oldest first.
    pending
        Requests under way, by number.
    cases_left
        How many cases each cell can still be bought from, features × labels: those of the label
        on which the feature was neither bought nor requested.
    next_number
        Number of the next request or purchase; they are counted in the order they were asked for.
    last_action
        The cell that was asked for last, whatever became of it.
    reserved
        Money that the pending requests will cost; kept up to date by the steps, because adding it
        up anew at each of them would make a batch of n requests cost n².
    visited
        What there is of each case from which something was bought or requested, by its name; kept
        only where the price list looks at it.
    today
        The day of the decision, for prices that depend on it; None where there is no calendar.
    at_most
        What the next order may cost, where that is less than the free money.
    fresh_groups
        Where cases belong to groups: of each label, how many of each group were not visited.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), "0.1")], ("well", "ill"),
    ...                   prior=(0.5, 0.5), budget="0.3")
    >>> state = State.start(problem, cases=(20, 1))
    >>> for value in (0, 1, 1):
    ...     state = state.after(Purchase(0, 0, value, "0.1"))
    >>> state.spent, state.free, state.affordable()
    (Decimal('0.3'), Decimal('0.0'), ())
    """

    problem: Problem
    belief: Belief
    remaining: Decimal
    history: History = field(default_factory=History)
    pending: Pending = field(default_factory=Pending)
    cases_left: Integers = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    next_number: int = 1
    last_action: Action | None = None
    reserved: Decimal = Decimal(0)
    visited: Mapping[str | int, CaseSoFar] = field(default_factory=dict)
    today: date | None = None
    at_most: Decimal | None = None
    fresh_groups: Mapping[int, Mapping[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.history, History):
            object.__setattr__(self, "history", History(self.history))
        if not isinstance(self.pending, Pending):
            object.__setattr__(self, "pending", Pending(self.pending))
        shape = (len(self.problem.features), len(self.problem.labels))
        if self.cases_left.size == 0:
            endless = np.full(shape, NO_LIMIT, dtype=np.int64)
            endless.setflags(write=False)
            object.__setattr__(self, "cases_left", endless)
        if self.cases_left.shape != shape:
            raise PurchaseError(
                f"cases_left: must be {shape[0]} features × {shape[1]} labels, "
                f"got {self.cases_left.shape}"
            )
        if not 0 <= self.remaining <= self.problem.budget:
            raise PurchaseError(
                f"remaining: must be from 0 to the budget {self.problem.budget}, "
                f"got {self.remaining}"
            )

    @classmethod
    def start(
        cls,
        problem: Problem,
        cases: Sequence[int] | Integers | None = None,
        belief: Belief | None = None,
    ) -> State:
        """Return the state with the whole budget and nothing bought.

        Parameters
        ----------
        problem
            What is for sale.
        cases
            How many cases there are of each label, or, where not all of them can give every
            feature, an array of how many can, features × labels. An endless supply unless given.
        belief
            What is known already; the problem's prior unless given.
        """
        supply = supply_of(problem, cases)
        known = Belief.prior(problem) if belief is None else belief
        if getattr(known, "problem", None) != problem:
            raise PurchaseError("belief: is about another problem than the one given")
        return cls(problem, known, problem.budget, cases_left=supply)

    def __repr__(self) -> str:
        money = f"spent {self.spent}, reserved {self.reserved}, free {self.free}"
        return f"State({len(self.history)} purchases, {len(self.pending)} pending, {money})"

    @cached_property
    def spent(self) -> Decimal:
        """Money that is gone."""
        return money.subtract(self.problem.budget, self.remaining)

    @cached_property
    def free(self) -> Decimal:
        """Money that can be spent now: spent + reserved + free = budget."""
        return money.subtract(self.remaining, self.reserved)

    @property
    def spendable(self) -> Decimal:
        """What the next order may cost: the free money, or less if there is a wish for that."""
        return self.free if self.at_most is None else min(self.free, self.at_most)

    @cached_property
    def offers(self) -> Offers:
        """What the cases that were visited, and fresh ones, can give, and for how much."""
        return Offers(self.problem, self.visited, self.cases_left, self.today, self.fresh_groups)

    def price(self, action: tuple[int, int]) -> Decimal:
        """Return what the next value of a cell costs: on the case where it costs least."""
        feature, label = action
        if self.problem.separable:
            return self.problem.fresh_prices[feature][label]
        return self.offers.price(feature, label)

    def depths(self, at_most: int | None = None) -> Integers:
        """Return how often each cell could be bought with the free money, features × labels.

        Cases on which it costs least come first: those that were visited, where a fee is paid
        already, and then fresh ones.
        """
        most = NO_LIMIT if at_most is None else at_most
        if not self.problem.separable:
            return self.offers.depths(self.free, self.at_most, most)
        prices, table = self.problem.distinct_prices
        paid_for = np.asarray([min(money.how_many(self.free, price), most) for price in prices])
        if self.at_most is not None:
            paid_for[[price > self.at_most for price in prices]] = 0
        result: Integers = np.minimum(self.cases_left, paid_for[table])
        return result

    def costs(self) -> Floats:
        """Return what the next value of each cell costs, features × labels, as plain numbers.

        What is free, because a panel was paid for whole, counts as next to nothing, so that one
        can divide by it.
        """
        if self.problem.separable:
            return np.array(self.problem.fresh_prices, dtype=float)
        now = [
            [self.price((feature, label)) for label in range(len(row))]
            for feature, row in enumerate(self.problem.fresh_prices)
        ]
        lowest = float(min(map(min, self.problem.fresh_prices)))
        result: Floats = np.maximum(np.array(now, dtype=float), _NEXT_TO_NOTHING * lowest)
        return result

    def purchases(self, labels: Integers) -> Integers:
        """Return how many values of each feature the free money pays for, whatever the label.

        Parameters
        ----------
        labels
            How often each cell could be bought, as `depths` says.
        """
        if not self.problem.separable:
            return self.offers.purchases(self.free, self.at_most)
        prices = self.problem.lowest_prices
        paid = np.asarray([money.how_many(self.free, price) for price in prices])
        result: Integers = np.minimum(paid, labels.sum(axis=1))
        return result

    def affordable(self) -> tuple[Action, ...]:
        """Return the cells that can be bought now: money for one, and a case to buy it from."""
        return tuple(compress(self.problem.actions, self.depths(at_most=1).ravel().tolist()))

    def under_way(self) -> dict[Action, int]:
        """Return how many requests are pending of each cell."""
        counts = Counter([(each.feature, each.label) for each in self.pending])
        return {Action(*cell): number for cell, number in counts.items()}

    def last_purchase(self) -> Purchase | None:
        """Return the purchase that was asked for last; None while it is not back, or cancelled."""
        wanted = self.next_number - 1
        return next((each for each in reversed(self.history) if each.number == wanted), None)

    def reserve(
        self,
        wanted: Order | Cell,
        case: CaseSoFar | None = None,
        prices: Sequence[Decimal] | None = None,
    ) -> State:
        """Return the state with one more order under way; its requests are the last of `pending`.

        Parameters
        ----------
        wanted
            An `Order` of one or more features of one case; or one cell, as an `Action` or as the
            names of a feature and a label.
        case
            What was bought of the case before. Unless given, nothing; or where that matters for
            the price, what is known of the case of the order, or of the one where it costs least.
        prices
            Of each feature of the order, where they are known: a journal says what was reserved.
            What the price list says, unless given.
        """
        if not self.problem.separable and case is None and prices is None:
            wanted, case = self._placed(wanted)
        requests = requests_of(self.problem, wanted, self.next_number, case, prices)
        one = len(requests) == 1
        total = requests[0].cost if one else money.total([each.cost for each in requests])
        self.check_money(total)
        pending, cases_left = self.pending, self.cases_left
        for request in requests:
            pending, cell = pending.with_one(request), request.action
            cases_left = self._cases_left_with(cell, -1, cases_left)
        reserved = self.changed(
            pending=pending,
            cases_left=cases_left,
            next_number=self.next_number + len(requests),
            last_action=cell,
            reserved=money.add(self.reserved, total),
        )
        if self.problem.separable or not isinstance(wanted, Order) or wanted.case is None:
            return reserved
        return reserved.having(wanted.case, wanted.label, wanted.features, wanted.day)

    def _placed(self, wanted: Order | Cell) -> tuple[Order, CaseSoFar]:
        """An order on the case where it costs least, and what there is of that case.

        A fresh case gets a number that no case has, so that its next value can cost less.
        """
        order = wanted if isinstance(wanted, Order) else as_order(self.problem, wanted)
        if order.case is None:
            found = self.offers.cheapest(order.features, order.label)
            named = found is not None and found[1].cases
            order = replace(order, case=named[0] if named else -self.next_number)
        if order.day is None:
            order = replace(order, day=self.today)
        fresh = CaseSoFar(label=order.label, name=order.case)
        return order, self.visited.get(order.case, fresh)  # type: ignore[arg-type]

    def having(
        self, case: str | int, label: int, features: Iterable[int], day: date | None = None
    ) -> State:
        """Return the state with these features of a case bought, or under way, from one order."""
        old = self.visited.get(case, CaseSoFar(label=label, name=case))
        return self.seeing(case, old.and_visit(features, day))

    def seeing(self, case: str | int, so_far: CaseSoFar | None) -> State:
        """Return the state in which a case is as given; None for one that is not visited."""
        visited = dict(self.visited)
        if so_far is None:
            visited.pop(case, None)
        else:
            visited[case] = so_far
        return self.changed(visited=visited)

    def release(self, number: int) -> State:
        """Return the state without a pending request: its money and its case are free again."""
        request = self._request(number)
        released = self.changed(
            pending=self.pending.without(number),
            cases_left=self._cases_left_with(request.action, +1),
            reserved=money.subtract(self.reserved, request.cost),
        )
        case = request.case
        if case is None or case not in self.visited:
            return released
        return released.seeing(case, self.visited[case].without(request.feature))

    def after(self, purchase: Purchase) -> State:
        """Return the state after a purchase: paid for, observed, in the history.

        A purchase with a number settles the pending request of that number.
        """
        cell, value = self._positions(purchase)
        if (*cell, value) != (purchase.feature, purchase.label, purchase.value):  # names
            purchase = replace(purchase, feature=cell.feature, label=cell.label, value=value)
        changes: dict[str, Any] = {}
        if purchase.number is None:
            self.check_money(purchase.cost)
            purchase = purchase.numbered(self.next_number)
            changes["next_number"] = self.next_number + 1
            changes["last_action"] = cell
            changes["cases_left"] = self._cases_left_with(cell, -1)
        else:
            request = self._request(purchase.number)
            if request.action != cell:
                raise PurchaseError(
                    f"request {request.number} asked for {self._words(request.action)}, "
                    f"not for {self._words(cell)}"
                )
            if purchase.cost > request.cost:
                self.release(purchase.number).check_money(purchase.cost)
            # Its case was set aside when it was reserved.
            changes["pending"] = self.pending.without(request.number)
            changes["reserved"] = money.subtract(self.reserved, request.cost)
        if value is not None:
            changes["belief"] = self.belief.observe_at(*cell, value)
        paid = self.changed(
            remaining=money.subtract(self.remaining, purchase.cost),
            history=self.history.then(purchase),
            **changes,
        )
        if self.problem.separable or purchase.case is None or "pending" in changes:
            return paid
        return paid.having(purchase.case, cell.label, (cell.feature,), self.today)

    def resupplied(self, cells: Iterable[tuple[int, int]], change: int) -> State:
        """Return the state with `change` more cases (fewer if negative) for each of these cells."""
        state = self
        for cell in cells:
            state = state.changed(
                cases_left=state._cases_left_with(self.problem.action_at(*cell), change)
            )
        return state

    def changed(self, **changes: Any) -> State:
        """Like `dataclasses.replace`, which would take most of the time of replaying a study."""
        new = object.__new__(State)
        old = self.__dict__
        new.__dict__.update({name: old[name] for name in _FIELDS})
        new.__dict__.update(changes)
        return new

    def _positions(self, purchase: Purchase) -> tuple[Action, int | None]:
        """The cell and the value of a purchase, which has positions, or names, or both.

        Next to a name, a number could be a name as well; where it may be either, it is refused.
        """
        named = str in map(type, (purchase.feature, purchase.label, purchase.value))
        at = self.problem.action if named else self.problem.action_at
        cell = at(purchase.feature, purchase.label)
        if purchase.value is None:
            return cell, None
        owner = self.problem.features[cell.feature]
        if named:
            return cell, owner.value_index(purchase.value)
        wrong = f"feature {owner.name!r} has no value"
        return cell, position_of(purchase.value, owner.values, wrong)

    def _words(self, cell: Action) -> str:
        name, label = self.problem.features[cell.feature].name, self.problem.labels[cell.label]
        return f"feature {name!r} of label {label!r}"

    def check_money(self, cost: Decimal) -> None:
        """Raise an error unless so much is free."""
        if cost > money.subtract(self.remaining, self.reserved):
            raise PurchaseError(
                f"cost {cost} is more than the free {self.free} of the budget "
                f"{self.problem.budget} (spent {self.spent}, reserved {self.reserved})"
            )

    def _cases_left_with(
        self, cell: Action, change: int, cases_left: Integers | None = None
    ) -> Integers:
        left = self.cases_left if cases_left is None else cases_left
        if left[cell] == NO_LIMIT:
            return left
        if left[cell] + change < 0:
            raise PurchaseError(f"no case is left to buy {self._words(cell)} from")
        changed = left.copy()
        changed[cell] += change
        changed.setflags(write=False)
        return changed

    def _request(self, number: int) -> Request:
        found = self.pending.find(number)
        if found is not None:
            return found
        known = ", ".join(str(each.number) for each in self.pending) or "none"
        raise PurchaseError(f"request {number} is not pending; pending are: {known}")


_FIELDS = tuple(each.name for each in fields(State))
