"""What was kept of comparisons is what the pages say, and it holds what they promise."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from budgeted.statistics import paired
from research.quality import (
    bounded,
    comparison,
    diagnosing,
    fixed,
    forecasting,
    learners,
    stopping,
    visits,
)

EVERY = [bounded, diagnosing, fixed, forecasting, learners, stopping, visits]
NAMES = [module.COMPARISON.name for module in EVERY]


@pytest.mark.parametrize("module", EVERY, ids=NAMES)
def test_every_run_was_kept_and_the_pages_have_their_tables(module):
    made = module.COMPARISON
    assert {name: len(runs) for name, runs in made.kept().items()} == dict(made.numbers)
    for table in made.tables.values():
        for name, runs in made.kept().items():
            assert table({name: runs[:2]})  # a look at one setting
    for page in filter(None, made.tables):
        assert made.page(page) == (comparison.DOCS / page).read_text(encoding="utf-8")


SMALL = [
    pytest.param(diagnosing, "votes", marks=pytest.mark.slow),
    pytest.param(fixed, "figure-3b-60", marks=pytest.mark.slow),
    pytest.param(learners, "steered, 2, votes", marks=pytest.mark.slow),
    pytest.param(visits, "votes", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("module", "setting"), SMALL)
def test_a_run_has_what_was_kept_of_others(module, setting, monkeypatch):
    if module is visits:
        monkeypatch.setattr(visits, "PATIENTS", 1)
    if module is diagnosing:
        votes = diagnosing.SETTINGS["votes"]
        changed = {"votes": replace(votes, limits=("1",))}
        monkeypatch.setattr(diagnosing, "SETTINGS", changed)
    found, before = module.run(setting, 0), module.COMPARISON.kept()[setting][0]
    assert type(found) is type(before)
    assert not isinstance(found, dict) or set(found) == set(before)


def test_a_look_prints_and_keeps_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(comparison, "KEPT", tmp_path)
    monkeypatch.setattr(comparison, "DOCS", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("before <!-- it --> old <!-- end of it --> after")
    made = comparison.Comparison("it", pow_of, {"3": 2}, {"page.md": str}, "it")
    said = CliRunner().invoke(made.command(), ["--runs", "3", "--workers", "1"])
    assert (said.exit_code, said.output) == (0, "{'3': [1, 3, 9]}\n")
    assert not made.path.exists()
    assert CliRunner().invoke(made.command(), ["--workers", "1"]).exit_code == 0
    assert made.kept() == {"3": [1, 3]}
    assert page.read_text() == "before <!-- it -->\n\n{'3': [1, 3]}\n\n<!-- end of it --> after"
    assert CliRunner().invoke(made.command(), ["4"]).exit_code == 2


def pow_of(name, number):
    """A run that is quickly played."""
    return int(name) ** number


def test_buying_for_two_tests_stays_within_the_budget_and_the_limit(monkeypatch):
    monkeypatch.setattr(bounded, "VALUES", 1)
    drawn = bounded.SETTINGS["breast-wisconsin"].draw(3)
    assert drawn.problem.budget == 9
    state = bounded.play(drawn, bounded.policies(drawn.limit)[bounded.OURS])
    assert 0 <= state.remaining < 1
    found = bounded.run("breast-wisconsin", 0)
    assert set(found) == set(bounded.ENTRIES)
    assert all(0 <= each["bounded"] <= 1 for each in found.values())


@pytest.mark.parametrize("name", visits.SETTINGS)
def test_with_fees_the_default_pays(name):
    runs = visits.COMPARISON.kept()[name]
    ours, blind = (visits.errors(runs, each, "hierarchical") for each in ("auto", "blind"))
    best = visits.best_of_the_paper(runs)
    assert not paired(ours, visits.errors(runs, best, "naive-bayes")).above()
    if visits.SETTINGS[name].fees:
        assert ours.mean() <= 0.85 * blind.mean()
        values, seen = (sum(run["auto"][key] for run in runs) for key in ("values", "visits"))
        assert values >= 3 * seen
    assert all(each["spent"] <= 1 for run in runs for each in run.values())


def test_where_the_curve_is_flat_stopping_saves_a_fifth_and_gives_little_up():
    kept, lost = stopping.COMPARISON.kept(), []
    for name in stopping.FLAT:
        where, _, _, given_up = np.array([stopping.outcome(row) for row in kept[name]]).T
        assert (1 - where).mean() >= 0.2, name
        lost += given_up.tolist()
    assert np.mean(lost) < 0.015


def test_a_study_is_followed_until_the_rule_says_to_stop():
    """A small one: looks come at rising amounts, and only the last one may say to stop."""
    row = stopping.followed("breast-wisconsin", 0, seed=3, values=1)
    shares = [each["share"] for each in row["looks"]]
    assert shares == sorted(set(shares))
    assert not any(each["stops"] for each in row["looks"][:-1])
    assert 0 <= row["end"] <= 1
    assert row["spent"] <= 1


def test_plans_and_forecasts_hold_what_is_promised():
    rows = [row for found in forecasting.COMPARISON.kept().values() for row in found]
    looks = [[row["looks"][at] for row in rows] for at in range(len(forecasting.LOOKS))]
    for said in ([row["planned"] for row in rows], *looks):
        held, above, _ = zip(
            *(forecasting.outcome(each, row["end"]) for each, row in zip(said, rows, strict=True)),
            strict=True,
        )
        assert np.mean(held) >= 0.8
        assert abs(np.mean(above)) <= 0.03


def test_an_outcome_is_held_against_the_band_and_the_error_said_with_four_chances_in_five():
    said = np.linspace(0.1, 0.3, 101).tolist()
    held, above, reached = forecasting.outcome(said, 0.2)
    assert held
    assert above == pytest.approx(0)
    assert reached
    assert forecasting.outcome(said, 0.295)[0] is not True
    assert [forecasting.outcome(said, end)[2] for end in (0.25, 0.27)] == [True, False]
