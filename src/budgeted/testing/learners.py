"""What every learner must do, whatever it believes."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass

import numpy as np

from budgeted.belief import Integers
from budgeted.learners.base import Learner
from budgeted.problem import Feature, Problem
from budgeted.purchase import Purchase
from budgeted.testing.words import in_words

_EXACT = 1e-9


def check_learner(learner: Learner) -> None:
    """Raise an error in words unless a learner keeps the contract of all learners.

    It is a pure function of the purchases; those without a value teach nothing; probabilities are
    probabilities for every case, known in full, in part or not at all; a feature that tells the
    labels apart is learned; and the expected error lies in its interval, which has a width.

    Parameters
    ----------
    learner
        With the parameters that it is to be tried with.

    Examples
    --------
    >>> from budgeted.learners import learner
    >>> check_learner(learner("hierarchical"))
    """
    assert not isinstance(learner, type), f"give an object, such as {learner!r}(), not its class"
    assert isinstance(getattr(learner, "name", None), str), "it must have a name"
    with in_words("fit, or what it returns,"):
        _check_parameters(learner)
        for labels in (2, 3):
            problem = _problem(labels)
            bought = _purchases(problem)
            _check_probabilities(learner, problem, bought)
            _check_purity(learner, problem, bought)
            _check_learning(learner, problem, bought)
            _check_outlook(learner, problem, bought)


def _check_parameters(learner: Learner) -> None:
    """Studies write the parameters down as JSON, and make the learner of them again."""
    assert is_dataclass(learner), "it must be a dataclass; its fields are the parameters"
    parameters = {each.name: getattr(learner, each.name) for each in fields(learner)}
    for name, value in parameters.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise AssertionError(f"JSON cannot hold the parameter {name}: {error}") from error


def _problem(labels: int) -> Problem:
    features = [Feature(f"f{at}", [f"v{k}" for k in range(size)], 1)
                for at, size in enumerate((labels, 2, 4))]  # fmt: skip
    shares = [1 / labels] * labels
    return Problem(features, [f"label {at}" for at in range(labels)], shares, 1000)


def _purchases(problem: Problem) -> list[Purchase]:
    """The first feature is like the label nine times in ten, the others say nothing."""
    rng = np.random.default_rng(7)
    bought = []
    for case in range(20 * len(problem.labels)):
        label = case % len(problem.labels)
        for feature, size in enumerate(problem.sizes):
            follows = feature == 0 and rng.random() < 0.9
            value = label if follows else int(rng.integers(size))
            bought.append(Purchase(feature, label, value, 1, case))
    return bought


def _cases(problem: Problem) -> Integers:
    """Every case, known in full and in part."""
    choices = [range(-1, size) for size in problem.sizes]
    grid = np.meshgrid(*choices, indexing="ij")
    return np.stack([each.ravel() for each in grid], axis=1).astype(np.int64)


def _check_probabilities(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    cases = _cases(problem)
    for what, part in (("nothing", []), ("one value", bought[:1]), ("some values", bought)):
        found = learner.fit(problem, part).probabilities(cases)
        assert found.shape == (len(cases), len(problem.labels)), (
            f"after {what}: probabilities must be cases × labels, got {found.shape}"
        )
        assert np.isfinite(found).all(), f"after {what}: a probability is no number"
        assert ((found >= 0) & (found <= 1)).all(), f"after {what}: not between 0 and 1"
        assert np.allclose(found.sum(axis=1), 1, atol=_EXACT), f"after {what}: they must sum to 1"
        unknown = found[(cases < 0).all(axis=1)]
        assert np.allclose(unknown, problem.prior, atol=_EXACT), (
            f"after {what}: of a case of which nothing is known, P(label) is its share"
        )


def _check_purity(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    cases = _cases(problem)
    found = learner.fit(problem, bought).probabilities(cases)
    again = learner.fit(problem, bought).probabilities(cases)
    assert np.array_equal(found, again), "the same purchases, and another classifier"
    turned = learner.fit(problem, bought[::-1]).probabilities(cases)
    assert np.allclose(found, turned, atol=1e-6), "the order of the purchases must not matter"
    in_vain = [Purchase(0, 0, None, 1, 10**6), *bought]
    found_with = learner.fit(problem, in_vain).probabilities(cases)
    assert np.allclose(found, found_with, atol=_EXACT), "a purchase without a value teaches"


def _check_learning(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    """A feature that is like the label is believed, and what it says is used."""
    for label in range(len(problem.labels)):
        case = np.array([[label, *([-1] * (len(problem.sizes) - 1))]])
        said = learner.fit(problem, bought).probabilities(case)[0]
        assert said[label] > problem.prior[label] + 0.1, (
            f"a feature that is like the label 9 times in 10, 20 times each, was not learned: "
            f"P({problem.labels[label]}) is {said[label]:.2f}"
        )


def _check_outlook(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    for part in ([], bought):
        found = learner.fit(problem, part).outlook()
        numbers = (found.low, found.error, found.high)
        assert all(map(math.isfinite, numbers)), f"the outlook is no number: {found}"
        assert 0 <= found.low <= found.error <= found.high <= 1, f"not in its interval: {found}"
        assert found.low < found.high, f"an interval of width zero: {found}"
