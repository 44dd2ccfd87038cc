"""What was computed before, kept within a number of bytes.

A server runs for months, and what it remembers must not grow with what people looked at. A bound
on the number of results is no bound on memory: a result can be ten bytes or ten megabytes. So
everything that is remembered to save time is kept here, and bounded in bytes.

What the engines compute has *one* bound, `results`, whichever engine it was: a bound for each would
add up to several times as much, of which some part is always still filling.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")

_PLACE = 200
"""Bytes of an entry besides its key and its value: about what a dictionary needs for it."""


class Cache(Generic[Key, Value]):
    """Values by key, of a bounded size together; the least recently used go first.

    It can be used by several threads.

    >>> cache = Cache[str, bytes](most_bytes=10_000)
    >>> for name in "abc":
    ...     cache.put(name, bytes(4_000))
    >>> "a" in cache, "b" in cache, "c" in cache, cache.bytes <= 10_000
    (False, True, True, True)
    """

    def __init__(self, most_bytes: int) -> None:
        self._usual = most_bytes
        self._needs: dict[Hashable, int] = {}
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()
        self.bytes = 0

    @property
    def most_bytes(self) -> int:
        """How much is kept at most."""
        return max(self._usual, sum(self._needs.values()))

    def need(self, who: Hashable, number: int) -> None:
        """Say how many bytes somebody needs at once, until the same says otherwise.

        Where all needs together are more than the usual bound, they are the bound: a cache that is
        smaller than what one decision looks up would never find anything.
        """
        with self._lock:
            self._needs[who] = number
            self._make_room()

    def __contains__(self, key: Key) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """Return a value, or None if it is not kept (any more)."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value, size: int | None = None) -> None:
        """Keep a value, and let go of others if it needs their room."""
        needed = _PLACE + (size_of((key, value)) if size is None else size)
        with self._lock:
            self._drop(key)
            if needed > self.most_bytes:
                return
            self._kept[key] = (value, needed)
            self.bytes += needed
            self._make_room()

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._needs.clear()
            self.bytes = 0

    def _make_room(self) -> None:
        most = self.most_bytes
        while self.bytes > most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        found = self._kept.pop(key, None)
        if found is not None:
            self.bytes -= found[1]


MOST_RESULTS = 2**24
"""Bytes of all results of all engines of a process. The next decision of a study needs a few
megabytes of them; more would serve studies that nobody looks at.
"""
results: Cache[Hashable, Any] = Cache(MOST_RESULTS)
"""What the engines computed; no result depends on whether it is found here."""


class Remembered(Generic[Arguments, Value]):
    """A function whose results are remembered."""

    def __init__(
        self, function: Callable[Arguments, Value], cache: Cache[Hashable, Any] = results
    ) -> None:
        update_wrapper(self, function)
        self._function = function
        self._cache = cache

    def __call__(self, *positional: Arguments.args, **named: Arguments.kwargs) -> Value:
        """Return what the function returns for these arguments, or did before."""
        key = (self._function, positional, *sorted(named.items()))
        found: Value | None = self._cache.get(key)
        if found is None:
            found = self._function(*positional, **named)
            self._cache.put(key, found)
        return found


def remembered(function: Callable[Arguments, Value]) -> Remembered[Arguments, Value]:
    """Remember the results of a function, as `functools.lru_cache` does, but bounded in bytes.

    All such functions share the bytes of `results`.

    >>> @remembered
    ... def squares(number):
    ...     print("computing")
    ...     return np.arange(number) ** 2
    >>> len(squares(9)), len(squares(9))
    computing
    (9, 9)
    """
    return Remembered(function)


def size_of(thing: object) -> int:
    """Return about how many bytes of memory a value holds, with all that it refers to.

    What two parts of it share counts once; modules, classes and functions do not count.

    >>> size_of(np.zeros(1000)) >= 8000, size_of("a" * 1000) >= 1000
    (True, True)
    >>> shared = bytes(1000)
    >>> size_of([shared, shared]) < 1500
    True
    """
    total, seen, left = 0, set(), [thing]
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each, _NOT_OURS):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray) and each.base is not None:
            left.append(each.base)  # a view keeps all of it alive
            total += _PLACE
            continue
        total += sys.getsizeof(each)
        left.extend(_parts(each))
    return total


_NOT_OURS = (type, type(sys), type(size_of), type(len))


def _parts(thing: object) -> list[Any]:
    if isinstance(thing, str | bytes | bytearray | int | float | np.ndarray):
        return []
    if isinstance(thing, dict):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    parts = [vars(thing)] if hasattr(thing, "__dict__") else []
    for kind in type(thing).__mro__:
        names = getattr(kind, "__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                parts.append(getattr(thing, name))
    return parts
