"""What an engine is: a way to compute expected losses, for what it supports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from budgeted.errors import EngineError
from budgeted.learners.layout import Floats, Integers
from budgeted.problem import Problem
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss

EXPECTED, CELLS, FEATURES, GAINS = "expected", "cells", "features", "gains"
QUESTIONS = (EXPECTED, CELLS, FEATURES, GAINS)
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


class Engine(Protocol):
    """A way to compute expected losses.

    An engine says what it supports. Of those that support a question the most exact one is taken.
    Allocations, depths and what is given are numbers of purchases, features × labels; what is given
    is under way and counts as bought, whatever comes back.
    """

    name: ClassVar[str]
    rank: ClassVar[int]
    """The less, the more exact: 10 for closed forms, 30 for sums over everything, 90 for draws."""
    draws: ClassVar[bool]
    """Whether its results depend on what is drawn."""
    answers: ClassVar[frozenset[str]]
    """Some of `QUESTIONS`; `Partial` has methods for the others."""

    def supports(self, known: Known, loss: Loss, labels: int) -> bool:
        """Whether it can compute this loss of a problem with so many labels, from what is known."""
        ...

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why it does not support that, in words behind "the … engine"."""
        ...

    def feasible(self, known: Known, question: str, depths: Integers, given: Integers) -> bool:
        """Whether it is fast enough that nobody need ask for it by name."""
        ...

    def expected(
        self, known: Any, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Return the expected loss after all purchases of an allocation."""
        ...

    def cells(
        self, known: Any, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return, for each cell alone, the expected loss after so many purchases of it."""
        ...

    def features(
        self, known: Any, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Return, for each feature alone, the expected loss after so many purchases of it."""
        ...

    def gains(self, known: Any, loss: Loss, sampling: Sampling) -> Gains:
        """Return what says how much purchases lower the loss."""
        ...


class Partial:
    """An engine that answers some questions; those that it does not answer it refuses in words."""

    name: ClassVar[str]
    draws: ClassVar[bool] = False

    def expected(
        self, known: Any, allocation: Integers, loss: Loss, sampling: Sampling
    ) -> Estimate:
        """Refuse."""
        raise self._no()

    def cells(
        self, known: Any, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Refuse."""
        raise self._no()

    def features(
        self, known: Any, depths: Integers, given: Integers, loss: Loss, sampling: Sampling
    ) -> CellEstimates:
        """Refuse."""
        raise self._no()

    def gains(self, known: Any, loss: Loss, sampling: Sampling) -> Gains:
        """Refuse."""
        raise self._no()

    def _no(self) -> EngineError:
        return EngineError(f"the {self.name} engine does not answer this")


def check_engine_kind(engine: Engine) -> None:
    """Raise an error unless an object can be an engine."""
    missing = [each for each in ("supports", "refusal", "feasible", *getattr(engine, "answers", ()))
               if not callable(getattr(engine, each, None))]  # fmt: skip
    missing += [each for each in ("rank", "draws", "answers") if not hasattr(engine, each)]
    if missing:
        raise EngineError(
            f"engine {getattr(engine, 'name', engine)!r}: must have {', '.join(missing)} (see "
            f"budgeted.value.base.Engine)"
        )
