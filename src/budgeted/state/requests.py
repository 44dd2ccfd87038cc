"""What was bought, what is under way, and the requests that an order makes.

A state is immutable, so each has collections of its own; but one more or one less is no copy of
all, nor is it a copy to keep what is held by number now, while that goes on changing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import TypeVar, overload

from budgeted.errors import PurchaseError
from budgeted.problem import Action, CaseSoFar, Order, Problem
from budgeted.problem.orders import Purchase, Request, lines

Cell = tuple[int | str, int | str]
"""A feature and a label, as positions or names."""

Held = TypeVar("Held")

_BLOCK = 128
"""Numbers that are kept together; a change copies one block and the list of blocks."""


class Numbered(MutableMapping[int, Held]):
    """A map from numbers, like a dictionary; but keeping what it holds now costs next to nothing.

    Whoever looks at a study needs its requests as they were at one moment, while the study goes on.
    A copy of 25 000 for each event would take longer than the event. Here numbers lie in blocks:
    `kept` shares them all, and whoever changes one afterwards takes a copy of that block first.

    >>> numbered = Numbered[str]()
    >>> numbered.update({1: "pending", 2: "pending", 700: "pending"})
    >>> before = numbered.kept()
    >>> numbered[2] = "told"
    >>> before[2], numbered[2], len(before), list(numbered)
    ('pending', 'told', 3, [1, 2, 700])
    """

    __slots__ = ("_blocks", "_length", "_own")

    def __init__(self) -> None:
        self._blocks: dict[int, dict[int, Held]] = {}
        self._own: set[int] = set()  # blocks that nobody else looks at
        self._length = 0

    def kept(self) -> Numbered[Held]:
        """Return what it holds now; neither changes with the other."""
        made = Numbered[Held]()
        made._blocks, made._length = self._blocks.copy(), self._length
        self._own.clear()
        return made

    def through(self, change: Callable[[Held], Held]) -> Mapping[int, Held]:
        """Return what it holds, each changed when it is looked at, for who may not see all."""
        return _Through(self, change)

    def __getitem__(self, number: int) -> Held:
        return self._blocks[number // _BLOCK][number]

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number in self._blocks.get(number // _BLOCK, ())

    def __setitem__(self, number: int, held: Held) -> None:
        block = self._to_change(number // _BLOCK)
        self._length += number not in block
        block[number] = held

    def __delitem__(self, number: int) -> None:
        if number not in self:
            raise KeyError(number)
        del self._to_change(number // _BLOCK)[number]
        self._length -= 1

    def _to_change(self, place: int) -> dict[int, Held]:
        if place not in self._own:
            self._blocks[place] = dict(self._blocks.get(place, ()))
            self._own.add(place)
        return self._blocks[place]

    def __iter__(self) -> Iterator[int]:
        for block in self._blocks.values():
            yield from block

    def __len__(self) -> int:
        return self._length


class _Through(Mapping[int, Held]):
    """A map whose values are changed when they are looked at."""

    __slots__ = ("_change", "_held")

    def __init__(self, held: Mapping[int, Held], change: Callable[[Held], Held]) -> None:
        self._held, self._change = held, change

    def __getitem__(self, number: int) -> Held:
        return self._change(self._held[number])

    def __iter__(self) -> Iterator[int]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


class Pending(Sequence[Request]):
    """Requests in the order of their numbers, like a tuple, but also a map from these.

    A state is immutable, so that a study with n requests under way would copy n of them to settle
    one. Here they lie in blocks by number, and a change makes a new block and a new list of blocks:
    of 8 000 requests, about 200 references instead of 8 000.

    >>> from decimal import Decimal
    >>> three = Pending(Request(number, 0, 0, Decimal(1)) for number in (1, 2, 300))
    >>> fewer = three.without(2)
    >>> [each.number for each in fewer], len(three), fewer.find(2), fewer.find(300).number
    ([1, 300], 3, None, 300)
    """

    __slots__ = ("_blocks", "_length")

    def __init__(self, requests: Iterable[Request] = ()) -> None:
        blocks: dict[int, dict[int, Request]] = {}
        for each in sorted(requests, key=lambda each: each.number):
            blocks.setdefault(each.number // _BLOCK, {})[each.number] = each
        self._blocks: Mapping[int, Mapping[int, Request]] = blocks
        self._length = sum(map(len, blocks.values()))

    def find(self, number: int) -> Request | None:
        """Return the request of that number, or None."""
        block = self._blocks.get(number // _BLOCK)
        return None if block is None else block.get(number)

    def with_one(self, request: Request) -> Pending:
        """Return these and one more."""
        place = request.number // _BLOCK
        block = {**self._blocks.get(place, {}), request.number: request}
        if request.number != max(block):  # one that came back
            block = dict(sorted(block.items()))
        blocks = {**self._blocks, place: block}
        if place not in self._blocks and place != max(blocks):
            blocks = dict(sorted(blocks.items()))
        return self._made(blocks, self._length + (self.find(request.number) is None))

    def without(self, number: int) -> Pending:
        """Return these but one, which must be among them."""
        place = number // _BLOCK
        blocks = dict(self._blocks)
        block = dict(blocks[place])
        del block[number]
        if block:
            blocks[place] = block
        else:
            del blocks[place]
        return self._made(blocks, self._length - 1)

    @staticmethod
    def _made(blocks: Mapping[int, Mapping[int, Request]], length: int) -> Pending:
        new = Pending.__new__(Pending)
        new._blocks, new._length = blocks, length
        return new

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Request]:
        for block in self._blocks.values():
            yield from block.values()

    @overload
    def __getitem__(self, at: int) -> Request: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Request, ...]: ...
    def __getitem__(self, at: int | slice) -> Request | tuple[Request, ...]:
        if isinstance(at, slice):
            return tuple(self)[at]
        place = range(self._length)[at]
        return next(islice(self, place, None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pending | tuple):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[Pending], tuple[tuple[Request, ...]]]:
        return Pending, (tuple(self),)

    def __repr__(self) -> str:
        return f"Pending({list(self)!r})"


def requests_of(
    problem: Problem,
    wanted: Order | Cell,
    number: int,
    case: CaseSoFar | None,
    prices: Sequence[Decimal] | None,
) -> list[Request]:
    """Return the requests of an order, after checking that it can be one.

    >>> from budgeted import Feature
    >>> features = [Feature("fever", ("no", "yes"), 1), Feature("scan", ("no", "yes"), 4)]
    >>> problem = Problem(features, ("well", "ill"), prior=(0.5, 0.5), budget=9)
    >>> [str(each.cost) for each in requests_of(problem, Order((1, 0), 1), 7, None, None)]
    ['4', '1']
    """
    if not isinstance(wanted, Order):
        cell = _cell(problem, wanted)
        if case is None and prices is None:  # as simulations and policies ask, thousands of times
            return [Request(number, *cell, problem.fresh_prices[cell.feature][cell.label])]
        wanted = Order((cell.feature,), cell.label)
    order = wanted
    cells = [problem.action_at(feature, order.label) for feature in order.features]
    if not cells:
        raise PurchaseError("order: must have at least one feature")
    had = set() if case is None else set(case.features)
    for cell in cells:
        if cell.feature in had:
            name = problem.features[cell.feature].name
            raise PurchaseError(f"order: feature {name!r} is ordered twice of the same case")
        had.add(cell.feature)
    if prices is None:
        prices = _prices(problem, order, case)
    if len(prices) != len(cells):
        raise PurchaseError(f"order: has {len(cells)} features and {len(prices)} prices")
    return [Request(number + at, *cell, prices[at], order.case) for at, cell in enumerate(cells)]


def as_order(problem: Problem, cell: Cell) -> Order:
    """Return the order of a single cell, given by names or positions."""
    action = _cell(problem, cell)
    return Order((action.feature,), action.label)


def _cell(problem: Problem, cell: Cell) -> Action:
    if isinstance(cell, Action):
        return problem.action_at(*cell)
    if not isinstance(cell, tuple) or len(cell) != 2:
        raise PurchaseError(f"action: must be a pair (feature, label), got {cell!r}")
    return problem.action(*cell)


def _prices(problem: Problem, order: Order, case: CaseSoFar | None) -> Sequence[Decimal]:
    return lines(problem.prices, order, CaseSoFar(label=order.label) if case is None else case)


class History(Sequence[Purchase]):
    """Purchases in a row, like a tuple; but one more costs the same for ten as for ten thousand.

    A state is immutable, so each has a history of its own. As tuples these would be copies of each
    other, and a study of n purchases would copy n² of them. Here the histories that grew out of one
    another look at one list, each at the beginning that is its own; only where two of them go on
    from the same point, as after a draft that was given up, does one of the two take a copy.

    >>> one = History().then(Purchase(0, 1, value=1, cost=2))
    >>> two, other = one.then(Purchase(0, 0, 1, 2)), one.then(Purchase(1, 0, 0, 3))
    >>> len(one), [each.feature for each in two], [each.feature for each in other]
    (1, [0, 0], [0, 1])
    >>> two[:1] == tuple(one), two == (*one, Purchase(0, 0, 1, 2)), two == other
    (True, True, False)
    >>> two.values
    2
    """

    __slots__ = ("_length", "_shared", "values")

    def __init__(self, purchases: Iterable[Purchase] = ()) -> None:
        self._shared = list(purchases)
        self._length = len(self._shared)
        self.values = sum(each.value is not None for each in self._shared)

    def then(self, purchase: Purchase) -> History:
        """Return the history with one more purchase."""
        new = History.__new__(History)
        shared, at = self._shared, self._length
        if len(shared) == at:
            shared.append(purchase)
        # Whoever was first at this place has it; looking afterwards, two threads cannot both be.
        if shared[at] is not purchase:
            shared = [*shared[:at], purchase]
        new._shared, new._length = shared, at + 1
        new.values = self.values + (purchase.value is not None)
        return new

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Purchase]:
        return islice(self._shared, self._length)

    @overload
    def __getitem__(self, at: int) -> Purchase: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Purchase, ...]: ...
    def __getitem__(self, at: int | slice) -> Purchase | tuple[Purchase, ...]:
        places = range(self._length)[at]
        if isinstance(places, range):
            return tuple([self._shared[place] for place in places])
        return self._shared[places]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History | tuple):
            return NotImplemented
        if isinstance(other, History) and self._shared is other._shared:
            return self._length == other._length
        return tuple(self) == tuple(other)  # which asks first whether they are the same objects

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[History], tuple[tuple[Purchase, ...]]]:
        return History, (tuple(self),)  # without what others have beyond it

    def __repr__(self) -> str:
        return f"History({list(self)!r})"
