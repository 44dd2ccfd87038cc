"""Measures of probabilities: scikit-learn says the same, with weights, ties and several labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from budgeted import Feature, Problem
from budgeted.learners import NaiveBayes, fitted
from budgeted.simulation.judge import MEASURES, Validation, probabilities


@st.composite
def judged(draw, weighted):
    """Probabilities with ties, the true labels, and weights of the cases."""
    labels = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cases = draw(st.integers(labels, 40))
    chances = rng.integers(1, 6, size=(cases, labels)).astype(float)
    chances /= chances.sum(axis=1, keepdims=True)
    truth = np.concatenate([np.arange(labels), rng.integers(0, labels, cases - labels)])
    weights = rng.random(cases) + 0.1 if weighted and labels == 2 else np.ones(cases)
    weights /= weights.sum()
    masses = np.zeros((cases, labels))
    masses[np.arange(cases), truth] = weights
    return chances, truth, weights, masses


@pytest.mark.parametrize("weighted", [False, True])
def test_they_are_those_of_scikit_learn(weighted):
    @settings(max_examples=60, deadline=None)
    @given(judged(weighted))
    def check(drawn):
        chances, truth, weights, masses = drawn
        labels = np.arange(chances.shape[1])
        none = np.zeros((0, 0))
        assert MEASURES["log loss"](chances, masses, none) == pytest.approx(
            metrics.log_loss(truth, chances, sample_weight=weights, labels=labels)
        )
        several = len(labels) > 2
        assert MEASURES["brier"](chances, masses, none) == pytest.approx(
            metrics.brier_score_loss(
                truth, chances if several else chances[:, 1], sample_weight=weights,
                labels=labels, **({} if several else {"pos_label": 1}),
            )
        )  # fmt: skip
        expected = (
            metrics.roc_auc_score(truth, chances, multi_class="ovo", labels=labels)
            if several
            else metrics.roc_auc_score(truth, chances[:, 1], sample_weight=weights)
        )
        assert MEASURES["auc"](chances, masses, none) == pytest.approx(expected)

    check()


@settings(max_examples=60, deadline=None)
@given(judged(weighted=True), st.integers(0, 2**32))
def test_the_cost_of_errors_is_counted_case_by_case(drawn, seed):
    """With costs that never tie, so that there is one answer; that of equal ones is the error."""
    chances, truth, weights, masses = drawn
    costs = np.random.default_rng(seed).random((chances.shape[1],) * 2)
    np.fill_diagonal(costs, 0)
    total = 0.0
    for case, weight in enumerate(weights):
        expected = [sum(chances[case] * row) for row in costs]
        total += weight * costs[expected.index(min(expected)), truth[case]]
    assert MEASURES["cost of errors"](chances, masses, costs) == pytest.approx(total)


def test_with_equal_costs_it_is_the_error_of_the_judge():
    problem = Problem([Feature("a", ("x", "y"), 1)], ("p", "q", "r"), (0.4, 0.3, 0.3), 9)
    rng = np.random.default_rng(1)
    values, labels = rng.integers(-1, 2, size=(50, 1)), rng.integers(0, 3, 50)
    judge = Validation.of_table(problem, values, labels)
    predictor = fitted(NaiveBayes(), problem, [])
    chances = probabilities(predictor, judge)
    assert chances == pytest.approx(predictor.probabilities(values))
    even = 1 - np.eye(3)
    found = MEASURES["cost of errors"](chances, judge.masses, even)
    assert found == pytest.approx(judge.error(predictor))


def test_without_a_case_of_a_label_there_is_no_auc():
    masses = np.array([[0.5, 0.0], [0.5, 0.0]])
    assert np.isnan(MEASURES["auc"](np.full((2, 2), 0.5), masses, np.zeros((0, 0))))


def test_a_certain_mistake_is_not_infinite():
    found = MEASURES["log loss"](np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.zeros((0, 0)))
    assert found == pytest.approx(metrics.log_loss([1], [[1.0, 0.0]], labels=[0, 1]))
