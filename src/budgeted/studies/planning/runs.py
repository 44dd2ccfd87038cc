"""A study that has not begun, played in a possible model from its first purchase on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from budgeted.learners.imagined import ImaginedModel
from budgeted.learners.layout import Integers, by_feature, likelihoods
from budgeted.policies import for_learner, policy
from budgeted.policies.base import Chooser
from budgeted.problem import Problem
from budgeted.seeds import PLAN, stream
from budgeted.studies.beginning import learner_of, policy_of
from budgeted.studies.budget_terms import first_terms
from budgeted.studies.creation import begun, creation
from budgeted.studies.files import StudyFile
from budgeted.studies.forecast.playing import answers_of, drawn_cases, error_on, goes_on, spend
from budgeted.studies.projection import Projection

OWN = "the study's policy"
"""Plays as the study says."""
WHOLE_CASES = "round robin over cases"
"""Orders every test of one case after the other, the usual way to run a study."""
_RUN = 1


@dataclass(frozen=True)
class Played:
    """How a study went in one model."""

    errors: tuple[float, ...]
    floor: float


def begin(design: StudyFile, at: str) -> Projection:
    """Return a study as it would begin at a time, without any journal."""
    created = creation(
        design.name,
        design.problem,
        design.cases,
        design.policy,
        design.parameters,
        design.case_rule,
        design.seed,
        design.loss,
        design.learner,
        design.groups,
    )
    return begun(created, design.known, first_terms(design.problem.terms))


def buyer(projection: Projection, who: str) -> Chooser:
    """Return who chooses: the policy of the study, or whole cases in turn."""
    if who == OWN:
        return policy_of(projection.created)
    return for_learner(policy("round-robin", over="cases"), lambda: learner_of(projection.created))


def play(
    projection: Projection,
    who: str,
    model: ImaginedModel,
    amounts: Sequence[Decimal],
    number: int,
    seed: int,
    at: str,
) -> Played:
    """Return how a study goes in a model.

    The values that a model gives and the cases that it is judged on depend on seed and number
    alone, so that who chooses, and which design is played, are compared side by side.
    """
    rng = stream(seed, PLAN, _RUN, number)
    judged = drawn_cases(model, rng)
    draft = goes_on(projection, buyer(projection, who), amounts[-1], at)
    errors: list[float] = []
    for spent, _ in spend(draft, answers_of(model, seed, PLAN, _RUN, number)):
        passed = bisect_left(amounts, spent) - len(errors)
        if passed > 0:
            errors += [error_on(draft, judged)] * passed
    errors += [error_on(draft, judged)] * (len(amounts) - len(errors))
    return Played(tuple(errors), _floor(model, judged))


def for_design(model: ImaginedModel, problem: Problem) -> ImaginedModel:
    """Return a model of some tests of another problem, found by their names."""
    names = [each.name for each in model.problem.features]
    parts = by_feature(model.problem, model.parameters)
    parameters = np.concatenate([parts[names.index(each.name)] for each in problem.features], 1)
    return ImaginedModel(problem, parameters, model.correlation)


def _floor(model: ImaginedModel, judged: Sequence[Integers]) -> float:
    """Error of who knows the shares of all values, on the same cases."""
    prior, wrong = np.asarray(model.problem.prior), 0.0
    for label, cases in enumerate(judged):
        chances = likelihoods(model.problem, model.parameters, cases) * prior
        best = chances >= chances.max(axis=1, keepdims=True) * (1 - 1e-12)
        wrong += prior[label] * float(1 - (best[:, label] / best.sum(axis=1)).mean())
    return wrong
