"""What engines of plain beliefs have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import DIRICHLET, Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.value.base import QUESTIONS, Gains, Known, Sampling
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss


class OfBeliefs(ABC):
    """An engine that computes with independent Dirichlet counts, and answers every question."""

    name: ClassVar[str]
    draws: ClassVar[bool] = False
    answers: ClassVar[frozenset[str]] = frozenset(QUESTIONS)

    def supports(self, known: Known, loss: Loss, labels: int) -> bool:
        """Whether there is no reason against it."""
        return not self.refusal(known, loss, labels)

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        if known.form != DIRICHLET:
            return f"computes with {DIRICHLET}, which {type(known).__name__} has not"
        if loss.limit is not None:
            return "has no loss of classifiers that may spend a limit on each case"
        return self.objection(loss, labels)

    def objection(self, loss: Loss, labels: int) -> str:
        """Return why it does not have this loss, or not with so many labels."""
        return ""

    def feasible(self, known: Known, question: str, depths: Integers, given: Integers) -> bool:
        """Whether it is fast enough; it is unless it says otherwise."""
        return True

    @abstractmethod
    def expected(
        self, known: Belief, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the expected loss after all purchases of an allocation."""

    @abstractmethod
    def features(
        self, known: Belief, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return, for each feature alone, the expected loss after so many purchases of it."""

    def gains(self, known: Belief, loss: Loss, sampling: Sampling) -> Gains:
        """Return what says how much purchases lower the loss: the loss now minus that then."""
        return _Difference(self, known, loss, sampling)


@dataclass(frozen=True)
class _Difference:
    engine: OfBeliefs
    known: Belief
    loss: Loss
    sampling: Sampling

    def gains(self, numbers: Integers) -> Floats:
        nothing = np.zeros_like(numbers)
        now = self.engine.expected(self.known, nothing, self.loss, self.sampling)
        then = self.engine.features(self.known, numbers, nothing, self.loss, self.sampling).values
        result: Floats = np.where(np.isnan(then), 0.0, float(now) - then)
        return result
