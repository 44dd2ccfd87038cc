"""The loss of a belief, and the expected loss after purchases: the paper's eq. 1, 2 and 6."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import AllocationError
from budgeted.loss.losses import GINI, ZERO_ONE, Floats, Integers, Loss, named
from budgeted.loss.tables import Cases, Cell, Kinds, LogOdds, Pairs, Waves
from budgeted.problem import Action

if TYPE_CHECKING:
    from budgeted.learners.belief import Belief

MOST_PURCHASES = 10**6
"""Of one cell: computing time grows with it, and nobody buys a million values of one kind."""
MOST_PARTICLES = 10**7
Seed = int | Callable[[], int]
"""Of cases that are drawn; a function is called only where they are."""
Allocation = Mapping[Any, int] | Integers
"""(feature, label) → number of purchases, or an array of numbers, features × labels."""


class Estimate(float):
    """A loss as a plain float that says how far it can be trusted.

    Attributes
    ----------
    standard_error
        Where cases were drawn; 0 where all were gone through.
    resolution
        Differences up to this size between two results mean nothing.
    """

    standard_error: float
    resolution: float

    def __new__(  # noqa: D102 - the class docstring documents it
        cls, value: float, standard_error: float = 0.0, resolution: float = 0.0
    ) -> Estimate:
        self = super().__new__(cls, value)
        self.standard_error, self.resolution = float(standard_error), float(resolution)
        return self

    def __getnewargs__(self) -> tuple[float, float, float]:  # type: ignore[override]
        return float(self), self.standard_error, self.resolution


@dataclass(frozen=True)
class Losses:
    """Expected losses of many cells, or of whole features; NaN where none was asked for.

    Attributes
    ----------
    values
        The losses.
    standard_errors
        Of their differences from the loss now, where cases were drawn; else 0.
    resolution
        Differences up to this size are not told apart.
    """

    values: Floats
    standard_errors: Floats
    resolution: float

    def best(self) -> NDArray[np.bool_]:
        """Return which cannot be told apart from the least."""
        return self.values <= np.nanmin(self.values) + self.resolution


def loss(
    belief: Belief, kind: str | Loss = "gini", particles: int = 10_000, seed: Seed = 0
) -> Estimate:
    """Return the loss of the classifier that a belief gives (eq. 6).

    Parameters
    ----------
    belief
        Whose means are the classifier.
    kind
        ``gini``, ``entropy`` (in nats), ``zero_one``, or a loss of one's own.
    particles, seed
        How many cases are drawn where there are too many to go through, and from which stream.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), "1.50")], ("well", "ill"),
    ...                   prior=(0.5, 0.5), budget=100)
    >>> print(f"{loss(Belief.prior(problem).observe('fever', 'ill', 'yes')):.6f}")
    0.485714
    """
    return expected_loss(belief, {}, kind, particles, seed)


def expected_loss(
    belief: Belief,
    allocation: Allocation,
    kind: str | Loss = "gini",
    particles: int = 10_000,
    seed: Seed = 0,
) -> Estimate:
    """Return the expected loss after all purchases of an allocation (eq. 2).

    It is the plain loss of finer tables, whose atoms are pairs of a value and an outcome of the
    purchases (`budgeted.loss.tables`).

    Parameters
    ----------
    belief
        What is known before the purchases.
    allocation
        (feature, label) → number of purchases; what is not named is not bought.
    kind, particles, seed
        As for `loss`.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), "1.50")], ("well", "ill"),
    ...                   prior=(0.5, 0.5), budget=100)
    >>> for each in (1, 10, 100):
    ...     print(f"{expected_loss(Belief.prior(problem), {('fever', 'ill'): each}):.4f}")
    0.4857
    0.4602
    0.4518
    """
    tables = summed(belief, _numbers(belief, allocation), named(kind), particles, seed)
    return Estimate(tables.now(), tables.standard_error, tables.resolution)


def lookahead(
    belief: Belief,
    depths: Integers,
    kind: str | Loss = "gini",
    under_way: Allocation | None = None,
    particles: int = 1_000,
    seed: Seed = 0,
) -> Losses:
    """Return, for every cell at once, the expected loss after buying only that cell (eq. 1 and 2).

    Parameters
    ----------
    belief
        What is known before the purchases.
    depths
        How many purchases to consider of each cell, features × labels; 0 leaves a cell out.
    kind, particles, seed
        As for `loss`; all cells share the same cases, so that they can be compared.
    under_way
        Purchases that count as bought, in expectation, whatever comes back.
    """
    depths, given = _depths(belief, depths), _numbers(belief, under_way)
    tables = summed(belief, given, named(kind), particles, seed)
    features, labels = np.nonzero(depths)
    more = np.zeros((len(features), depths.shape[1]), dtype=np.int64)
    more[np.arange(len(labels)), labels] = depths[features, labels]
    values, errors = np.full(depths.shape, np.nan), np.zeros(depths.shape)
    found = _of_cells(tables, belief, features, given[features] + more)
    values[features, labels], errors[features, labels] = found
    return Losses(values, errors, tables.resolution)


def feature_lookahead(
    belief: Belief,
    depths: Integers,
    kind: str | Loss = "gini",
    under_way: Allocation | None = None,
    particles: int = 1_000,
    seed: Seed = 0,
) -> Losses:
    """Return, for every feature at once, the expected loss after buying only that feature.

    Where `lookahead` buys one label of a feature, here all its labels are bought together.

    Parameters
    ----------
    belief, kind, under_way, particles, seed
        As for `lookahead`.
    depths
        How many purchases to consider of each label of a feature, features × labels; a feature
        with 0 everywhere is left out.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=100)
    >>> belief = Belief.prior(problem).observe("fever", "ill", "yes")
    >>> feature_lookahead(belief, np.array([[5, 5], [5, 5]])).values.round(4).tolist()
    [0.4357, 0.4261]
    """
    depths, given = _depths(belief, depths), _numbers(belief, under_way)
    tables = summed(belief, given, named(kind), particles, seed)
    features = np.flatnonzero(depths.any(axis=1))
    values, errors = np.full(len(depths), np.nan), np.zeros(len(depths))
    found = _of_cells(tables, belief, features, (given + depths)[features])
    values[features], errors[features] = found
    return Losses(values, errors, tables.resolution)


def summed(
    belief: Belief, under_way: Integers, kind: Loss, particles: int, seed: Seed
) -> Waves | LogOdds | Cases:
    """Return what adds up the loss of the tables of a belief with what is under way."""
    kinds = Kinds.among(belief, belief.problem.prior, belief.keys, under_way)
    return _summed(kinds, kind, particles, seed)


def _summed(kinds: Kinds, kind: Loss, particles: int, seed: Seed) -> Waves | LogOdds | Cases:
    if not 1 <= particles <= MOST_PARTICLES:
        raise AllocationError(f"particles: must be from 1 to {MOST_PARTICLES}, got {particles}")
    if len(kinds.prior) == 2 and kind.wave is not None:
        return Waves(kinds, kind)
    if len(kinds.prior) == 2 and kind is ZERO_ONE:
        return LogOdds(kinds)
    return Cases(kinds, kind, particles, seed)


def _of_cells(
    tables: Waves | LogOdds | Cases, belief: Belief, features: Integers, numbers: Integers
) -> tuple[Floats, Floats]:
    """Ask for each kind of feature and numbers of purchases once."""
    cells: dict[Cell, int] = {}
    kinds = tables.kinds.of[features].tolist()
    rows = zip(kinds, map(tuple, numbers.tolist()), strict=True)
    which = [cells.setdefault(cell, len(cells)) for cell in rows]
    order = sorted(cells)  # kind by kind
    values, errors = tables.of(order)
    place = np.array([cells[cell] for cell in order], dtype=np.int64)
    back = np.empty_like(place)
    back[place] = np.arange(len(place))
    return values[back[which]], errors[back[which]]


def _numbers(belief: Belief, allocation: Allocation | None) -> Integers:
    """Return numbers of purchases as an array, features × labels, or say what is wrong."""
    problem = belief.problem
    numbers = np.zeros((len(problem.features), len(problem.labels)), dtype=np.int64)
    if allocation is None:
        return numbers
    if isinstance(allocation, np.ndarray):
        return _depths(belief, allocation)
    if not isinstance(allocation, Mapping):
        raise AllocationError(
            f"allocation: must map (feature, label) to a number of purchases, got {allocation!r}"
        )
    for cell, number in allocation.items():
        try:
            feature, label = cell
        except (TypeError, ValueError):
            raise AllocationError(
                f"allocation: keys must be (feature, label), got {cell!r}"
            ) from None
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not 0 <= number <= MOST_PURCHASES:
            raise AllocationError(
                f"allocation[{cell!r}]: must be a whole number of purchases from 0 to "
                f"{MOST_PURCHASES}, got {number!r}"
            )
        at = problem.action_at if isinstance(cell, Action) else problem.action
        numbers[at(feature, label)] += number
    return numbers


def _depths(belief: Belief, depths: Integers) -> Integers:
    """Return numbers of purchases to look ahead, features × labels, or say what is wrong."""
    shape = len(belief.problem.features), len(belief.problem.labels)
    try:
        wanted = np.asarray(depths)
    except ValueError:
        wanted = np.empty(0, dtype=np.int64)
    if wanted.shape != shape or wanted.dtype.kind not in "iu" or (wanted < 0).any():
        raise AllocationError(
            f"depths: must be whole numbers from 0, {shape[0]} features × {shape[1]} labels, "
            f"got {wanted!r}"
        )
    if wanted.max(initial=0) > MOST_PURCHASES:
        raise AllocationError(
            f"depths: {wanted.max()} purchases ahead are too many (at most {MOST_PURCHASES}); look "
            "less far ahead: give the policy a max_depth"
        )
    return wanted.astype(np.int64, copy=False)


def replaced(
    belief: Belief, feature: int, table: Floats, kind: str | Loss = "gini", seed: Seed = 0
) -> tuple[float, float, float]:
    """Return the loss of a belief, the loss with another table of one feature, and a resolution.

    Where cases are drawn, both have the same ones: it is their difference that counts.
    """
    rule = named(kind)
    tables = summed(belief, _numbers(belief, None), rule, 1_000, seed)
    at = int(tables.kinds.of[feature])
    (now, other), _ = tables.with_tables([at, at], [tables.kinds.tables[at], table])
    return float(now), float(other), tables.resolution


def gains(belief: Belief, numbers: Integers, kind: str | Loss = "gini") -> Floats:
    """Return by how much the loss is expected to fall if values of each feature alone are bought.

    With GINI and three labels or more it is the sum over all pairs of labels that falls.

    Parameters
    ----------
    belief, kind
        As for `loss`.
    numbers
        Values of each label, features × labels.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> features = [Feature("a", ("no", "yes"), 1), Feature("b", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> belief = Belief.prior(problem).observe("a", "ill", "yes")
    >>> gains(belief, np.array([[1, 1], [1, 1]])).round(3).tolist()
    [0.021, 0.026]
    """
    rule, numbers = named(kind), _depths(belief, numbers)
    result = np.zeros(len(numbers))
    features = np.flatnonzero(numbers.any(axis=1))
    if not len(features):
        return result
    kinds = Kinds.among(belief, belief.problem.prior, belief.keys, np.zeros_like(numbers))
    pairs = len(belief.problem.labels) > 2 and rule is GINI
    tables = Pairs(kinds, rule) if pairs else _summed(kinds, rule, 1_000, 0)
    cells: dict[Cell, int] = {}
    rows = zip(kinds.of[features].tolist(), map(tuple, numbers[features].tolist()), strict=True)
    which = [cells.setdefault(cell, len(cells)) for cell in rows]
    after = [belief.finer(kinds.first[kind], each) for kind, each in cells]
    # The mean of what is believed after the outcomes: what is believed now, but for drawn ones.
    labels = len(belief.problem.labels)
    now = [
        table.reshape(labels, kinds.tables[kind].shape[1], -1).sum(axis=2)
        for table, (kind, _) in zip(after, cells, strict=True)
    ]
    both = [kind for kind, _ in cells for _ in range(2)]
    found, _ = tables.with_tables(
        both, [each for pair in zip(now, after, strict=True) for each in pair]
    )
    result[features] = (found[::2] - found[1::2])[which]
    return result
