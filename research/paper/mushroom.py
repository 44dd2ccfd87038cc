"""Claims 4 to 8 and 14: mushroom, Figures 4(a) and 4(b)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from budgeted.experiments.runs import Runs
from budgeted.statistics import Integers, Interval, Mean, ratio_of_means
from research.paper.rules import (
    BR,
    DEPTH_30,
    DEPTH_30_BUDGET_50,
    DEPTH_80,
    DEPTH_100,
    GREEDY,
    RR,
    Claim,
    Finding,
    Results,
    above,
    below,
    compare,
    compare_after,
    decided,
    within,
)

MUSHROOM = "mushroom"
BUDGETS = (25, 50, 100, 200, 300)
EVEN = 300 / 22
"""Purchases of each feature if 300 were spread evenly."""


def contingent_policies_win(results: Results) -> Finding:
    """Claim 4."""
    runs = results[MUSHROOM]
    beat = [
        below(
            f"{name} minus round robin, purchases 1 to 100", compare(runs[name], runs[RR], 1, 100)
        )
        for name in (BR, GREEDY, DEPTH_100)
    ]
    best = [
        below(f"lookahead minus {name}, purchases 1 to 100",
              compare(runs[DEPTH_100], runs[name], 1, 100))
        for name in (BR, GREEDY)
    ]  # fmt: skip
    winners = sum(each.passed for each in beat)
    whole = winners == len(beat) and all(each.passed for each in best)
    return decided(whole, beat[-1].passed or winners >= 2, (*beat, *best))


def shallow_early_deep_late(results: Results) -> Finding:
    """Claim 5."""
    runs = results[MUSHROOM]
    early = compare(runs[DEPTH_30], runs[DEPTH_80], 1, 100)
    late = compare(runs[DEPTH_80], runs[DEPTH_30], 201, 300)
    checks = (
        below("depth 30 minus depth 80, purchases 1 to 100", early, spec="+.4f"),
        below("depth 80 minus depth 30, purchases 201 to 300", late, spec="+.4f"),
    )
    passed = [each.passed for each in checks]
    return decided(all(passed), any(passed) and not (early.above() or late.above()), checks)


def knowing_the_budget_helps(results: Results) -> Finding:
    """Claim 6."""
    runs = results[MUSHROOM]
    short, long = runs[DEPTH_30_BUDGET_50], runs[DEPTH_30]
    checks = (
        below("budget 50 minus budget 300, after 50 purchases", compare_after(short, long, 50)),
        below("the same, mean of purchases 41 to 50", compare(short, long, 41, 50)),
    )
    return decided(checks[0].passed, checks[1].passed, checks)


def relevant_features_are_found(results: Results) -> Finding:
    """Claim 7."""
    checks, ordered = [], True
    for name in (DEPTH_30, DEPTH_80):
        runs = results[MUSHROOM][name]
        odor, ring = (_bought(runs, feature).interval() for feature in ("odor", "ring-number"))
        exact = (
            within(f"{name}: purchases of odor", odor, 60, 90, ".1f"),
            below(f"{name}: purchases of ring-number", ring, 4, ".1f"),
        )
        rough = (
            above(f"{name}: the same of odor, against twice an even share", odor, 2 * EVEN, ".1f"),
            below(f"{name}: the same of ring-number, against an even share", ring, EVEN, ".1f"),
        )
        checks += [*exact, *rough]
        ordered &= all(each.passed for each in rough)
    return decided(all(each.passed for each in checks), ordered, checks)


def nearly_half_the_error(results: Results) -> Finding:
    """Claim 8."""
    runs = results[MUSHROOM]
    checks = [
        below(f"budget {budget}: error of lookahead as a share of round robin's",
              _ratio(runs, budget), 0.6, ".2f")
        for budget in BUDGETS
    ]  # fmt: skip
    part = any(each.found.below(0.75) for each in checks)
    return decided(any(each.passed for each in checks), part, checks)


def adaptive_policies_perform_best(results: Results) -> Finding:
    """Claim 14."""
    runs = results[MUSHROOM]
    checks = [
        below(f"{name} minus round robin, over the curve", compare(runs[name], runs[RR]))
        for name in (BR, DEPTH_30, DEPTH_80)
    ]
    won = sum(each.passed for each in checks)
    return decided(won == len(checks), won >= 2, checks)


def _ratio(runs: Mapping[str, Runs], budget: int) -> Interval:
    label = DEPTH_100 if budget == 100 else f"lookahead, budget {budget}"
    return ratio_of_means(runs[label].error_after(budget), runs[RR].error_after(budget))


def _bought(runs: Runs, feature: str) -> Mean:
    return Mean.of(runs.purchases[:, runs.features.index(feature)])


def _early(runs: Runs, feature: str, purchases: int) -> float:
    """How often a feature is among the first purchases, on average."""
    at = runs.features.index(feature)
    return float(np.mean([(each.feature[:purchases] == at).sum() for each in runs.runs]))


def in_common(one: Runs, other: Runs, purchases: int) -> float:
    """Return how many of the first purchases two policies made of the same cells, on average."""

    def counts(runs: Runs, at: int) -> Integers:
        run = runs.runs[at]
        labels = int(max(each.label.max() for each in runs.runs)) + 1
        cells = run.feature[:purchases] * labels + run.label[:purchases]
        return np.bincount(cells, minlength=labels * len(runs.features))

    both = [np.minimum(counts(one, at), counts(other, at)).sum() for at in range(len(one))]
    return float(np.mean(both))


def _why_depths_are_alike(readings: Mapping[str, Results]) -> Iterable[str]:
    for name, results in readings.items():
        runs = results[MUSHROOM]
        alike = in_common(runs[DEPTH_30], runs[DEPTH_80], 100)
        odor = [_early(runs[each], "odor", 100) for each in (DEPTH_30, DEPTH_80)]
        yield (
            f"Reading {name}: of their first 100 purchases, depths 30 and 80 make {alike:.0f} of the same "
            f"cells; of odor they buy {odor[0]:.1f} and {odor[1]:.1f}."
        )
    yield (
        "n purchases of a cell resolve n/(T + n) of what there is to learn of it, T the sum of its prior "
        "counts. With T = 2, depth 30 sees 94 % and depth 80 sees 98 %: nothing is gained by looking less "
        "far. With T = 24 it is 56 % and 77 %."
    )


def _why_budgets_are_alike(readings: Mapping[str, Results]) -> Iterable[str]:
    for name, results in readings.items():
        runs = results[MUSHROOM]
        alike = in_common(runs[DEPTH_30_BUDGET_50], runs[DEPTH_30], 50)
        odor = [_early(runs[each], "odor", 50) for each in (DEPTH_30_BUDGET_50, DEPTH_30)]
        yield (
            f"Reading {name}: of 50 purchases, both make {alike:.0f} of the same cells; of odor they buy "
            f"{odor[0]:.1f} with budget 50 and {odor[1]:.1f} with budget 300."
        )
    yield (
        "Up to 20 purchases both look 30 ahead and buy the same. After that budget 50 looks less and less "
        "far, at its end as greedy does; where greedy is worse than lookahead (claim 4), so is this."
    )


def _why_not_75(readings: Mapping[str, Results]) -> Iterable[str]:
    half = readings["A"]["mushroom-half"]
    for name in (DEPTH_30, DEPTH_80):
        yield (
            f"The weaker the prior, the more of odor is bought. With counts of 0.5/r, {name}: odor "
            f"{_bought(half[name], 'odor'):.1f}, ring-number {_bought(half[name], 'ring-number'):.1f}."
        )
    runs = readings["A"]["mushroom-sampled"]
    exact = readings["A"][MUSHROOM][DEPTH_30]
    for name, words in (("lookahead, shared samples", "100 sampled cases that all cells share"),
                        ("lookahead, fresh samples", "100 sampled cases of its own for each cell")):  # fmt: skip
        yield (
            f"Scores estimated as the paper did, depth 30, on {words}: odor "
            f"{_bought(runs[name], 'odor'):.1f}, ring-number {_bought(runs[name], 'ring-number'):.1f}; "
            f"{len(runs[name])} runs, error after 300 {runs[name].final}, with exact scores {exact.final}."
        )
    yield (
        f"Evenly spread, each feature would be bought {EVEN:.1f} times: cases of its own for each cell "
        "all but destroy selectivity, so the paper's 75 do not come from such scores."
    )


CLAIMS = (
    Claim(
        4,
        "Figure 4(a), mushroom, budget 100: biased robin, greedy and lookahead outperform round robin; "
        "lookahead performs best.",
        "Holds if all three are better than round robin over the curve and lookahead is better than the "
        "other two; in part if lookahead or at least two of the three are better than round robin.",
        contingent_policies_win,
        "Missing stalk roots count as a value of their own; features stand in the order of the table.",
    ),
    Claim(
        5,
        "Figure 4(b): lookahead of depth 30 leads early in the run, depth 80 later.",
        "Holds if depth 30 is better over purchases 1 to 100 and depth 80 over 201 to 300; in part if "
        "one of the two is so and the other is not the other way round.",
        shallow_early_deep_late,
        why=_why_depths_are_alike,
    ),
    Claim(
        6,
        "Depth 30 with a budget of 50 beats depth 30 with a budget of 300 when both have bought 50.",
        "Holds if it is better after 50 purchases; in part if it is not, but is over purchases 41 to 50 "
        '("as these policies approach the 50 purchase mark").',
        knowing_the_budget_helps,
        why=_why_budgets_are_alike,
    ),
    Claim(
        7,
        "Regardless of depth, of 300 purchases lookahead buys feature 5 (odor) 75 times and feature 18 "
        "(ring-number) twice on average.",
        "For depths 30 and 80. Holds if with both the whole interval of odor's purchases lies between 60 "
        "and 90, and that of ring-number's below 4; in part if with both odor is bought more than twice "
        "as often as features are on average and ring-number less than that.",
        relevant_features_are_found,
        why=_why_not_75,
        unit="purchases",
    ),
    Claim(
        8,
        "For some budgets, the error of lookahead is nearly half that of round robin.",
        "Ratio of mean errors at the end of budgets 25, 50, 100, 200 and 300, lookahead with a run of "
        "its own for each, with intervals from resampled runs. Holds if one lies below 0.6, in part if "
        "one lies below 0.75.",
        nearly_half_the_error,
        unit="of round robin's error",
    ),
    Claim(
        14,
        "Figure 4(b): the adaptive policies perform best.",
        "Biased robin and lookahead of depths 30 and 80, over 300 purchases. Holds if all three are "
        "better than round robin, in part if two are.",
        adaptive_policies_perform_best,
    ),
)
