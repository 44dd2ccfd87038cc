"""Visits and panels on real tables: what was kept is what the docs say, and what must hold does."""

from __future__ import annotations

import numpy as np
import pytest

from budgeted.statistics import paired
from research.quality import visits


@pytest.fixture(scope="module")
def found():
    return visits.kept()


def test_every_setting_was_played_sixty_times(found):
    assert list(found) == list(visits.SETTINGS)
    assert {len(runs) for runs in found.values()} == {visits.RUNS}


def test_the_table_in_the_docs_is_that_of_the_kept_results():
    page = visits.PAGE.read_text(encoding="utf-8")
    assert page == visits.written(page)


@pytest.mark.parametrize("name", visits.SETTINGS)
def test_the_default_is_never_significantly_above_the_papers_best(found, name):
    runs = found[name]
    best = visits.best_of_the_paper(runs)
    ours = visits.errors(runs, "auto", "hierarchical")
    assert not paired(ours, visits.errors(runs, best, "naive-bayes")).above()


@pytest.mark.parametrize("name", [name for name, each in visits.SETTINGS.items() if each.fees])
def test_with_fees_it_is_well_below_the_default_that_is_blind_to_them(found, name):
    ours, blind = (visits.errors(found[name], each, "hierarchical") for each in ("auto", "blind"))
    assert ours.mean() <= 0.85 * blind.mean()


@pytest.mark.parametrize("name", [name for name, each in visits.SETTINGS.items() if each.fees])
def test_a_visit_brings_at_least_three_values(found, name):
    values, seen = (sum(run["auto"][key] for run in found[name]) for key in ("values", "visits"))
    assert values >= 3 * seen


def test_everybody_spends_the_same_money_and_never_more(found):
    for runs in found.values():
        for run in runs:
            spent = np.array([each["spent"] for each in run.values()])
            assert (spent <= 1).all()
            assert run["auto"]["spent"] > 0.9
