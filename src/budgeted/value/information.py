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

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import Floats, Integers
from budgeted.learners.layout import layout_of
from budgeted.learners.posterior import SPIKE_AND_SLAB, Posterior
from budgeted.value.base import GAINS, Known, Partial, Sampling
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
_WAVES: NDArray[np.complex128] = np.exp(1j * np.outer(FREQUENCIES, _LOG_ODDS))


class Information(Partial):
    """The engine of what the hierarchical learner believes: what purchases are worth."""

    name: ClassVar[str] = "information"
    rank: ClassVar[int] = 20
    answers: ClassVar[frozenset[str]] = frozenset({GAINS})

    def supports(self, known: Known, loss: Loss, labels: int) -> bool:
        """Whether there is no reason against it."""
        return not self.refusal(known, loss, labels)

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        if known.form != SPIKE_AND_SLAB:
            return f"computes with {SPIKE_AND_SLAB}, which {type(known).__name__} has not"
        return "" if loss is GINI else f"is for gini, not {loss.name}"

    def feasible(self, known: Known, question: str, depths: Integers, given: Integers) -> bool:
        """Whether it is fast enough; it always is."""
        return True

    def gains(self, known: Posterior, loss: Loss, sampling: Sampling) -> Worth:
        """Return what says how much purchases lower the loss."""
        return Worth(known)


class Worth:
    """What is expected of purchases, given what is known.

    Parameters
    ----------
    posterior
        What is known of all features.

    Examples
    --------
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
        """Return by how much the loss is expected to fall if values of a feature are bought.

        Parameters
        ----------
        numbers
            Values of each label, features × labels. Each feature is weighed alone.
        """
        alike: dict[tuple[int, ...], list[tuple[int, Imagined]]] = defaultdict(list)
        for feature in np.flatnonzero(numbers.any(axis=1)).tolist():
            found = self._imagined(feature, numbers[feature])
            alike[found.shares.shape].append((feature, found))
        result = np.zeros(len(numbers))
        for group in alike.values():
            features = [feature for feature, _ in group]
            outcome, parameters = self._after(features, [found for _, found in group])
            expected = np.einsum("fn,fnyk->fyk", outcome, parameters)
            every = np.concatenate([expected[:, None], parameters], axis=1)
            losses = self._losses(features, np.log(every))
            result[features] = losses[:, 0] - (outcome * losses[:, 1:]).sum(axis=1)
        return result

    def standard_errors(self, numbers: Integers) -> Floats:
        """Return the standard error of each gain, at most; 0 if all outcomes were gone through.

        A gain is the mean, over drawn outcomes, of how far the loss of their parameters lies below
        the plane that touches the loss at the mean of the parameters (a Bregman divergence): what
        is linear in the parameters cancels, and is no noise. That as many outcomes come from each
        component makes a gain somewhat more exact than is said here.
        """
        result = np.zeros(len(numbers))
        for feature in np.flatnonzero(numbers.any(axis=1)).tolist():
            found = self._imagined(feature, numbers[feature])
            if not found.drawn:
                continue
            outcome, parameters = self._after([feature], [found])
            expected = np.einsum("fn,fnyk->fyk", outcome, parameters)
            every = np.concatenate([expected[:, None], parameters], axis=1)
            losses = self._losses([feature], np.log(every))[0]
            plane = (self._slopes(feature, expected[0]) * (parameters[0] - expected)).sum((1, 2))
            below = losses[0] + plane - losses[1:]
            result[feature] = np.sqrt((outcome[0] ** 2 * (below - outcome[0] @ below) ** 2).sum())
        return result

    @cached_property
    def _tables(self) -> Floats:
        """G of each feature, features × pairs × log-odds."""
        problem, offsets = self._posterior.problem, layout_of(self._posterior.problem).offsets
        means = np.log(self._posterior.expected)
        return np.stack([
            _tables(means[one], means[two], offsets, problem.prior[one], problem.prior[two])
            for one, two in self._pairs
        ], axis=1)  # fmt: skip

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

    def _after(self, features: list[int], group: list[Imagined]) -> tuple[Floats, Floats]:
        """Return how probable outcomes are, features × outcomes, and the parameters after them.

        The features have as many values and outcomes.
        """
        found = Imagined(
            np.stack([each.chances for each in group]),
            np.stack([each.counts for each in group]),
            np.stack([each.shares for each in group]),
            np.stack([each.prior for each in group]),
            group[0].drawn,
        )
        now = self._chances[features][:, None]
        joint = found.chances * now
        outcome: Floats = joint.sum(axis=-1)
        # Of what was drawn for another component an outcome can be out of the question: whatever
        # would be believed then, it does not count.
        then = np.broadcast_to(now, joint.shape).copy()
        np.divide(joint, outcome[..., None], out=then, where=outcome[..., None] > 0)
        return outcome, _parameters(found, then, self._posterior.kappas(features))

    def _losses(self, features: list[int], logs: Floats) -> Floats:
        """Loss with parameters of a feature in place of the expected ones, features × outcomes."""
        total = np.zeros(logs.shape[:2])
        row = np.arange(len(features))[:, None, None]
        for at, (one, two) in enumerate(self._pairs):
            table = self._tables[features, at]
            apart = logs[:, :, one] - logs[:, :, two]
            height = _between(table, row, (apart + _FARTHEST) * _FINENESS)
            total += (np.exp((logs[:, :, one] + logs[:, :, two]) / 2) * height).sum(axis=-1)
        return total

    def _slopes(self, feature: int, parameters: Floats) -> Floats:
        """How fast the loss grows with each parameter of a feature, labels × values."""
        result, logs = np.zeros_like(parameters), np.log(parameters)
        for at, (one, two) in enumerate(self._pairs):
            table = self._tables[feature, at]
            apart = logs[one] - logs[two]
            height = np.interp(apart, _LOG_ODDS, table)
            steep = np.interp(apart, _LOG_ODDS, np.gradient(table, 1 / _FINENESS))
            result[one] += np.exp(-apart / 2) * (height / 2 + steep)
            result[two] += np.exp(apart / 2) * (height / 2 - steep)
        return result


def _between(table: Floats, row: Integers, place: Floats) -> Floats:
    """Return the values of tabulated functions between their points, by cubics through four points.

    Straight lines would not do: of a feature that is known well, the gain is the curvature of g
    over a small part of a step.
    """
    place = np.clip(place, 1, table.shape[-1] - 2.000001)
    below = place.astype(np.int64)
    x = place - below
    outer = (x + 1) * table[row, below + 2] - (x - 2) * table[row, below - 1]
    inner = (x - 1) * table[row, below] - x * table[row, below + 1]
    result: Floats = x * (x - 1) * outer / 6 + (x + 1) * (x - 2) * inner / 2
    return result


def _parameters(found: Imagined, joint: Floats, kappa: Floats) -> Floats:
    """Expected parameters in each outcome, features × outcomes × labels × values.

    In a component they are (c + κ m)/(N + κ), or m itself if it is irrelevant; as the problem
    states (c + α)/(N + A). Components have the probabilities `joint`, features × outcomes ×
    components.
    """
    totals = found.counts[:, 0].sum(axis=-1)  # features × labels, the same in all outcomes
    with np.errstate(invalid="ignore"):
        pulled = np.where(
            np.isinf(kappa)[:, None], 1.0, kappa[:, None] / (totals[..., None] + kappa[:, None])
        )
    own = (1 - pulled) / np.maximum(totals, 1)[..., None]  # features × labels × components
    stated = joint[..., -1][..., None]
    levels = joint[..., :-1]
    weights = levels @ own.swapaxes(1, 2) + stated / (totals + found.prior.sum(axis=-1))[:, None]
    common = (levels[:, :, None] * pulled[:, None]) @ found.shares
    prior = found.prior / (totals + found.prior.sum(axis=-1))[..., None]
    result: Floats = weights[..., None] * found.counts + common + stated[..., None] * prior[:, None]
    return result


def _tables(
    one: Floats, two: Floats, offsets: Sequence[int], first: float, second: float
) -> Floats:
    """Return g for each feature, features × log-odds.

    Parameters
    ----------
    one, two
        Logarithms of the expected parameters of two labels, all values.
    offsets
        Where each feature begins.
    first, second
        Shares of the labels.
    """
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
