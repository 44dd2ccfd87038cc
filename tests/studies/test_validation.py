"""A validation file whose header names a column twice: which of the two would count?"""

import pytest

from budgeted import Feature, Problem
from budgeted.errors import StudyFileError
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
