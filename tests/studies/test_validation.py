"""Validation files: columns that are there twice, and features that came later."""

import pytest

from budgeted import Feature, Number, Problem
from budgeted.errors import StudyFileError
from budgeted.learners import NaiveBayes
from budgeted.studies.validation import ValidationFile, read_validation, tidy_validation


def problem(*names):
    return Problem(
        [Feature(each, ("no", "yes"), 1) for each in names], ("no", "yes"), (0.5, 0.5), 1
    )


@pytest.mark.parametrize("header", ["label,fever,fever", "label,label,fever"])
def test_a_column_that_is_there_twice_is_refused(header):
    with pytest.raises(StudyFileError, match="2 times"):
        read_validation(f"{header}\nno,yes,no\n".encode(), problem("fever"))


def test_a_feature_may_have_the_name_of_the_label():
    kept = tidy_validation(b"label\nno\nyes\n", problem("label"))
    assert kept == b"label,label\nno,no\nyes,yes\n"
    assert tidy_validation(kept, problem("label")) == kept


def test_a_kept_file_is_coded_for_the_cuts_of_the_moment():
    def problem(*cuts):
        features = [Feature("chol", kind=Number(cuts=cuts, most=600), cost=1)]
        return Problem(features, ("well", "ill"), (0.5, 0.5), 10)

    kept = ValidationFile(b"label,chol\nwell,190\nill,235\nill,900\n")
    assert kept.judge(problem(200, 240)).values.ravel().tolist() == [0, 1, 2]
    assert kept.judge(problem(230)).values.ravel().tolist() == [0, 1, 1]
    assert kept.judge(problem(230)) is kept.judge(problem(230))
    other = Problem([Feature("age", ("a", "b"), 1)], ("well", "ill"), (0.5, 0.5), 10)
    assert kept.judge(other) is None, "it does not fit any more"


def test_a_kept_file_follows_a_study_that_grows():
    """What a problem does not have yet is left out, and what a file does not have is unknown."""
    labels, shares = ("well", "ill"), (0.5, 0.5)
    fever, cough = Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)
    first = Problem([fever], labels, shares, 9)
    then = Problem([fever, cough], labels, shares, 9)
    kept = ValidationFile(b"label,fever\nill,yes\nwell,no\n")
    assert kept.judge(first).values.tolist() == [[1], [0]]
    assert kept.judge(then).values.tolist() == [[1, -1], [0, -1]]
    assert 0 <= kept.judge(then).error(NaiveBayes().fit(then, [])) <= 1


def test_a_file_from_before_a_feature_was_added_may_lack_its_column():
    problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
                      ("well", "ill"), (0.5, 0.5), 9)  # fmt: skip
    content = b"fever,label\nyes,ill\n"
    assert read_validation(content, problem, later=["cough"]).values.tolist() == [[1, -1]]
    with pytest.raises(StudyFileError, match="there is no column 'cough'"):
        read_validation(content, problem)
