r"""How wrong will the classifier be? Its error under models that are still possible.

Models are drawn from the posterior: a setting, for each feature whether it matters and how
strongly, its parameters, and a correlation of the features. Of each model cases are drawn, and the
classifier that would be delivered now is judged on them. Cases are drawn feature by feature, as if
the features were independent; where they are correlated by ρ, the variance of what the classifier
says is larger, by f² = 1 + ρ (n − 1). Here n = (Σ v_i sd_i)² / Σ (v_i sd_i)², where v_i is the
weight of a feature (`budgeted.learners.dependence`) and sd_i the standard deviation of its
log-likelihoods within a label. So to the scores of a case those of another case of its label are
added, less their mean and times √(f² − 1): that has the variance which is missing, and leaves the
mean where it is.

So the interval holds what is not known of the parameters, of which features matter, and of whether
they repeat each other. It does not hold what the learner cannot think of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import LearnerError
from budgeted.learners.base import Confusion, Outlook
from budgeted.learners.belief import Floats, Integers
from budgeted.learners.dependence import CORRELATIONS, effective
from budgeted.learners.layout import every_case, layout_of, number_of_cases
from budgeted.learners.posterior import Posterior
from budgeted.learners.special import log_gamma_draws
from budgeted.problem import Problem
from budgeted.seeds import OUTLOOK, stream

CONFIDENCE = 0.9
_ENDS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
FINEST = 0.005
"""On either side of the expected error the interval is at least so wide: half a percentage point.
Shares of labels are never known better than that.
"""
MODELS = 200
"""How many are drawn."""
_CASES = 60
"""Drawn of each label of each model, unless there are so few different ones that all pairs of them
are gone through.
"""
FEW_CASES = 64
_MOST_NUMBERS = 10**7
_TIED = 1e-12
_TINY = float(np.finfo(float).tiny)


def prospect(
    posterior: Posterior,
    correlations: Floats,
    scatter: Floats,
    log_scores: Callable[[NDArray[np.integer[Any]]], Floats],
    models: int = MODELS,
) -> Outlook:
    """Return the error that a classifier is expected to make, with an interval."""
    expected, errors = _under_each(posterior, correlations, scatter, log_scores, models)
    low, high = np.quantile(errors, _ENDS).tolist()
    return Outlook(
        expected, max(0.0, min(low, expected - FINEST)), min(1.0, max(high, expected + FINEST))
    )


def possible_errors(
    posterior: Posterior,
    correlations: Floats,
    scatter: Floats,
    log_scores: Callable[[NDArray[np.integer[Any]]], Floats],
    models: int = MODELS,
) -> Floats:
    """Return the error of a classifier under each of some models that are still possible.

    Errors on few cases scatter more than the models do, by a known variance; they are drawn
    together until they scatter as much as these.
    """
    _, errors = _under_each(posterior, correlations, scatter, log_scores, models)
    result: Floats = np.clip(errors, 0, 1)  # what rounding may have added
    return result


def _under_each(
    posterior: Posterior,
    correlations: Floats,
    scatter: Floats,
    log_scores: Callable[[NDArray[np.integer[Any]]], Floats],
    models: int,
) -> tuple[float, Floats]:
    """The expected error, and that under each model, which scatter as much as the models do."""
    problem = posterior.problem
    rng, added, drawn = _possibilities(posterior, correlations, scatter, models)
    if number_of_cases(problem) <= FEW_CASES:
        errors, noise = _of_all_cases(problem, log_scores, drawn, added), 0.0
    else:
        votes = _of_drawn_cases(problem, log_scores, drawn, added, rng)
        errors, noise = _errors(problem, votes)
    expected, variance = float(errors.mean()), float(errors.var(ddof=1))
    together = np.sqrt(max(0.0, 1 - noise / variance)) if variance > 0 else 0.0
    return expected, expected + together * (errors - expected)


def confusion(
    posterior: Posterior,
    correlations: Floats,
    scatter: Floats,
    log_scores: Callable[[NDArray[np.integer[Any]]], Floats],
    models: int = MODELS,
) -> Confusion:
    """Return how often each label is expected to be said of the cases of each label.

    The models are those of `prospect`, so that both agree: the shares of labels times what is said
    rightly come to one less the expected error.
    """
    problem = posterior.problem
    rng, added, drawn = _possibilities(posterior, correlations, scatter, models)
    if number_of_cases(problem) <= FEW_CASES:
        said = _said_of_all_cases(problem, log_scores, drawn, added)
        noise: Floats = np.zeros(said.shape[1:])
    else:
        votes = _of_drawn_cases(problem, log_scores, drawn, added, rng)
        said = votes.mean(axis=2)
        noise = votes.var(axis=2, ddof=1).mean(axis=0) / votes.shape[2]
    expected, variance = said.mean(axis=0), said.var(axis=0, ddof=1)
    together = np.sqrt(np.clip(1 - noise / np.maximum(variance, _TINY), 0, 1))
    low, high = np.quantile(expected + together * (said - expected), _ENDS, axis=0)
    return Confusion(expected, np.minimum(low, expected), np.maximum(high, expected))


def _possibilities(
    posterior: Posterior, correlations: Floats, scatter: Floats, models: int
) -> tuple[np.random.Generator, Floats, Iterator[Floats]]:
    """Models, how much the features of each repeat each other, and what draws their cases."""
    if models < 2:
        raise LearnerError(f"models: must be at least 2, got {models!r}")
    rng = stream(0, OUTLOOK)
    number = float(effective(scatter))
    added = np.sqrt(rng.choice(CORRELATIONS, models, p=correlations) * (number - 1))  # √(f² − 1)
    return rng, added, (draw_model(posterior, rng) for _ in range(models))


def spreads(problem: Problem, means: Floats) -> Floats:
    """Return how much what each feature says of a case scatters within a label.

    The standard deviation of its log-likelihoods, each minus their mean over the labels, averaged
    over labels by their shares. A feature that says nothing has 0.
    """
    prior, logs = np.asarray(problem.prior), np.log(means)
    said = logs - prior @ logs
    first = np.add.reduceat(means[:, None] * said, layout_of(problem).starts, axis=-1)
    second = np.add.reduceat(means[:, None] * said**2, layout_of(problem).starts, axis=-1)
    variance = np.einsum("y,z,yzf->f", prior, prior, np.maximum(second - first**2, 0))
    result: Floats = np.sqrt(variance)
    return result


def _of_all_cases(
    problem: Problem,
    log_scores: Callable[[NDArray[np.integer[Any]]], Floats],
    drawn: Iterator[Floats],
    added: Floats,
) -> Floats:
    """Error under each model, over every pair of cases there is."""
    values = every_case(problem)
    columns, scores = values + layout_of(problem).starts, log_scores(values)
    errors = np.empty(len(added))
    for at, parameters in enumerate(drawn):
        chances = parameters[:, columns].prod(axis=2)  # labels × cases
        right = [
            _right(label, row / row.sum(), scores, added[at]) for label, row in enumerate(chances)
        ]
        errors[at] = 1 - np.asarray(problem.prior) @ right
    return errors


def _said_of_all_cases(
    problem: Problem,
    log_scores: Callable[[NDArray[np.integer[Any]]], Floats],
    drawn: Iterator[Floats],
    added: Floats,
) -> Floats:
    """What is said under each model, models × labels × labels, over every pair of cases."""
    values = every_case(problem)
    columns, scores = values + layout_of(problem).starts, log_scores(values)
    labels = range(len(problem.labels))
    said = np.empty((len(added), len(labels), len(labels)))
    for at, parameters in enumerate(drawn):
        chances = parameters[:, columns].prod(axis=2)
        for label, row in enumerate(chances):
            share = row / row.sum()
            said[at, label] = [_right(each, share, scores, added[at]) for each in labels]
    return said


def _right(label: int, chances: Floats, scores: Floats, added: float) -> float:
    """How often a label is said of cases that have these chances and scores."""
    if added == 0:
        return float(chances @ _votes(scores)[:, label])
    away = added * (scores - chances @ scores)
    votes = _votes(scores[:, None] + away)[..., label]  # cases × other cases
    return float(chances @ votes @ chances)


def _of_drawn_cases(
    problem: Problem,
    log_scores: Callable[[NDArray[np.integer[Any]]], Floats],
    drawn: Iterator[Floats],
    added: Floats,
    rng: np.random.Generator,
) -> Floats:
    """What is said of drawn cases under each model, models × labels × cases × labels."""
    labels, features, models = len(problem.labels), len(problem.features), len(added)
    cases = min(_CASES, max(10, _MOST_NUMBERS // (models * labels * features)))
    values = np.empty((models, labels, cases, features), dtype=np.int64)
    for each, parameters in zip(values, drawn, strict=True):
        _draw_cases(problem, parameters, rng, each)
    scores = log_scores(values.reshape(-1, features)).reshape(models, labels, cases, labels)
    centre = scores.mean(axis=2, keepdims=True)
    other = np.roll(scores, 1, axis=2)
    return _votes(scores + added[:, None, None, None] * (other - centre))


def _errors(problem: Problem, votes: Floats) -> tuple[Floats, float]:
    """Error under each model over some drawn cases, and the variance that comes of their number."""
    label, cases = np.arange(len(problem.labels)), votes.shape[2]
    right = votes[:, label, :, label]  # labels × models × cases
    prior = np.asarray(problem.prior)
    noise = float((prior**2 @ right.var(axis=2, ddof=1)).mean() / cases)
    return 1 - prior @ right.mean(axis=2), noise


def _votes(scores: Floats) -> Floats:
    """Which label is said, over the last axis; where some tie, it is guessed."""
    best = scores >= scores.max(axis=-1, keepdims=True) - _TIED
    result: Floats = best / best.sum(axis=-1, keepdims=True)
    return result


def draw_model(posterior: Posterior, rng: np.random.Generator) -> Floats:
    """Draw parameters, labels × values."""
    problem, counts = posterior.problem, posterior.counts
    setting = int(rng.choice(len(posterior.weights), p=posterior.weights))
    own = log_gamma_draws(layout_of(problem).prior_counts + counts, rng)
    if setting < len(posterior.weights) - 1:
        beta = setting * posterior.evennesses // (len(posterior.weights) - 1)
        steps = posterior.components[setting].cumsum(axis=1)
        passed = (rng.random(len(steps))[:, None] > steps[:, :-1]).sum(axis=1)
        part = np.repeat(passed, layout_of(problem).widths)
        column = np.arange(counts.shape[1])
        common = _shares(log_gamma_draws(posterior.draws[beta, part, column], rng)[None], problem)[
            0
        ]
        irrelevant = part == 0
        kappa = np.where(irrelevant, 1.0, posterior.concentrations[part, column])
        scattered = log_gamma_draws(counts + np.maximum(kappa * common, _TINY), rng)
        drawn = np.where(irrelevant, np.log(np.maximum(common, _TINY)), scattered)
        drawn[:, posterior.stated_columns] = own[:, posterior.stated_columns]
        own = drawn
    return _shares(own, problem)


def _shares(logs: Floats, problem: Problem) -> Floats:
    """Shares of the values of each feature, from the logarithms of their masses."""
    sizes, offsets = layout_of(problem).widths, layout_of(problem).starts
    masses = np.exp(logs - np.repeat(np.maximum.reduceat(logs, offsets, axis=1), sizes, axis=1))
    totals = np.add.reduceat(masses, offsets, axis=1)
    result: Floats = masses / np.repeat(totals, sizes, axis=1)
    return result


def _draw_cases(
    problem: Problem, parameters: Floats, rng: np.random.Generator, into: Integers
) -> None:
    """Draw cases of each label of a model, labels × cases × features."""
    starts, last = layout_of(problem).starts, layout_of(problem).widths - 1
    for row, values in zip(parameters, into, strict=True):
        # Feature i takes up the interval from i to i + 1, divided by its shares.
        places = np.arange(len(starts)) + rng.random(values.shape)
        found = np.searchsorted(row.cumsum(), places, side="right") - starts
        np.clip(found, 0, last, out=values)
