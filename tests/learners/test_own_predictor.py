"""A learner that is no committee of naive Bayes models goes through everything that there is.

It is the one of the example package: how alike a case is to those that were bought.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from budgeted import Model, simulate
from budgeted.errors import LearnerError, ModelError
from budgeted.experiments.spec import parse
from budgeted.learners import LEARNERS, NaiveBayes, Outlook, fitted
from budgeted.learners.predictor import outlook_of, probabilities_of
from budgeted.policies import policy
from budgeted.simulation.judge import Validation
from budgeted.simulation.synthetic import Synthetic
from budgeted.studies.measured import measure
from budgeted.web import charts
from tests.sample_studies import answer, begin, make_problem
from tests.webs import client, make_study

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin" / "src"


@pytest.fixture
def kernel(monkeypatch):
    monkeypatch.syspath_prepend(str(PLUGIN))
    from thrifty.kernel import Kernel

    monkeypatch.setitem(LEARNERS._members, "kernel", Kernel)
    yield Kernel
    for name in [each for each in sys.modules if each.partition(".")[0] == "thrifty"]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["auto", "sfl", "random-shopper"])
def test_it_goes_through_a_study(kernel, tmp_path, name):
    with begin(str(tmp_path / "my.db"), policy=name, learner="kernel") as study:
        for _ in range(8):
            for request in study.ask():
                study.tell(request.number, answer(request))
        now, made = study.status(), study.predictor()
        assert now.outlook == made.outlook()
        assert not hasattr(made, "posterior")
        assert study.created.learner_parameters == {"alike": 0.85}
        model = study.model()
        again = Model.from_json(model.to_json())
        for case in ({}, {"f0": "yes"}, {"f0": "no", "f1": "yes"}):
            assert again.predict(case) == pytest.approx(model.predict(case))
        assert again.with_prior((0.9, 0.1)).predict({}) == pytest.approx(
            {"label 0": 0.9, "label 1": 0.1}
        )
        values, labels = np.array([[0, 0], [1, 1]]), np.array([0, 1])
        judge = Validation.of_table(study.state.problem, values, labels)
        assert 0 <= measure(made, judge).error <= 1


def test_pages_say_what_it_cannot(kernel, tmp_path):
    with make_study(tmp_path / "studies.db", learner="kernel") as study:
        study.record([("P0", "fever", "no"), ("P1", "fever", "yes"), ("P3", "cough", "yes")])
        expected = study.model()
    with client(tmp_path) as page:
        assert page.get("/studies/flu").status_code == 200
        shown = page.get("/api/studies/flu/charts/belief", params={"feature": "fever"}).json()
        assert "does not say how frequent the values of fever are" in shown["description"]
        for chart in ("error", "worth", "purchases"):
            assert "$schema" in page.get(f"/api/studies/flu/charts/{chart}").json()
        said = page.get("/studies/flu/model", params={"known": "0=yes"}).text
        assert "learner does not say which of the other features would tell the most" in said
        found = page.get("/api/studies/flu/model", params={"known": "0=yes"}).json()
        assert found["features"][0]["values"][0]["chances"] is None
        chances = {each["name"]: each["probability"] for each in found["labels"]}
        assert chances == pytest.approx(expected.predict({"fever": "yes"}))
        assert Model.from_json(page.get("/api/studies/flu/model.json").text) == expected


def test_it_goes_through_an_experiment_and_simulate(kernel):
    document = {"budget": 6, "runs": 1, "seed": 1, "problem": {"synthetic": "figure-3b"},
                "policy": [{"name": "round-robin", "learner": "kernel"}]}  # fmt: skip
    experiment = parse(document, "mine")
    assert len(experiment.play(experiment.contenders[0], 0).error) == 6
    drawn = Synthetic(features=3).draw(1, 9)
    judges = {"validation": drawn.validation, "truth": drawn.truth}
    buyer = policy("round-robin")
    steps = list(simulate(drawn.problem, buyer, drawn.world, seed=1, learner=kernel(), **judges))
    assert 0 <= steps[-1].validation_error <= 1
    assert 0 <= steps[-1].true_error <= 1


def test_a_file_says_which_learner_can_read_it(kernel, monkeypatch):
    model = Model.of(kernel().fit(make_problem(), []))
    assert json.loads(model.to_json())["learner"] == "kernel"
    monkeypatch.delitem(LEARNERS._members, "kernel")
    with pytest.raises(ModelError, match="made by the learner 'kernel', which alone can read it"):
        Model.from_json(model.to_json())


@dataclass(frozen=True)
class Bad:
    """What it returns is made from naive Bayes, and wrong."""

    name: ClassVar[str] = "bad"
    how: str = "nonsense"

    def fit(self, problem, purchases):
        made = NaiveBayes().fit(problem, purchases)
        if self.how == "nonsense":
            return 42
        if self.how == "raises":
            return {}["nothing"]
        if self.how == "outlook":
            made.__dict__["outlook"] = lambda models=200: Outlook(0.5, 0.6, 0.7)
        if self.how == "shape":
            made.__dict__["probabilities"] = lambda values: np.zeros(3)
        if self.how == "sums":
            made.__dict__["probabilities"] = lambda values: np.full((len(values), 2), 0.4)
        return made


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (
            "nonsense",
            "learner 'bad': fit must return a budgeted.learners.Predictor; it returned 42",
        ),
        ("raises", "learner 'bad': fit raised KeyError: 'nothing'"),
        ("outlook", "outlook must be an Outlook with 0 ≤ low ≤ error"),
        ("shape", "probabilities: must be 1 cases × 2 labels"),
        ("sums", "must sum to 1 for each case"),
    ],
)
def test_what_is_wrong_is_said_in_words(how, says):

    def use_it():
        made = fitted(Bad(how), make_problem(), [])
        outlook_of(made)
        probabilities_of(made, np.array([[-1, -1]]))

    with pytest.raises(LearnerError, match=says):
        use_it()


def test_a_study_says_so_too(tmp_path, monkeypatch):
    monkeypatch.setitem(LEARNERS._members, "bad", Bad)
    with begin(str(tmp_path / "my.db"), learner="bad") as study:
        for look in (study.model, study.predictor):
            with pytest.raises(LearnerError, match="fit must return a"):
                look()
        status = study.status()
        assert status.outlook is None
        assert "fit must return a" in status.unknown
        assert study.ask(), "buying goes on"


def test_a_chart_of_nothing_is_a_chart(kernel):
    drawn = charts.belief_of(kernel().fit(make_problem(), []), "f0")
    assert drawn["mark"]["type"] == "text"
    assert "The learner 'kernel'" in " ".join(drawn["data"]["values"][0]["words"])
