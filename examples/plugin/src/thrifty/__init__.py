"""A policy, a learner, a loss and a price list of one's own, found by name once it is installed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeted.loss import Loss
from budgeted.policies import Policy
from budgeted.policies.base import Cell, Scores, View


@dataclass(frozen=True)
class Thrifty(Policy):
    """Buy the cheapest value there is; of those, one of the cell with the fewest."""

    name = "thrifty"
    summary = "the cheapest value, evenly over features and labels"

    def scores(self, now: View) -> NDArray[np.float64]:
        """Return the price of each cell, and next to nothing for each value that there is."""
        return now.cost + 1e-9 * now.bought

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return the price."""
        return f"nothing costs less than {now.state.price(cell)}"


def _geometric(masses: NDArray[np.float64]) -> NDArray[np.float64]:
    total, squares = masses.sum(axis=0), (masses**2).sum(axis=0)
    result: NDArray[np.float64] = np.sqrt(np.maximum(total**2 - squares, 0) / 2)
    return result


BHATTACHARYYA = Loss("bhattacharyya", _geometric)
"""With two labels Σ √(P(x, 1) P(x, 2)), a bound on the error (Bhattacharyya, 1943)."""
