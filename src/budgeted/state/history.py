"""What was bought, oldest first: it grows by one purchase at a time, and is never changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import overload

from budgeted.problem.orders import Purchase


class History(Sequence[Purchase]):
    """Purchases in a row, like a tuple; but one more costs the same for ten as for ten thousand.

    A state is immutable, so each has a history of its own. As tuples these would be copies of each
    other, and a study of n purchases would copy n² of them. Here the histories that grew out of one
    another look at one list, each at the beginning that is its own; only where two of them go on
    from the same point, as after a draft that was given up, does one of the two take a copy.

    Examples
    --------
    >>> one = History().then(Purchase(0, 1, value=1, cost=2))
    >>> two, other = one.then(Purchase(0, 0, 1, 2)), one.then(Purchase(1, 0, 0, 3))
    >>> len(one), [each.feature for each in two], [each.feature for each in other]
    (1, [0, 0], [0, 1])
    >>> two[:1] == tuple(one), two == (*one, Purchase(0, 0, 1, 2)), two == other
    (True, True, False)
    >>> two.values
    2

    Attributes
    ----------
    values
        How many of them brought one.
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
