"""Results that are looked up by the values they were computed from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Memory:
    """A bounded store of arrays, by key; the least recently used go first.

    `functools.lru_cache` computes one result per call. Here all missing results of a decision are
    computed in one vectorised step; between decisions only what was bought is missing.
    The last digit of a result can depend on what it was computed together with; results that
    differ by so little are ties for every policy, so no choice depends on the memory.

    >>> memory = Memory(entries=100)
    >>> numbers = np.array([2, 3, 2])
    >>> memory.rows(numbers.tolist(), lambda missing: numbers[missing] ** 2).tolist()
    [4, 9, 4]
    """

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._stored: OrderedDict[Hashable, NDArray[Any]] = OrderedDict()
        self._lock = Lock()

    def rows(
        self, keys: Sequence[Hashable], compute: Callable[[list[int]], NDArray[Any]]
    ) -> NDArray[Any]:
        """Return the results of all keys, stacked.

        Parameters
        ----------
        keys
            All that a result depends on.
        compute
            Gets the positions in `keys` of the results that are missing, each key once, and
            returns them stacked.
        """
        with self._lock:
            found = {key: self._stored[key] for key in keys if key in self._stored}
            for key in found:
                self._stored.move_to_end(key)
        missing: dict[Hashable, int] = {}
        for position, key in enumerate(keys):
            if key not in found:
                missing.setdefault(key, position)
        if missing:
            computed = compute(list(missing.values()))
            # Copies, so that no stored row keeps the whole stack alive.
            found.update((key, row.copy()) for key, row in zip(missing, computed, strict=True))
            with self._lock:
                self._stored.update((key, found[key]) for key in missing)
                while len(self._stored) > self._entries:
                    self._stored.popitem(last=False)
        return np.stack([found[key] for key in keys])

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._stored.clear()
