"""What a classifier says of the cases of each label: expected, by brute force; and measured."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from budgeted import Feature, Problem, Purchase
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.learners.predictor import confusion_of, log_scores, outlook_of
from budgeted.learners.prospect import draw_model
from budgeted.simulation.judge import Validation
from budgeted.studies.measured import measured_confusion


def problem_of(labels, features, values=2):
    names = tuple(f"v{at}" for at in range(values))
    prior = np.arange(1, labels + 1) / np.arange(1, labels + 1).sum()
    return Problem([Feature(f"f{at}", names, 1) for at in range(features)],
                   [f"label {at}" for at in range(labels)], tuple(prior), 100)  # fmt: skip


def bought(problem, number, seed):
    rng = np.random.default_rng(seed)
    return [
        Purchase(at % len(problem.features), label, int((rng.random() < 0.25) ^ (label % 2)), 1)
        for at in range(number)
        for label in range(len(problem.labels))
    ]


@settings(max_examples=12, deadline=None)
@given(labels=some.integers(2, 3), features=some.sampled_from([1, 3, 8]),
       number=some.integers(0, 9), seed=some.integers(0, 99))  # fmt: skip
def test_it_agrees_with_the_expected_error(labels, features, number, seed):
    problem = problem_of(labels, features)
    predictor = Hierarchical().fit(problem, bought(problem, number, seed))
    found, now = confusion_of(predictor), outlook_of(predictor)
    assert found.shares.sum(axis=1) == pytest.approx(1)
    assert (found.low <= found.shares).all()
    assert (found.shares <= found.high).all()
    right = np.asarray(problem.prior) @ np.diag(found.shares)
    assert right == pytest.approx(1 - now.error, abs=1e-9)


def test_it_is_what_the_models_say_by_brute_force():
    """One feature cannot repeat another: what is said depends on the drawn models alone."""
    problem = problem_of(2, 1, values=3)
    predictor = NaiveBayes().fit(problem, bought(problem, 5, 1))
    rng = np.random.default_rng(5)
    votes = np.array([
        np.eye(2)[np.argmax(log_scores(predictor, np.array([[value]]))[0])] for value in range(3)
    ])  # fmt: skip
    models = [draw_model(predictor.posterior, rng) for _ in range(4_000)]
    wanted = np.mean([model @ votes for model in models], axis=0)
    assert confusion_of(predictor).shares == pytest.approx(wanted, abs=0.03)


@settings(max_examples=30, deadline=None)
@given(some.lists(some.tuples(some.integers(-1, 1), some.integers(-1, 1), some.integers(0, 2)),
                  min_size=1, max_size=30))  # fmt: skip
def test_what_is_measured_is_counted(rows):
    problem = problem_of(3, 2)
    predictor = Hierarchical().fit(problem, bought(problem, 6, 2))
    values = np.array([row[:2] for row in rows])
    labels = np.array([row[2] for row in rows])
    validation = Validation.of_table(problem, values, labels)
    counts = np.zeros((3, 3))
    for case, label in zip(values, labels, strict=True):
        scores = log_scores(predictor, case[None])[0]
        best = [at for at in range(3) if scores[at] >= scores.max() - 1e-12]
        for said in best:
            counts[label, said] += 1 / len(best)
    assert validation.confusion(predictor) * len(rows) == pytest.approx(counts)
    assert np.trace(validation.confusion(predictor)) == pytest.approx(
        1 - validation.error(predictor)
    )
    found = measured_confusion(predictor, validation)
    for label, said in itertools.product(range(3), repeat=2):
        number = (labels == label).sum()
        if number:
            assert found.shares[label, said] == pytest.approx(counts[label, said] / number)
            assert found.low[label, said] <= found.shares[label, said] + 1e-12
            assert found.shares[label, said] <= found.high[label, said] + 1e-12
        else:
            assert np.isnan(found.shares[label]).all()


def test_a_learner_that_cannot_tell_says_nothing():
    class Other:
        learner = "other"

    assert confusion_of(Other()) is None
