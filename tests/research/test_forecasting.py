"""Do plans and forecasts come true? What is kept says what the pages say, and keeps the promise."""

from collections import Counter

import numpy as np
import pytest

from research.quality import forecasting
from research.quality.forecasting import LOOKS, PAGES, WORLDS, outcome


@pytest.fixture(scope="module")
def rows():
    return forecasting.kept()


def test_there_are_as_many_studies_of_each_world(rows):
    assert Counter(row["world"] for row in rows) == dict.fromkeys(WORLDS, 25)
    assert all(len(row["looks"]) == len(LOOKS) for row in rows)


def test_the_pages_have_the_tables_of_what_is_kept(rows):
    for page, table in (
        ("forecasting.md", forecasting.forecast_table(rows)),
        ("planning.md", forecasting.plan_table(rows)),
    ):
        assert table in (PAGES / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("at", range(len(LOOKS)), ids=[f"at {share:.0%}" for share in LOOKS])
def test_forecasts_hold_what_is_promised(rows, at):
    held, above, _ = zip(*(outcome(row["looks"][at], row["end"]) for row in rows), strict=True)
    assert np.mean(held) >= 0.8
    assert abs(np.mean(above)) <= 0.03


def test_plans_hold_what_is_promised(rows):
    held, above, reached = zip(*(outcome(row["planned"], row["end"]) for row in rows), strict=True)
    assert np.mean(held) >= 0.8
    assert abs(np.mean(above)) <= 0.03
    assert 0.65 <= np.mean(reached) <= 0.95


def test_an_outcome_is_held_against_the_band_and_the_error_said_with_four_chances_in_five():
    said = np.linspace(0.1, 0.3, 101).tolist()
    held, above, reached = outcome(said, 0.2)
    assert held
    assert above == pytest.approx(0)
    assert reached
    assert outcome(said, 0.295)[0] is not True
    assert [outcome(said, end)[2] for end in (0.25, 0.27)] == [True, False]
