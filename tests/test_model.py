import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Belief, Model
from budgeted.errors import ModelError
from tests.strategies import beliefs
from tests.studies import make_problem


@pytest.fixture
def model():
    belief = Belief.prior(make_problem()).observe("f0", "label 1", "yes", times=3)
    return Model.from_belief(belief, study="a")


@given(beliefs(features=(1, 4)))
def test_it_predicts_what_the_belief_says_and_survives_json(belief):
    model = Model.from_belief(belief, study="a", events=7)
    again = Model.from_json(model.to_json())
    assert again == model
    problem = belief.problem
    for known in range(len(problem.features) + 1):
        case = {each.name: each.values[-1] for each in problem.features[:known]}
        chances = list(again.predict(case).values())
        assert chances == pytest.approx(belief.posterior(case).tolist(), abs=1e-12)
        assert math.fsum(chances) == pytest.approx(1)


def test_the_prior_of_the_population(model):
    rare = model.with_prior({"label 1": 0.01, "label 0": 0.99})
    assert rare.predict({}) == pytest.approx({"label 0": 0.99, "label 1": 0.01})
    odds = [each.predict({"f0": "yes"}) for each in (model, rare)]
    factor = [each["label 1"] / each["label 0"] for each in odds]
    assert factor[1] / factor[0] == pytest.approx(0.01 / 0.99)
    for wrong in ((0.5,), (0.5, 0.6), (1.0, 0.0), (np.nan, 0.5), {"label 0": 1.0}):
        with pytest.raises(ModelError, match="prior: must"):
            model.with_prior(wrong)


def by_hand(text, case):
    """What the file says of a case, by the formula in the file and school arithmetic."""
    plain = json.loads(text)
    masses = []
    for at, prior in enumerate(plain["prior"]):
        mass = prior
        for feature in plain["features"]:
            if feature["name"] in case:
                value = feature["values"].index(case[feature["name"]])
                mass *= feature["probabilities"][at][value] ** feature["weight"]
        masses.append(mass)
    return [mass / sum(masses) for mass in masses]


@given(beliefs(features=(1, 4)), st.data())
def test_the_file_alone_gives_the_same_predictions(belief, data):
    problem = belief.problem
    weights = data.draw(st.lists(st.floats(0, 1), min_size=len(problem.features),
                                 max_size=len(problem.features)))  # fmt: skip
    model = Model.from_belief(belief, np.array(weights))
    case = {each.name: data.draw(st.sampled_from(each.values)) for each in problem.features
            if data.draw(st.booleans())}  # fmt: skip
    text = model.to_json()
    assert by_hand(text, case) == pytest.approx(list(model.predict(case).values()), abs=1e-9)


@given(beliefs(features=(1, 3)))
def test_what_is_called_bought_is_what_was_bought(belief):
    plain = json.loads(Model.from_belief(belief).to_json())
    for at, feature in enumerate(plain["features"]):
        assert feature["bought"] == belief.observed[:, belief.columns(at)].tolist()
        for row in feature["probabilities"]:
            assert sum(row) == pytest.approx(1)
    assert "counts" not in json.dumps(plain)
    assert "probabilities[label][value] ** weight" in plain["formula"]


def test_names_that_the_model_does_not_have(model):
    with pytest.raises(ModelError, match="no feature 'F0'; did you mean 'f0'"):
        model.predict({"F0": "yes"})
    with pytest.raises(ModelError, match="'f0' has no value 'Yes'; did you mean 'yes'"):
        model.predict({"f0": "Yes"})
    with pytest.raises(ModelError, match="the model has no feature 0"):
        model.predict({0: "yes"})
    for wrong in (1, True, b"yes", ["yes"]):
        with pytest.raises(ModelError, match="'f0' has no value"):
            model.predict({"f0": wrong})
    with pytest.raises(ModelError, match="case: must map"):
        model.predict([("f0", "yes")])
    for unknown in ("", "?", None, float("nan"), np.float64("nan")):
        assert model.predict({"f0": unknown}) == model.predict({})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda plain: plain.update(format="onnx"), "this is no model"),
        (lambda plain: plain.update(version=2), "version 2 of the format, this package knows"),
        (lambda plain: plain.update(colour=1), "must have the keys"),
        (lambda plain: plain.pop("prior"), "must have the keys"),
        (lambda plain: plain["features"][0].pop("values"), "must have the keys"),
        (lambda plain: plain["features"][0].update(probabilities=[[0.5, 0.5]]), "bought: must"),
        (
            lambda plain: plain["features"][0].update(probabilities=[[2, -1], [0.5, 0.5]]),
            "sum to 1",
        ),
        (lambda plain: plain["features"][0].update(probabilities=[[0.5, 0.6]] * 2), "sum to 1"),
        (lambda plain: plain["features"][0].update(probabilities=[[1, 0], [0.5, 0.5]]), "above 0"),
        (lambda plain: plain["features"][0].update(probabilities=[["a", "b"]] * 2), "sum to 1"),
        (lambda plain: plain["features"][0].update(bought=[[1.5, 0], [0, 0]]), "whole numbers"),
        (
            lambda plain: plain["features"][0].update(probabilities=[[1.0]] * 2, bought=[[1]] * 2),
            "one number per value",
        ),
        (
            lambda plain: [
                each.update(probabilities=[[0.5, 0.5]] * 3, bought=[[0, 0]] * 3)
                for each in plain["features"]
            ],
            "3 rows",
        ),
        (lambda plain: plain.update(prior=[0.5, 0.6]), "must sum to 1"),
        (lambda plain: plain.update(features=3), "makes no sense"),
        (lambda plain: plain.update(about=[]), "makes no sense"),
    ],
)
def test_a_model_that_makes_no_sense(model, change, says):
    plain = json.loads(model.to_json())
    change(plain)
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize("text", ["", "[]", "3", '{"a": NaN}', "[" * 100_000])
def test_other_texts_are_no_models(text):
    with pytest.raises(ModelError):
        Model.from_json(text)
