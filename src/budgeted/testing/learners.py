"""What every learner must do, whatever it believes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from budgeted.errors import LearnerError, UnwritableError
from budgeted.learners import LEARNERS, fitted, parameters_of
from budgeted.learners.base import Learner, Predictor
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.predictor import log_scores, share_intervals_of, shares_of
from budgeted.problem import Feature, Problem
from budgeted.problem.orders import Purchase
from budgeted.registry import frozen
from budgeted.studies.created import Created
from budgeted.studies.journal.rows import to_json
from budgeted.testing.words import in_words

_EXACT = 1e-9


def check_learner(learner: Learner) -> None:
    """Raise an error in words unless a learner keeps the contract of all learners.

    It is a pure function of the purchases, in whatever order they and the features are listed;
    those without a value teach nothing; probabilities are probabilities for every case, known in
    full, in part or not at all; a feature that tells the labels apart is learned; the expected
    error lies in its interval, which has a width; a study can write its parameters down and make it
    of them again; what is written down of a predictor says the same when it is read again; and what
    a predictor may have besides fits what it must have.

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
            _check_columns(learner, problem, bought)
            _check_outlook(learner, problem, bought)
            _check_file(learner, problem, bought)
            _check_more(learner, problem, bought)


def _check_parameters(learner: Learner) -> None:
    """Studies write the parameters down as JSON, and make the learner of them again."""
    assert is_dataclass(learner), "it must be a dataclass; its fields are the parameters"
    parameters = parameters_of(learner)
    for name, value in parameters.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise AssertionError(f"JSON cannot hold the parameter {name}: {error}") from error
        try:
            to_json(replace(_CREATED, learner_parameters={name: value}))
        except UnwritableError as error:
            raise AssertionError(
                f"a study cannot write down the parameter {name}={value!r}: it must be a number, a "
                f"text, true or false, None, or a tuple of these"
            ) from error
    read = {name: frozen(value) for name, value in json.loads(json.dumps(parameters)).items()}
    try:
        again = type(learner)(**read)
    except Exception as error:
        raise AssertionError(
            f"it cannot be made again of its parameters {parameters}: "
            f"{type(error).__name__}: {error}"
        ) from error
    assert again == learner, (
        f"made again of its parameters it is another: {again!r}, not {learner!r}"
    )


_CREATED = Created(
    features=(), labels=(), prior=(), budget=Decimal(0), policy="", parameters={}, case_rule="",
    seed=0, loss="", cases=(), package="", learner="", learner_parameters={}, price_list="",
    price_parameters={}, groups={},
)  # fmt: skip
"""Only to write the parameters of a learner down in, as studies do."""


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
        for feature, size in enumerate(_sizes(problem)):
            follows = feature == 0 and rng.random() < 0.9
            value = label if follows else int(rng.integers(size))
            bought.append(Purchase(feature, label, value, 1, case))
    return bought


def _sizes(problem: Problem) -> list[int]:
    return [len(each.values) for each in problem.features]


def _cases(problem: Problem) -> Integers:
    """Every case, known in full and in part."""
    choices = [range(-1, size) for size in _sizes(problem)]
    grid = np.meshgrid(*choices, indexing="ij")
    return np.stack([each.ravel() for each in grid], axis=1).astype(np.int64)


def _check_probabilities(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    cases = _cases(problem)
    for what, part in (("nothing", []), ("one value", bought[:1]), ("some values", bought)):
        found = np.asarray(_fitted(learner, problem, part).probabilities(cases))
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


def _fitted(learner: Learner, problem: Problem, purchases: Sequence[Purchase]) -> Predictor:
    try:
        return fitted(learner, problem, purchases)
    except LearnerError as error:
        raise AssertionError(str(error)) from error


def _check_purity(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    cases = _cases(problem)
    found = learner.fit(problem, bought).probabilities(cases)
    again = learner.fit(problem, bought).probabilities(cases)
    assert np.array_equal(found, again), "the same purchases, and another classifier"
    belief = Belief.prior(problem)
    for each in bought:
        if each.value is not None:
            belief = belief.observe_at(each.feature, each.label, each.value)
    short = fitted(learner, problem, bought, belief).probabilities(cases)
    assert np.allclose(found, short, atol=_EXACT), "of_belief makes another classifier than fit"
    turned = learner.fit(problem, bought[::-1]).probabilities(cases)
    assert np.allclose(found, turned, atol=1e-6), "the order of the purchases must not matter"
    in_vain = [Purchase(0, 0, None, 1, 10**6), *bought]
    found_with = learner.fit(problem, in_vain).probabilities(cases)
    assert np.allclose(found, found_with, atol=_EXACT), "a purchase without a value teaches"


def _check_learning(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    """A feature that is like the label is believed, and what it says is used."""
    for label in range(len(problem.labels)):
        case = np.array([[label, *([-1] * (len(problem.features) - 1))]])
        said = learner.fit(problem, bought).probabilities(case)[0]
        assert said[label] > problem.prior[label] + 0.1, (
            f"a feature that is like the label 9 times in 10, 20 times each, was not learned: "
            f"P({problem.labels[label]}) is {said[label]:.2f}"
        )


def _check_columns(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    """Features have names, and no place in a list says anything of them."""
    order = [2, 0, 1]
    turned = replace(problem, features=tuple(problem.features[at] for at in order))
    moved = [replace(each, feature=order.index(each.feature)) for each in bought]
    cases = _cases(problem)
    found = learner.fit(problem, bought).probabilities(cases)
    other = learner.fit(turned, moved).probabilities(cases[:, order])
    assert np.allclose(found, other, atol=1e-6), "the order of the features must not matter"


def _check_file(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    """What `to_plain` returns is all that another process needs."""
    made = learner.fit(problem, bought)
    assert isinstance(made.learner, str), "a predictor must name the learner that can read it"
    try:
        text = json.dumps(made.to_plain(), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"JSON cannot hold what to_plain returns: {error}") from error
    reader: Any = type(learner) if made.learner == learner.name else LEARNERS.find(made.learner)
    assert callable(getattr(reader, "read", None)), (
        f"the learner {made.learner!r} has no read(problem, plain), so a model file is of no use"
    )
    cases = _cases(problem)
    again = reader.read(problem, json.loads(text)).probabilities(cases)
    assert np.allclose(made.probabilities(cases), again, atol=_EXACT), (
        "what was written down predicts something else when it is read again"
    )


def _check_more(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    """What a predictor may have besides."""
    made, cases = learner.fit(problem, bought), _cases(problem)
    scores, found = log_scores(made, cases), made.probabilities(cases)
    masses = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert np.allclose(masses / masses.sum(axis=1, keepdims=True), found, atol=_EXACT), (
        "log_scores and probabilities do not fit together"
    )
    for at, size in enumerate(_sizes(problem)):
        shares = shares_of(made, at)
        if shares is None:
            continue
        assert shares.shape == (len(problem.labels), size), "shares must be labels × values"
        assert np.allclose(shares.sum(axis=1), 1, atol=_EXACT), "shares must sum to 1 per label"
        ends = share_intervals_of(made, at)
        assert ends is None or (ends[0] <= ends[1]).all(), "an interval ends before it begins"


def _check_outlook(learner: Learner, problem: Problem, bought: list[Purchase]) -> None:
    for part in ([], bought):
        found = learner.fit(problem, part).outlook()
        numbers = (found.low, found.error, found.high)
        assert all(map(math.isfinite, numbers)), f"the outlook is no number: {found}"
        assert 0 <= found.low <= found.error <= found.high <= 1, f"not in its interval: {found}"
        assert found.low < found.high, f"an interval of width zero: {found}"
