"""RelativeBR2: stay while a purchase changes the classifier not much less than the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.policies.hindsight import last_change
from budgeted.policies.parameters import check_number
from budgeted.policies.turns import take_turn
from budgeted.state import State


@dataclass(frozen=True)
class RelativeRobin:
    """Stay with a feature while its change is more than a share of the change before it.

    RelativeBR2 of Deng, Zheng, Bourke, Scott and Masciale (2013), *New algorithms for budgeted
    learning*, Machine Learning 90(1). As `budgeted.policies.abr2`, but what counts as enough is
    `share` times what the purchase before changed, of whatever feature it was. The first purchase
    is compared with nothing: any change is enough.

    Parameters
    ----------
    share
        Of the change before, above 0; 0.3 as published.

    Examples
    --------
    >>> from budgeted import Feature, Problem, Purchase, State
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> state = State.start(problem)
    >>> for _ in range(2):
    ...     state = state.after(Purchase(0, 1, value=1, cost=1))
    >>> RelativeRobin().choose(state, np.random.default_rng(0)).reason
    "the last purchase changed the classifier by 0.0571, more than 0.0429: stay with 'fever'"
    """

    name: ClassVar[str] = "rbr2"
    summary: ClassVar[str] = "stay with a feature while its changes do not fade too fast"
    looks_back: ClassVar[int] = 2
    alike: ClassVar[tuple[str, ...]] = ("labels", "values")

    share: float = 0.3

    def __post_init__(self) -> None:
        check_number("share", self.share)

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return a cell of the current or the next feature; its scores count the turns."""
        if not state.affordable():
            return None
        stay, reason = last_change(
            state, lambda earlier: self.share * earlier[-1] if earlier else 0.0
        )
        return take_turn(state, rng, stay=stay, reason=reason)
