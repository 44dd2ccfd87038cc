r"""What more values of a feature are worth: by how much they are expected to lower the loss.

The loss is GINI's, 1 − Σ_y P(y | x)², expected over new cases x, for each two labels and added up:
how hard each label is to tell from each other one. (With two labels that is the loss itself.) For
labels a and b it is an integral over a frequency ω in which the features are factors, as in
`budgeted.value.spectral`::

    L_ab = ∫ sech(πω) π_a^(½+iω) π_b^(½−iω) Π_i φ_i(ω) dω,   φ_i(ω) = Σ_k θ_iak^(½+iω) θ_ibk^(½−iω)

with the expected parameters θ. So with all other features held, L_ab is Σ_k √(θ_a θ_b) g(log
θ_a/θ_b) for a function g that all outcomes of purchases of feature i share: it is tabulated once.
Purchases of a feature change θ in each outcome (`budgeted.value.outcomes`); their worth is
the loss of the mean of these parameters minus the mean of the losses, which is never negative but
for rounding.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.learners.posterior import SPIKE_AND_SLAB, Posterior
from budgeted.learners.strength import over_values
from budgeted.value.base import GAINS, Engine, Known, Sampling
from budgeted.value.loss import GINI, Loss
from budgeted.value.outcomes import Imagined, imagine
from budgeted.value.spectral import without_each

STEP = np.pi / 16
FREQUENCIES: Floats = np.arange(0, 4.5, STEP)
_KERNEL: Floats = np.where(FREQUENCIES == 0, 1.0, 2.0) * STEP / np.cosh(np.pi * FREQUENCIES)
"""Good to 1e-6: what is compared differs by more, or is a tie."""
_FARTHEST, _FINENESS = 12.0, 16
_LOG_ODDS: Floats = np.arange(-_FARTHEST * _FINENESS, _FARTHEST * _FINENESS + 1) / _FINENESS
"""Where g is tabulated; further out √(θ_a θ_b) is nothing."""
_TINY = float(np.finfo(float).tiny)
_WAVES: NDArray[np.complex128] = np.exp(1j * np.outer(FREQUENCIES, _LOG_ODDS))


class Information(Engine):
    """The engine of what the hierarchical learner believes: what purchases are worth."""

    name: ClassVar[str] = "information"
    answers: ClassVar[frozenset[str]] = frozenset({GAINS})

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        if known.form != SPIKE_AND_SLAB:
            return f"computes with {SPIKE_AND_SLAB}, which {type(known).__name__} has not"
        return "" if loss is GINI else f"is for gini, not {loss.name}"

    def gains(self, known: Posterior, loss: Loss, sampling: Sampling) -> Worth:
        """Return what says how much purchases lower the loss."""
        return Worth(known)


class Worth:
    """What is expected of purchases, given what is known.

    >>> from budgeted import Feature, Problem
    >>> from budgeted.learners import Hierarchical
    >>> features = [Feature("a", ("no", "yes"), 1), Feature("b", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> known = Hierarchical().posterior(problem, np.array([[9.0, 0, 0, 0], [0, 9, 0, 0]]))
    >>> worth = Worth(known)
    >>> worth.gains(np.array([[1, 1], [1, 1]])).round(3).tolist()  # a is known, b is not
    [0.001, 0.002]
    """

    def __init__(self, posterior: Posterior) -> None:
        self._posterior = posterior
        self._evenness, self._levels = posterior.evenness, posterior.levels
        self._chances = posterior.chances
        self._pairs = list(combinations(range(len(posterior.problem.labels)), 2))

    def gains(self, numbers: Integers) -> Floats:
        """Return by how much the loss is expected to fall if values of a feature are bought."""
        first: dict[Hashable, int] = {}  # a feature of which as much is known is worth as much
        wanted = np.flatnonzero(numbers.any(axis=1)).tolist()
        if not wanted:
            return np.zeros(len(numbers))
        same = [first.setdefault(self._kind(at, numbers[at]), at) for at in wanted]
        features = list(first.values())
        after = [self._after(at, self._imagined(at, numbers[at])) for at in features]
        losses = self._losses(features, [each for _, each in after])
        result = np.zeros(len(numbers))
        for at, (outcome, _), loss in zip(features, after, losses, strict=True):
            result[at] = outcome @ (loss[0] - loss[1:])  # 0 where nothing changes the loss
        result[wanted] = result[same]
        return result

    @cached_property
    def _tables(self) -> Floats:
        """G of each pair of labels, pairs × features × log-odds."""
        problem, offsets = self._posterior.problem, layout_of(self._posterior.problem).offsets
        means = np.log(self._posterior.expected)
        return np.stack([
            _tables(means[one], means[two], offsets, problem.prior[one], problem.prior[two])
            for one, two in self._pairs
        ])  # fmt: skip

    def _imagined(self, feature: int, numbers: Integers) -> Imagined:
        problem, counts = self._posterior.problem, self._posterior.counts
        columns = layout_of(problem).columns(feature)
        return imagine(
            counts[:, columns],
            layout_of(problem).prior_counts[:, columns],
            numbers,
            self._evenness,
            self._levels,
            problem.prior,
        )

    def _kind(self, feature: int, numbers: Integers) -> Hashable:
        """Return what the gain of a feature depends on, beside what all have in common."""
        layout = layout_of(self._posterior.problem)
        columns = layout.columns(feature)
        known, stated = self._posterior.counts[:, columns], layout.prior_counts[:, columns]
        return known.tobytes(), stated.tobytes(), numbers.tobytes()

    def _after(self, feature: int, found: Imagined) -> tuple[Floats, Floats]:
        """Return how probable outcomes are, and the parameters on average and after each of them.

        The parameters are labels × (1 + outcomes) × values. In a component they are
        (c + κ m)/(N + κ), or m itself if it is irrelevant; as the problem states (c + α)/(N + A).
        """
        now, chances = self._chances[feature], found.chances.T
        outcome, weights = now @ chances, (now * found.own) @ chances
        shares = found.common.reshape(len(found.common), -1)
        masses: Floats = ((now[:-1] * found.pulled) @ shares).reshape(
            len(weights), *found.common.shape[1:]
        )
        masses += weights[:, :, None] * found.counts.swapaxes(0, 1)
        stated = found.prior * found.own[:, -1:]
        masses += stated[:, None] * (now[-1] * chances[-1])[:, None]
        parameters = np.empty((len(masses), 1 + masses.shape[1], masses.shape[2]))
        masses.sum(axis=1, out=parameters[:, 0])
        # Of what was drawn for another component an outcome can be out of the question: whatever
        # would be believed then, it does not count.
        likely = np.maximum(outcome, _TINY)[:, None]
        np.divide(np.maximum(masses, _TINY), likely, out=parameters[:, 1:])
        return outcome, parameters

    def _losses(self, features: Sequence[int], several: Sequence[Floats]) -> list[Floats]:
        """Loss with parameters of a feature in place of the expected ones, for each of some.

        Parameters are labels × many × values.
        """
        flat = np.concatenate([each.reshape(len(each), -1) for each in several], axis=1)
        row = np.repeat(features, [each[0].size for each in several])
        logs, roots = np.log(flat), np.sqrt(flat)
        total = np.zeros(flat.shape[1])
        for at, (one, two) in enumerate(self._pairs):
            place = (logs[one] - logs[two] + _FARTHEST) * _FINENESS
            total += roots[one] * roots[two] * _between(self._tables[at], row, place)
        ends = np.cumsum([each[0].size for each in several])[:-1]
        return [over_values(part.reshape(each.shape[1:]))
                for part, each in zip(np.split(total, ends), several, strict=True)]  # fmt: skip


def _between(table: Floats, row: Integers, place: Floats) -> Floats:
    """Return the values of tabulated functions between their points, by cubics through four points.

    Straight lines would not do: of a feature that is known well, the gain is the curvature of g
    over a small part of a step.
    """
    place = np.clip(place, 1, table.shape[-1] - 2.000001)
    below = place.astype(np.int64)
    x = place - below
    at, flat = row * table.shape[-1] + below, table.ravel()
    outer = (x + 1) * flat[at + 2] - (x - 2) * flat[at - 1]
    inner = (x - 1) * flat[at] - x * flat[at + 1]
    result: Floats = x * (x - 1) * outer / 6 + (x + 1) * (x - 2) * inner / 2
    return result


def _tables(
    one: Floats, two: Floats, offsets: Sequence[int], first: float, second: float
) -> Floats:
    """Return g for each feature, features × log-odds."""
    phase = np.exp(1j * np.outer(FREQUENCIES, one - two)) * np.exp((one + two) / 2)
    factors = np.add.reduceat(phase, offsets, axis=1).T
    others = without_each(factors) * prior_factor(first, second)
    result: Floats = others.real @ _WAVES.real - others.imag @ _WAVES.imag
    return result


@lru_cache(maxsize=32)
def prior_factor(first: float, second: float) -> NDArray[np.complex128]:
    """Return what the shares of two labels add to the integral, at each frequency."""
    phase = np.exp(1j * FREQUENCIES * np.log(first / second))
    result: NDArray[np.complex128] = _KERNEL * np.sqrt(first * second) * phase
    result.setflags(write=False)
    return result
