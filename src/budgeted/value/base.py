"""What an engine is, a way to compute expected losses, and what it answers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import EngineError
from budgeted.learners.belief import DIRICHLET, Belief
from budgeted.learners.layout import Floats, Integers
from budgeted.problem import Problem
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


class Estimate(float):
    """A loss as a plain float, with the engine that gave it and its uncertainty.

    Attributes
    ----------
    engine
        ``spectral``, ``grid``, ``enumeration`` or ``particles``.
    standard_error
        Of the sampling; 0 for the deterministic engines.
    resolution
        Differences up to this size between two results of this engine mean nothing.
    """

    engine: str
    standard_error: float
    resolution: float

    def __new__(  # noqa: D102 - the class docstring documents it
        cls, value: float, engine: str, *, standard_error: float = 0.0, resolution: float = 0.0
    ) -> Estimate:
        self = super().__new__(cls, value)
        self.engine = engine
        self.resolution = resolution
        self.standard_error = float(standard_error)
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[float, str], dict[str, float]]:
        uncertainty = {"standard_error": self.standard_error, "resolution": self.resolution}
        return (float(self), self.engine), uncertainty


@dataclass(frozen=True)
class CellEstimates:
    """Expected losses of many cells at once, features × labels; NaN where none was asked for.

    Of whole features, whose labels are bought together, there is one value per feature.

    Attributes
    ----------
    values
        The expected losses.
    engine
        Where they come from.
    resolution
        Differences up to this size are not told apart.
    standard_errors
        Of the sampling; 0 for the deterministic engines.
    """

    values: Floats
    engine: str
    resolution: float
    standard_errors: Floats | float = 0.0

    def best(self) -> NDArray[np.bool_]:
        """Return which cells cannot be told apart from the one with the least loss."""
        return self.values <= np.nanmin(self.values) + self.resolution
