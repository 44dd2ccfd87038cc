"""Lists of cases: labels, groups and known values, and every mistake with its line."""

import pytest

from budgeted import Feature, Problem
from budgeted.errors import StudyFileError
from budgeted.studies.case_lists import Columns, case_list, read_case_list
from budgeted.studies.files import read_study

STUDY = """
budget = 9
[[features]]
name = "fever"
values = ["no", "yes"]
cost = 1
"""
PROBLEM = Problem([Feature("fever", ("no", "yes"), 1)], ("ill", "well"), (0.5, 0.5), 9)


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def put(cases, study=STUDY):
        (tmp_path / "study.toml").write_text(study, encoding="utf-8")
        (tmp_path / "cases.csv").write_text(cases, encoding="utf-8")
        return "study.toml", "cases.csv"

    return put


CASES = "case,label,fever,group,age\na,well,yes,north,7\nb,ill,,,8\nc,ill,?,south,\n"


def test_a_study_and_its_later_cases_are_read_alike(write):
    first, later = read_study(*write(CASES)), read_case_list("cases.csv", PROBLEM)
    assert first.cases == later.cases == (("a", "well"), ("b", "ill"), ("c", "ill"))
    assert first.known == later.values == (("a", "fever", "yes"),)
    assert first.groups == later.groups == {"a": "north", "c": "south"}


def test_a_feature_may_be_called_group(write):
    study = STUDY.replace("fever", "group")
    given = read_study(*write("case,label,group\na,well,yes\nb,ill,no\n", study))
    assert given.known == (("a", "group", "yes"), ("b", "group", "no"))
    assert given.groups == {}


def test_other_columns_by_their_names(write):
    write("id,kind,site\na,well,north\n")
    found = read_case_list("cases.csv", PROBLEM, columns=Columns("id", "kind", "site"))
    assert (found.cases, found.groups) == ((("a", "well"),), {"a": "north"})
    with pytest.raises(StudyFileError, match="there is no column 'place'"):
        read_case_list("cases.csv", PROBLEM, columns=Columns("id", "kind", "place"))


WRONG = "case,label,fever\na,well,maybe\n,ill,\na,cured,no\n"


def test_every_mistake_has_its_line_and_all_are_named(write):
    with pytest.raises(StudyFileError) as caught:
        read_study(*write(WRONG, "labels = ['ill', 'well']\nprior = [0.5, 0.5]\n" + STUDY))
    first = caught.value.mistakes
    with pytest.raises(StudyFileError) as caught:
        read_case_list("cases.csv", PROBLEM)
    assert first == caught.value.mistakes == (
        "cases.csv, line 3: the name of a case must not be blank, got ''",
        "cases.csv, line 4: 'a' appears twice; give each case its own name",
        "cases.csv, line 4: there is no label 'cured'; there are 'ill', 'well'",
        "cases.csv, line 2: feature 'fever' has no value 'maybe'; there are 'no', 'yes'",
    )  # fmt: skip


@pytest.mark.parametrize("column", ["fever", "group", "label"])
def test_a_column_that_is_there_twice_is_refused(write, column):
    write(f"case,label,fever,group,{column}\na,ill,,,ill\n")
    with pytest.raises(StudyFileError, match=f"the header has '{column}' 2 times"):
        read_case_list("cases.csv", PROBLEM)


@pytest.mark.parametrize(("column", "meant"), [("cholestrol", True), ("Cholesterol", True),
                                               ("stage", False), ("notes", False)])  # fmt: skip
def test_a_misspelt_feature_is_asked_about_and_other_columns_are_left_alone(column, meant):
    header, rows = ["case", "label", column], [["Ann", "ill", "1"]]
    features = ["cholesterol", "age"]
    if not meant:
        assert case_list(header, rows, "cases.csv", features).known == ()
        return
    with pytest.raises(StudyFileError, match=f"column '{column}': did you mean 'cholesterol'"):
        case_list(header, rows, "cases.csv", features)
    both = case_list([*header, "cholesterol"], [[*rows[0], "2"]], "cases.csv", features)
    assert [each.value for each in both.known] == ["2"]
