"""WindowedBR2: stay while a purchase changes the classifier more than the last few did."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.hindsight import last_change
from budgeted.policies.parameters import check_count
from budgeted.policies.turns import take_turn
from budgeted.state import State


@dataclass(frozen=True)
class WindowedRobin:
    """Stay with a feature while its change is more than the median of the changes before it.

    WindowedBR2 of Deng, Zheng, Bourke, Scott and Masciale (2013), *New algorithms for budgeted
    learning*, Machine Learning 90(1). As `budgeted.policies.abr2`, but what counts as enough is
    the median of what the last `window` purchases before it changed, of whatever features they
    were; of fewer while there are fewer, and after the first purchase any change is enough.

    Parameters
    ----------
    window
        How many purchases to look back on, 5 as published.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem)
    >>> for _ in range(2):
    ...     state = state.after(Purchase(0, 1, value=1, cost=1))
    >>> WindowedRobin().choose(state, np.random.default_rng(0)).reason
    "the last purchase changed the classifier by 0.0571, not more than 0.1429: on to 'cough'"
    """

    name: ClassVar[str] = "wbr2"
    summary: ClassVar[str] = "stay with a feature while it changes more than the last few did"
    alike: ClassVar[tuple[str, ...]] = ("labels", "values")

    window: int = 5

    def __post_init__(self) -> None:
        check_count("window", self.window)

    @property
    def looks_back(self) -> int:
        """The last purchase, and those whose changes it is compared with."""
        return self.window + 1

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the current or the next feature; its scores count the turns."""
        if not state.affordable():
            return None
        stay, reason = last_change(
            state, lambda earlier: median(earlier[-self.window :]) if earlier else 0.0
        )
        return take_turn(state, rng, stay=stay, reason=reason)
