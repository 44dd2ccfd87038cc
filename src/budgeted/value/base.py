"""What an engine is: a way to compute expected losses, for what it supports."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from budgeted.errors import EngineError
from budgeted.learners.belief import DIRICHLET, Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.problem import Problem
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss

EXPECTED, CELLS, FEATURES, GAINS = "expected", "cells", "features", "gains"
"""What an engine can be asked; each is one of its methods."""


class Known(Protocol):
    """What is known of a problem: a belief, or what a learner believes.

    Engines look at `form` to see whether they can compute with it, never at its type.
    """

    @property
    def problem(self) -> Problem:
        """What it is about."""
        ...

    @property
    def form(self) -> str:
        """In which form it is known, such as `budgeted.learners.belief.DIRICHLET`."""
        ...


@dataclass(frozen=True)
class Sampling:
    """For engines that draw: how many cases, and from which stream."""

    particles: int = 1_000
    rng: np.random.Generator | int = 0

    def generator(self) -> np.random.Generator:
        """Return the stream; the same seed gives the same one each time."""
        try:
            return np.random.default_rng(self.rng)
        except (TypeError, ValueError) as error:
            raise EngineError(
                f"rng: must be a generator or a seed from 0, got {self.rng!r}"
            ) from error


class Gains(Protocol):
    """What purchases of one feature are expected to bring, given what is known."""

    def gains(self, numbers: Integers) -> Floats:
        """Return by how much the loss is expected to fall, for each feature alone.

        Parameters
        ----------
        numbers
            Values of each label that are bought, features × labels.
        """
        ...


class Engine:
    """A way to compute expected losses; the questions that it does not answer it refuses.

    Allocations, depths and what is given are numbers of purchases, features × labels; what is given
    is under way and counts as bought, whatever comes back.
    """

    name: ClassVar[str]
    answers: ClassVar[frozenset[str]]
    draws: ClassVar[bool] = False
    """Whether its results depend on what is drawn."""

    @abstractmethod
    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why it does not have this loss of a problem with so many labels, from what is
        known, in words behind "the … engine"; nothing if it has.
        """

    def feasible(self, known: Known, question: str, depths: Integers, given: Integers) -> bool:
        """Whether it is fast enough that nobody need ask for it by name."""
        return True

    def expected(
        self, known: Any, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the expected loss after all purchases of an allocation."""
        raise self._no()

    def cells(
        self, known: Any, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return, for each cell alone, the expected loss after so many purchases of it."""
        raise self._no()

    def features(
        self, known: Any, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return, for each feature alone, the expected loss after so many purchases of it."""
        raise self._no()

    def gains(self, known: Any, loss: Loss, sampling: Sampling) -> Gains:
        """Return what says how much purchases lower the loss."""
        raise self._no()

    def _no(self) -> EngineError:
        return EngineError(f"the {self.name} engine does not answer this")


class OfBeliefs(Engine):
    """An engine that computes with independent Dirichlet counts, and answers every question."""

    answers: ClassVar[frozenset[str]] = frozenset({EXPECTED, CELLS, FEATURES, GAINS})

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
