"""What an engine answers to each question, and how wrong it may be by what it says itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from budgeted.learners.layout import Floats, Integers
from budgeted.value.base import CELLS, EXPECTED, FEATURES, GAINS, Engine, Known, Sampling
from budgeted.value.estimate import CellEstimates, Estimate
from budgeted.value.loss import Loss

PARTICLES = 4_000
_ROUNDING = 1e-12
_FAR = 5
"""Standard errors: what is drawn lies further off once in a million times."""
_USELESS = 0.1
"""An error as large as this says nothing of a loss."""


@dataclass(frozen=True)
class Asked:
    """What an engine is asked: purchases of each cell, while others may be under way."""

    engine: Engine
    known: Known
    loss: Loss
    depths: Integers
    given: Integers


@dataclass(frozen=True)
class Answer:
    """Numbers, and how far the truth may be from each; NaN where nothing was asked for."""

    values: Floats
    error: Floats


def answered(asked: Asked, question: str, rng: np.random.Generator | int = 0) -> Answer:
    """Return what an engine answers, checked: its kind, its shape, and what it says of itself."""
    sampling = Sampling(PARTICLES, rng)
    engine, known, loss = asked.engine, asked.known, asked.loss
    depths, given = asked.depths.copy(), asked.given.copy()
    if question == EXPECTED:
        answer = _of_estimate(engine, engine.expected(known, depths, loss, sampling))
    elif question == GAINS:
        answer = _of_gains(asked, engine.gains(known, loss, sampling).gains(depths), sampling)
    else:
        method = engine.cells if question == CELLS else engine.features
        answer = _of_cells(asked, question, method(known, depths, given, loss, sampling), sampling)
    unchanged = np.array_equal(depths, asked.depths) and np.array_equal(given, asked.given)
    assert unchanged, "it changes the numbers of purchases that it is given"
    assert np.nanmax(answer.error) < _USELESS, "it says that it does not know: a useless bound"
    return answer


def _of_estimate(engine: Engine, found: Any) -> Answer:
    assert isinstance(found, Estimate), f"it must return an Estimate, got {found!r}"
    assert np.isfinite(found), f"the loss is no number: {found!r}"
    assert found.engine == engine.name, f"the estimate says that it is of {found.engine!r}"
    assert found.lower <= found <= found.upper, (
        f"{float(found):g} is not between its bounds {found.lower:g} and {found.upper:g}"
    )
    _check_uncertainty(engine, found.resolution, np.array([found.standard_error]))
    if engine.draws:
        return Answer(np.array([float(found)]), np.array([_FAR * found.standard_error]))
    wrong = max(found.upper - found, found - found.lower) + _ROUNDING
    return Answer(np.array([float(found)]), np.array([wrong]))


def _of_cells(asked: Asked, question: str, found: Any, sampling: Sampling) -> Answer:
    engine = asked.engine
    assert isinstance(found, CellEstimates), f"it must return CellEstimates, got {found!r}"
    assert found.engine == engine.name, f"the estimates say that they are of {found.engine!r}"
    wanted = asked.depths > 0 if question == CELLS else asked.depths.any(axis=1)
    assert np.shape(found.values) == wanted.shape, (
        f"there must be {wanted.shape} losses, got {np.shape(found.values)}"
    )
    assert np.array_equal(np.isfinite(found.values), wanted), (
        "there must be a number where something is bought, and NaN elsewhere"
    )
    errors = np.broadcast_to(found.standard_errors, wanted.shape)
    _check_uncertainty(engine, found.resolution, errors[wanted])
    if engine.draws:
        return Answer(found.values, np.where(wanted, _FAR * errors, np.nan))
    if found.lower is None or found.upper is None:
        wrong = np.where(wanted, found.resolution + _of_now(asked, sampling), np.nan)
        return Answer(found.values, wrong)
    outside = (found.lower > found.values) | (found.values > found.upper)
    assert not outside[wanted].any(), "a loss is not between its bounds"
    wide = np.maximum(found.upper - found.values, found.values - found.lower)
    return Answer(found.values, wide + _ROUNDING)


def _of_gains(asked: Asked, found: Any, sampling: Sampling) -> Answer:
    """Gains say nothing of their error: it is that of the two losses, where these can be asked."""
    wanted = (len(asked.depths),)
    assert np.shape(found) == wanted, f"gains must be one per feature, got {np.shape(found)}"
    assert np.isfinite(found).all(), f"a gain is no number: {found}"
    none = ~asked.depths.any(axis=1)
    assert (found[none] == 0).all(), "what is not bought must bring 0"
    if not {EXPECTED, FEATURES} <= asked.engine.answers:
        return Answer(found, 1e-5 + 0.01 * np.abs(found))
    then = answered(asked, FEATURES, sampling.rng).error
    return Answer(found, _of_now(asked, sampling) + np.nan_to_num(then))


def _of_now(asked: Asked, sampling: Sampling) -> float:
    """Return how wrong the engine may be about the loss before anything is bought."""
    if EXPECTED not in asked.engine.answers:
        return 1e-9
    nothing = np.zeros_like(asked.depths)
    now = asked.engine.expected(asked.known, nothing, asked.loss, sampling)
    return float(_of_estimate(asked.engine, now).error[0])


def _check_uncertainty(engine: Engine, resolution: float, standard_errors: Floats) -> None:
    assert np.isfinite(resolution) and resolution >= 0, f"its resolution is {resolution!r}"  # noqa: PT018
    assert np.isfinite(standard_errors).all(), f"its standard error is {standard_errors}"
    if engine.draws:
        assert (standard_errors > 0).all(), "it draws, so its standard error must be above 0"
    else:
        assert (standard_errors == 0).all(), "it draws nothing, so its standard error must be 0"
