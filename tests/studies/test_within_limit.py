"""Studies that buy for a classifier with a limit for each case: begun, shown, and diagnosed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from budgeted import Feature, Problem
from budgeted.cli.main import main
from budgeted.diagnosis import ActiveClassifier, Strategy
from budgeted.diagnosis.terms import read_terms
from budgeted.errors import DiagnosisError, StudyFileError
from budgeted.problem.prices import Tariff
from budgeted.studies.files import read_study
from budgeted.studies.study import Study

CASES = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(40)]
COSTS = {"fever": 1, "cough": 2, "scan": 9}
FILE = """
name = "flu"
budget = 60
[policy]
{policy}
[[features]]
name = "fever"
values = ["no", "yes"]
cost = 1
[[features]]
name = "scan"
values = ["no", "yes"]
cost = 9
"""


def begun(tmp_path, parameters, prices=None):
    features = [Feature(name, ("no", "yes"), cost) for name, cost in COSTS.items()]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), 60, prices)
    return Study.create(str(tmp_path / "s.db"), "flu", problem, CASES, parameters=parameters)


def bought(study, number=10):
    for _ in range(number):
        for request in study.ask():
            study.tell(request.number, "yes" if request.label == "ill" else "no")
    return study


@pytest.mark.parametrize("prices", [None, Tariff("1")])
def test_status_says_what_the_classifier_within_the_limit_is_expected_to_do(tmp_path, prices):
    study = bought(begun(tmp_path, {"case_limit": "3", "case_costs": "cough=1"}, prices))
    found = study.status().within_limit
    active = ActiveClassifier(study.model(), COSTS | {"cough": 1}, prices, limit=3)
    assert found.error == pytest.approx(Strategy.of(active).error)
    assert found.error < 0.4
    assert "scan" not in found.tests
    assert study.status().to_plain()["within_limit"]["limit"] == "3"
    assert found.words.startswith(f"With 3 for the tests of each case it is {found.error:.3f}; ")
    said = CliRunner().invoke(main, ["study", "status", "--db", str(tmp_path / "s.db")])
    assert "With 3 for the tests of each case" in said.output


def test_without_a_limit_nothing_is_said(tmp_path):
    study = begun(tmp_path, {})
    assert study.status().within_limit is None
    assert "within_limit" not in study.status().to_plain()


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"case_limit": "0.25"}, "policy: case_limit: a limit of 0.25 pays for no test"),
        ({"case_limit": 3, "case_costs": "cogh=1"}, "there is no test 'cogh'; did you mean"),
        ({"case_limit": "-1"}, "policy: case_limit: must be"),
    ],
)
def test_a_study_with_a_limit_that_makes_no_sense_does_not_begin(tmp_path, parameters, says):
    with pytest.raises(StudyFileError) as caught:
        begun(tmp_path, parameters)
    assert says in str(caught.value)


def test_a_study_file_with_such_a_limit_is_refused_in_words(tmp_path):
    (tmp_path / "study.toml").write_text(FILE.format(policy='case_limit = "0.10"'))
    (tmp_path / "cases.csv").write_text("case,label\na,well\nb,ill\n")
    with pytest.raises(StudyFileError) as caught:
        read_study(tmp_path / "study.toml", tmp_path / "cases.csv")
    assert "policy: case_limit: a limit of 0.10 pays for no test" in str(caught.value)


def test_diagnosing_takes_the_limit_and_the_prices_of_a_study_file():
    text = FILE.format(policy='name = "auto"\ncase_limit = "4"\ncase_costs = "scan=3"')
    assert read_terms(text.encode()) == {"costs": {"fever": 1, "scan": "3"}, "limit": "4"}
    plain = FILE.format(policy='name = "auto"')
    assert read_terms(plain.encode()) == {"costs": {"fever": 1, "scan": 9}}
    wrong = FILE.format(policy='case_limit = "4"\ncase_costs = "scan"')
    with pytest.raises(DiagnosisError, match="case_costs: must be TEST=AMOUNT"):
        read_terms(wrong.encode())


def test_the_limit_is_recorded_with_the_study(tmp_path):
    study = begun(tmp_path, {"case_limit": "3"})
    assert study.created.parameters == {"case_limit": "3"}
    assert json.loads(json.dumps(study.created.parameters)) == study.created.parameters
