"""Round robin as the paper's text has it: every feature of one case, then the next case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.policies.base import Choice
from budgeted.state import State


@dataclass(frozen=True)
class WholeCases:
    """Buy every feature of a case, then begin another one whose label is drawn from the prior.

    "An entire tuple of values, one for each feature of an instance" (Lizotte, Madani and Greiner,
    2003, Section 1.2). A policy chooses cells and not cases, so this needs the case rule
    ``overlap``: there the case that was begun is the one to go on with. Features that the money
    does not suffice for are passed over.
    """

    name: ClassVar[str] = "whole-cases"
    summary: ClassVar[str] = "every feature of one case, then the next case"
    looks_back: ClassVar[int] = 1

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the next feature of the case that was begun, or the first of another case."""
        affordable = state.affordable()
        if not affordable:
            return None
        last = state.last_action
        if last is not None:
            rest = [each for each in affordable if each.label == last.label and each > last]
            if rest:
                return Choice(min(rest), reason="the next feature of the same case")
        labels = sorted({each.label for each in affordable})
        shares = np.array([state.problem.prior[label] for label in labels])
        label = labels[int(rng.choice(len(labels), p=shares / shares.sum()))]
        first = min(each for each in affordable if each.label == label)
        return Choice(first, reason="the first feature of another case")
