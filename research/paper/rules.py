"""What a claim is, and how the intervals of what was measured decide it.

A claim is decided by checks. Each looks at an interval, never at a bare mean: a difference of two
policies in the same worlds with its 95 % interval, or a ratio, or a count. "Better" means that the
whole interval lies on the good side of zero. "Over the curve" is the mean error over all purchases
of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import nan
from statistics import NormalDist

import numpy as np

from budgeted.experiments.runs import Runs
from budgeted.statistics import NORMAL_95, Integers, Interval, paired, resampled

Results = Mapping[str, Mapping[str, Runs]]
"""Experiment → policy → runs, of one reading."""

HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"
VERDICTS = (HOLDS, IN_PART, NOT)

POWER = 0.8
_SEEN = NORMAL_95 + NormalDist().inv_cdf(POWER)
"""A difference of so many standard errors has an interval without zero with that probability."""

RR, BR, GREEDY = "round robin", "biased robin", "greedy"
DEPTH_10, DEPTH_30, DEPTH_80, DEPTH_100 = (f"lookahead, depth {at}" for at in (10, 30, 80, 100))
DEPTH_30_BUDGET_50 = "lookahead, depth 30, budget 50"


@dataclass(frozen=True)
class Check:
    """One comparison: what was found, what the claim wants, and whether it is so.

    >>> found = Check("a minus b", Interval(-0.02, -0.03, -0.01), "below 0", True)
    >>> print(found)
    ✓ a minus b: -0.020 (-0.030 to -0.010)
    >>> round(found.sees, 3)
    0.014
    """

    words: str
    found: Interval
    wanted: str
    passed: bool
    spec: str = "+.3f"

    @property
    def sees(self) -> float:
        """The least true difference that these runs would see four times of five."""
        return _SEEN * (self.found.high - self.found.low) / (2 * NORMAL_95)

    def __str__(self) -> str:
        value, low, high = (format(each, self.spec) for each in self.found)
        shown = value if low == high else f"{value} ({low} to {high})"
        wanted = "" if self.passed else f"; wanted: {self.wanted}"
        return f"{'✓' if self.passed else '✗'} {self.words}: {shown}{wanted}"


def below(words: str, found: Interval, bound: float = 0.0, spec: str = "+.3f") -> Check:
    """Check that the whole interval lies below a bound."""
    return Check(words, found, f"below {bound:g}", found.below(bound), spec)


def above(words: str, found: Interval, bound: float = 0.0, spec: str = "+.3f") -> Check:
    """Check that the whole interval lies above a bound."""
    return Check(words, found, f"above {bound:g}", found.above(bound), spec)


def within(words: str, found: Interval, low: float, high: float, spec: str = "+.3f") -> Check:
    """Check that the whole interval lies between two bounds."""
    inside = found.above(low) and found.below(high)
    return Check(words, found, f"between {low:g} and {high:g}", inside, spec)


def not_below(words: str, found: Interval, bound: float, spec: str = "+.3f") -> Check:
    """Check that the interval does not lie wholly below a bound."""
    return Check(words, found, f"not wholly below {bound:g}", not found.below(bound), spec)


def not_above(words: str, found: Interval, bound: float, spec: str = "+.3f") -> Check:
    """Check that the interval does not lie wholly above a bound."""
    return Check(words, found, f"not wholly above {bound:g}", not found.above(bound), spec)


def exactly(words: str, found: float, wanted: float, spec: str = "g") -> Check:
    """Check a number that is known without error."""
    return Check(words, Interval(found, found, found), format(wanted, spec), found == wanted, spec)


@dataclass(frozen=True)
class Finding:
    """The verdict of a rule, the checks behind it, and what else was measured."""

    verdict: str
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sees(self) -> float:
        """What the least sharp of the checks can see; NaN where nothing is left to chance."""
        return max((each.sees for each in self.checks if each.sees > 0), default=nan)


def decided(whole: bool, part: bool, checks: Iterable[Check], notes: Iterable[str] = ()) -> Finding:
    """Return the finding of a rule that says when a claim holds, and when in part."""
    verdict = HOLDS if whole else IN_PART if part else NOT
    return Finding(verdict, tuple(checks), tuple(notes))


@dataclass(frozen=True)
class Claim:
    """A claim of the paper."""

    number: int  # in the list of claims
    words: str
    rule: str  # when it holds, in part or not
    decide: Callable[[Results], Finding]  # the rule, as code
    open: str = ""  # what the text leaves open, and how it was read
    # reading → results, to what explains that it does not hold, measured
    why: Callable[[Mapping[str, Results]], Iterable[str]] = lambda results: ()
    unit: str = "error"  # of what its checks compare, for what the runs can see
    # those in which it is decided; others make no difference to it
    readings: tuple[str, ...] = ("A", "C", "own")


def compare(one: Runs, other: Runs, first: int = 1, last: int | None = None) -> Interval:
    """Return error of one minus error of the other over a stretch of the curve, run by run."""
    return paired(one.error_over(first, last), other.error_over(first, last)).interval()


def compare_after(one: Runs, other: Runs, purchases: int) -> Interval:
    """Return error of one minus error of the other after so many purchases, run by run."""
    return paired(one.error_after(purchases), other.error_after(purchases)).interval()


def share_of_purchases(policy: Runs, baseline: Runs, marks: tuple[int, ...]) -> Interval:
    """Return how many purchases a policy needs for the baseline's error, as a share of its own.

    For each mark the target is the mean error of the baseline after so many purchases; counted is
    the first purchase from which the policy's mean error stays at or below the target for five
    purchases, so that one lucky dip does not count. The shares of all marks are averaged; the
    interval resamples the runs, the same ones for both.
    """

    def share(rows: Integers) -> float:
        mine = policy.errors[rows].mean(axis=0)
        theirs = baseline.errors[rows].mean(axis=0)
        shares = []
        for mark in marks:
            low_enough = mine <= theirs[mark - 1]
            stays = np.convolve(low_enough, np.ones(5), mode="valid") == 5
            needed = int(stays.argmax()) + 1 if stays.any() else len(mine)
            shares.append(needed / mark)
        return float(np.mean(shares))

    return resampled(share, len(policy))
