"""The loss of a belief, and the expected loss after purchases: one function per question.

Each asks the most exact engine that supports the question, or the one that is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from budgeted.errors import AllocationError, EngineError
from budgeted.learners.belief import Belief
from budgeted.learners.layout import Integers
from budgeted.problem import Action, Problem
from budgeted.value.base import (
    CELLS,
    EXPECTED,
    FEATURES,
    GAINS,
    CellEstimates,
    Engine,
    Estimate,
    Gains,
    Known,
    Sampling,
)
from budgeted.value.bounded import Bounded
from budgeted.value.enumeration import Enumeration
from budgeted.value.grid import Grid
from budgeted.value.information import Information
from budgeted.value.loss import Loss, named
from budgeted.value.mistakes import Mistakes
from budgeted.value.particles import Particles
from budgeted.value.spectral import Spectral

AUTO = "auto"
"""In place of a name: the most exact engine."""
MOST_PARTICLES = 10**7

ENGINES: Mapping[str, Engine] = {
    each.name: each
    for each in (
        Spectral(), Grid(), Information(), Mistakes(), Bounded(), Enumeration(), Particles(),
    )
}  # fmt: skip
"""Every engine by its name, the most exact first."""
Allocation = Mapping[Any, int]
"""(feature, label) → number of purchases; an `Action`, or any pair of names.

Of positions too, where names are no numbers."""
MOST_PURCHASES = 10**6
"""Of one cell: computing time grows with it, and nobody buys a million values of one kind."""


def engine_for(
    known: Known,
    loss: Loss,
    question: str,
    depths: Integers,
    given: Integers | None = None,
    wanted: str = AUTO,
) -> Engine:
    """Return the most exact engine that supports a question, or the one that is wanted."""
    labels = len(known.problem.labels)
    under_way = np.zeros_like(depths) if given is None else given
    able = [
        each
        for each in ENGINES.values()
        if question in each.answers and not each.refusal(known, loss, labels)
    ]
    if wanted == AUTO:
        for each in able:
            if each.feasible(known, question, depths, under_way):
                return each
        raise EngineError(_none(known, loss, question))
    engine = ENGINES[wanted]
    if engine in able:
        return engine
    why = "does not answer this"
    if question in engine.answers:
        why = engine.refusal(known, loss, labels)
    others = f"use {', '.join(each.name for each in able)} or {AUTO}" if able else ""
    raise EngineError(f"the {wanted} engine {why}; {others or _none(known, loss, question)}")


def check_engine_options(engine: str, particles: int) -> None:
    """Raise an error unless there is such an engine and such a number of particles."""
    if engine != AUTO and engine not in ENGINES:
        raise EngineError(f"there is no engine {engine!r}; there are {', '.join([AUTO, *ENGINES])}")
    whole = isinstance(particles, int | np.integer) and not isinstance(particles, bool)
    if not whole or not 2 <= particles <= MOST_PARTICLES:
        raise EngineError(
            f"particles: must be a whole number from 2 to {MOST_PARTICLES}, got {particles!r}"
        )


def _none(known: Known, loss: Loss, question: str) -> str:
    reasons = [
        f"the {each.name} engine {each.refusal(known, loss, len(known.problem.labels))}"
        for each in ENGINES.values()
        if question in each.answers
    ]
    return f"no engine can compute the {loss.name} loss here: {'; '.join(reasons)}"


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
    check_engine_options(engine, particles)
    bought = allocation_array(belief.problem, allocation)
    chosen = engine_for(belief, rule, EXPECTED, bought, wanted=engine)
    return chosen.expected(belief, bought, rule, Sampling(particles, rng))


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
    check_engine_options(engine, particles)
    under_way = allocation_array(belief.problem, {} if given is None else given)
    wanted = depth_array(depths, under_way.shape)
    chosen = engine_for(belief, rule, CELLS, wanted, under_way, engine)
    return chosen.cells(belief, wanted, under_way, rule, Sampling(particles, rng))


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
    check_engine_options(engine, particles)
    under_way = allocation_array(belief.problem, {} if given is None else given)
    wanted = depth_array(depths, under_way.shape)
    chosen = engine_for(belief, rule, FEATURES, wanted, under_way, engine)
    return chosen.features(belief, wanted, under_way, rule, Sampling(particles, rng))


def gains(known: Known, kind: str | Loss = "gini", *, engine: str = "auto") -> Gains:
    """Return what says how much purchases of each feature alone lower the loss.

    Parameters
    ----------
    known
        What a learner believes (`budgeted.learners.base.Learner`), or a plain `Belief`.
    kind, engine
        As for `loss`.

    Examples
    --------
    >>> from budgeted import Belief, Feature, Problem
    >>> from budgeted.learners import Hierarchical
    >>> features = [Feature("a", ("no", "yes"), 1), Feature("b", ("no", "yes"), 1)]
    >>> problem = Problem(features, ("well", "ill"), (0.5, 0.5), 100)
    >>> belief = Belief.prior(problem).observe("a", "ill", "yes")
    >>> more = np.array([[1, 1], [1, 1]])
    >>> gains(belief).gains(more).round(3).tolist()
    [0.021, 0.026]
    >>> gains(Hierarchical().believed(belief)).gains(more).round(3).tolist()
    [0.016, 0.019]
    """
    rule = named(kind)
    check_engine_options(engine, Sampling().particles)
    nothing = np.zeros((len(known.problem.features), len(known.problem.labels)), dtype=np.int64)
    return engine_for(known, rule, GAINS, nothing, wanted=engine).gains(known, rule, Sampling())


def allocation_array(problem: Problem, allocation: Allocation) -> Integers:
    """Return an allocation as a table, features × labels, or say what is wrong with it."""
    if not isinstance(allocation, Mapping):
        raise AllocationError(
            f"allocation: must map (feature, label) to a number of purchases, got {allocation!r}"
        )
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


def depth_array(depths: Integers, shape: tuple[int, ...]) -> Integers:
    """Return numbers of purchases to look ahead as such a table, or say what is wrong."""
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
