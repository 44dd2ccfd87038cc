"""The loss of a belief, and the expected loss after any allocation of purchases.

One entry point per question; each picks the most exact engine that the question allows, and the
result says which one it was:

=============  ================================================  ==============================
engine         for                                               exact to
=============  ================================================  ==============================
``spectral``   two labels; GINI and entropy                      1e-11
``grid``       two labels; 0/1 error                             certified bounds
``enumeration``  anything small                                  rounding
``particles``  anything                                          a reported standard error
=============  ================================================  ==============================

These are about a plain `Belief`. What purchases are worth under the belief of the hierarchical
learner, in which features may be irrelevant, is said by `budgeted.expectation.worth`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from budgeted.belief import Belief, Integers
from budgeted.errors import AllocationError, EngineError
from budgeted.expectation import grid, scenarios, spectral
from budgeted.expectation.estimate import CellEstimates, Estimate
from budgeted.loss import Loss, named
from budgeted.problem import Action

__all__ = [
    "ENGINES",
    "Allocation",
    "CellEstimates",
    "Estimate",
    "expected_loss",
    "feature_lookahead",
    "lookahead",
    "loss",
]

ENGINES = ("auto", "spectral", "grid", "enumeration", "particles")

Allocation = Mapping[Any, int]
"""(feature, label) → number of purchases; an `Action`, or any pair of names.

Of positions too, where names are no numbers."""

MOST_PURCHASES = 10**6
"""Of one cell: computing time grows with it, and nobody buys a million values of one kind."""
MOST_PARTICLES = 10**7

_SMALL = 2**20
"""With three labels or more, up to so many terms are enumerated rather than sampled."""
_FEW_CASES = 4096
"""In a lookahead up to so many cases are enumerated; each costs as much as a particle."""


def loss(
    belief: Belief,
    kind: str | Loss = "gini",
    *,
    engine: str = "auto",
    particles: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> Estimate:
    """Return the loss of the classifier that a belief gives, a float that knows its engine.

    Parameters
    ----------
    belief
        Whose posterior means are the classifier.
    kind
        ``gini``, ``entropy`` (in nats) or ``zero_one``.
    engine
        ``auto``, or the one to insist on.
    particles, rng
        For the engine that samples: how many, and from which stream.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), "1.50")], ("well", "ill"),
    ...                   prior=(0.5, 0.5), budget=100)
    >>> now = loss(Belief.prior(problem).observe("fever", "ill", "yes"), "gini")
    >>> print(f"{now:.6f} by {now.engine}")
    0.485714 by spectral
    """
    return expected_loss(belief, {}, kind, engine=engine, particles=particles, rng=rng)


def expected_loss(
    belief: Belief,
    allocation: Allocation,
    kind: str | Loss = "gini",
    *,
    engine: str = "auto",
    particles: int = 10_000,
    rng: np.random.Generator | int = 0,
) -> Estimate:
    """Return the expected loss after all purchases of an allocation (the paper's eq. 2).

    Parameters
    ----------
    belief
        What is known before the purchases.
    allocation
        (feature, label) → number of purchases; what is not named is not bought.
    kind, engine, particles, rng
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
    rule = named(kind)
    check_engine(engine, particles)
    bought = _allocation_array(belief, allocation)
    chosen = _engine(belief, rule, engine, scenarios.terms(belief, bought) <= _SMALL)
    if chosen == "spectral":
        return spectral.expected(belief, bought, rule)
    if chosen == "grid":
        return grid.expected(belief, bought)
    if chosen == "enumeration":
        return scenarios.expected_by_enumeration(belief, bought, rule)
    drawn = scenarios.draw_particles(belief, bought, particles, _generator(rng))
    return scenarios.expected(belief, drawn, rule)


def lookahead(
    belief: Belief,
    depths: Integers,
    kind: str | Loss = "gini",
    *,
    given: Allocation | None = None,
    engine: str = "auto",
    particles: int = 1_000,
    rng: np.random.Generator | int = 0,
) -> CellEstimates:
    """Return, for every cell at once, the expected loss after buying only that cell.

    Parameters
    ----------
    belief
        What is known before the purchases.
    depths
        How many purchases to consider of each cell, features × labels; 0 leaves a cell out.
    kind, engine, particles, rng
        As for `loss`; all cells share the same particles, so that they can be compared.
    given
        Purchases under way: they count as bought, in expectation, whatever comes back.
    """
    rule = named(kind)
    check_engine(engine, particles)
    under_way = _allocation_array(belief, {} if given is None else given)
    wanted = _depth_array(depths, under_way.shape)
    few = scenarios.number_of_cases(belief) <= _FEW_CASES and not under_way.any()
    chosen = _engine(belief, rule, engine, few)
    if chosen == "spectral":
        return spectral.cells(belief, wanted, under_way, rule)
    if chosen == "grid":
        return grid.cells(belief, wanted, under_way)
    if chosen == "enumeration" and not under_way.any():
        everything = scenarios.enumerate_cases(belief)
        return scenarios.cells(belief, everything, wanted, under_way, rule)
    if chosen == "enumeration":
        return _cells_one_by_one(belief, wanted, under_way, rule)
    drawn = scenarios.draw_particles(belief, under_way, particles, _generator(rng))
    return scenarios.cells(belief, drawn, wanted, under_way, rule)


def feature_lookahead(
    belief: Belief,
    depths: Integers,
    kind: str | Loss = "gini",
    *,
    given: Allocation | None = None,
    engine: str = "auto",
    particles: int = 1_000,
    rng: np.random.Generator | int = 0,
) -> CellEstimates:
    """Return, for every feature at once, the expected loss after buying only that feature.

    Where `lookahead` buys one label of a feature, here all its labels are bought together. With
    two labels this is as exact, and nearly as fast.

    Parameters
    ----------
    belief, kind, given, engine, particles, rng
        As for `lookahead`; particles of different features share their cases, but not the outcomes
        of their purchases.
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
    rule = named(kind)
    check_engine(engine, particles)
    under_way = _allocation_array(belief, {} if given is None else given)
    wanted = _depth_array(depths, under_way.shape)
    asked = np.flatnonzero(wanted.any(axis=1)).tolist()
    bought = []
    for feature in asked:
        allocation = under_way.copy()
        allocation[feature] += wanted[feature]
        bought.append(allocation)
    few = sum(scenarios.terms(belief, each) for each in bought) <= _SMALL
    chosen = _engine(belief, rule, engine, few)
    if chosen == "spectral":
        return spectral.features(belief, wanted, under_way, rule)
    if chosen == "grid":
        return grid.features(belief, wanted, under_way)
    values, errors = np.full(len(wanted), np.nan), np.zeros(len(wanted))
    seed = int(_generator(rng).integers(2**63)) if chosen == "particles" else 0
    for feature, allocation in zip(asked, bought, strict=True):
        if chosen == "enumeration":
            values[feature] = scenarios.expected_by_enumeration(belief, allocation, rule)
            continue
        drawn = scenarios.draw_particles(belief, allocation, particles, _generator(seed))
        estimate = scenarios.expected(belief, drawn, rule)
        values[feature], errors[feature] = estimate, estimate.standard_error
    resolution = scenarios.ROUNDING if chosen == "enumeration" else 0.0
    return CellEstimates(values, chosen, resolution, errors)


def _cells_one_by_one(
    belief: Belief, depths: Integers, given: Integers, rule: Loss
) -> CellEstimates:
    values = np.full(depths.shape, np.nan)
    for feature, label in np.argwhere(depths).tolist():
        bought = given.copy()
        bought[feature, label] += depths[feature, label]
        values[feature, label] = scenarios.expected_by_enumeration(belief, bought, rule)
    return CellEstimates(values, "enumeration", scenarios.ROUNDING)


def _engine(belief: Belief, rule: Loss, wanted: str, small: bool) -> str:
    two = len(belief.problem.labels) == 2
    if wanted == "auto":
        if two and grid.supports(rule):
            return "grid"
        if two and spectral.supports(rule):
            return "spectral"
        return "enumeration" if small else "particles"
    if wanted in ("spectral", "grid") and not two:
        raise EngineError(
            f"the {wanted} engine is for two labels, this problem has "
            f"{len(belief.problem.labels)}; use enumeration, particles or auto"
        )
    if wanted == "spectral" and not spectral.supports(rule):
        use = "grid or auto" if grid.supports(rule) else "enumeration, particles or auto"
        raise EngineError(f"the spectral engine has no {rule.name} loss; use {use}")
    if wanted == "grid" and not grid.supports(rule):
        raise EngineError(f"the grid engine is for zero_one, not {rule.name}; use spectral or auto")
    return wanted


def _allocation_array(belief: Belief, allocation: Allocation) -> Integers:
    if not isinstance(allocation, Mapping):
        raise AllocationError(
            f"allocation: must map (feature, label) to a number of purchases, got {allocation!r}"
        )
    problem = belief.problem
    result = np.zeros((len(problem.features), len(problem.labels)), dtype=np.int64)
    for cell, number in allocation.items():
        feature, label = _cell(cell)
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not 0 <= number <= MOST_PURCHASES:
            raise AllocationError(
                f"allocation[{cell!r}]: must be a whole number of purchases from 0 to "
                f"{MOST_PURCHASES}, got {number!r}"
            )
        at = problem.action_at if isinstance(cell, Action) else problem.action
        result[at(feature, label)] += number
    return result


def _depth_array(depths: Integers, shape: tuple[int, ...]) -> Integers:
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


def _cell(cell: Any) -> tuple[Any, Any]:
    try:
        feature, label = cell
    except (TypeError, ValueError):
        raise AllocationError(f"allocation: keys must be (feature, label), got {cell!r}") from None
    return feature, label


def check_engine(engine: str, particles: int) -> None:
    """Raise an error unless there is such an engine and such a number of particles."""
    if engine not in ENGINES:
        raise EngineError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
    whole = isinstance(particles, int | np.integer) and not isinstance(particles, bool)
    if not whole or not 2 <= particles <= MOST_PARTICLES:
        raise EngineError(
            f"particles: must be a whole number from 2 to {MOST_PARTICLES}, got {particles!r}"
        )


def _generator(rng: np.random.Generator | int) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise EngineError(f"rng: must be a generator or a seed from 0, got {rng!r}") from error
