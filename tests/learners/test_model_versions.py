"""The format of model files counts from version 6 on: it is kept, upcast, or refused in words."""

import json
from pathlib import Path

import pytest

from budgeted import Model
from budgeted.errors import ModelError
from budgeted.learners import LEARNERS, NaiveBayes, model_file

SAMPLES = Path(__file__).parents[1] / "frozen"


@pytest.mark.parametrize("name", ["hierarchical", "naive-bayes", "logistic-regression"])
def test_a_frozen_file_is_read_and_written_as_it_is(name):
    text = (SAMPLES / f"model-6-{name}.json").read_text(encoding="utf-8")
    model = Model.from_json(text)
    assert model.to_json() == text
    assert model.learner == name
    case = {"fever": "yes", "scan": "unclear"}
    chances = {label: round(chance, 6) for label, chance in model.predict(case).items()}
    assert chances == model.about["says of a case"]


def test_an_older_version_is_upcast(monkeypatch):
    """Suppose that version 5 had called the shares of the study something else."""

    def upcast(plain):
        plain = dict(plain)
        plain["study_prior"] = plain.pop("shares")
        return plain

    monkeypatch.setitem(model_file.VERSIONS.upcasts, 5, upcast)
    text = (SAMPLES / "model-6-hierarchical.json").read_text(encoding="utf-8")
    older = json.loads(text)
    older["version"], older["shares"] = 5, older.pop("study_prior")
    assert Model.from_json(json.dumps(older)) == Model.from_json(text)


@pytest.mark.parametrize("error", [IndexError("list index out of range"), ZeroDivisionError("oh")])
def test_a_learner_that_cannot_read_is_named_in_words(monkeypatch, error):
    class Fragile(NaiveBayes):
        name = "fragile"

        @classmethod
        def read(cls, problem, plain):
            raise error

    monkeypatch.setitem(LEARNERS._members, "fragile", Fragile)
    plain = json.loads((SAMPLES / "model-6-naive-bayes.json").read_text(encoding="utf-8"))
    plain["learner"] = "fragile"
    says = f"its learner 'fragile' cannot read it: {type(error).__name__}: {error}"
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


def test_a_kind_of_feature_that_is_not_there_is_to_be_installed():
    plain = json.loads((SAMPLES / "model-6-naive-bayes.json").read_text(encoding="utf-8"))
    plain["features"][0]["kind"] = "measured"
    says = "of the kind 'measured', which is not installed here; install the package that has it"
    with pytest.raises(ModelError, match=says):
        Model.from_json(json.dumps(plain))


def test_a_newer_version_is_refused_in_words():
    plain = json.loads((SAMPLES / "model-6-hierarchical.json").read_text(encoding="utf-8"))
    plain["version"] = 7
    with pytest.raises(ModelError, match=r"format 7, written by a newer .* knows format 6: update"):
        Model.from_json(json.dumps(plain))
