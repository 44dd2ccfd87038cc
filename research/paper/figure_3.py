"""Claims 1 to 3: synthesized data, Figure 3 and Section 4.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from budgeted.statistics import Floats, Interval, paired
from research.paper.rules import (
    BR,
    DEPTH_10,
    GREEDY,
    RR,
    Claim,
    Finding,
    Results,
    above,
    below,
    compare,
    decided,
    not_above,
    not_below,
    share_of_purchases,
)

MARKS = (100, 150, 200, 250, 300)
VARIANTS = {"figure-3b-perfect": "a perfect feature", "figure-3b-30-features": "29 irrelevant ones"}
CELLS = "biased robin over cells"


def nothing_to_gain(results: Results) -> Finding:
    """Claim 1."""
    runs = results["figure-3a"]
    checks = [
        not_below(f"{name} minus round robin, over the curve", compare(runs[name], runs[RR]), -0.01)
        for name in (BR, GREEDY, DEPTH_10)
    ]
    gained = sum(not each.passed for each in checks)
    return decided(not gained, gained == 1, checks)


def half_the_purchases(results: Results) -> Finding:
    """Claim 2."""
    runs = results["figure-3b"]
    checks = []
    for name in (DEPTH_10, BR):
        share = share_of_purchases(runs[name], runs[RR], MARKS)
        words = f"{name}: purchases it needs, as a share of round robin's"
        checks += [below(words, share, 1.0, ".2f"), not_above(words, share, 0.6, ".2f")]
    fewer, half = checks[::2], checks[1::2]
    policies = [one.passed and other.passed for one, other in zip(fewer, half, strict=True)]
    part = any(policies) or all(each.passed for each in fewer)
    notes = []
    if CELLS in runs:
        share = share_of_purchases(runs[CELLS], runs[RR], MARKS)
        notes = [f"biased robin over cells, the other way to read its text: {share:.2f}"]
    return decided(all(policies), part, checks, notes)


def the_gap_widens(results: Results) -> Finding:
    """Claim 3."""
    checks = [
        above(f"{name}, {words}: change of its gap to round robin", _change(results, name, variant))
        for name in (DEPTH_10, BR)
        for variant, words in VARIANTS.items()
    ]
    wider = sum(each.passed for each in checks)
    return decided(wider == len(checks), wider >= 2, checks)


def _change(results: Results, name: str, variant: str) -> Interval:
    def gap(experiment: str) -> Floats:
        runs = results[experiment]
        result: Floats = runs[RR].error_over() - runs[name].error_over()
        return result

    return paired(gap(variant), gap("figure-3b")).interval()


def _why_not_half(readings: Mapping[str, Results]) -> Iterable[str]:
    for name, results in readings.items():
        runs = results["figure-3b"]
        bought = runs[DEPTH_10].discriminative.mean()
        yield (
            f"Reading {name}: of 300 purchases, lookahead buys the feature that matters {bought:.0f} "
            f"times, biased robin {runs[BR].discriminative.mean():.0f}, round robin "
            f"{runs[RR].discriminative.mean():.0f}."
        )
    yield (
        "With a weak prior, depth 10 already resolves most of what there is to learn of a cell, so that "
        "lookahead spreads its purchases; a strong prior keeps it at the feature that matters."
    )


def _why_not_wider(readings: Mapping[str, Results]) -> Iterable[str]:
    for name, results in readings.items():
        found = the_gap_widens(results)
        missed = [each for each in found.checks if not each.passed]
        if missed:
            sees = ", ".join(f"{each.sees:.3f}" for each in missed)
            yield (
                f"Reading {name}: {len(missed)} of 4 changes are not seen. It is a matter of power: such "
                f"changes are seen four times of five from {sees} on."
            )


CLAIMS = (
    Claim(
        1,
        "Figure 3(a): the policies are comparable; there is nothing to gain from selective querying "
        "over round robin.",
        "Holds if no contingent policy has an error over the curve that is lower than round robin's by "
        "more than 0.01 (whole interval); in part if one has; does not hold if more have.",
        nothing_to_gain,
        "The paper gives no budget; 300 is that of Figure 4(b).",
    ),
    Claim(
        2,
        "Figure 3(b): lookahead (depth 10) and biased robin need only about half the purchases of "
        "round robin for the same error.",
        "Targets are round robin's mean errors after 100, 150, …, 300 purchases; averaged is the share "
        "of its purchases that a policy needs, with an interval from resampled runs. Holds if for both "
        "policies the interval lies below 1 and reaches down to 0.6; in part if it does for one, or if "
        "both lie below 1.",
        half_the_purchases,
        "Biased robin's text does not say what it goes round. Over features, the label drawn from the "
        "prior, is our main reading.",
        _why_not_half,
        unit="of the purchases",
    ),
    Claim(
        3,
        "The difference grows with a perfect feature (1.0 against 0) and with more irrelevant features.",
        "Gap: round robin's error over the curve minus the policy's. Holds if for lookahead and for "
        "biased robin it is wider in both variants (whole interval of the change above zero); in part "
        "if in at least two of the four.",
        the_gap_widens,
        "How many more irrelevant features is not said; 29 in place of 9.",
        _why_not_wider,
    ),
)
