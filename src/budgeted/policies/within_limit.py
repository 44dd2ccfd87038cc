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

The sets that are looked at are those that GINI's loss puts first (`Candidates`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import BudgetedError
from budgeted.learners.believed import Believed
from budgeted.learners.layout import Floats, Integers, layout_of
from budgeted.learners.outcomes import after
from budgeted.listing import did_you_mean
from budgeted.problem import CaseSoFar, Feature, Order, Problem, money

Tests = tuple[int, ...]
"""Positions of features, rising."""
Complexes = NDArray[np.complex128]
_STEP = np.pi / 16
_FREQUENCIES: Floats = np.arange(0, 4.5, _STEP)
"""Good to 1e-6: sets are only ranked by it."""
MOST_SETS = 6_000
"""Up to so many sets all of them are gone through: all pairs of 100 tests."""
MOST_QUOTES = 20_000
"""Quotes for that, at most, where a price depends on what else is ordered."""


class Affordable:
    """The sets of tests of a new case that a limit pays for.

    What they cost is the quote for one order of all of them on a fresh case, so that fees and
    panels count as they do; `costs` are prices of tests of new cases that differ from the study's.

    >>> features = [Feature(name, ("no", "yes"), cost) for name, cost in zip("abc", (1, 2, 9))]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 99)
    >>> Affordable(problem, Decimal(10)).largest
    [(0, 1), (0, 2)]
    >>> Affordable(problem, Decimal(10), {"c": Decimal(3)}).largest
    [(0, 1, 2)]
    >>> Affordable(problem, Decimal("0.50")).mistakes
    ['a limit of 0.50 pays for no test; the cheapest costs 1']
    """

    def __init__(
        self, problem: Problem, limit: Decimal, costs: Mapping[str, Decimal] | None = None
    ) -> None:
        self.study, self.limit, self._costs = problem, limit, dict(costs or {})

    @cached_property
    def mistakes(self) -> list[str]:
        """What is wrong with the limit and the prices, in words; nothing if they make sense."""
        names = tuple(self.study.by_name)
        unknown = [
            f"there is no test {name!r}; {did_you_mean(name, names)}There are {', '.join(names)}"
            for name in self._costs
            if name not in names
        ]
        if unknown:
            return unknown
        try:
            everything = range(len(names))
            labels = range(len(self.problem.labels))
            for tests in (*((at,) for at in everything), tuple(everything)):
                if len({self._quote(tests, label) for label in labels}) > 1:
                    return ["prices depend on the label, which is not known of a new case"]
            cheapest = min(self.price((at,)) for at in everything)
        except BudgetedError as error:
            return [str(error)]
        if cheapest > self.limit:
            return [
                f"a limit of {money.show(self.limit)} pays for no test; the cheapest costs "
                f"{money.show(cheapest)}"
            ]
        return []

    @cached_property
    def problem(self) -> Problem:
        """The tests with their prices on new cases."""
        if not self._costs:
            return self.study
        features = [
            Feature(each.name, each.kind, self._costs[each.name], each.prior_counts)
            if each.name in self._costs
            else each
            for each in self.study.features
        ]
        return self.study.but(features=features)

    @cached_property
    def everything(self) -> bool:
        """Whether the limit pays for all tests."""
        return self.price(tuple(range(len(self.problem.features)))) <= self.limit

    def price(self, tests: Tests) -> Decimal:
        """Return what tests of a fresh case cost together."""
        return self._quote(tests, 0)

    def more(self, sets: Sequence[Tests]) -> NDArray[np.bool_]:
        """Return which tests could be ordered besides each set, sets × tests."""
        number = len(self.problem.features)
        result = np.zeros((len(sets), number), dtype=bool)
        for at, tests in enumerate(sets):
            left = [one for one in range(number) if one not in tests]
            if self.problem.separable:
                rest = money.subtract(self.limit, money.total(self._alone[each] for each in tests))
                result[at, left] = [self._alone[one] <= rest for one in left]
            else:
                result[at, left] = [self.price((*tests, one)) <= self.limit for one in left]
        return result

    @cached_property
    def largest(self) -> list[Tests] | None:
        """All sets to which no test can be added; None if there are too many to go through."""
        number = len(self.problem.features)
        if self.everything:
            return [tuple(range(number))]
        most = MOST_SETS if self.problem.separable else MOST_QUOTES // number
        found: list[Tests] = []
        level: list[Tests] = [()]
        seen = 0
        while level:
            seen += len(level)
            if seen > most:
                return None
            more = self.more(level)
            found += [tests for tests, fits in zip(level, more, strict=True) if not fits.any()]
            level = [
                (*tests, one)
                for tests, fits in zip(level, more, strict=True)
                for one in np.flatnonzero(fits).tolist()
                if not tests or one > tests[-1]
            ]
        return found

    @cached_property
    def _alone(self) -> list[Decimal]:
        return [self.price((at,)) for at in range(len(self.problem.features))]

    def _quote(self, tests: Tests, label: int) -> Decimal:
        if not tests:
            return Decimal(0)
        return self.problem.quote(Order(tests, label), CaseSoFar(label=label))


def affordable(
    problem: Problem, limit: Decimal, costs: Sequence[tuple[str, Decimal]] = ()
) -> Affordable:
    """Return the sets of tests that a limit pays for, remembered with the problem."""
    kept: dict[Any, Affordable] = problem.__dict__.setdefault("_affordable", {})
    place = (limit, tuple(costs))
    if place not in kept:
        kept[place] = Affordable(problem, limit, dict(costs))
    return kept[place]


BEAM, SETS_IN_A_STEP = 8, 320
"""Sets that grow from each feature, and from all of them together, about."""


class Candidates:
    """Affordable sets of tests, ranked by GINI's loss with the expected parameters.

    `sets` are all to which no test can be added, or the best of them, the best one first; `has`
    says which features each set has, sets × features.
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
            [_prior_factor(shares[one], shares[two]) for one, two in pairs]
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
    phase = np.exp(1j * np.outer(one - two, _FREQUENCIES))
    result: Complexes = phase * np.exp((one + two) / 2)[:, None]
    return result


COMPANIONS, RIVALS = 32, 64
"""Sets with a feature, and sets without it, that are looked at: those that GINI puts first."""
MOST_CELLS = 512
"""Combinations of values of the others in a set; where there are more, similar ones are merged."""
_TILE = 2**20


class _Rest(NamedTuple):
    """What stands beside a feature: joint masses of the others, by set; and the best rival."""

    masses: tuple[Floats, ...]  # sets of as many cells each: sets × labels × cells
    least: float


class Within:
    """By how much purchases of each feature alone lower the error of the best affordable set.

    Of three features the first is known to be good: more of it would change no answer. Values of
    another one may, and more so if it can be ordered along with the first:

    >>> from decimal import Decimal
    >>> from budgeted import Feature, Problem
    >>> features = [Feature(name, ("no", "yes"), 1) for name in "abc"]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> counts = np.array([[18.0, 2, 0, 0, 0, 0], [2, 18, 0, 0, 0, 0]])
    >>> known = Believed(problem, counts.astype(np.int64))
    >>> for limit in (1, 2):
    ...     within = Within(known, Affordable(problem, Decimal(limit)))
    ...     gains = within.gains(np.full((3, 2), 16)).round(4) + 0  # no minus zero
    ...     print(gains.tolist())
    [0.0, 0.0038, 0.0038]
    [0.0, 0.006, 0.006]
    """

    def __init__(self, belief: Believed, affordable: Affordable) -> None:
        self._belief, problem = belief, belief.problem
        self._candidates = Candidates(problem, belief.means, affordable)
        self._means = [belief.means[:, belief.columns(at)] for at in range(len(problem.features))]
        self._rests: dict[int, _Rest] = {}
        self._errors: dict[Tests, float] = {}

    @classmethod
    def of(cls, belief: Believed, affordable: Affordable) -> Within:
        """Return the one of a belief, which is made once."""
        kept: dict[Affordable, Within] = belief.__dict__.setdefault("_within", {})
        if affordable not in kept:
            kept[affordable] = cls(belief, affordable)
        return kept[affordable]

    def gains(self, numbers: Integers) -> Floats:
        """Return how much the error falls if so many values of each feature alone are bought."""
        result = np.zeros(len(numbers))
        for feature in np.flatnonzero(numbers.any(axis=1)).tolist():
            chances, parameters = after(self._belief.parameters, feature, numbers[feature])
            losses = self._least(feature, parameters.swapaxes(0, 1))
            result[feature] = chances @ (losses[0] - losses[1:])
        return result

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
        result: Floats = np.array(self._belief.problem.prior)[:, None]
        for at in tests:
            result = (result[:, :, None] * self._means[at][:, None]).reshape(len(result), -1)
            if result.shape[1] > MOST_CELLS:
                result = merged(result, MOST_CELLS)
        return result


def merged(masses: Floats, most: int) -> Floats:
    """Return joint masses, labels × cells, of which those of similar odds were put together.

    Those are the masses of somebody who cannot tell these cells apart: no error is understated.

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


def _prior_factor(first: float, second: float) -> Complexes:
    """What the shares of two labels add to GINI's integral, at each frequency."""
    kernel = np.where(_FREQUENCIES == 0, 1.0, 2.0) * _STEP / np.cosh(np.pi * _FREQUENCIES)
    phase = np.exp(1j * _FREQUENCIES * np.log(first / second))
    result: Complexes = kernel * np.sqrt(first * second) * phase
    return result
