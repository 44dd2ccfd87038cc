"""The error that was measured, beside the one that was expected."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from budgeted import Feature, Problem
from budgeted.cli.main import main
from budgeted.learners import NaiveBayes, Outlook
from budgeted.simulation.judge import Validation
from budgeted.studies.measured import Measured, disagreement, measure

PROBLEM = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.6, 0.4), 10)


@given(st.integers(1, 300), st.floats(0, 1))
def test_the_interval_is_wilsons(number, share):
    wrong = round(share * number)
    labels = np.array([1] * wrong + [0] * (number - wrong))  # nothing bought: always "well"
    judge = Validation.of_table(PROBLEM, np.full((number, 1), -1), labels)
    found = measure(NaiveBayes().fit(PROBLEM, []), judge)
    peer = stats.binomtest(wrong, number).proportion_ci(0.9, method="wilson")
    assert found.error == pytest.approx(wrong / number, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), abs=1e-9)
    assert found.cases == number
    assert found.high - found.low > 0


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.31, 0.4, "more than expected"), (0.01, 0.09, "less than expected"), (0.2, 0.5, ""),
     (0.0, 0.1, ""), (0.05, 0.6, "")],
)  # fmt: skip
def test_a_disagreement_is_said_where_the_intervals_do_not_meet(low, high, words):
    said = disagreement(Outlook(0.2, 0.1, 0.3), Measured((low + high) / 2, low, high, 50))
    assert words in said
    assert bool(said) == bool(words)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The example study with every value recorded, and its patients as validation cases."""
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ["study", "example", "."],
        ["study", "new", "study.toml", "--cases", "cases.csv"],
        ["study", "import", "answers.csv"],
    ):
        assert CliRunner().invoke(main, arguments).exit_code == 0
    labels = dict(line.split(",") for line in (tmp_path / "cases.csv").read_text().split())
    rows = [line.split(",") for line in (tmp_path / "answers.csv").read_text().split()]
    lines = [",".join([*row, labels.get(row[0], "label")]) for row in rows]
    (tmp_path / "known.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_the_command_measures_and_says_what_was_expected(example):
    shown = CliRunner().invoke(main, ["study", "validate", "known.csv"])
    assert shown.exit_code == 0
    text = " ".join(shown.output.split())
    assert text.startswith("On 60 validation cases the classifier is wrong in ")
    assert text.index("Expected: ") > text.index("90 % interval")
    assert "always saying iron-deficiency: 40.0%" in text
    plain = json.loads(
        CliRunner().invoke(main, ["study", "validate", "known.csv", "--json"]).output
    )
    assert plain["measured"]["cases"] == 60
    assert plain["learned_from"] == 60
    assert "Of 60 of these cases values were bought: the classifier learned from them" in text
    status = json.loads(CliRunner().invoke(main, ["study", "status", "--json"]).output)
    assert status["outlook"] == plain["expected"]
    wrong = round(60 * plain["measured"]["error"])
    # As a stranger would count it, from the predictions of the same patients.
    predicted = CliRunner().invoke(main, ["study", "predict", "known.csv"]).stdout.splitlines()
    header, *rows = (line.split(",") for line in predicted)
    said, true = header.index("predicted"), header.index("label")
    assert wrong == sum(row[said] != row[true] for row in rows)


def test_a_file_that_does_not_fit_is_explained(example):
    (example / "bad.csv").write_text("ferritin,transferrin,crp,mcv,label\nlow,low,up,low,gone\n")
    shown = CliRunner().invoke(main, ["study", "validate", "bad.csv"])
    assert shown.exit_code == 1
    assert "line 2, 'label': there is no label 'gone'" in shown.output
    assert "line 2: feature 'crp' has no value 'up'; there are 'normal', 'raised'" in shown.output
    shown = CliRunner().invoke(main, ["study", "validate", "known.csv", "--label", "kind"])
    assert "there is no column 'kind'" in shown.output


def test_status_says_when_nothing_tells_the_labels_apart(example):
    before = CliRunner().invoke(main, ["study", "new", "study.toml", "--cases", "cases.csv",
                                       "--db", "other.db"])  # fmt: skip
    assert before.exit_code == 0
    text = CliRunner().invoke(main, ["study", "status", "--db", "other.db"]).output
    assert "Nothing tells the labels apart yet." in text
    assert "always saying iron-deficiency: 0.400" in text
    known = CliRunner().invoke(main, ["study", "status"]).output
    assert "Nothing tells the labels apart" not in known


def test_cases_that_nothing_was_bought_of_are_not_remarked_on(example):
    """Of two cases by other names, and of all where the file does not name them."""
    lines = (example / "known.csv").read_text().splitlines()
    others = [lines[0], *(f"new-{line}" for line in lines[1:3]), lines[3]]
    without = [line.split(",", 1)[1] for line in lines]
    for rows, number in ((others, 1), (without, 0)):
        (example / "some.csv").write_text("\n".join(rows) + "\n")
        shown = CliRunner().invoke(main, ["study", "validate", "some.csv", "--json"]).output
        assert json.loads(shown)["learned_from"] == number
        text = CliRunner().invoke(main, ["study", "validate", "some.csv"]).output
        assert ("values were bought" in text) == bool(number)
