"""Where a study stands: what is known, what was bought, what is under way, and the money.

All budget arithmetic of the package is here. A state is immutable; the simulator and a real study
fold it forward with the same steps: `State.reserve`, `State.after` and `State.release`. What only
real studies need is here too: a value that was wrong, cases that come and go, another budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from budgeted.errors import PurchaseError
from budgeted.learners.belief import Belief, Integers
from budgeted.problem import Action, CaseSoFar, Order, Problem, money, position_of
from budgeted.problem.money import MoneyLike
from budgeted.problem.orders import Purchase, Request
from budgeted.state.history import History
from budgeted.state.pending import Cell, Pending, requests_of

NO_LIMIT = np.iinfo(np.int64).max
"""Cases left where the supply is endless."""


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
        cases: Sequence[int] | None = None,
        belief: Belief | None = None,
    ) -> State:
        """Return the state with the whole budget and nothing bought.

        Parameters
        ----------
        problem
            What is for sale.
        cases
            How many cases there are of each label; an endless supply unless given.
        belief
            What is known already; the problem's prior unless given.
        """
        labels = len(problem.labels)
        supply = [NO_LIMIT] * labels if cases is None else cases
        if not (
            isinstance(supply, Sequence)
            and len(supply) == labels
            and all(_is_count(number) for number in supply)
        ):
            raise PurchaseError(
                f"cases: must be a whole number from 0 for each of {labels} labels, got {cases!r}"
            )
        known = Belief.prior(problem) if belief is None else belief
        if getattr(known, "problem", None) != problem:
            raise PurchaseError("belief: is about another problem than the one given")
        cases_left = np.tile(np.asarray(supply, dtype=np.int64), (len(problem.features), 1))
        cases_left.setflags(write=False)
        return cls(problem, known, problem.budget, cases_left=cases_left)

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

    def price(self, action: tuple[int, int]) -> Decimal:
        """Return what one value of a cell costs on a fresh case."""
        feature, label = action
        return self.problem.fresh_prices[feature][label]

    def depths(self, at_most: int | None = None) -> Integers:
        """Return how often each cell could be bought with the free money, features × labels.

        Each time from a fresh case.
        """
        most = NO_LIMIT if at_most is None else at_most
        prices, table = self.problem.distinct_prices
        paid_for = np.asarray([min(money.how_many(self.free, price), most) for price in prices])
        result: Integers = np.minimum(self.cases_left, paid_for[table])
        return result

    def affordable(self) -> tuple[Action, ...]:
        """Return the cells that can be bought now: money for one, and a case to buy it from."""
        return tuple(Action(*cell) for cell in np.argwhere(self.depths(at_most=1)).tolist())

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
            What was bought of the case before; nothing unless given.
        prices
            Of each feature of the order, where they are known: a journal says what was reserved.
            What the price list says, unless given.
        """
        requests = requests_of(self.problem, wanted, self.next_number, case, prices)
        one = len(requests) == 1
        total = requests[0].cost if one else money.total([each.cost for each in requests])
        self._check_money(total)
        pending, cases_left = self.pending, self.cases_left
        for request in requests:
            pending, cell = pending.with_one(request), request.action
            cases_left = self._cases_left_with(cell, -1, cases_left)
        return self._with(
            pending=pending,
            cases_left=cases_left,
            next_number=self.next_number + len(requests),
            last_action=cell,
            reserved=money.add(self.reserved, total),
        )

    def release(self, number: int) -> State:
        """Return the state without a pending request: its money and its case are free again."""
        request = self._request(number)
        return self._with(
            pending=self.pending.without(number),
            cases_left=self._cases_left_with(request.action, +1),
            reserved=money.subtract(self.reserved, request.cost),
        )

    def after(self, purchase: Purchase) -> State:
        """Return the state after a purchase: paid for, observed, in the history.

        A purchase with a number settles the pending request of that number.
        """
        cell, value = self._positions(purchase)
        if (*cell, value) != (purchase.feature, purchase.label, purchase.value):  # names
            purchase = replace(purchase, feature=cell.feature, label=cell.label, value=value)
        changes: dict[str, Any] = {}
        if purchase.number is None:
            self._check_money(purchase.cost)
            purchase = replace(purchase, number=self.next_number)
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
                self.release(purchase.number)._check_money(purchase.cost)
            # Its case was set aside when it was reserved.
            changes["pending"] = self.pending.without(request.number)
            changes["reserved"] = money.subtract(self.reserved, request.cost)
        if value is not None:
            changes["belief"] = self.belief.observe_at(*cell, value)
        return self._with(
            remaining=money.subtract(self.remaining, purchase.cost),
            history=self.history.then(purchase),
            **changes,
        )

    def corrected(self, number: int, value: int | None, cost: MoneyLike | None = None) -> State:
        """Return the state as it would be had a purchase brought another value or cost another sum.

        Parameters
        ----------
        number
            Of the purchase.
        value
            Position of the right value; None when there is none after all.
        cost
            What was really charged; as before unless given.
        """
        at = next((at for at in reversed(range(len(self.history)))
                   if self.history[at].number == number), None)  # fmt: skip
        if at is None:
            raise PurchaseError(f"there is no purchase number {number} to correct")
        old = self.history[at]
        paid = old.cost if cost is None else cost
        new = Purchase(old.feature, old.label, value, paid, old.case, number)
        refunded = self._with(remaining=money.add(self.remaining, old.cost))
        refunded._check_money(new.cost)
        belief = self.belief
        if value is not None:
            belief = belief.observe_at(old.feature, old.label, value)
        if old.value is not None:
            belief = belief.retract_at(old.feature, old.label, old.value)
        return self._with(
            belief=belief,
            remaining=money.subtract(refunded.remaining, new.cost),
            history=History((*self.history[:at], new, *self.history[at + 1 :])),
        )

    def reopened(self, request: Request) -> State:
        """Return the state as it would be had a request not come back: its money is reserved again.

        A purchase of its number leaves the history and the belief, and what it cost is free. Its
        case must be set aside; see `resupplied` for one that is not.
        """
        state = self
        old = next((each for each in reversed(self.history) if each.number == request.number), None)
        if old is not None:
            belief = self.belief
            if old.value is not None:
                belief = belief.retract_at(old.feature, old.label, old.value)
            state = self._with(
                belief=belief,
                remaining=money.add(self.remaining, old.cost),
                history=History(each for each in self.history if each is not old),
            )
        state._check_money(request.cost)
        return state._with(
            pending=self.pending.with_one(request),
            reserved=money.add(self.reserved, request.cost),
        )

    def resupplied(self, cells: Iterable[tuple[int, int]], change: int) -> State:
        """Return the state with `change` more cases (fewer if negative) for each of these cells."""
        state = self
        for cell in cells:
            state = state._with(
                cases_left=state._cases_left_with(self.problem.action_at(*cell), change)
            )
        return state

    def with_budget(self, budget: MoneyLike) -> State:
        """Return the state with another budget, which must cover what is spent and reserved."""
        old = self.problem
        problem = Problem(old.features, old.labels, old.prior, budget, old.prices)
        gone = money.add(self.spent, self.reserved)
        if problem.budget < gone:
            raise PurchaseError(
                f"budget: {problem.budget} is less than the {gone} that is gone already (spent "
                f"{self.spent}, reserved {self.reserved}); give at least that much"
            )
        return self._with(
            problem=problem,
            belief=self.belief.of_problem(problem),
            remaining=money.subtract(problem.budget, self.spent),
        )

    def with_problem(
        self,
        problem: Problem,
        values: Sequence[int | None] | None = None,
        cases_left: Integers | None = None,
    ) -> State:
        """Return the state as it would be had it been about another problem from the start.

        All purchases are folded again, so that the belief depends on nothing but the problem and
        the values: changed cuts that are changed back give the same belief, bit for bit.

        Parameters
        ----------
        problem
            The same labels and budget; its first features are those of before, in their sequence.
        values
            Position of the value of each purchase among the categories of its feature, oldest
            first; as before unless given.
        cases_left
            Features × labels; as before unless given.
        """
        if values is not None:
            changed = zip(self.history, values, strict=True)
            history = History(replace(each, value=value) for each, value in changed)
        else:
            history = self.history
        belief = Belief.prior(problem)
        for each in history:
            if each.value is not None:
                belief = belief.observe_at(each.feature, each.label, each.value)
        return self._with(
            problem=problem,
            belief=belief,
            history=history,
            cases_left=self.cases_left if cases_left is None else cases_left,
        )

    def _with(self, **changes: Any) -> State:
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

    def _check_money(self, cost: Decimal) -> None:
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


def _is_count(number: object) -> bool:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    return whole and 0 <= int(number) <= NO_LIMIT  # type: ignore[call-overload]
