"""The table of other learners says what was kept, with marks that count all comparisons."""

import pytest

from research.quality import learners


def worlds(gap):
    return [{each: 0.2 + at / 100 + (gap + at / 1000) * (each == "naive-bayes")
             for each in learners.LEARNERS} for at in range(4)]  # fmt: skip


@pytest.mark.parametrize(("gap", "shown"), [(-0.05, "▼▼"), (0.05, "▲▲"), (-0.0015, "±")])
def test_differences_are_marked(gap, shown):
    rows = list(learners.lines({"steered, 10": {"votes": worlds(gap)}}))
    (row,) = [each for each in rows if "| votes |" in each]
    assert shown in row
    assert ("▼" in row or "▲" in row) == (shown != "±")


def test_the_page_is_what_was_kept():
    page = learners.PAGE.read_text(encoding="utf-8")
    assert learners.written(page) == page
