"""Logistic regression on partial cases: its fit against SciPy, copies, shares of labels, files."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from budgeted import Feature, Model, Problem, Purchase
from budgeted.errors import LearnerError, ModelError
from budgeted.learners import LogisticRegression, learner
from budgeted.learners.layout import layout_of
from budgeted.learners.logistic_weights import Evidence, fit_weights


def objective(weights, evidence, features, apart, together):
    """The penalised likelihood with a full table of evidence and a full covariance."""
    table = np.zeros((len(evidence.own), features, evidence.said.shape[1]))
    table[evidence.rows, evidence.features] = evidence.said
    logs = special.log_softmax(np.einsum("i,ciy->cy", weights, table), axis=1)
    spread = apart**2 * np.eye(features) + together**2 * np.ones((features, features))
    away = weights - 1
    fit = evidence.counts @ logs[np.arange(len(evidence.own)), evidence.own]
    return away @ np.linalg.solve(spread, away) / 2 - fit


@given(
    st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 5), st.integers(2, 3),
    st.sampled_from([0.2, 0.5, 3.0]), st.sampled_from([0.1, 1.0]),
)  # fmt: skip
@settings(max_examples=40)
def test_the_weights_are_the_most_probable_ones(seed, cases, features, labels, apart, together):
    rng = np.random.default_rng(seed)
    known = rng.random((cases, features)) < 0.6
    known[np.arange(cases), rng.integers(features, size=cases)] = True
    rows, feature = np.nonzero(known)
    evidence = Evidence(
        rows, feature, 2 * rng.normal(size=(len(rows), labels)), rng.integers(labels, size=cases),
        rng.uniform(0.2, 3, size=cases),
    )  # fmt: skip
    found = fit_weights(evidence, np.ones(features), apart, together)
    theirs = optimize.minimize(
        objective, np.ones(features), (evidence, features, apart, together),
        method="L-BFGS-B", bounds=[(0, None)] * features, options={"ftol": 1e-14, "gtol": 1e-9},
    )  # fmt: skip
    assert (found >= 0).all()
    assert objective(found, evidence, features, apart, together) <= theirs.fun + 1e-8
    np.testing.assert_allclose(found, theirs.x, atol=2e-3)


def a_problem(features, labels=("well", "ill"), shares=(0.5, 0.5)):
    return Problem([Feature(f"f{at}", ("no", "yes"), 1) for at in range(features)],
                   labels, shares, 10_000)  # fmt: skip


def whole(columns, labels):
    """Purchases of cases that are known in full."""
    return [Purchase(feature, int(label), int(value), 1, case)
            for case, (row, label) in enumerate(zip(np.transpose(columns), labels, strict=True))
            for feature, value in enumerate(row)]  # fmt: skip


def noisy(labels, right, rng):
    return np.where(rng.random(len(labels)) < right, labels, 1 - labels)


def test_copies_share_their_weight_and_others_keep_theirs():
    rng = np.random.default_rng(1)
    labels = np.arange(400) % 2
    copied, own = noisy(labels, 0.7, rng), noisy(labels, 0.7, rng)
    made = LogisticRegression().fit(a_problem(5), whole([copied] * 4 + [own], labels))
    weights = made.weights
    assert np.ptp(weights[:4]) < 1e-6
    assert abs(weights[:4].sum() - 1) < 0.5, "four copies count about once"
    assert weights[4] > 2 * weights[0]


def test_scattered_values_leave_weights_near_one():
    """Where no two values are of one case nothing shows how features go together."""
    rng = np.random.default_rng(3)
    labels = np.arange(400) % 2
    value = noisy(labels, 0.8, rng)
    bought = [Purchase(at % 4, int(labels[at]), int(value[at]), 1, at) for at in range(400)]
    weights = LogisticRegression().fit(a_problem(4), bought).weights
    # Of 100 values that are right 8 times in 10, by Fisher's information of their weight:
    error = 1 / math.sqrt(100 * 0.8 * 0.2 * math.log(0.8 / 0.2) ** 2)
    assert abs(weights - 1).max() < 4 * error


@pytest.mark.parametrize("ratio", [1, 6])
def test_how_many_of_each_label_were_bought_does_not_bias_it(ratio):
    """P(ill | yes) by Bayes' rule with the known share, though the ill were bought more often."""
    rng = np.random.default_rng(4)
    labels = np.repeat([0, 1], [300, 300 * ratio])
    problem = a_problem(1, shares=(0.9, 0.1))
    made = LogisticRegression().fit(problem, whole([noisy(labels, 0.8, rng)], labels))
    found = made.probabilities(np.array([[1], [-1]]))[:, 1]
    truth = 0.1 * 0.8 / (0.1 * 0.8 + 0.9 * 0.2)
    assert found[0] == pytest.approx(truth, abs=0.06)
    assert found[1] == pytest.approx(0.1, abs=1e-12)


def test_the_file_says_the_same_by_school_arithmetic():
    rng = np.random.default_rng(5)
    labels = np.arange(60) % 2
    made = LogisticRegression().fit(
        a_problem(3, shares=(0.3, 0.7)), whole([noisy(labels, 0.8, rng) for _ in range(3)], labels)
    )
    model = Model.of(made)
    plain = json.loads(model.to_json())
    case = {"f0": "yes", "f2": "no"}
    masses = list(plain["prior"])
    for feature, each in zip(plain["features"], plain["predictor"]["features"], strict=True):
        if feature["name"] in case:
            at = feature["values"].index(case[feature["name"]])
            for label in range(2):
                masses[label] *= each["probabilities"][label][at] ** each["weight"]
    expected = [mass / sum(masses) for mass in masses]
    assert list(model.predict(case).values()) == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(
        made.shares(1), made.posterior.expected[:, layout_of(made.problem).columns(1)]
    )


@pytest.mark.parametrize(
    ("where", "value", "says"),
    [(("features", 0, "weight"), -1, "weight: must be a number from 0, got -1"),
     (("features", 0, "weight"), "much", "weight: must be a number from 0, got 'much'"),
     (("features", 0, "probabilities"), [[0.5, 0.6], [0.5, 0.5]], "must be numbers above 0 that"),
     (("features", 1, "probabilities"), [[0.5, 0.5]], "must be 2 rows"),
     (("features",), [], "must be one for each of 2 features, got 0"),
     (("more",), 1, "predictor must have the keys features, formula, got")],
)  # fmt: skip
def test_a_file_that_makes_no_sense_is_refused_in_words(where, value, says):
    plain = json.loads(Model.of(LogisticRegression().fit(a_problem(2), [])).to_json())
    place = plain["predictor"]
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize("wrong", [{"apart": 0}, {"together": "much"}, {"as_stated": -1}])
def test_parameters_that_make_no_sense(wrong):
    with pytest.raises(LearnerError, match=f"{next(iter(wrong))}: must be a number above 0"):
        learner("logistic-regression", **wrong)
