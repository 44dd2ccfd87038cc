"""The events of a study up to a moment, with what finds those about a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import overload

from budgeted.studies.events import Entry, numbers_of


class Entries(Sequence[Entry]):
    """Events in a row, like a tuple; but some more cost the same after ten as after ten thousand.

    A study hands out its events after each of them. As tuples these would be copies of each other.
    Here all that grew out of one another look at one list, each at the beginning that is its own,
    and at one index of it, in which what came later is passed over.

    >>> from decimal import Decimal
    >>> from budgeted.studies.events import Closed, Told
    >>> log = [Entry(1, "2026-01-02T03:04:05Z", "anna", Told(7, "low", Decimal(4)))]
    >>> one = Entries(log)
    >>> log.append(Entry(2, "2026-01-02T03:04:06Z", "ben", Closed("enough")))
    >>> two = one.then(log)
    >>> len(one), len(two), one.people, two.people, two.kinds
    (1, 2, ('anna',), ('anna', 'ben'), ('told', 'closed'))
    >>> two.about(7) == (log[0],), two.about(8)
    (True, ())
    """

    __slots__ = ("_about", "_every", "_kinds", "_length", "_people", "_shown")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._every = entries if isinstance(entries, list) else list(entries)
        self._about: dict[int, list[int]] = {}  # where events about each number are
        self._people: dict[str, int] = {}  # where the first event of each is
        self._kinds: dict[str, int] = {}
        self._length = 0
        self._shown: Callable[[Entry], Entry] | None = None
        self._take()

    def through(self, change: Callable[[Entry], Entry]) -> Entries:
        """Return the same events, each changed when it is looked at, for who may not see all."""
        new = self._again()
        new._shown = change
        return new

    def then(self, entries: list[Entry]) -> Entries:
        """Return all events that a list holds by now: the same list, or another history."""
        if entries is not self._every:
            return Entries(entries)
        if len(entries) == self._length:
            return self
        new = self._again()
        new._take()
        return new

    def _again(self) -> Entries:
        new = object.__new__(Entries)
        for name in Entries.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def _take(self) -> None:
        """Take in what the list holds beyond the end."""
        for place in range(self._length, len(self._every)):
            entry = self._every[place]
            self._people.setdefault(entry.by, place)
            self._kinds.setdefault(entry.event.kind, place)
            for number in numbers_of(entry.event):
                self._about.setdefault(number, []).append(place)
        self._length = len(self._every)

    def about(self, number: int) -> tuple[Entry, ...]:
        """Return the events about a request or recorded value, oldest first."""
        places = self._about.get(number, ())
        return self._at(place for place in places if place < self._length)

    @property
    def people(self) -> tuple[str, ...]:
        """Who did something, the first one first."""
        return self._until_now(self._people)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Which kinds of events there are, the first one first."""
        return self._until_now(self._kinds)

    def _until_now(self, first: dict[str, int]) -> tuple[str, ...]:
        # `list` of a dictionary is one step, so that no other thread can add to it meanwhile.
        return tuple(name for name, place in list(first.items()) if place < self._length)

    def _at(self, places: Iterable[int]) -> tuple[Entry, ...]:
        found = [self._every[place] for place in places]
        return tuple(found if self._shown is None else map(self._shown, found))

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Entry]:
        found = islice(self._every, self._length)
        return found if self._shown is None else map(self._shown, found)

    def __reversed__(self) -> Iterator[Entry]:
        found = (self._every[place] for place in range(self._length - 1, -1, -1))
        return found if self._shown is None else map(self._shown, found)

    @overload
    def __getitem__(self, at: int) -> Entry: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, at: int | slice) -> Entry | tuple[Entry, ...]:
        places = range(self._length)[at]
        return self._at(places) if isinstance(places, range) else self._at([places])[0]
