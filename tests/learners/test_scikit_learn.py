"""Classifiers of scikit-learn as learners: partial cases, shares of labels, files, and refusals."""

import json
import sys

import numpy as np
import pytest

from budgeted import Feature, Model, Number, Problem
from budgeted.errors import LearnerError, ModelError
from budgeted.learners import learner
from budgeted.testing import check_learner
from tests.learners.test_logistic_regression import a_problem, noisy, whole
from tests.sample_studies import answer, begin

TREE = {"estimator": "sklearn.tree.DecisionTreeClassifier", "options": "min_samples_leaf=5"}


def test_the_contract_with_another_classifier():
    check_learner(learner("scikit-learn", **TREE))


def an_xor(labels, rng):
    one = rng.integers(2, size=len(labels))
    return whole([one, one ^ labels], labels)


def test_trees_learn_what_features_say_only_together():
    """No sum of what each says can do that."""
    labels = np.arange(400) % 2
    bought = an_xor(labels, np.random.default_rng(1))
    cases = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    said = {name: learner(name).fit(a_problem(2), bought).probabilities(cases)[:, 1]
            for name in ("scikit-learn", "logistic-regression")}  # fmt: skip
    assert said["scikit-learn"].round().tolist() == [0, 1, 1, 0]
    assert abs(said["logistic-regression"] - 0.5).max() < 0.2


@pytest.mark.parametrize("ratio", [1, 5])
def test_how_many_of_each_label_were_bought_does_not_bias_it(ratio):
    labels = np.repeat([0, 1], [200, 200 * ratio])
    bought = whole([noisy(labels, 0.8, np.random.default_rng(2))], labels)
    made = learner("scikit-learn", **TREE).fit(a_problem(1, shares=(0.9, 0.1)), bought)
    found = made.probabilities(np.array([[1], [-1]]))[:, 1]
    assert found[0] == pytest.approx(0.1 * 0.8 / (0.1 * 0.8 + 0.9 * 0.2), abs=0.08)
    assert found[1] == pytest.approx(0.1, abs=1e-12)


def test_numbers_and_names_each_have_their_columns():
    problem = Problem(
        [Feature("age", kind=Number(cuts=[40, 60, 80]), cost=1), Feature("sex", ("f", "m"), 1),
         Feature("blood", ("a", "b", "o"), 1), Feature("never bought", ("x", "y", "z"), 1)],
        ("well", "ill"), (0.5, 0.5), 9,
    )  # fmt: skip
    labels = np.arange(80) % 2
    rng = np.random.default_rng(3)
    bought = whole([labels * 3, rng.integers(2, size=80), rng.integers(3, size=80)], labels)
    made = learner("scikit-learn").fit(problem, bought)
    seen = made._columns(np.array([[2, 1, 0, 2], [-1, -1, -1, -1]]))
    assert seen[0].tolist() == [2, 1, 0, 0, 1]  # age, blood = a, b, o; sex
    assert np.isnan(seen[1]).all()
    assert made.probabilities(np.array([[3, -1, -1, -1]]))[0, 1] > 0.8


def written():
    labels = np.arange(60) % 2
    bought = whole([noisy(labels, 0.9, np.random.default_rng(4)) for _ in range(2)], labels)
    return learner("scikit-learn", **TREE).fit(a_problem(2), bought)


def test_a_file_has_no_names_of_cases_and_is_fitted_again():
    made = written()
    text = Model.of(made).to_json()
    cases = np.array([[0, 1], [1, -1], [-1, -1]])
    np.testing.assert_array_equal(
        Model.from_json(text).probabilities(cases), made.probabilities(cases)
    )
    plain = json.loads(text)["predictor"]
    assert set(plain["cases"][0]) == {"label", "values"}


@pytest.mark.parametrize(
    ("change", "says"),
    [({"said": [[0.1, 0.9]] * 20}, "says something else than when it was written, with scikit-l"),
     ({"estimator": "os.system"}, "must be a class of scikit-learn"),
     ({"cases": [{"label": 7, "values": [0, 0]}]}, "must be positions of labels"),
     ({"more": 1}, "predictor must have the keys")],
)  # fmt: skip
def test_a_file_that_makes_no_sense_is_refused_in_words(change, says):
    plain = json.loads(Model.of(written()).to_json())
    plain["predictor"] |= change
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize(
    ("parameters", "says"),
    [({"estimator": "xgboost.XGBClassifier"}, "estimator: must be a class of scikit-learn"),
     ({"options": "max_iter"}, "options: must be like"),
     ({"options": "max_iter=3, =4"}, "options: must be like"),
     ({"options": "class_weight={0: 2}"}, "options: can be numbers, words, .* got '{0: 2}'"),
     ({"seed": -1}, "seed: must be a whole number"),
     ({"estimator": "sklearn.ensemble.Nothing"}, "scikit-learn has no 'sklearn.ensemble.Nothing'"),
     ({"estimator": "sklearn.linear_model.LinearRegression", "options": ""}, "is no class with"),
     ({"estimator": "sklearn.clone", "options": ""}, "is no class with predict_proba"),
     ({"options": "depth=3"}, "options: .*depth"),
     ({"estimator": "sklearn.linear_model.LogisticRegression", "options": ""},
      "cannot learn from cases known in part: Input X contains NaN")],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_words(parameters, says):
    labels = np.arange(20) % 2
    bought = whole([labels], labels)
    with pytest.raises(LearnerError, match=says):
        learner("scikit-learn", **parameters).fit(a_problem(1), bought).to_plain()


def test_a_study_goes_on_without_scikit_learn_and_says_what_to_install(tmp_path, monkeypatch):
    with begin(str(tmp_path / "a.db"), policy="auto", learner="scikit-learn") as study:
        for request in study.ask(2):
            study.tell(request.number, answer(request))
        assert 0 <= study.status().outlook.error <= 1
        monkeypatch.setitem(sys.modules, "sklearn", None)
        assert study.ask()
        with pytest.raises(LearnerError, match=r"pip install 'budgeted\[sklearn\]'"):
            study.predictor().probabilities(np.array([[0, 0]]))
