"""Which affordable sets of tests are worth a closer look: those that GINI's loss puts first.

GINI's loss of naive Bayes with a set of features is an integral whose integrand is a product over
these features (`budgeted.value.information`), so thousands of sets are ranked at once. Where there
are more than can be gone through, sets grow from each feature, test by test, and the best few of
each size are kept: a *beam search*.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.layout import Floats, layout_of
from budgeted.problem import Problem
from budgeted.value.affordable import Affordable, Tests
from budgeted.value.information import FREQUENCIES, prior_factor

BEAM, SETS_IN_A_STEP = 8, 320
"""Sets that grow from each feature, and from all of them together, about."""

Complexes = NDArray[np.complex128]


class Candidates:
    """Affordable sets of tests, ranked by GINI's loss with the expected parameters.

    Parameters
    ----------
    problem, expected
        The labels with their shares, and the expected parameters, labels × values.
    affordable
        What the limit pays for.

    Attributes
    ----------
    sets
        All sets to which no test can be added, or the best of them, the best one first.
    has
        Which features each set has, sets × features.
    """

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
