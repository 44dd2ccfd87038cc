"""The requests under way: found by their number, and one more or one less is no copy of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import overload

from budgeted.purchase import Request

_BLOCK = 128
"""Numbers that are kept together; a change copies one block and the list of blocks."""


class Pending(Sequence[Request]):
    """Requests in the order of their numbers, like a tuple, but also a map from these.

    A state is immutable, so that a study with n requests under way would copy n of them to settle
    one. Here they lie in blocks by number, and a change makes a new block and a new list of blocks:
    of 8 000 requests, about 200 references instead of 8 000.

    Examples
    --------
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
