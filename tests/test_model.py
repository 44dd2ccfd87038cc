import json
import math

import numpy as np
import pytest
from hypothesis import given

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


def test_rows_of_a_table(model):
    header, rows = model.predict_rows(
        ["id", "f0"], [["7", "yes"], ["8", ""], ["9", "?"]], [2, 3, 4]
    )
    assert header == ["id", "f0", "predicted", "P(label 0)", "P(label 1)"]
    assert rows[0][2] == "label 1"
    assert [float(cell) for cell in rows[1][3:]] == [0.5, 0.5]
    with pytest.raises(ModelError, match="line 2: feature 'f0' has no value 'maybe'"):
        model.predict_rows(["f0"], [["maybe"]], [2])
    with pytest.raises(ModelError, match="no column of the file is a feature"):
        model.predict_rows(["id"], [["7"]], [2])
    with pytest.raises(ModelError, match="the model has no feature 'f9'"):
        model.predict({"f9": "yes"})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda plain: plain.update(format="onnx"), "this is no model"),
        (
            lambda plain: plain.update(version=3),
            "version 3 of the format, this package knows 1 and 2",
        ),
        (lambda plain: plain.update(colour=1), "must have the keys"),
        (lambda plain: plain.pop("prior"), "must have the keys"),
        (lambda plain: plain["features"][0].pop("values"), "must have the keys"),
        (lambda plain: plain["features"][0].update(counts=[[1, 1]]), "prior_counts has 1 rows"),
        (lambda plain: plain["features"][0].update(counts=[[1, -1], [1, 1]]), "above 0"),
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
