"""Cuts from a table of old cases: read when a study begins, and kept as numbers."""

import pytest
from click.testing import CliRunner

from budgeted import Study
from budgeted.cli.main import main
from budgeted.errors import StudyFileError
from budgeted.studies.files import read_study
from budgeted.web.settings import Limits
from budgeted.web.uploads import Upload, understand

STUDY = """
name = "heart"
budget = 60
{decimal}
[[features]]
name = "chol"
kind = "number"
unit = "mg/dl"
cuts = "{cuts}"
cost = "1.50"
"""
CASES = "case,outcome\nA,well\nB,ill\nC,well\n"
OLD = "chol,outcome\n" + "".join(
    f"{150 + 5 * at},{'well' if at < 12 else 'ill'}\n" for at in range(24)
)


@pytest.fixture
def read(tmp_path):
    def reading(cuts, old=OLD, decimal=""):
        folder = tmp_path / "plan"
        folder.mkdir(exist_ok=True)
        (folder / "study.toml").write_text(STUDY.format(cuts=cuts, decimal=decimal))
        (tmp_path / "cases.csv").write_text(CASES)
        if old is not None:
            (folder / "old.csv").write_text(old)
        return read_study(
            folder / "study.toml", tmp_path / "cases.csv", label_column="outcome"
        ).problem.features[0].kind  # fmt: skip

    return reading


@pytest.mark.parametrize(
    ("words", "cuts"),
    [
        ("median of old.csv", (210,)),
        ("terciles of old.csv", (190, 230)),
        ("quartiles of old.csv", (180, 210, 240)),
        ("quintiles of old.csv", (170, 195, 220, 245)),
        ("labels of old.csv", (207.5,)),
        ("from labels of old.csv", (207.5,)),
    ],
)
def test_cuts_come_from_the_table_with_where_they_come_from(read, words, cuts):
    kind = read(words)
    assert kind.cuts == cuts
    assert kind.source == f"{words.removeprefix('from ')}, 24 numbers"


def test_missing_cells_and_labels_of_others_are_passed_over(read):
    old = OLD + ",ill\n?,ill\n9999,unclear\n"
    assert read("labels of old.csv", old).cuts == (207.5,)
    assert read("median of old.csv", "chol\n1\n?\n2\n").cuts == (2,)


def test_where_the_rule_accepts_no_cut_the_best_one_is_taken_and_that_is_said(read):
    kind = read("labels of old.csv", "chol,outcome\n1,well\n2,ill\n3,well\n4,ill\n")
    assert len(kind.cuts) == 1
    assert "the MDL rule accepts no cut, so it is the one that says most" in kind.source


def test_equal_numbers_leave_fewer_cuts_and_that_is_said(read):
    kind = read("terciles of old.csv", "chol\n1\n1\n1\n1\n1\n2\n3\n")
    assert kind.cuts == (2,)
    assert "many are equal, so there are 1 cuts" in kind.source


def test_the_table_is_written_as_the_study_says(read):
    comma = 'decimal = "comma"'
    assert read("median of old.csv", "chol;x\n1,5;\n2,5;\n", comma).cuts == (2.5,)
    assert read("median of old.csv", "chol;x\n1,5;\n2,5;\n", comma).decimal == "comma"
    with pytest.raises(
        StudyFileError, match=r"line 3: '2.5' is no number; decimals stand behind a"
    ):
        read("median of old.csv", "chol;x\n1,5;\n2.5;\n", comma)


@pytest.mark.parametrize(
    ("cuts", "old", "says"),
    [
        ("terciles of older.csv", OLD, "there is no file 'older.csv' beside the study file"),
        ("terciles of old.csv", "age\n1\n", "old.csv has no column 'chol'; its columns are 'age'"),
        ("terciles of old.csv", "chol,chol\n1,2\n", "old.csv has several columns 'chol'"),
        ("labels of old.csv", "chol\n1\n2\n", "old.csv has no column 'outcome'"),
        ("terciles of old.csv", "chol\n1\n2\n", "old.csv has 2 different numbers, and terciles"),
        ("median of old.csv", "chol\n?\n?\n", "old.csv has no different numbers"),
        ("tercils of old.csv", OLD, "there are no 'tercils'; did you mean 'terciles'"),
        ("median of old.csv", "chol\n1\nhigh\n", "old.csv, line 3: 'high' is no number"),
        ("about 200", OLD, "cuts: must be a list of numbers"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(read, cuts, old, says):
    with pytest.raises(StudyFileError, match=rf"features\[0\]\.cuts: .*{says.split(': ', 1)[-1]}"):
        read(cuts, old)


def test_all_mistakes_are_reported_at_once(read):
    with pytest.raises(StudyFileError) as caught:
        read("terciles of older.csv", decimal='policy = {name = "nobody"}')
    assert len(caught.value.mistakes) == 2


def test_the_journal_keeps_the_numbers_and_needs_no_table(read, tmp_path, monkeypatch):
    read("terciles of old.csv")
    monkeypatch.chdir(tmp_path)
    words = ["study", "new", "plan/study.toml", "--cases", "cases.csv", "--label", "outcome"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "chol: mg/dl, cut at 190, 230 (terciles of old.csv, 24 numbers)" in done.output
    (tmp_path / "plan" / "old.csv").unlink()
    with Study.open(str(tmp_path / "budgeted.db")) as study:
        parameters = study.created.features[0].parameters
        assert parameters["cuts"] == (190, 230)
        assert parameters["source"] == "terciles of old.csv, 24 numbers"


def test_a_server_reads_no_file_that_an_upload_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.csv").write_text(OLD)
    text = STUDY.format(cuts="terciles of old.csv", decimal="").encode()
    found = understand(Upload(text, CASES.encode(), label_column="outcome"), Limits())
    assert found.given is None
    (said,) = found.study_mistakes
    assert "a table is read only when a study begins from a file" in said


def test_the_decimal_mark_of_the_study_is_that_of_its_numbers_unless_they_have_their_own(tmp_path):
    (tmp_path / "cases.csv").write_text("case,label\nA,well\nB,ill\n")
    (tmp_path / "s.toml").write_text(
        'budget = 1\ndecimal = "comma"\n'
        '[[features]]\nname = "a"\nkind = "number"\ncuts = ["37,5"]\ncost = 1\n'
        '[[features]]\nname = "b"\nkind = "number"\ncuts = [1]\ndecimal = "point"\ncost = 1\n'
        '[[features]]\nname = "c"\nvalues = ["x", "y"]\ncost = 1\n'
    )
    kinds = [each.kind for each in
             read_study(tmp_path / "s.toml", tmp_path / "cases.csv").problem.features]  # fmt: skip
    assert [getattr(each, "decimal", None) for each in kinds] == ["comma", "point", None]
    assert kinds[0].cuts == (37.5,)
    (tmp_path / "s.toml").write_text(
        'budget = 1\ndecimal = "dot"\n[[features]]\nname = "c"\nvalues = ["x", "y"]\ncost = 1\n'
    )
    with pytest.raises(StudyFileError, match="decimal: must be one of point, comma, got 'dot'"):
        read_study(tmp_path / "s.toml", tmp_path / "cases.csv")
