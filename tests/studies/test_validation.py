"""Validation files: columns that are there twice, and features that came later."""

import pytest

from budgeted import Feature, Problem
from budgeted.errors import StudyFileError
from budgeted.learners import NaiveBayes
from budgeted.studies.validation import read_validation, tidy_validation


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


def test_cases_to_judge_on_follow_a_study_that_grows():
    """What a problem does not have yet is unknown, and what it has is kept."""
    labels, shares = ("well", "ill"), (0.5, 0.5)
    fever, cough = Feature("fever", ("no", "yes", "high"), 1), Feature("cough", ("no", "yes"), 1)
    first = Problem([Feature("fever", ("no", "yes"), 1)], labels, shares, 9)
    then = Problem([fever, cough], labels, shares, 9)
    judge = read_validation(b"fever,cough,label\nhigh,yes,ill\nno,,well\n", then)
    before = judge.of_problem(first)
    assert before.values.tolist() == [[-1], [0]]
    assert 0 <= before.error(NaiveBayes().fit(first, [])) <= 1
    assert before.of_problem(then).values.tolist() == [[-1, -1], [0, -1]]
    assert judge.of_problem(then) is judge


def test_a_file_from_before_a_feature_was_added_may_lack_its_column():
    problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
                      ("well", "ill"), (0.5, 0.5), 9)  # fmt: skip
    content = b"fever,label\nyes,ill\n"
    assert read_validation(content, problem, later=["cough"]).values.tolist() == [[1, -1]]
    with pytest.raises(StudyFileError, match="there is no column 'cough'"):
        read_validation(content, problem)
