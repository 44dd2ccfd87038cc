"""A policy, a learner, a loss and a price list of one's own, found by name once it is installed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted import State
from budgeted.policies import Choice
from budgeted.value.loss import Loss


@dataclass(frozen=True)
class Thrifty:
    """Buy the cheapest value there is; of those, one of the cell with the fewest."""

    name: ClassVar[str] = "thrifty"
    summary: ClassVar[str] = "the cheapest value, evenly over features and labels"

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell that costs least; the score is its price."""
        cells = state.affordable()
        if not cells:
            return None
        asked = [each.action for each in (*state.history, *state.pending)]
        scores = {cell: float(state.price(cell)) for cell in cells}
        chosen = min(cells, key=lambda cell: (scores[cell], asked.count(cell)))
        return Choice(chosen, scores, reason=f"nothing costs less than {state.price(chosen)}")


BHATTACHARYYA = Loss(
    "bhattacharyya",
    term=np.square,
    gather=np.add,
    finish=lambda total, squares: np.sqrt(np.maximum(total**2 - squares, 0) / 2),
    largest=lambda labels: float(np.sqrt((1 - 1 / labels) / 2)),
)
"""With two labels Σ √(P(x, 1) P(x, 2)), a bound on the error (Bhattacharyya, 1943)."""
