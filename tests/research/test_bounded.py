"""Buying for two tests: the statistics, and that the page is made of what was kept."""

from __future__ import annotations

import numpy as np
import pytest

from research.quality import bounded


def made(ours, plain):
    """Runs with these errors."""
    return [
        {
            bounded.OURS: {"bounded": one, "all": 0.1, "tests": 2},
            bounded.PLAIN: {"bounded": two, "all": 0.1, "tests": 3},
            bounded.ROBIN: {"bounded": 0.5, "all": 0.1, "tests": 3},
        }
        for one, two in zip(ours, plain, strict=True)
    ]


def test_differences_are_paired_and_marked():
    better = made([0.10, 0.20, 0.30], [0.15, 0.26, 0.34])
    assert bounded.gap(better).value == pytest.approx(-0.05)
    assert "-0.0500 ± 0.0058 ▼▼" in bounded.table_of({"votes": better})
    even = made([0.10, 0.20, 0.30], [0.11, 0.19, 0.30])
    assert "▼" not in bounded.table_of({"votes": even})
    worse = made([0.2, 0.3, 0.4], [0.1, 0.19, 0.31])
    said = list(bounded.verdict({"votes": better, "chess": even, "mushroom": worse}))
    assert "better on 1 (votes, each test 1), worse on 1 (mushroom, each test 1)" in said[0]


def test_a_small_world_is_played_within_the_budget_and_the_limit(monkeypatch):
    monkeypatch.setattr(bounded, "VALUES", 1)
    drawn = bounded.SETTINGS["breast-wisconsin"].draw(3)
    assert drawn.problem.budget == 9
    state = bounded.play(drawn, bounded.policies(drawn.limit)[bounded.OURS])
    assert 0 <= state.remaining < 1
    found = bounded.run("breast-wisconsin", 0, source=3)
    assert set(found) == set(bounded.ENTRIES)
    assert all(0 <= each["bounded"] <= 1 for each in found.values())


def test_the_page_is_made_of_what_was_kept():
    page = bounded.PAGE.read_text(encoding="utf-8")
    assert page == bounded.written(page)
    found = bounded.kept()
    assert found
    assert set(found) <= set(bounded.SETTINGS)
    assert {len(runs) for runs in found.values()} == {bounded.RUNS}
    assert np.isfinite([bounded.gap(each).standard_error for each in found.values()]).all()
