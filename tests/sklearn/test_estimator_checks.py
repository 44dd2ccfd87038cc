"""The checks that scikit-learn makes of every estimator: none of them is expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from budgeted.learners import LEARNERS
from budgeted.sklearn import BudgetedClassifier, BudgetedPurchaser


@parametrize_with_checks([BudgetedClassifier("naive-bayes", handle_unknown="missing")])
def test_the_classifier_is_an_estimator(estimator, check):
    check(estimator)


@parametrize_with_checks([BudgetedPurchaser(budget=40, policy="round-robin")])
def test_the_purchaser_is_an_estimator(estimator, check):
    check(estimator)


def test_every_learner_of_the_package_can_be_named():
    """One that is added later is fitted here, too."""
    X = [["yes", 1.0], ["no", 2.0], [None, 3.0], ["no", None]] * 3
    for name in LEARNERS:
        classifier = BudgetedClassifier(name).fit(X, ["ill", "well", "ill", "well"] * 3)
        assert classifier.predict_proba(X).shape == (12, 2)
        assert 0 <= classifier.expected_error_ <= 1
