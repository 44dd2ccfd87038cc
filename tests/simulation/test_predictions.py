"""Predictions for files: nothing is left out in silence."""

import csv
import io
import json
from itertools import pairwise

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Belief, Feature, Model, Problem
from budgeted.cli.main import main
from budgeted.errors import StudyFileError
from budgeted.learners import of_belief
from budgeted.simulation.predictions import predict_rows

PROBLEM = Problem(
    [Feature("age", ("young", "old"), 1), Feature("cp", ("1", "2", "3"), 1)],
    ("healthy", "sick"),
    (0.5, 0.5),
    10,
)
BELIEF = Belief.prior(PROBLEM).observe("age", "sick", "old", 9).observe("cp", "sick", "3", 9)
MODEL = Model.of(of_belief(BELIEF))
NAMES = ("age", "cp")


@pytest.fixture
def predict(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_text(MODEL.to_json(), encoding="utf-8")

    def command(content, *options, code=0):
        raw = content if isinstance(content, bytes) else content.encode()
        (tmp_path / "new.csv").write_bytes(raw)
        result = CliRunner().invoke(
            main, ["study", "predict", "new.csv", "--model", "model.json", *options]
        )
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        if code:
            assert result.stdout == ""
        return result

    return command


def test_misspelt_columns_are_named_with_what_was_meant_and_fail(predict):
    said = predict("id,Age,CP\n1,old,3\n", code=1).stderr
    assert "column 'Age' is no feature of the model; did you mean 'age'?" in said
    assert "column 'CP' is no feature of the model; did you mean 'cp'?" in said
    assert "the file lacks 'age', 'cp'" in said


def test_a_file_with_all_features_may_have_more_columns(predict):
    done = predict("id,age,cp\n1,old,3\n")
    assert "column 'id' is no feature of the model; it is passed on and not used" in done.stderr
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert (row["id"], row["predicted"]) == ("1", "sick")
    said = predict("id,age,cp\n1,old,3\n", "--strict", code=1).stderr
    assert "column 'id' is no feature of the model" in said
    assert predict("id,age,cp\n1,old,3\n", "--strict", "--pass", "id").stderr == ""


def test_a_file_may_lack_features_if_all_its_columns_are_known(predict):
    done = predict("case,age\n1,old\n")
    assert "feature 'cp' of the model is in no column; it counts as unknown" in done.stderr
    assert "did you mean" not in predict("patient,age\n1,old\n", code=1).stderr
    assert predict("patient,age\n1,old\n", "--pass", "patient").stdout.endswith("0.645161\n")


def test_who_insists_gets_predictions_and_warnings(predict):
    done = predict("age,CP\nold,3\n", "--no-strict")
    assert "column 'CP' is no feature of the model (is it 'cp'?)" in done.stderr
    assert "feature 'cp' of the model is in no column" in done.stderr
    assert list(csv.reader(io.StringIO(done.stdout)))[1][:3] == ["old", "3", "sick"]
    assert "'x' is no feature" in predict("x\n1\n", "--no-strict", code=1).stderr


def test_values_that_the_model_does_not_know(predict):
    file = "age,cp\nold,3\nOld,4\n,\nyoung,0\n"
    said = predict(file, code=1).stderr
    assert "line 3: feature 'age' has no value 'Old'; did you mean 'old'?" in said
    assert "line 3: feature 'cp' has no value '4'" in said
    assert "line 5: feature 'cp' has no value '0'" in said
    done = predict(file, "--no-strict")
    assert "column 'cp': 2 cells that are no value of it were taken for unknown" in done.stderr
    assert "column 'age': 1 cells" in done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert rows[1]["P(sick)"] == rows[2]["P(sick)"] == "0.500000"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "the file is empty"),
        ("age,age,cp\nold,old,3\n", "column 'age' stands in the header 2 times"),
        ("id,id,age,cp\n1,2,old,3\n", "column 'id' stands in the header 2 times"),
        ("age,cp,predicted\nold,3,sick\n", "column 'predicted' would stand there twice"),
        ("age,cp,P(sick)\nold,3,1\n", "'P(sick)' would stand there twice"),
        ("age,,\nold,1,2\n", "a column without a name"),
        (",age\n1,old\n", "a column without a name"),
        ("age,cp\nold\n", "line 2 has 1 cells"),
        ("case,label\n1,sick\n", "no column is a feature of the model"),
    ],
)
def test_files_that_do_not_fit(predict, content, says):
    assert says in predict(content, code=1).stderr


def test_what_other_programs_write(predict):
    plain = predict("age,cp\nold,3\n").stdout
    assert predict(b"\xef\xbb\xbfage,cp\r\nold,3\r\n").stdout == plain
    for mark in (";", "\t", "|"):
        assert predict(f"age{mark}cp\nold{mark}3\n").stdout == plain
    for option in ("semicolon", ";"):
        assert predict("age;cp\nold;3\n", "--delimiter", option).stdout == plain
    assert predict("age\tcp\nold\t3\n", "--delimiter", "tab").stdout == plain
    sixteen = "age,cp\nold,3\n".encode("utf-16")
    assert "give its encoding, such as 'utf-16'" in predict(sixteen, code=1).stderr
    assert predict(sixteen, "--encoding", "utf-16").stdout == plain
    assert "must be one character" in predict("age\n", "--delimiter", "xy", code=2).stderr


def test_the_label_and_files_without_rows_are_spoken_of(predict):
    assert "labels are predicted, not compared" in predict("label,age,cp\nsick,old,3\n").stderr
    done = predict("age,cp\n")
    assert "there are no rows below the header" in done.stderr
    assert done.stdout == "age,cp,predicted,P(healthy),P(sick)\n"
    assert json.loads(predict("age,cp\nold,3\n", "--json").stdout)[0]["predicted"] == "sick"


names = st.sampled_from(["age", "cp", "Age", "id", "case", "label", "ag e", "x"])


@given(st.lists(names, unique=True, min_size=1, max_size=5), st.sampled_from([None, True, False]))
def test_every_column_is_used_or_named(header, strict):
    """And strictness is the rule: unknown ones fail if told so, or if a feature is missing."""
    rows = [["old" if name == "age" else "1" if name == "cp" else "a" for name in header]]
    unknown = [name for name in header if name not in (*NAMES, "case", "label")]
    missing = [name for name in NAMES if name not in header]
    refused = bool(unknown) and (strict or (strict is None and bool(missing)))
    refused = refused or not set(header) & set(NAMES)
    try:
        done = predict_rows(MODEL, header, rows, [2], strict=strict)
    except StudyFileError as error:
        assert refused
        said = str(error)
    else:
        assert not refused
        said = "\n".join(done.notes)
        assert done.header[: len(header)] == header
        case = {name: cell for name, cell in zip(header, rows[0], strict=True) if name in NAMES}
        chances = [f"{chance:.6f}" for chance in MODEL.predict(case).values()]
        assert done.rows == [[*rows[0], done.rows[0][len(header)], *chances]]
    for name in (*unknown, *(missing if not refused or unknown else ())):
        assert repr(name) in said, said
    for name, meant in (("Age", "age"), ("ag e", "age")):
        if name in unknown and meant in missing:
            assert repr(meant) in said


def test_lines_count_as_the_file_has_them(predict):
    text = "age,cp\n" + "old,3\n" * 30 + '"o\nld",3\nbad,9\n'
    said = predict(text, code=1).stderr
    numbers = [int(word.rstrip(":")) for before, word in pairwise(said.split()) if before == "line"]
    assert numbers == [33, 34, 34]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--prior", "sick=0.5"), "--prior"),
        (("--prior", "sick=0.5", "--prior", "healthy=0.6"), "--prior"),
        (("--prior", "sick=nan", "--prior", "healthy=0.5"), "--prior"),
        (("--pass", "nots"), "has no column 'nots'"),
    ],
)
def test_options_that_make_no_sense(predict, options, says):
    """The documentation promises exit code 2 for these."""
    assert says in predict("age,cp\n", *options, code=2).stderr
