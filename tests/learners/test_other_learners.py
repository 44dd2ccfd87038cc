"""Learners that are no committees go through studies, their page, simulations and forecasts."""

import numpy as np
import pytest

from budgeted import Model, Purchase, simulate
from budgeted.errors import ModelError
from budgeted.experiments.spec import parse
from budgeted.learners import Hierarchical, learner
from budgeted.learners.formats import model_format
from budgeted.learners.formula import formula_of
from budgeted.learners.predictor import confusion_of, possible_errors
from budgeted.policies import policy
from budgeted.simulation.synthetic import Synthetic
from tests.sample_studies import answer, begin, make_problem
from tests.webs import client, make_study

NAMES = ["logistic-regression"]


@pytest.mark.parametrize("name", NAMES)
def test_it_goes_through_a_study(tmp_path, name):
    with begin(str(tmp_path / "my.db"), policy="auto", learner=name) as study:
        for _ in range(8):
            for request in study.ask():
                study.tell(request.number, answer(request))
        now, made = study.status(), study.predictor()
        assert made.learner == name
        assert now.outlook == made.outlook()
        assert study.created.learner_parameters["as_stated"] == 3.0
        model = study.model()
        again = Model.from_json(model.to_json())
        for case in ({}, {"f0": "yes"}, {"f0": "no", "f1": "yes"}):
            assert again.predict(case) == pytest.approx(model.predict(case), abs=1e-9)
        found = model.next_test({}, {"f0": 1, "f1": 1}, wrong=1000)
        assert found.test in ("f0", "f1")


@pytest.mark.parametrize("name", NAMES)
def test_pages_show_it(tmp_path, name):
    with make_study(tmp_path / "studies.db", learner=name) as study:
        study.record([("P0", "fever", "no"), ("P1", "fever", "yes"), ("P3", "cough", "yes")])
        expected = study.model()
    with client(tmp_path) as page:
        assert page.get("/studies/flu").status_code == 200
        shown = page.get("/api/studies/flu/charts/belief", params={"feature": "fever"}).json()
        assert "does not say" not in shown["description"]
        assert page.get("/studies/flu/model", params={"known": "0=yes"}).status_code == 200
        assert Model.from_json(page.get("/api/studies/flu/model.json").text) == expected


@pytest.mark.parametrize("name", NAMES)
def test_it_goes_through_an_experiment_and_simulate(name):
    document = {"budget": 6, "runs": 1, "seed": 1, "problem": {"synthetic": "figure-3b"},
                "policy": [{"name": "round-robin", "learner": name}]}  # fmt: skip
    experiment = parse(document, "mine")
    assert len(experiment.play(experiment.contenders[0], 0).error) == 6
    drawn = Synthetic(features=3).draw(1, 9)
    steps = list(simulate(drawn.problem, policy("auto"), drawn.world, seed=1,
                          learner=learner(name), truth=drawn.truth))  # fmt: skip
    assert 0 <= steps[-1].true_error <= 1


@pytest.mark.parametrize("name", NAMES)
def test_the_default_buys_the_same_whichever_of_them_delivers(name):
    """All pool features alike, so what is believed of the parameters is the same."""
    drawn = Synthetic(features=4).draw(2, 24)
    bought = [
        [(step.feature, step.label) for step in simulate(
            drawn.problem, policy("auto"), drawn.world,
                                                        seed=3, learner=each)]
        for each in (Hierarchical(), learner(name))
    ]  # fmt: skip
    assert bought[0] == bought[1]


@pytest.mark.parametrize("name", NAMES)
def test_it_expects_errors_as_its_interval_and_its_confusion_say(name):
    drawn = Synthetic(features=3).draw(5, 60)
    steps = simulate(drawn.problem, policy("round-robin", over="cases"), drawn.world, seed=5)
    made = learner(name).fit(
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
    model = Model.of(learner("logistic-regression").fit(problem, bought)).with_prior((0.2, 0.8))
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
