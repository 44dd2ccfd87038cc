"""Learners that are no committees: what simulations, forecasts and formulas make of them."""

import numpy as np
import pytest

from budgeted import Model, Purchase, simulate
from budgeted.errors import ModelError
from budgeted.learners import Hierarchical, learner
from budgeted.learners.formats import model_format
from budgeted.learners.formula import formula_of
from budgeted.learners.predictor import confusion_of, possible_errors
from budgeted.policies import policy
from budgeted.simulation.synthetic import Synthetic
from tests.sample_studies import make_problem

NAME = "logistic-regression"


def test_the_default_buys_the_same_whichever_of_them_delivers():
    """All pool features alike, so what is believed of the parameters is the same."""
    drawn = Synthetic(features=4).draw(2, 24)
    bought = [
        [(step.feature, step.label) for step in simulate(
            drawn.problem, policy("auto"), drawn.world,
                                                        seed=3, learner=each)]
        for each in (Hierarchical(), learner(NAME))
    ]  # fmt: skip
    assert bought[0] == bought[1]


def test_it_expects_errors_as_its_interval_and_its_confusion_say():
    drawn = Synthetic(features=3).draw(5, 60)
    steps = simulate(drawn.problem, policy("round-robin", over="cases"), drawn.world, seed=5)
    made = learner(NAME).fit(
        drawn.problem,
        [Purchase(each.feature, each.label, each.value, each.cost, each.case) for each in steps],
    )
    outlook, table = made.outlook(), confusion_of(made)
    assert possible_errors(made).mean() == pytest.approx(outlook.error, abs=1e-9)
    right = np.diag(table.shares) @ np.asarray(drawn.problem.prior)
    assert 1 - right == pytest.approx(outlook.error, abs=0.02)
    low, high = made.share_intervals(0)
    assert (low <= made.shares(0) + 0.05).all()
    assert (high >= made.shares(0) - 0.05).all()


def test_a_logistic_regression_can_be_taken_away_as_a_formula():
    problem = make_problem()
    bought = [Purchase(at, case % 2, (case + (case % 3 == at)) % 2, 1, case)
              for case in range(30) for at in range(2)]  # fmt: skip
    model = Model.of(learner(NAME).fit(problem, bought)).with_prior((0.2, 0.8))
    formula = formula_of(model, "ONNX")
    assert formula.is_additive
    scores = np.log([0.2, 0.8]) + formula.logs[0][0, :, 1] + formula.logs[1][0, :, 0]
    masses = np.exp(scores)
    said = list(model.predict({"f0": "yes", "f1": "no"}).values())
    np.testing.assert_allclose(masses / masses.sum(), said, atol=1e-12)


def test_what_only_sums_can_say_is_refused_as_a_formula_in_words():
    model = Model.of(learner("scikit-learn").fit(make_problem(), []))
    with pytest.raises(ModelError, match="'scikit-learn' makes classifiers that a page cannot"):
        model_format("html").content(model)
