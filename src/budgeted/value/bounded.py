r"""What more values of a feature are worth to a classifier that may spend little on each case.

A *bounded* classifier answers from the tests that a limit pays for, so it takes the best set of
them (Kapoor and Greiner, *Learning and classifying under hard budgets*, ECML 2005). With expected
parameters θ its error is ::

    L_b(θ) = min over affordable sets S of L_S(θ)
    L_S(θ) = 1 − Σ over values of S  max_y P(y, values)

Purchases of feature i change θ_i, so their worth is a knowledge gradient over sets (Frazier, Powell
and Dayanik, 2009)::

    L_b(mean of the outcomes) − E[ min( A_i, min over S with i of L_S(θ_i after the outcome) ) ]

with A_i the error of the best set without i, which they do not change. A minimum of concave
functions is concave, so this is never negative but for rounding.

The loss is the 0/1 error. It is linear in θ_i as long as no answer
changes: so what is known well enough is worth nothing more, and money goes to tests that may take
the place of one of those that are used now. GINI's loss also falls if the same answers become more
certain; with few tests that outweighs the search for better ones.

The sets that are looked at are those that GINI's loss puts first. GINI's loss of naive Bayes with a
set of features is an integral whose integrand is a product over these features
(`budgeted.value.information`), so thousands of sets are ranked at once. Where there are more than
can be gone through, sets grow from each feature, test by test, and the best few of each size are
kept: a *beam search*.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import DIRICHLET
from budgeted.learners.hierarchical import Hierarchical
from budgeted.learners.layout import Floats, Integers, layout_of
from budgeted.learners.posterior import SPIKE_AND_SLAB, Posterior
from budgeted.problem import Problem
from budgeted.value.affordable import Affordable, Tests, affordable
from budgeted.value.base import GAINS, Engine, Known, Sampling
from budgeted.value.information import FREQUENCIES, Worth, prior_factor
from budgeted.value.loss import ZERO_ONE, Loss

COMPANIONS, RIVALS = 32, 64
"""Sets with a feature, and sets without it, that are looked at: those that GINI puts first."""
MOST_CELLS = 512
"""Combinations of values of the others in a set; where there are more, similar ones are merged."""
_CERTAIN = 1e300
"""Features are as the problem states, whatever was seen: plain naive Bayes."""
_TILE = 2**20
BEAM, SETS_IN_A_STEP = 8, 320
"""Sets that grow from each feature, and from all of them together, about."""
Complexes = NDArray[np.complex128]


class Bounded(Engine):
    """The engine of classifiers that may spend no more than a limit on each case."""

    name: ClassVar[str] = "bounded"
    answers: ClassVar[frozenset[str]] = frozenset({GAINS})

    def refusal(self, known: Known, loss: Loss, labels: int) -> str:
        """Return why not, in words."""
        if known.form not in (SPIKE_AND_SLAB, DIRICHLET):
            return f"computes with {SPIKE_AND_SLAB}, which {type(known).__name__} has not"
        if loss.limit is None:
            return f"is for losses within a limit, which {loss.name} has not"
        return "" if loss.within(None) == ZERO_ONE else f"is for zero_one, not {loss.name}"

    def gains(self, known: Any, loss: Loss, sampling: Sampling) -> Within:
        """Return what says how much purchases lower the loss."""
        if known.form == DIRICHLET:
            known = Hierarchical(as_stated=_CERTAIN).believed(known)
        assert loss.limit is not None
        return Within(known, affordable(known.problem, loss.limit, loss.costs))


class _Rest(NamedTuple):
    """What stands beside a feature: joint masses of the others, by set; and the best rival."""

    masses: tuple[Floats, ...]  # sets of as many cells each: sets × labels × cells
    least: float


class Within(Worth):
    """By how much purchases of each feature alone lower the error of the best affordable set.

    Of three features the first is known to be good: more of it would change no answer. Values of
    another one may, and more so if it can be ordered along with the first:

    >>> from decimal import Decimal
    >>> from budgeted import Feature, Problem
    >>> features = [Feature(name, ("no", "yes"), 1) for name in "abc"]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> counts = np.array([[18.0, 2, 0, 0, 0, 0], [2, 18, 0, 0, 0, 0]])
    >>> known = Hierarchical().posterior(problem, counts)
    >>> for limit in (1, 2):
    ...     within = Within(known, Affordable(problem, Decimal(limit)))
    ...     gains = within.gains(np.full((3, 2), 16)).round(4) + 0  # no minus zero
    ...     print(gains.tolist())
    [0.0, 0.0038, 0.0038]
    [0.0, 0.006, 0.006]
    """

    def __init__(self, posterior: Posterior, affordable: Affordable) -> None:
        super().__init__(posterior)
        expected = posterior.expected
        self._candidates = Candidates(posterior.problem, expected, affordable)
        layout = layout_of(posterior.problem)
        self._means = [
            expected[:, layout.columns(at)] for at in range(len(posterior.problem.features))
        ]
        self._rests: dict[int, _Rest] = {}
        self._errors: dict[Tests, float] = {}

    def _kind(self, feature: int, numbers: Integers) -> Hashable:
        return feature  # they may cost more or less than others

    def _losses(self, features: Sequence[int], several: Sequence[Floats]) -> list[Floats]:
        return [
            self._least(feature, each.swapaxes(0, 1))
            for feature, each in zip(features, several, strict=True)
        ]

    def _least(self, feature: int, parameters: Floats) -> Floats:
        """Error of the best set with each of many parameters of a feature."""
        rest = self._rest(feature)
        result = np.full(len(parameters), rest.least)
        for masses in rest.masses:
            cells = masses.shape[0] * masses.shape[2] * parameters.shape[2]
            tile = max(1, _TILE // cells)
            for begin in range(0, len(parameters), tile):
                part = parameters[begin : begin + tile]
                most = masses[None, :, 0, :, None] * part[:, None, 0, None, :]
                for label in range(1, masses.shape[1]):
                    other = masses[None, :, label, :, None] * part[:, None, label, None, :]
                    np.maximum(most, other, out=most)
                best = 1 - most.sum(axis=(2, 3)).max(axis=1)
                result[begin : begin + tile] = np.minimum(result[begin : begin + tile], best)
        return result

    def _rest(self, feature: int) -> _Rest:
        found = self._rests.get(feature)
        if found is None:
            sets, has = self._candidates.sets, self._candidates.has[:, feature]
            rivals = [sets[at] for at in np.flatnonzero(~has)[:RIVALS].tolist()]
            alike: dict[int, list[Floats]] = {}
            for at in np.flatnonzero(has)[:COMPANIONS].tolist():
                masses = self._masses([one for one in sets[at] if one != feature])
                alike.setdefault(masses.shape[1], []).append(masses)
            found = self._rests[feature] = _Rest(
                tuple(map(np.stack, alike.values())),
                min(map(self._error, rivals), default=np.inf),
            )
        return found

    def _error(self, tests: Tests) -> float:
        if tests not in self._errors:
            self._errors[tests] = 1 - float(self._masses(tests).max(axis=0).sum())
        return self._errors[tests]

    def _masses(self, tests: Sequence[int]) -> Floats:
        """P(label, values) of all values of some tests, labels × cells."""
        result: Floats = np.array(self._posterior.problem.prior)[:, None]
        for at in tests:
            result = (result[:, :, None] * self._means[at][:, None]).reshape(len(result), -1)
            if result.shape[1] > MOST_CELLS:
                result = merged(result, MOST_CELLS)
        return result


def merged(masses: Floats, most: int) -> Floats:
    """Return joint masses, labels × cells, of which those of similar odds were put together.

    They are possible masses themselves, of somebody who cannot tell these cells apart; no error is
    understated.

    >>> merged(np.array([[0.1, 0.2, 0.2], [0.1, 0.2, 0.2]]), 1).round(3).tolist()
    [[0.5], [0.5]]
    """
    shares = masses / np.maximum(masses.sum(axis=0), np.finfo(float).tiny)
    fineness = float(most)
    while True:
        _, which = np.unique(np.rint(shares * fineness), axis=1, return_inverse=True)
        number = int(which.max()) + 1
        if number <= most:
            break
        fineness /= 2
    return np.stack([np.bincount(which.reshape(-1), row, number) for row in masses])


class Candidates:
    """Affordable sets of tests, ranked by GINI's loss with the expected parameters."""

    def __init__(self, problem: Problem, expected: Floats, affordable: Affordable) -> None:
        self._affordable = affordable
        pairs = list(combinations(range(len(problem.labels)), 2))
        logs, offsets = np.log(expected), layout_of(problem).offsets
        self._factors: Complexes = np.concatenate([
            np.add.reduceat(_phases(logs[one], logs[two]), offsets, axis=0) for one, two in pairs
        ], axis=1)  # features × frequencies of each pair of labels  # fmt: skip
        shares = problem.prior
        self._kernel = np.concatenate(
            [prior_factor(shares[one], shares[two]) for one, two in pairs]
        )
        every = affordable.largest
        sets = self._grown() if every is None else every
        has = self._table(sets)
        order = np.argsort(self._losses(self._products(has)), kind="stable")
        self.sets = [sets[at] for at in order.tolist()]
        self.has = has[order]

    def _grown(self) -> list[Tests]:
        number = len(self._factors)
        width = max(1, min(BEAM, SETS_IN_A_STEP // number))
        fits = self._affordable.more([()])[0]
        beams: dict[int, list[Tests]] = {at: [(at,)] for at in np.flatnonzero(fits).tolist()}
        found: set[Tests] = set()
        while beams:
            sets = sorted({tests for each in beams.values() for tests in each})
            more = self._affordable.more(sets)
            found.update(tests for tests, fits in zip(sets, more, strict=True) if not fits.any())
            products = self._products(self._table(sets))
            longer = {
                tests: self._longer(tests, np.flatnonzero(fits), product)
                for tests, fits, product in zip(sets, more, products, strict=True)
            }
            for at, each in beams.items():
                best = sorted({pair for tests in each for pair in longer[tests]})[:width]
                beams[at] = [tests for _, tests in best]
            beams = {at: each for at, each in beams.items() if each}
        return sorted(found)

    def _longer(
        self, tests: Tests, more: NDArray[np.int64], product: Complexes
    ) -> list[tuple[float, Tests]]:
        """A set with each of some more tests, and its loss."""
        losses = self._losses(product * self._factors[more])
        return [
            (loss, tuple(sorted((*tests, one))))
            for loss, one in zip(losses.tolist(), more.tolist(), strict=True)
        ]

    def _table(self, sets: list[Tests]) -> NDArray[np.bool_]:
        has = np.zeros((len(sets), len(self._factors)), dtype=bool)
        for at, tests in enumerate(sets):
            has[at, list(tests)] = True
        return has

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

    def _losses(self, products: Complexes) -> Floats:
        result: Floats = products.real @ self._kernel.real - products.imag @ self._kernel.imag
        return result


def _phases(one: Floats, two: Floats) -> Complexes:
    """θ_a^(½+iω) θ_b^(½−iω), values × frequencies, from logarithms."""
    phase = np.exp(1j * np.outer(one - two, FREQUENCIES))
    result: Complexes = phase * np.exp((one + two) / 2)[:, None]
    return result
