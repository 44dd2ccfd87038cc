"""Every engine by its name, and which one is taken."""

from __future__ import annotations

import numpy as np

from budgeted.errors import EngineError
from budgeted.learners.layout import Integers
from budgeted.registry import Registry
from budgeted.value.base import Engine, Known, check_engine_kind
from budgeted.value.bounded import Bounded
from budgeted.value.enumeration import Enumeration
from budgeted.value.grid import Grid
from budgeted.value.information import Information
from budgeted.value.loss import Loss
from budgeted.value.mistakes import Mistakes
from budgeted.value.particles import Particles
from budgeted.value.samples import FreshSamples, Samples
from budgeted.value.spectral import Spectral

AUTO = "auto"
"""In place of a name: the most exact engine."""

MOST_PARTICLES = 10**7

ENGINES: Registry[Engine] = Registry(
    "engine",
    "budgeted.engines",
    EngineError,
    (
        Spectral(),
        Grid(),
        Enumeration(),
        Information(),
        Mistakes(),
        Bounded(),
        Particles(),
        Samples(),
        FreshSamples(),
    ),
    check_engine_kind,
)
"""Every engine by its name; `ENGINES.register` adds one."""


def engine_for(
    known: Known,
    loss: Loss,
    question: str,
    depths: Integers,
    given: Integers | None = None,
    wanted: str = AUTO,
) -> Engine:
    """Return the most exact engine that supports a question, or the one that is wanted.

    Parameters
    ----------
    known, loss
        What is known, and which loss is asked for.
    question
        One of `budgeted.value.base.QUESTIONS`.
    depths, given
        How many purchases, and how many under way, features × labels.
    wanted
        The name of an engine to insist on.
    """
    labels = len(known.problem.labels)
    under_way = np.zeros_like(depths) if given is None else given
    if wanted == AUTO:
        for each in _most_exact_first():
            if (
                question in each.answers
                and each.supports(known, loss, labels)
                and each.feasible(known, question, depths, under_way)
            ):
                return each
        raise EngineError(_none(known, loss, question))
    engine = ENGINES.find(wanted)
    if question not in engine.answers:
        raise EngineError(
            f"the {wanted} engine does not answer this; {_instead(known, loss, question)}"
        )
    if not engine.supports(known, loss, labels):
        why = engine.refusal(known, loss, labels)
        raise EngineError(f"the {wanted} engine {why}; {_instead(known, loss, question)}")
    return engine


def check_engine_options(engine: str, particles: int) -> None:
    """Raise an error unless there is such an engine and such a number of particles."""
    if engine != AUTO and engine not in ENGINES:
        raise EngineError(f"there is no engine {engine!r}; there are {', '.join([AUTO, *ENGINES])}")
    whole = isinstance(particles, int | np.integer) and not isinstance(particles, bool)
    if not whole or not 2 <= particles <= MOST_PARTICLES:
        raise EngineError(
            f"particles: must be a whole number from 2 to {MOST_PARTICLES}, got {particles!r}"
        )


def _most_exact_first() -> list[Engine]:
    return sorted(ENGINES.values(), key=lambda each: each.rank)


def _none(known: Known, loss: Loss, question: str) -> str:
    labels = len(known.problem.labels)
    reasons = [
        f"the {each.name} engine {each.refusal(known, loss, labels)}"
        for each in _most_exact_first()
        if question in each.answers
    ]
    return f"no engine can compute the {loss.name} loss here: {'; '.join(reasons)}"


def _instead(known: Known, loss: Loss, question: str) -> str:
    labels = len(known.problem.labels)
    others = [each.name for each in _most_exact_first()
              if question in each.answers and each.supports(known, loss, labels)]  # fmt: skip
    return f"use {', '.join(others)} or {AUTO}" if others else _none(known, loss, question)
