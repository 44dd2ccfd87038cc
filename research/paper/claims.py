"""The claims of the paper, and the rules that decide them; written before the runs.

Errors are validation errors of runs in the same worlds, compared run by run. "Better" means that the
95 % interval of the mean difference lies on the good side of zero. "Over the curve" is the mean
error over all purchases of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from budgeted.experiments.runs import Runs
from budgeted.statistics import Mean, paired, ratio_of_means
from research.paper.comparisons import compare, compare_after, share_of_purchases

Results = Mapping[str, Mapping[str, Runs]]
"""Experiment → policy → runs."""

HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"

RR, BR, GREEDY = "round robin", "biased robin", "greedy"
DEPTH_10, DEPTH_30, DEPTH_80 = (f"lookahead, depth {depth}" for depth in (10, 30, 80))


@dataclass(frozen=True)
class Finding:
    """What was measured, line by line, and the verdict of the rule."""

    verdict: str
    measured: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes
    ----------
    number, words
        As in the list of claims, in short.
    experiments
        Files that it is decided by; their figures are shown beside it.
    rule
        When it holds, in part or not.
    decide
        The rule, as code.
    reading
        What the text leaves open, and how it was read.
    other_readings
        Other ways to read it: a name, and the same rule on other experiments. They are reported
        beside the verdict and do not change it.
    """

    number: int
    words: str
    experiments: tuple[str, ...]
    rule: str
    decide: Callable[[Results], Finding]
    reading: str = ""
    other_readings: tuple[tuple[str, Callable[[Results], Finding]], ...] = ()


def _verdict(whole: bool, part: bool) -> str:
    return HOLDS if whole else IN_PART if part else NOT


def nothing_to_gain(results: Results) -> Finding:
    """Claim 1."""
    runs = results["figure-3a"]
    others = [name for name in runs if name != RR]
    found = {name: compare(runs[name], runs[RR]) for name in others}
    gained = [each for each in found.values() if each.below(-0.01)]
    lines = tuple(
        f"{name} minus round robin, over the curve: {found[name]:+.3f}" for name in others
    )
    return Finding(_verdict(not gained, len(gained) == 1), lines)


def half_the_purchases(results: Results) -> Finding:
    """Claim 2."""
    runs = results["figure-3b"]
    shares = {
        name: share_of_purchases(runs[name], runs[RR], (100, 150, 200, 250, 300))
        for name in (DEPTH_10, BR, "biased robin over cells")
    }
    lines = tuple(f"{name} needs {shares[name]:.2f} of round robin's purchases" for name in shares)
    named = (shares[DEPTH_10].value, shares[BR].value)
    return Finding(_verdict(max(named) <= 0.6, min(named) <= 0.8), lines)


def the_gap_widens(results: Results) -> Finding:
    """Claim 3."""
    lines, wider = [], 0
    for name in (DEPTH_10, BR):
        base = results["figure-3b"][RR].error_over() - results["figure-3b"][name].error_over()
        for variant in ("figure-3b-perfect", "figure-3b-30-features"):
            runs = results[variant]
            gap = runs[RR].error_over() - runs[name].error_over()
            change = paired(gap, base).interval()
            wider += change.above()
            lines.append(
                f"{name}, {variant}: gap to round robin {gap.mean():.3f}, "
                f"was {base.mean():.3f}; change {change:+.3f}"
            )
    return Finding(_verdict(wider == 4, wider >= 2), tuple(lines))


def contingent_policies_win(results: Results, experiment: str = "figure-4a") -> Finding:
    """Claim 4."""
    runs = results[experiment]
    sfl = "lookahead, depth 100"
    contingent = (BR, GREEDY, sfl)
    beat = {name: compare(runs[name], runs[RR]) for name in contingent}
    best = {name: compare(runs[sfl], runs[name]) for name in (BR, GREEDY)}
    lines = [f"{name} minus round robin, over the curve: {beat[name]:+.3f}" for name in contingent]
    lines += [f"lookahead minus {name}, over the curve: {best[name]:+.3f}" for name in best]
    lines += [
        f"{name} after 100 purchases: {Mean.of(runs[name].error_after(100))}" for name in runs
    ]
    winners = [name for name in contingent if beat[name].below()]
    whole = len(winners) == 3 and all(each.below() for each in best.values())
    return Finding(_verdict(whole, sfl in winners or len(winners) >= 2), tuple(lines))


def shallow_early_deep_late(results: Results, experiment: str = "figure-4b") -> Finding:
    """Claim 5."""
    runs = results[experiment]
    early = compare(runs[DEPTH_30], runs[DEPTH_80], 1, 100)
    late = compare(runs[DEPTH_80], runs[DEPTH_30], 201, 300)
    lines = (
        f"depth 30 minus depth 80, purchases 1 to 100: {early:+.3f}",
        f"depth 80 minus depth 30, purchases 201 to 300: {late:+.3f}",
    )
    reversed_somewhere = early.above() or late.above()
    whole = early.below() and late.below()
    part = (early.below() or late.below()) and not reversed_somewhere
    return Finding(_verdict(whole, part), lines)


def knowing_the_budget_helps(results: Results, experiment: str = "figure-4b") -> Finding:
    """Claim 6."""
    runs = results[experiment]
    found = compare_after(runs["lookahead, depth 30, budget 50"], runs[DEPTH_30], 50)
    line = f"budget 50 minus budget 300, after 50 purchases: {found:+.3f}"
    return Finding(_verdict(found.below(), found.value < 0), (line,))


def relevant_features_are_found(results: Results) -> Finding:
    """Claim 7."""
    lines, fits = [], {}
    readings = {
        "1": "figure-4b",
        "0.05": "figure-4b-prior-0.05",
        "0.01": "mushroom-prior-0.01",
    }
    for count, experiment in readings.items():
        runs = results[experiment][DEPTH_80]
        odor, ring = (
            Mean.of(runs.purchases[:, runs.features.index(name)])
            for name in ("odor", "ring-number")
        )
        fits[count] = 60 <= odor.value <= 90 and ring.value <= 4
        lines.append(f"prior counts {count}: odor {odor:.1f}, ring-number {ring:.1f} of 300")
        if count == "1":
            ordered = odor.value > 2 * 300 / 22 and ring.value < 300 / 22
    return Finding(_verdict(fits["1"], ordered or any(fits.values())), tuple(lines))


def nearly_half_the_error(results: Results) -> Finding:
    """Claim 8."""
    runs = results["mushroom-budgets"]
    ratios = {
        budget: ratio_of_means(
            runs[f"lookahead, budget {budget}"].error_after(budget), runs[RR].error_after(budget)
        )
        for budget in (25, 50, 100, 200, 300)
    }
    lines = tuple(
        f"budget {budget}: {ratio:.2f} of round robin's" for budget, ratio in ratios.items()
    )
    least = min(ratio.value for ratio in ratios.values())
    return Finding(_verdict(least <= 0.6, least <= 0.75), lines)


def nursery_is_closer(results: Results) -> Finding:
    """Claim 9."""
    names = (RR, BR, GREEDY, DEPTH_30, DEPTH_80)
    means = {
        experiment: {name: results[experiment][name].error_over(1, 100).mean() for name in names}
        for experiment in ("figure-4b", "figure-4c")
    }
    spreads = {key: (max(m.values()) - min(m.values())) / m[RR] for key, m in means.items()}
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    agree = sum(
        (means["figure-4b"][a] < means["figure-4b"][b])
        == (means["figure-4c"][a] < means["figure-4c"][b])
        for a, b in pairs
    )
    lines = [
        f"spread over 100 purchases, as a share of round robin's error: nursery "
        f"{spreads['figure-4c']:.2f}, mushroom {spreads['figure-4b']:.2f}",
        f"of {len(pairs)} pairs of policies, {agree} are in the same order",
        *(
            f"{name}: nursery {means['figure-4c'][name]:.3f}, mushroom {means['figure-4b'][name]:.3f}"
            for name in names
        ),
    ]
    closer, ordered = spreads["figure-4c"] < spreads["figure-4b"], agree >= 8
    return Finding(_verdict(closer and ordered, closer or ordered), tuple(lines))


def votes(results: Results) -> Finding:
    """Claim 10."""
    runs = results["figure-4d"]
    full = (RR, BR, GREEDY, "lookahead")
    complete = runs[RR].complete
    early = {name: paired(runs[name].error_after(100), complete).interval() for name in full}
    marks = (50, 100, 150, 200, 250, 300)
    best = {
        (name, mark): paired(runs[name].error_after(mark), complete).interval()
        for name in full[1:]
        for mark in marks
    }
    (name, mark), lowest = min(best.items(), key=lambda item: item[1].value)
    short = compare_after(runs["lookahead, budget 50"], runs["lookahead"], 50)
    parts = (
        all(each.value <= 0.02 for each in early.values()),
        lowest.below(),
        short.below(),
    )
    lines = [
        f"complete training data: {Mean.of(complete)}; best single feature: "
        f"{Mean.of(runs[RR].single)}",
        *(f"{each} minus complete, after 100: {early[each]:+.3f}" for each in full),
        f"lowest of the selective ones: {name} after {mark}, minus complete: {lowest:+.3f}",
        f"lookahead with budget 50 minus with budget 300, after 50: {short:+.3f}",
    ]
    other = results["figure-4d-three-answers"]
    again = compare_after(other["lookahead, budget 50"], other["lookahead"], 50)
    lines.append(f"the same with '?' as a third answer: {again:+.3f}")
    return Finding(_verdict(all(parts), any(parts)), tuple(lines))


OTHER_TABLES = ("car", "diabetes", "chess", "breast-wisconsin", "breast-ljubljana")


def other_tables(results: Results) -> Finding:
    """Claim 11."""
    lines, both = [], 0
    for table in OTHER_TABLES:
        runs = results[table]
        means = {name: runs[name].error_over().mean() for name in runs}
        behind = {name: compare(runs[DEPTH_30], runs[name]) for name in (RR, BR, GREEDY)}
        comparable = not any(each.above(0.01) for each in behind.values())
        robin_first = means[BR] <= min(means[RR], means[GREEDY])
        both += comparable and robin_first
        listed = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
        lines.append(
            f"{table}: {listed}; lookahead superior or comparable: "
            f"{'yes' if comparable else 'no'}; biased robin best of the others: "
            f"{'yes' if robin_first else 'no'}"
        )
    return Finding(_verdict(both == len(OTHER_TABLES), both >= 3), tuple(lines))


def steering(results: Results) -> Finding:
    """Claim 13."""
    lines, alike, worse = [], 0, 0
    for experiment in ("steering-3b", "steering-votes"):
        runs = results[experiment]
        for name in ("greedy", "lookahead"):
            entropy = compare(runs[f"{name}, entropy"], runs[f"{name}, gini"])
            zero_one = compare(runs[f"{name}, zero_one"], runs[f"{name}, gini"])
            alike += entropy.above(-0.02) and entropy.below(0.02)
            worse += zero_one.above()
            lines.append(
                f"{experiment}, {name}: entropy minus GINI {entropy:+.3f}, 0/1 minus GINI {zero_one:+.3f}"
            )
    return Finding(_verdict(alike == 4 and worse == 4, alike + worse >= 4), tuple(lines))


def run_times(seconds: Mapping[str, float]) -> Finding:
    """Claim 12: seconds of a whole run of each policy, timed one after the other."""
    lines = tuple(f"{name}: {time:.2f} s" for name, time in seconds.items())
    robins = max(seconds[RR], seconds[BR])
    longest = max(seconds, key=lambda name: seconds[name])
    last = longest.startswith("lookahead")
    return Finding(_verdict(robins < seconds[GREEDY] and last, last), lines)


SMALL_COUNTS = "prior counts of 0.05 instead of 1"

CLAIMS = (
    Claim(
        1,
        "Figure 3(a): the policies are comparable; there is nothing to gain from selective querying "
        "over round robin.",
        ("figure-3a",),
        "Holds if no contingent policy has an error over the curve that is lower than round robin's by "
        "more than 0.01 (whole interval); in part if one has; does not hold if more have.",
        nothing_to_gain,
    ),
    Claim(
        2,
        "Figure 3(b): lookahead (depth 10) and biased robin need only about half the purchases of "
        "round robin for the same error.",
        ("figure-3b",),
        "Targets are round robin's mean errors after 100, 150, …, 300 purchases. Holds if both policies "
        "need at most 0.6 of its purchases on average; in part if one needs at most 0.8.",
        half_the_purchases,
        "Biased robin's text does not say what it goes round. Over features (the label drawn from the "
        "prior) is our main reading; over cells is shown beside it.",
    ),
    Claim(
        3,
        "The difference grows with a perfect feature (1.0 against 0) and with more irrelevant features.",
        ("figure-3b-perfect", "figure-3b-30-features"),
        "Gap: round robin's error over the curve minus the policy's. Holds if for lookahead and for "
        "biased robin it is wider in both variants (whole interval of the change above zero); in part "
        "if in at least two of the four.",
        the_gap_widens,
    ),
    Claim(
        4,
        "Figure 4(a), mushroom, budget 100: biased robin, greedy and lookahead outperform round robin; "
        "lookahead performs best.",
        ("figure-4a",),
        "Holds if all three are better than round robin over the curve and lookahead is better than the "
        "other two; in part if lookahead or at least two of the three are better than round robin.",
        contingent_policies_win,
        "Missing stalk roots count as a value of their own, prior counts are 1, features stand in the "
        "order of the table, each purchase is from a case with nothing bought yet.",
        ((SMALL_COUNTS, lambda results: contingent_policies_win(results, "figure-4a-prior-0.05")),),
    ),
    Claim(
        5,
        "Figure 4(b): lookahead of depth 30 leads early in the run, depth 80 later.",
        ("figure-4b",),
        "Holds if depth 30 is better over purchases 1 to 100 and depth 80 over 201 to 300; in part if "
        "one of the two is so and the other is not the other way round.",
        shallow_early_deep_late,
        other_readings=(
            (
                SMALL_COUNTS,
                lambda results: shallow_early_deep_late(results, "figure-4b-prior-0.05"),
            ),
        ),
    ),
    Claim(
        6,
        "Depth 30 with a budget of 50 beats depth 30 with a budget of 300 when both have bought 50.",
        ("figure-4b",),
        "Holds if it is better after 50 purchases; in part if its mean is lower.",
        knowing_the_budget_helps,
        other_readings=(
            (
                SMALL_COUNTS,
                lambda results: knowing_the_budget_helps(results, "figure-4b-prior-0.05"),
            ),
        ),
    ),
    Claim(
        7,
        "Of 300 purchases, lookahead buys feature 5 (odor) 75 times and feature 18 (ring-number) twice "
        "on average.",
        ("figure-4b-prior-0.05",),
        "Holds if odor is bought 60 to 90 times and ring-number at most 4 times with prior counts of 1; "
        "in part if odor is bought at least twice as often as features are on average and ring-number "
        "less than that, or if the figures fit with other prior counts, which the paper does not state.",
        relevant_features_are_found,
        'The paper says this of lookahead "regardless of depth"; depth 80 is shown.',
    ),
    Claim(
        8,
        "For some budgets, the error of lookahead is nearly half that of round robin.",
        ("mushroom-budgets",),
        "Ratio of mean errors at the end of budgets 25, 50, 100, 200, 300, lookahead with a run of its "
        "own for each. Holds if the least ratio is at most 0.6, in part at most 0.75.",
        nearly_half_the_error,
    ),
    Claim(
        9,
        "Figure 4(c), nursery: the policies are closer to each other, but behave similarly.",
        ("figure-4c",),
        "Holds if the spread of the errors over 100 purchases, as a share of round robin's, is smaller than "
        "on mushroom and at least 8 of the 10 pairs of policies are in the same order as there; in "
        "part if one of the two.",
        nursery_is_closer,
    ),
    Claim(
        10,
        "Figure 4(d), votes: all policies soon reach the minimum of naive Bayes; selective ones can beat "
        "the classifier trained on all data; lookahead with budget 50 is better at 50 than with "
        "budget 300.",
        ("figure-4d", "figure-4d-three-answers"),
        "Three parts: after 100 purchases all are within 0.02 of complete training data; some selective "
        "policy is better than complete training data at a multiple of 50; lookahead with budget 50 is "
        "better after 50. Holds if all three do, in part if any does.",
        votes,
        "The best of 18 cells is picked in the second part, which favours the claim. A '?' counts as an "
        "answer that did not come; the other reading is shown beside it.",
    ),
    Claim(
        11,
        "Car, diabetes, chess, breast: lookahead is superior or comparable, and biased robin is the best "
        "of those that do not know the budget.",
        OTHER_TABLES,
        "On each table, over the curve: lookahead is not worse than another policy by more than 0.01 "
        "(whole interval), and biased robin's mean is the lowest of round robin, biased robin and greedy. "
        "Holds if both on all five tables, in part if on three.",
        other_tables,
        "Which breast table is not said: both. Diabetes is cut into five bins of equal frequency.",
    ),
    Claim(
        13,
        "GINI and entropy steer alike; 0/1 error steers worse.",
        ("steering-3b", "steering-votes"),
        "Four comparisons (greedy and depth 10, on Figure 3(b) and votes) over the curve. Alike: the "
        "difference lies within 0.02 (whole interval). Worse: the whole interval is above zero. Holds "
        "if all eight do, in part if at least four do.",
        steering,
    ),
)

RUN_TIMES = Claim(
    12,
    "Run times of the robins are very short, greedy takes slightly longer, lookahead longest.",
    (),
    "Seconds of a whole run of Figure 4(a), one policy after the other, mean of three. Holds if both "
    "robins are shorter than greedy and lookahead is longest; in part if lookahead is longest.",
    lambda results: Finding(NOT, ()),
)
