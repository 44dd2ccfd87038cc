"""The checks that scikit-learn makes of every estimator: none of them is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from budgeted.learners import LEARNERS
from budgeted.sklearn import BudgetedClassifier, BudgetedPurchaser


@parametrize_with_checks([
    BudgetedClassifier(),
    BudgetedClassifier("naive-bayes", cuts="labels", handle_unknown="missing"),
])  # fmt: skip
def test_the_classifier_is_an_estimator(estimator, check):
    check(estimator)


@parametrize_with_checks([BudgetedPurchaser(budget=40, policy="round-robin")])
def test_the_purchaser_is_an_estimator(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([BudgetedPurchaser(budget=30)])
def test_so_it_is_with_the_default_policy(estimator, check):
    check(estimator)


def test_every_learner_of_the_package_can_be_named():
    """One that is added later is fitted here, too."""
    X = [["yes", 1.0], ["no", 2.0], [None, 3.0], ["no", None]] * 3
    for name in LEARNERS:
        classifier = BudgetedClassifier(name).fit(X, ["ill", "well", "ill", "well"] * 3)
        assert classifier.predict_proba(X).shape == (12, 2)
        assert 0 <= classifier.expected_error_ <= 1
