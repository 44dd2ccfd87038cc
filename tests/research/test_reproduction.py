"""The comparisons and the rules behind docs/reproduction.md, on made-up runs."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from budgeted.experiments.runs import Run, Runs
from budgeted.experiments.spec import parse
from research.paper import claims, report
from research.paper.__main__ import EXPERIMENTS
from research.paper.comparisons import compare, compare_after, share_of_purchases
from research.paper.origin import Origin

FEATURES = ("odor", "ring-number", "other")


def made_up(curve, runs=40, seed=0, noise=0.01, bought=(1, 1, 1), complete=0.1):
    """Runs whose mean error follows a curve, with noise of their own."""
    rng = np.random.default_rng(seed)
    curve = np.asarray(curve, dtype=float)
    feature = np.resize(np.repeat(np.arange(3), bought), len(curve))
    spent = tuple(Decimal(step + 1) for step in range(len(curve)))
    return Runs(
        FEATURES,
        tuple(
            Run(feature, feature * 0, feature * 0, (Decimal(1),) * len(curve), spent,
                curve + rng.normal(0, noise), complete + rng.normal(0, noise), 0.2)
            for _ in range(runs)
        ),
    )  # fmt: skip


FALLING = 0.5 / np.sqrt(np.arange(1, 301))
FASTER = 0.5 / np.sqrt(np.arange(1, 301) * 2)


def test_comparisons_look_at_the_stretch_they_are_asked_for():
    better_late = np.concatenate([FALLING[:150] + 0.1, FALLING[150:] - 0.1])
    one, other = made_up(better_late, noise=0), made_up(FALLING, noise=0)
    assert compare(one, other, 1, 100).value == pytest.approx(0.1)
    assert compare(one, other, 201, 300).value == pytest.approx(-0.1)
    assert compare_after(one, other, 151).value == pytest.approx(-0.1)


def test_half_the_purchases_is_a_share_of_one_half():
    share = share_of_purchases(made_up(FASTER, noise=0), made_up(FALLING, noise=0), (100, 200, 300))
    assert share.value == pytest.approx(0.5, abs=0.01)
    assert share.low <= share.value <= share.high


def test_a_lucky_dip_is_not_an_arrival():
    dip = FALLING + 0.2
    dip[3] = 0
    share = share_of_purchases(made_up(dip, noise=0), made_up(FALLING, noise=0), (100,))
    assert share.value == 3.0


def results(**changes):
    """Runs for every experiment in which the paper is right about everything tested below."""
    names = {
        "figure-3a": {claims.RR: FALLING, claims.BR: FALLING, claims.GREEDY: FALLING,
                      claims.DEPTH_10: FALLING},
        "figure-3b": {claims.RR: FALLING, claims.BR: FASTER, claims.DEPTH_10: FASTER,
                      "biased robin over cells": FALLING + 0.1},
        "figure-3b-perfect": {claims.RR: FALLING + 0.3, claims.BR: FASTER, claims.DEPTH_10: FASTER},
        "figure-3b-30-features": {claims.RR: FALLING + 0.3, claims.BR: FASTER,
                                  claims.DEPTH_10: FASTER},
        "figure-4a": {claims.RR: FALLING[:100], claims.BR: FASTER[:100],
                      claims.GREEDY: FASTER[:100], "lookahead, depth 100": FASTER[:100] - 0.05},
        "figure-4b": {claims.RR: FALLING,
                      claims.DEPTH_30: FASTER,
                      claims.DEPTH_80: np.where(np.arange(300) < 150, FASTER + 0.05, FASTER - 0.05),
                      "lookahead, depth 30, budget 50": FASTER[:50] - 0.05},
        "mushroom-budgets": {claims.RR: FALLING,
                             **{f"lookahead, budget {b}": FALLING[:b] * 0.55
                                for b in (25, 50, 100, 200, 300)}},
    }  # fmt: skip
    names.update(changes)
    return {
        experiment: {
            name: made_up(curve, seed=number) for number, (name, curve) in enumerate(curves.items())
        }
        for experiment, curves in names.items()
    }


DECISIONS = {
    claims.nothing_to_gain: {"figure-3a": dict.fromkeys(
        (claims.BR, claims.GREEDY, claims.DEPTH_10), FALLING - 0.05) | {claims.RR: FALLING}},
    claims.half_the_purchases: {"figure-3b": dict.fromkeys(
        (claims.RR, claims.BR, claims.DEPTH_10, "biased robin over cells"), FALLING)},
    claims.the_gap_widens: {"figure-3b-perfect": dict.fromkeys(
        (claims.RR, claims.BR, claims.DEPTH_10), FALLING), "figure-3b-30-features": dict.fromkeys(
        (claims.RR, claims.BR, claims.DEPTH_10), FALLING)},
    claims.contingent_policies_win: {"figure-4a": dict.fromkeys(
        (claims.BR, claims.GREEDY, "lookahead, depth 100"), FALLING[:100] + 0.1)
        | {claims.RR: FALLING[:100]}},
    claims.shallow_early_deep_late: {"figure-4b": {
        claims.DEPTH_30: np.where(np.arange(300) < 150, FASTER + 0.05, FASTER - 0.05),
        claims.DEPTH_80: FASTER}},
    claims.knowing_the_budget_helps: {"figure-4b": {
        claims.DEPTH_30: FASTER, "lookahead, depth 30, budget 50": FASTER[:50] + 0.05}},
    claims.nearly_half_the_error: {"mushroom-budgets": {
        claims.RR: FALLING,
        **{f"lookahead, budget {b}": FALLING[:b] for b in (25, 50, 100, 200, 300)}}},
}  # fmt: skip


@pytest.mark.parametrize("decide", DECISIONS, ids=lambda each: each.__name__)
@pytest.mark.slow
def test_a_rule_says_yes_where_the_paper_is_right_and_no_where_it_is_wrong(decide):
    right = decide(results())
    assert right.verdict == claims.HOLDS, right.measured
    wrong = decide(results(**DECISIONS[decide]))
    assert wrong.verdict == claims.NOT, wrong.measured


def test_the_purchases_of_odor_are_judged_by_their_number():
    def with_purchases(bought):
        runs = {claims.DEPTH_80: made_up(FALLING, bought=bought)}
        other = {claims.DEPTH_80: made_up(FALLING, bought=(1, 1, 1))}
        readings = ("figure-4b-prior-0.05", "mushroom-prior-0.01")
        priors = dict.fromkeys(readings, other)
        return claims.relevant_features_are_found({"figure-4b": runs, **priors})

    assert with_purchases((75, 2, 223)).verdict == claims.HOLDS
    assert with_purchases((40, 5, 255)).verdict == claims.IN_PART
    assert with_purchases((10, 100, 190)).verdict == claims.NOT


def test_run_times_are_judged_by_their_order():
    seconds = {claims.RR: 1, claims.BR: 2, claims.GREEDY: 3, "lookahead, depth 100": 9}
    assert claims.run_times(seconds).verdict == claims.HOLDS
    assert claims.run_times({**seconds, claims.BR: 4}).verdict == claims.IN_PART
    assert claims.run_times({**seconds, claims.GREEDY: 20}).verdict == claims.NOT


def test_every_claim_of_the_paper_is_there_with_its_rule_and_experiments():
    everything = (*claims.CLAIMS, claims.RUN_TIMES)
    assert sorted(each.number for each in everything) == list(range(1, 14))
    files = {path.stem for path in EXPERIMENTS.glob("*.toml")}
    for each in everything:
        assert each.rule.lower().count("in part") >= 1
        assert set(each.experiments) <= files


def test_the_page_says_where_its_figures_come_from():
    experiment = parse(
        {"budget": 3, "runs": 4, "seed": 7, "problem": {"synthetic": "figure-3a"},
         "policy": [{"name": "greedy"}]}, "figure-3a"
    )  # fmt: skip
    finding = claims.Finding(claims.IN_PART, ("a figure of 0.5",))
    origin = Origin("abc123", "Python 3", "def456")
    circumstances = report.Circumstances(origin, 30, 40, 12, 2)
    page = report.page(
        {"figure-3a": experiment},
        {"figure-3a": {"greedy": made_up(FALLING[:3])}},
        [(claims.CLAIMS[0], finding)],
        circumstances,
    )
    for words in ("4 runs", "seed 7", "`abc123`, that of commit `def456`", "(Python 3)",
                  "30 of all 40 runs", "12 minutes on 2 cores", "a figure of 0.5",
                  "holds in part", claims.CLAIMS[0].rule, "/figure-3a.svg"):  # fmt: skip
        assert words in page


def test_the_committed_page_comes_from_a_full_run():
    page = Path(report.PAGE).read_text(encoding="utf-8")
    assert "50 runs of each policy, seed 2003, " in page
    assert "no commit is known" not in page
    for number in range(1, 14):
        assert f"## Claim {number}\n" in page
