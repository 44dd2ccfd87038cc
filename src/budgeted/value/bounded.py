r"""What more values of a feature are worth to a classifier that may spend little on each case.

A *bounded* classifier answers from the tests that a limit pays for, so it takes the best set of
them (Kapoor and Greiner, *Learning and classifying under hard budgets*, ECML 2005). With expected
parameters θ its loss is ::

    L_b(θ) = min over affordable sets S of L_S(θ)

where L_S is GINI's loss of naive Bayes with the features in S: the integral of
`budgeted.value.information` with the factors of these features alone. Purchases of feature i
change θ_i, so their worth is a knowledge gradient over sets (Frazier, Powell and Dayanik, 2009)::

    L_b(mean of the outcomes) − E[ min( A_i, min over S with i of L_S(θ_i after the outcome) ) ]

with A_i the loss of the best set without i, which they do not change. A minimum of concave
functions is concave, so this is never negative but for rounding. A feature that no affordable set
has is worth nothing, and so is one that no outcome brings into the best set: money goes to what
the classifier may come to use.

All affordable sets are gone through where they are not too many. Otherwise sets grow from each
feature, test by test, and the best few of each size are kept (a *beam search*).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import DIRICHLET, Floats
from budgeted.learners.hierarchical import Hierarchical
from budgeted.learners.layout import Integers, layout_of
from budgeted.learners.posterior import SPIKE_AND_SLAB, Posterior
from budgeted.problem import Problem
from budgeted.value.affordable import Affordable, Tests
from budgeted.value.base import GAINS, Known, Partial, Sampling
from budgeted.value.information import FREQUENCIES, STEP, Worth, prior_factor
from budgeted.value.loss import GINI, Loss

COMPANIONS = 32
"""Sets with a feature that are looked at for each outcome: those that are best now."""
_BEAM, _SETS_IN_A_STEP = 8, 320
"""Sets that grow from each feature, and from all of them."""
_CERTAIN = 1e300
"""Features are as the problem states, whatever was seen: plain naive Bayes."""

Complexes = NDArray[np.complex128]


class Bounded(Partial):
    """The engine of classifiers that may spend no more than a limit on each case."""

    name: ClassVar[str] = "bounded"
    rank: ClassVar[int] = 20
    answers: ClassVar[frozenset[str]] = frozenset({GAINS})

    def supports(self, known: Known, loss: Loss, labels: int) -> bool:
        """Whether there is no reason against it."""
        return not self.refusal(known, loss, labels)

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        if known.form not in (SPIKE_AND_SLAB, DIRICHLET):
            return f"computes with {SPIKE_AND_SLAB}, which {type(known).__name__} has not"
        if loss.limit is None:
            return f"is for losses within a limit, which {loss.name} has not"
        return "" if loss.within(None) == GINI else f"is for gini, not {loss.name}"

    def feasible(self, known: Known, question: str, depths: Integers, given: Integers) -> bool:
        """Whether it is fast enough; it always is."""
        return True

    def gains(self, known: Any, loss: Loss, sampling: Sampling) -> Within:
        """Return what says how much purchases lower the loss."""
        if known.form == DIRICHLET:
            known = Hierarchical(as_stated=_CERTAIN).believed(known)
        assert loss.limit is not None
        return Within(known, affordable(known.problem, loss.limit, loss.costs))


def affordable(
    problem: Problem, limit: Decimal, costs: Sequence[tuple[str, Decimal]] = ()
) -> Affordable:
    """Return the sets of tests that a limit pays for, remembered with the problem."""
    kept: dict[Any, Affordable] = problem.__dict__.setdefault("_affordable", {})
    place = (limit, tuple(costs))
    if place not in kept:
        kept[place] = Affordable(problem, limit, dict(costs))
    return kept[place]


class Within(Worth):
    """By how much purchases of each feature alone lower the loss of the best affordable set.

    Parameters
    ----------
    posterior
        What is known of all features.
    affordable
        The sets of tests that a bounded classifier chooses from.

    Examples
    --------
    Of three features the first is known to be good. A classifier that can pay for one test would
    hardly use another, one that can pay for two would:

    >>> from budgeted import Feature
    >>> features = [Feature(name, ("no", "yes"), 1) for name in "abc"]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> counts = np.array([[18.0, 2, 0, 0, 0, 0], [2, 18, 0, 0, 0, 0]])
    >>> known = Hierarchical().posterior(problem, counts)
    >>> more = np.full((3, 2), 4)
    >>> for limit in (1, 2):
    ...     print(Within(known, Affordable(problem, Decimal(limit))).gains(more).round(4).tolist())
    """

    def __init__(self, posterior: Posterior, affordable: Affordable) -> None:
        super().__init__(posterior)
        self._affordable = affordable
        number = len(posterior.problem.features)
        logs = np.log(posterior.expected)
        offsets = layout_of(posterior.problem).offsets
        self._factors = np.concatenate(
            [np.add.reduceat(_phases(logs[one], logs[two]), offsets, axis=0)
             for one, two in self._pairs], axis=1
        )  # features × frequencies of each pair  # fmt: skip
        prior = posterior.problem.prior
        self._kernel = np.concatenate([prior_factor(prior[a], prior[b]) for a, b in self._pairs])
        sets = affordable.largest
        self._sets = self._grown() if sets is None else sets
        self._has = np.zeros((len(self._sets), number), dtype=bool)
        for at, tests in enumerate(self._sets):
            self._has[at, list(tests)] = True
        self._now = self._losses_of(self._products(self._has))

    def _losses(self, features: Sequence[int], logs: Floats) -> Floats:
        return np.stack([
            self._least(feature, each) for feature, each in zip(features, logs, strict=True)
        ])  # fmt: skip

    def _least(self, feature: int, logs: Floats) -> Floats:
        """Loss of the best set with parameters of a feature, outcomes × labels × values."""
        others = self._others(feature)
        without = self._now[~self._has[:, feature]]
        least = float(without.min()) if len(without) else np.inf
        if not len(others):
            return np.full(len(logs), least)
        factors = np.concatenate([
            _phases(logs[:, one], logs[:, two]).sum(axis=1) for one, two in self._pairs
        ], axis=1)  # fmt: skip
        found = factors.real @ others.real.T - factors.imag @ others.imag.T
        result: Floats = np.minimum(found.min(axis=1), least)
        return result

    def _others(self, feature: int) -> Complexes:
        """What the others say in each of the best sets with a feature, sets × frequencies."""
        rows = np.flatnonzero(self._has[:, feature])
        best = rows[np.argsort(self._now[rows], kind="stable")[:COMPANIONS]]
        has = self._has[best]
        has[:, feature] = False
        return self._products(has) * self._kernel

    def _products(self, has: NDArray[np.bool_]) -> Complexes:
        """The product of the factors of each set, sets × frequencies."""
        result = np.ones((len(has), self._factors.shape[1]), dtype=complex)
        sizes = has.sum(axis=1)
        for size in np.unique(sizes).tolist():
            rows = np.flatnonzero(sizes == size)
            tests = np.nonzero(has[rows])[1].reshape(len(rows), size)
            for place in range(size):
                result[rows] *= self._factors[tests[:, place]]
        return result

    def _losses_of(self, products: Complexes) -> Floats:
        result: Floats = products.real @ self._kernel.real - products.imag @ self._kernel.imag
        return result

    def _grown(self) -> list[Tests]:
        """Sets that grow from each feature by what lowers the loss most; the best few are kept."""
        number = len(self._factors)
        width = max(1, min(_BEAM, _SETS_IN_A_STEP // number))
        fits = self._affordable.more([()])[0]
        beams: dict[int, list[Tests]] = {at: [(at,)] for at in np.flatnonzero(fits).tolist()}
        found: set[Tests] = set()
        while beams:
            sets = sorted({tests for each in beams.values() for tests in each})
            has = np.zeros((len(sets), number), dtype=bool)
            for at, tests in enumerate(sets):
                has[at, list(tests)] = True
            more = self._affordable.more(sets)
            found.update(tests for tests, fits in zip(sets, more, strict=True) if not fits.any())
            ranked: dict[Tests, list[tuple[float, Tests]]] = {}
            for tests, fits, product in zip(sets, more, self._products(has), strict=True):
                along = np.flatnonzero(fits)
                losses = self._losses_of(product * self._factors[along])
                ranked[tests] = [
                    (loss, tuple(sorted((*tests, one))))
                    for loss, one in zip(losses.tolist(), along.tolist(), strict=True)
                ]
            longer = {}
            for at, each in beams.items():
                best = sorted({pair for tests in each for pair in ranked[tests]})[:width]
                longer[at] = [tests for _, tests in best]
            beams = {at: each for at, each in longer.items() if each}
        return sorted(found)

    def _slopes(self, feature: int, parameters: Floats) -> Floats:
        """How fast the loss of the set that is best there grows with each parameter."""
        result, logs = np.zeros_like(parameters), np.log(parameters)
        others = self._others(feature)
        without = self._now[~self._has[:, feature]]
        if not len(others):
            return result
        factors = np.concatenate([
            _phases(logs[one], logs[two]).sum(axis=0) for one, two in self._pairs
        ])  # fmt: skip
        losses = (others * factors).real.sum(axis=1)
        if len(without) and without.min() < losses.min():
            return result
        best = others[losses.argmin()].reshape(len(self._pairs), -1)
        for (one, two), other in zip(self._pairs, best, strict=True):
            each = _phases(logs[one], logs[two]) * other
            half = 0.5 + 1j * FREQUENCIES
            result[one] += (each * half).real.sum(axis=1) / parameters[one]
            result[two] += (each * half.conj()).real.sum(axis=1) / parameters[two]
        return result


def _phases(one: Floats, two: Floats) -> Complexes:
    """θ_a^(½+iω) θ_b^(½−iω) at each frequency, which is the last axis, from logarithms."""
    turns = np.broadcast_to(
        np.exp(1j * STEP * (one - two))[..., None], (*one.shape, len(FREQUENCIES))
    ).copy()
    turns[..., 0] = np.exp((one + two) / 2)
    result: Complexes = np.cumprod(turns, axis=-1)  # ω = 0, h, 2h, …
    return result
