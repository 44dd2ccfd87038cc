"""Wishes for the next orders: this patient, not that machine, no more than the money of a week.

A policy knows nothing of wishes. It is asked about a state in which nothing else can be bought.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from budgeted.problem import money
from budgeted.state import State
from budgeted.studies.events import OPEN, Asked

if TYPE_CHECKING:
    from budgeted.studies.projection import Projection


@dataclass(frozen=True)
class Wishes:
    """What may be ordered; anything, unless said otherwise."""

    case: str | None = None  # the only case that may be asked: the patient who is here now
    features: frozenset[int] | None = None
    at_most: Decimal | None = None  # what the next order may cost

    def after(self, asked: Asked) -> Wishes:
        """Return what may still be ordered after an order."""
        if self.at_most is None:
            return self
        spent = money.total([line.cost for line in asked.lines])
        return replace(self, at_most=max(Decimal(0), money.subtract(self.at_most, spent)))

    def restrict(self, state: State, study: Projection) -> State:
        """Return the state of a study as if nothing else could be bought."""
        if self.at_most is not None:
            least = self.at_most if state.at_most is None else min(self.at_most, state.at_most)
            state = state.changed(at_most=least)
        if self.case is None and self.features is None:
            return state
        left = state.cases_left.copy()
        if self.features is not None:
            left[[at for at in range(len(left)) if at not in self.features]] = 0
        if self.case is not None:
            row = study.names.rows[self.case]
            here = np.zeros_like(left)
            here[study.cells[row] == OPEN, study.case_labels[row]] = 1
            left = np.minimum(left, here)
            visited = {name: each for name, each in state.visited.items() if name == self.case}
            fresh = {} if self.case in visited else {study.groups.get(self.case, ""): 1}
            groups = {int(study.case_labels[row]): fresh} if study.groups else {}
            state = state.changed(visited=visited, fresh_groups=groups)
        left.setflags(write=False)
        return state.changed(cases_left=left)
