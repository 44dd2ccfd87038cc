"""What a policy comes to: the losses of all situations in which its money is spent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from budgeted.learners.belief import Belief, Integers
from budgeted.optimal.programme import losses
from budgeted.value.loss import Loss

_AT_ONCE = 2**14


@dataclass(frozen=True)
class Played:
    """The exact result of a policy.

    Attributes
    ----------
    expected
        Its expected loss once the money is spent; None where that cannot be computed.
    situations
        In how many it was asked.
    why_not
        Why there is no result, in words.
    """

    expected: float | None
    situations: int
    why_not: str = ""


class Ends:
    """Adds up the losses of final situations, many at once."""

    def __init__(self, start: Belief, loss: Loss) -> None:
        self._start, self._loss = start, loss
        self._weights: dict[bytes, float] = {}
        self._sums: list[float] = []

    def add(self, tally: Integers, weight: float) -> None:
        """Add a situation with its probability."""
        key = tally.tobytes()
        self._weights[key] = self._weights.get(key, 0.0) + weight
        if len(self._weights) >= _AT_ONCE:
            self._flush()

    def total(self) -> float:
        """Return the expected loss."""
        self._flush()
        return float(np.sum(self._sums))

    def _flush(self) -> None:
        if self._weights:
            tallies = np.frombuffer(b"".join(self._weights), dtype=np.int64)
            found = losses(self._start, tallies.reshape(len(self._weights), -1), self._loss)
            self._sums.append(float(found @ np.array(list(self._weights.values()))))
        self._weights = {}
