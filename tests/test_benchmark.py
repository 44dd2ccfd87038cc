"""The measures, rules and page of docs/benchmark.md."""

from decimal import Decimal
from math import inf

import numpy as np
import pytest
from benchmark import drawing, report
from benchmark.__main__ import main
from benchmark.comparison import Comparison
from benchmark.problems import BROAD, CONTENDERS, DEFAULT, MUST_HOLD, SEED, TABLES_SEED, Line
from benchmark.promises import HOLDS, NOT, PROMISES, TOO_FEW, outcome
from benchmark.statistics import (
    Verdict,
    area,
    by_money,
    paired,
    target,
    target_budget,
    utilisation_rate,
)
from click.testing import CliRunner
from scipy import stats

from budgeted.executors import processes
from budgeted.results import Store
from budgeted.runner import run
from budgeted.runs import Mean, Run, Runs


def runs_of(errors, cost=1):
    """Runs with these errors, a row per run, every purchase at the same cost."""

    def one(row):
        nothing = np.zeros(len(row), dtype=np.int64)
        spent = tuple(Decimal(cost) * (step + 1) for step in range(len(row)))
        return Run(
            nothing, nothing, nothing, (Decimal(cost),) * len(row), spent, np.array(row), 0.05, 0.2
        )

    return Runs(("x",), tuple(one(row) for row in errors))


def test_paired_differences_have_the_standard_error_of_a_paired_test():
    rng = np.random.default_rng(4)
    one = rng.normal(0.2, 0.1, 40)
    other = one + rng.normal(0.01, 0.02, 40)
    found = paired(one, other)
    assert found.value == pytest.approx(one.mean() - other.mean())
    assert found.standard_error == pytest.approx(stats.sem(one - other))
    # The t statistic of SciPy's paired test is the same difference in the same standard errors.
    assert found.value / found.standard_error == pytest.approx(
        stats.ttest_rel(one, other).statistic
    )


def test_two_standard_errors_are_significant_and_chance_is_not():
    assert Verdict(Mean(0.021, 0.01)).worse
    assert not Verdict(Mean(0.019, 0.01)).worse
    assert Verdict(Mean(-0.021, 0.01)).better
    assert not Verdict(Mean(-0.019, 0.01)).better
    assert not Verdict(Mean(0.0, 0.0)).worse


def test_curves_are_read_by_money():
    dear = runs_of([[0.5, 0.3, 0.1]], cost=2)
    assert by_money(dear, 7).tolist() == [[0.5, 0.5, 0.5, 0.3, 0.3, 0.1, 0.1]]
    unequal = runs_of([[0.4, 0.2], [0.4]])  # the second run ended early and keeps its error
    assert by_money(unequal, 2).tolist() == [[0.4, 0.2], [0.4, 0.4]]


def test_the_area_is_that_of_the_steps():
    runs = runs_of([[0.5, 0.3, 0.1], [0.6, 0.6, 0.6]])
    assert area(runs, 3).value == pytest.approx((0.3 + 0.6) / 2)
    assert area(runs, 3).standard_error == pytest.approx(stats.sem([0.3, 0.6]))
    # In 2s and up to 7: 3 units of 0.5, 2 of 0.3, 2 of 0.1.
    assert area(runs_of([[0.5, 0.3, 0.1]], cost=2), 7).value == pytest.approx(2.3 / 7)


def test_the_utilisation_rate_by_hand():
    """Ten amounts: the target is the mean of the last two, the moving mean one amount long."""
    shopper = np.array([0.50, 0.48, 0.46, 0.44, 0.42, 0.40, 0.38, 0.36, 0.31, 0.29])
    assert target(shopper) == pytest.approx(0.30)
    assert target_budget(shopper, 0.30) == 10
    faster = np.array([0.50, 0.40, 0.35, 0.30, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25])
    assert utilisation_rate(faster, shopper) == pytest.approx(4 / 10)
    assert utilisation_rate(shopper, shopper) == 1
    assert utilisation_rate(shopper + 0.1, shopper) == inf


def test_a_single_dip_does_not_reach_a_target():
    """Forty amounts: the moving mean is over two of them."""
    curve = np.full(40, 0.5)
    curve[10] = 0.2
    curve[20:] = 0.3
    assert target_budget(curve, 0.3) == 22
    assert target_budget(curve, 0.35) == 11


def comparison(line, runs=None, noise=0.0, majority=0.3, steps=4, **errors):
    """A comparison in which every policy ends at the given error; the others at 0.2."""
    rng = np.random.default_rng(0)
    runs = line.runs if runs is None else runs

    def around(mean):
        numbers = rng.normal(0, noise, runs)  # centred, so that chance decides nothing here
        return mean + (numbers - numbers.mean())[:, None] * np.ones(steps)

    means = {name: errors.get(name.replace("-", "_"), 0.2) for name in CONTENDERS}
    return Comparison(
        line,
        {name: runs_of(around(mean)) for name, mean in means.items()},
        np.full(runs, majority),
    )


def verdict(words, line_name, **facts):
    (promise,) = [each for each in PROMISES if each.line.name == line_name and words in each.words]
    return outcome(promise, {line_name: comparison(promise.line, **facts)}).verdict


def test_errors_at_most():
    assert verdict("at most 0.115", "figure-3b-150", auto=0.1149) == HOLDS
    assert verdict("at most 0.115", "figure-3b-150", auto=0.1151) == NOT
    assert verdict("at most 0.170", "figure-3b-60", auto=0.1699) == HOLDS
    assert verdict("at most 0.200", "figure-3b-30-features-150", auto=0.21) == NOT


@pytest.mark.parametrize(("budget", "margin"), [(50, 0.010), (100, 0.010), (300, 0.003)])
@pytest.mark.slow
def test_near_the_best_of_the_paper_whoever_that_is(budget, margin):
    line = f"figure-3a-{budget}"
    for best in ("sfl", "greedy", "round_robin", "biased_robin"):
        near, far = 0.1 + margin - 1e-6, 0.1 + margin + 1e-6
        assert verdict("the paper's best", line, auto=near, **{best: 0.1}) == HOLDS
        assert verdict("the paper's best", line, auto=far, **{best: 0.1}) == NOT
    assert verdict("the paper's best", line, auto=0.2, random_shopper=0.1) == HOLDS


def test_a_third_below_lookahead_on_mushroom():
    assert verdict("35 % below", "mushroom-300", runs=200, auto=0.0649, sfl=0.1) == HOLDS
    assert verdict("35 % below", "mushroom-300", runs=200, auto=0.0651, sfl=0.1) == NOT


def test_worse_counts_only_beyond_chance():
    words = "standard errors above round-robin"
    assert verdict(words, "votes-50", auto=0.21, round_robin=0.2) == NOT
    assert verdict(words, "votes-50", auto=0.21, round_robin=0.2, noise=0.1) == HOLDS
    assert verdict(words, "votes-50", auto=0.19, round_robin=0.2) == HOLDS
    assert verdict("standard errors above sfl", "votes-50", auto=0.21, sfl=0.2) == NOT


def test_the_majority_class_counts_all_the_way():
    assert verdict("majority", "car-50", auto=0.3, majority=0.3) == HOLDS
    assert verdict("majority", "car-50", auto=0.31, majority=0.3) == NOT
    # The same error computed in two ways: 0.3 and 0.1 + 0.2, which differ in the last digit.
    assert verdict("majority", "car-50", auto=0.1 + 0.2, majority=0.3) == HOLDS
    line = Line("car", 4)
    early = comparison(line, auto=0.2)
    early.runs[DEFAULT].errors[:, 1] = 0.4
    assert early.above_majority() == (2, pytest.approx((0.1, 0)))


def test_too_few_runs_decide_nothing():
    assert verdict("at most 0.115", "figure-3b-150", runs=299, auto=0.1) == TOO_FEW
    assert verdict("35 % below", "mushroom-300", runs=100, auto=0.01) == TOO_FEW
    assert outcome(PROMISES[0], {}).verdict == TOO_FEW


def test_too_few_runs_are_neither_gains_nor_losses():
    line = MUST_HOLD[0]
    for runs, words, colour in (
        (line.runs, "significantly worse on 1: figure-3b-60", "worse"),
        (line.runs - 1, "on 0 lines: significantly better on 0", TOO_FEW),
    ):
        few = comparison(line, runs=runs, auto=0.3)
        text = report._balance({line.name: few}, "sfl")
        assert words in text
        assert text.endswith("Not enough runs on 1 more.") == (colour == TOO_FEW)
        assert drawing._row(few, "sfl")["auto is"] == colour


def test_the_lines_are_those_that_were_asked_for():
    names = [line.name for line in MUST_HOLD]
    assert len(set(names)) == len(names)
    assert names[-1] == "mushroom-300"
    for line in MUST_HOLD:
        if line.costs:
            continue
        assert line.runs >= (200 if line.problem == "mushroom" else 100)
    assert {line.name: line.runs for line in MUST_HOLD if line.problem.startswith("figure")} == {
        "figure-3b-60": 2_000, "figure-3b-150": 300, "figure-3a-50": 1_000, "figure-3a-100": 400,
        "figure-3a-300": 200, "figure-3b-30-features-150": 200,
    }  # fmt: skip
    assert SEED != TABLES_SEED
    assert {each.line.name for each in PROMISES} <= set(names)


@pytest.mark.parametrize("line", [*MUST_HOLD, *BROAD], ids=lambda line: line.name)
def test_every_line_is_an_experiment_with_the_seed_of_its_own(line):
    experiment = line.experiment()
    assert (experiment.seed, experiment.runs) == (line.seed, line.runs)
    assert (line.seed == SEED) == line.problem.startswith("figure")
    costs = {float(each.cost) for each in experiment.rehearsal(0, "50").problem.features}
    assert costs == ({1, 2, 3, 4, 5} if line.costs else {1})


TINY = (Line("figure-3b", 4), Line("breast-ljubljana", 5), Line("votes", 9, costs=True))
SMALL_BROAD = Line("figure-3b", 2, broad=True)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Two runs of three tiny lines, and one broad one."""
    folder = tmp_path_factory.mktemp("results")
    with processes(2) as executor:
        for line in (*TINY, SMALL_BROAD):
            run(line.experiment(2), folder, executor)
    return folder


@pytest.mark.slow
def test_the_page_is_written_from_real_runs(played, tmp_path):
    report.write(report.Material.read(played, 2, TINY, [SMALL_BROAD]), tmp_path)
    page = (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    for line in TINY:
        assert f"| {line.name} | 2 |" in page
    for heading in ("What was promised", "Paired differences", "Every policy with either belief",
                    "How the default was chosen", "most frequent label"):  # fmt: skip
        assert f"## {heading}" in page or heading in page
    for file in ("figure-3b.png", "differences.png"):
        assert f"](benchmark/{file})" in page
        assert 0 < (tmp_path / "benchmark" / file).stat().st_size < 200_000


@pytest.mark.slow
def test_runs_that_not_every_policy_has_finished_are_left_out(played, tmp_path):
    line = TINY[0]
    whole = Comparison.read(line, played, 2)
    store = Store(played, line.experiment(2))
    store.run_file(3, 0).rename(tmp_path / "away")
    try:
        part = Comparison.read(line, played, 2)
    finally:
        (tmp_path / "away").rename(store.run_file(3, 0))
    assert (len(whole), len(part)) == (2, 1)
    for name in CONTENDERS:
        assert (part.runs[name].errors[0] == whole.runs[name].errors[1]).all()


@pytest.mark.slow
def test_a_single_run_is_not_shown(played, tmp_path):
    away = [Store(played, line.experiment(2)).run_file(0, 0) for line in (TINY[0], SMALL_BROAD)]
    for number, file in enumerate(away):
        file.rename(tmp_path / str(number))
    try:
        report.write(report.Material.read(played, 2, TINY, [SMALL_BROAD]), tmp_path)
    finally:
        for number, file in enumerate(away):
            (tmp_path / str(number)).rename(file)
    page = (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    assert f"| {TINY[1].name} | 2 |" in page
    assert "nan" not in page
    assert f"| {TINY[0].name} |" not in page
    assert "## Every policy with either belief" not in page


@pytest.mark.slow
def test_the_majority_is_that_of_the_validation_rows(played):
    """By hand: the label that most training rows have, and its share of the validation rows."""
    line = TINY[1]
    found = Comparison.read(line, played, 2)
    world = line.experiment(2).rehearsal(1, "5")
    top = int(np.bincount(world.world.labels).argmax())
    labels = world.validation.masses.argmax(axis=1)
    assert found.majority[1] == pytest.approx(np.mean(labels != top))


@pytest.mark.slow
def test_a_page_without_runs_says_so(tmp_path):
    outcomes = report.write(report.Material.read(tmp_path / "none", 2), tmp_path)
    assert {each.verdict for each in outcomes} == {TOO_FEW}
    assert f"0 hold, 0 do not, {len(PROMISES)} cannot be decided" in (
        (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    )


def test_the_dot_plot_is_valid():
    import altair

    figure = drawing.differences([comparison(line, noise=0.1) for line in MUST_HOLD[:3]])
    altair.Chart.from_dict(figure)
    assert len(figure["data"]["values"]) == 6


def test_an_unknown_problem_is_named():
    result = CliRunner().invoke(main, ["--only", "mushrooms"])
    assert result.exit_code == 2
    assert "no problem mushrooms; there are figure-3b" in result.output
