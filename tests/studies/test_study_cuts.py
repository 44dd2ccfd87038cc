"""Cuts that a study file names by a word: from what its list of cases knows, kept as numbers."""

import pytest

from budgeted import Study
from budgeted.errors import StudyFileError
from budgeted.studies.files import read_study
from budgeted.web.settings import Limits
from budgeted.web.uploads import Upload, understand

STUDY = """
name = "heart"
budget = 60
{more}
[[features]]
name = "chol"
kind = "number"
unit = "mg/dl"
cuts = "{cuts}"
cost = "1.50"
"""
CASES = "case,label,chol\n" + "".join(
    f"P{at},{'well' if at < 12 else 'ill'},{150 + 5 * at}\n" for at in range(24)
)


@pytest.fixture
def read(tmp_path):
    def reading(cuts, cases=CASES, more=""):
        (tmp_path / "study.toml").write_text(STUDY.format(cuts=cuts, more=more))
        (tmp_path / "cases.csv").write_text(cases)
        return read_study(tmp_path / "study.toml", tmp_path / "cases.csv")

    return reading


@pytest.mark.parametrize(
    ("word", "cuts"),
    [
        ("median", (210,)),
        ("terciles", (190, 230)),
        ("quartiles", (180, 210, 240)),
        ("quintiles", (170, 195, 220, 245)),
        ("labels", (207.5,)),
    ],
)
def test_cuts_come_from_the_known_values_with_where_they_come_from(read, word, cuts):
    kind = read(word).problem.features[0].kind
    assert kind.cuts == cuts
    assert kind.source == f"{word} of the list of cases, 24 numbers"
    given = STUDY.format(cuts=word, more="").encode()
    uploaded = understand(Upload(given, CASES.encode()), Limits()).checked()
    assert uploaded.problem.features[0].kind == kind


def test_the_numbers_are_written_as_the_study_says(read):
    comma = "case;label;chol\nA;well;1,5\nB;ill;2,5\nC;ill;?\n"
    kind = read("median", comma, 'decimal = "comma"').problem.features[0].kind
    assert (kind.cuts, kind.decimal) == ((2.5,), "comma")


@pytest.mark.parametrize(
    ("cuts", "cases", "says"),
    [
        ("terciles", "case,label\nA,well\nB,ill\n", "has no different numbers, and terciles"),
        ("terciles", "case,label,chol\nA,well,1\nB,ill,2\n", "has 2 different numbers, and"),
        ("tercils", CASES, "must be a list of numbers"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(read, cuts, cases, says):
    with pytest.raises(StudyFileError, match=rf"features\[0\]\.cuts: .*{says}"):
        read(cuts, cases)


def test_all_mistakes_are_reported_at_once(read):
    with pytest.raises(StudyFileError) as caught:
        read("median", "case,label,chol\nA,well,1\nB,ill,high\n", 'policy = {name = "nobody"}')
    assert len(caught.value.mistakes) == 3


def test_the_journal_keeps_the_numbers(read, tmp_path):
    made = read("terciles")
    with Study.create(
        str(tmp_path / "my.db"), made.name, made.problem, made.cases, known=made.known
    ) as study:
        parameters = study.created.features[0].parameters
        assert parameters["cuts"] == (190, 230)
        assert parameters["source"] == "terciles of the list of cases, 24 numbers"


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
