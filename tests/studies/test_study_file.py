"""Study files: what is read, and that every mistake is named with its path."""

import pytest

from budgeted import Study
from budgeted.errors import BudgetedError, StudyFileError
from budgeted.studies.csv_rows import read_rows, safe_cell
from budgeted.studies.example import STUDY, write_example
from budgeted.studies.files import read_study
from budgeted.studies.log import as_csv
from budgeted.studies.results.files import read_results

SMALL = """
budget = 10
[[features]]
name = "fever"
values = ["no", "yes"]
cost = "1.50"
"""
CASES = "case,label,age\na,well,3\nb,ill,4\nc,well,5\n"


@pytest.fixture
def write(tmp_path):
    def written(text=SMALL, cases=CASES):
        (tmp_path / "study.toml").write_text(text, encoding="utf-8")
        (tmp_path / "cases.csv").write_text(cases, encoding="utf-8")
        return tmp_path / "study.toml", tmp_path / "cases.csv"

    return written


def test_what_is_left_out_has_a_sensible_value(write):
    given = read_study(*write())
    assert (given.name, given.policy, given.parameters) == ("study", "auto", {})
    assert (given.case_rule, given.seed, given.loss) == (None, 0, "gini")
    assert given.problem.labels == ("ill", "well")
    assert given.problem.prior == pytest.approx((1 / 3, 2 / 3))
    assert given.cases == (("a", "well"), ("b", "ill"), ("c", "well"))


def test_values_can_share_a_total_of_prior_counts(write):
    given = read_study(*write(SMALL + 'prior_counts = "3/r"\n'))
    assert given.problem.features[0].prior_counts == 1.5
    with pytest.raises(
        StudyFileError, match=r"features\[0\].prior_counts: must be numbers above 0"
    ):
        read_study(*write(SMALL + 'prior_counts = "r/3"\n'))


def test_the_example_can_be_begun(tmp_path):
    study_file, cases, answers, _ = write_example(tmp_path / "new")
    given = read_study(study_file, cases)
    assert given.problem.labels == ("iron-deficiency", "chronic-disease")
    assert (given.policy, given.parameters) == ("auto", {})
    names = [feature.name for feature in given.problem.features]
    assert len(read_results(answers.read_bytes(), "answers", names).results) == 240
    with pytest.raises(BudgetedError, match="exists already"):
        write_example(tmp_path / "new")


def test_all_mistakes_are_reported_at_once_with_their_paths(write):
    text = """
budget = "lots"
sed = 3
seed = -1
loss = "brier"
case_rule = "old"
prior = [0.5, 0.6]
[policy]
name = "sfl"
depth = 3
[[features]]
name = "fever"
values = ["no"]
cost = "1,5"
colour = 3
[[features]]
name = "cough"
cost = true
prior_counts = [1, 2, 3]
"""
    with pytest.raises(StudyFileError) as caught:
        read_study(*write(text, "case,label\na,well\nb,ill\n"))
    said = "\n".join(caught.value.mistakes)
    for words in (
        "sed: there is no such key; did you mean 'seed'?",
        "seed: must be a whole number from 0, got -1",
        "loss: must be one of gini, entropy, zero_one, got 'brier'",
        "case_rule: must be one of fresh, overlap, settle, got 'old'",
        "prior: must sum to 1, sums to 1.1",
        "budget: must be an amount of money",
        "policy: policy 'sfl' has no parameter 'depth'",
        "features[0].values: at least two are needed",
        "features[0].cost: must be an amount of money",
        "features[0].colour: there is no such key; there are name",
        "features[1].values: is missing",
        "features[1].cost: must be an amount of money",
    ):
        assert words in said, words
    assert str(caught.value).count("\n") == len(caught.value.mistakes)


@pytest.mark.parametrize(
    ("text", "cases", "says"),
    [
        ("budget = ", CASES, "is no TOML"),
        ("budget = 1", CASES, "features: is missing"),
        ("budget = 1\nfeatures = 3", CASES, "features: must be tables"),
        ("budget = 1\nfeatures = [3]", CASES, r"features\[0\]: must be a table"),
        ("policy = 'sfl'\n" + SMALL, CASES, "policy: must be a table"),
        ("name = ''\n" + SMALL, CASES, "name: must be text"),
        (SMALL, "case,label\na,well\na,ill\n", r"cases.csv, line 3: 'a' appears twice"),
        (SMALL, "id,label\na,well\n", "there is no column 'case'"),
        (SMALL, "case,label\na,well\nb,well\n", "labels: at least two are needed"),
        ("labels = ['ill', 'dead', 'well']\n" + SMALL, CASES, "no case has the label 'dead'"),
        ("labels = ['ill', 'cured']\nprior=[0.5,0.5]\n" + SMALL, CASES, "there is no label 'well'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(write, text, cases, says):
    with pytest.raises(BudgetedError, match=says):
        read_study(*write(text, cases))


def test_columns_of_another_name(write):
    study_file, cases = write(cases="id,kind\na,well\nb,ill\n")
    given = read_study(study_file, cases, id_column="id", label_column="kind")
    assert given.cases == (("a", "well"), ("b", "ill"))


@pytest.mark.parametrize("cell", ["=1+1", "+49 30", "-1", "@home", "\tx", "plain", "'quoted"])
def test_cells_are_safe_for_spreadsheets_and_come_back(tmp_path, cell):
    assert safe_cell(cell)[0] not in "=+-@\t"
    path = tmp_path / "a.csv"
    path.write_text(as_csv(("a", "b"), [(cell, "x")]), encoding="utf-8")
    assert read_rows(path)[1] == [[cell.strip() if cell[0] != "\t" else cell, "x"]]


def test_the_example_says_what_it_means():
    assert "[[features]]" in STUDY
    assert Study.create.__doc__
