"""Stopping when nothing left is worth it: what is kept says what the page says, and keeps it."""

from pathlib import Path

import numpy as np
import pytest

from research.quality import stopping

PAGE = Path(stopping.PAGE)


@pytest.fixture(scope="module")
def kept():
    return stopping.kept()


def test_all_studies_were_played(kept):
    assert {name: len(rows) for name, rows in kept.items()} == stopping.STUDIES
    for name, rows in kept.items():
        assert sorted(row["number"] for row in rows) == list(range(stopping.STUDIES[name]))


def test_the_page_has_the_table_of_what_is_kept(kept):
    assert "\n".join(stopping.table_lines(kept)) in PAGE.read_text(encoding="utf-8")


def test_where_the_curve_is_flat_a_fifth_is_saved_and_little_given_up(kept):
    lost = []
    for name in stopping.FLAT:
        where, _, _, given_up = np.array([stopping.outcome(row) for row in kept[name]]).T
        assert (1 - where).mean() >= 0.2, name
        lost += given_up.tolist()
    assert np.mean(lost) < 0.015


def test_who_never_stops_spends_all_and_gives_nothing_up():
    look = {"share": 0.4, "error": 0.3, "stops": False}
    row = {"spent": 1.0, "end": 0.2, "looks": [look]}
    assert stopping.outcome(row) == (1.0, 0.2, 0.2, 0.0)
    stops = row | {"spent": 0.8, "looks": [look, look | {"stops": True}]}
    assert stopping.outcome(stops) == pytest.approx((0.5, 0.3, 0.2, 0.1))


def test_a_study_is_followed_until_the_rule_says_to_stop():
    """A small one: looks come at rising amounts, and only the last one may say to stop."""
    row = stopping.followed("breast-wisconsin", 0, seed=3, values=1)
    shares = [each["share"] for each in row["looks"]]
    assert shares == sorted(set(shares))
    assert not any(each["stops"] for each in row["looks"][:-1])
    assert 0 <= row["end"] <= 1
    assert row["spent"] <= 1
