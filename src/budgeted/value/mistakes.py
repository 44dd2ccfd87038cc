"""What more values of a feature are worth in 0/1 error, under the belief of the default learner.

The same outcomes of purchases as in `budgeted.value.information`, judged by how often the label
that is most probable then is wrong (`budgeted.value.held`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.posterior import SPIKE_AND_SLAB, Posterior
from budgeted.value.base import GAINS, Engine, Known, Sampling
from budgeted.value.held import Held
from budgeted.value.information import Worth
from budgeted.value.loss import ZERO_ONE, Loss


class Mistakes(Engine):
    """The engine of what the hierarchical learner believes: mistakes that purchases save."""

    name: ClassVar[str] = "mistakes"
    answers: ClassVar[frozenset[str]] = frozenset({GAINS})

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        if known.form != SPIKE_AND_SLAB:
            return f"computes with {SPIKE_AND_SLAB}, which {type(known).__name__} has not"
        return "" if loss is ZERO_ONE else f"is for zero_one, not {loss.name}"

    def gains(self, known: Posterior, loss: Loss, sampling: Sampling) -> Saved:
        """Return what says how much purchases lower the loss."""
        return Saved(known)


class Saved(Worth):
    """By how much purchases of each feature alone are expected to lower the error.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import Hierarchical
    >>> features = [Feature("a", ("no", "yes"), 1), Feature("b", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> known = Hierarchical().posterior(problem, np.array([[2.0, 0, 0, 0], [0, 2, 0, 0]]))
    >>> saved = Saved(known).gains(np.array([[1, 1], [4, 4]])).round(3) + 0  # no minus zero
    >>> saved.tolist()
    [0.0, 0.012]
    """

    def __init__(self, posterior: Posterior) -> None:
        super().__init__(posterior)
        self._held: Held | None = None
        self._features: frozenset[int] = frozenset()

    def gains(self, numbers: Integers) -> Floats:
        """Return by how much the error is expected to fall if values of a feature are bought."""
        wanted = frozenset(np.flatnonzero(numbers.any(axis=1)).tolist())
        if not wanted <= self._features:
            self._held, self._features = Held.of(self._posterior, sorted(wanted)), wanted
        return super().gains(numbers)

    def _kind(self, feature: int, numbers: Integers) -> Hashable:
        return feature  # cases of the others may be drawn

    def _losses(self, features: Sequence[int], several: Sequence[Floats]) -> list[Floats]:
        assert self._held is not None
        return [
            self._held.errors(feature, each.swapaxes(0, 1))
            for feature, each in zip(features, several, strict=True)
        ]
