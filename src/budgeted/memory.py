"""Results that are looked up by the values they were computed from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.cache import Cache, results

_KEY = 500
"""Bytes of a key and of the head of an array, about: the counts of a feature, a few numbers."""
_DECISIONS = 2


class Memory:
    """A store of arrays, by key, with its share of a cache that is bounded in bytes.

    `functools.lru_cache` computes one result per call. Here all missing results of a decision are
    computed in one vectorised step; between decisions only what was bought is missing.
    A problem with very many features needs more than the bound for one decision; then there is
    room for what two decisions need, or nothing would ever be found.
    The last digit of a result can depend on what it was computed together with; results that
    differ by so little are ties for every policy, so no choice depends on the memory.

    >>> memory = Memory()
    >>> numbers = np.array([2, 3, 2])
    >>> memory.rows(numbers.tolist(), lambda missing: numbers[missing] ** 2).tolist()
    [4, 9, 4]
    """

    def __init__(self, cache: Cache[Hashable, Any] = results) -> None:
        self._cache = cache

    def rows(
        self, keys: Sequence[Hashable], compute: Callable[[list[int]], NDArray[Any]]
    ) -> NDArray[Any]:
        """Return the results of all keys, stacked; see `distinct`."""
        found, which = self.distinct(keys, compute)
        return found[which]

    def distinct(
        self, keys: Sequence[Hashable], compute: Callable[[list[int]], NDArray[Any]]
    ) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return the results of all different keys, stacked, and which of them each key has."""
        found: dict[Hashable, NDArray[Any]] = {}
        missing: dict[Hashable, int] = {}
        for position, key in enumerate(keys):
            if key in found or key in missing:
                continue
            row = self._cache.get((self, key))
            if row is None:
                missing[key] = position
            else:
                found[key] = row
        if missing:
            computed = compute(list(missing.values()))
            needed = len(keys) * (computed[0].nbytes + 2 * _KEY)
            self._cache.need(self, _DECISIONS * needed)
            for key, new in zip(missing, computed, strict=True):
                # A copy, so that no stored row keeps the whole stack alive.
                found[key] = new.copy()
                self._cache.put((self, key), found[key], new.nbytes + _KEY)
        places = {key: place for place, key in enumerate(found)}
        which = np.fromiter(map(places.__getitem__, keys), np.intp, len(keys))
        return np.stack(list(found.values())), which
