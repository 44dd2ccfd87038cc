"""What the default must do, as rules that are computed; written before the runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmark.comparison import Comparison
from benchmark.problems import DEFAULT, MUST_HOLD, Line
from benchmark.statistics import SIGNIFICANT, Verdict

HOLDS, NOT, TOO_FEW = "holds", "does not hold", "not enough runs"

NO_WORSE = ("mushroom-50", "mushroom-100", "votes-50", "votes-100", "chess-100", "chess-300",
            "breast-wisconsin-50", "breast-wisconsin-100", "breast-ljubljana-50",
            "breast-ljubljana-100")  # fmt: skip
SEVERAL_CLASSES = ("car", "nursery")


@dataclass(frozen=True)
class Finding:
    """What a rule saw, in words, and whether it is kept."""

    seen: str
    kept: bool


@dataclass(frozen=True)
class Promise:
    """A rule for one line of the benchmark.

    Attributes
    ----------
    line
        Which.
    words
        What must hold, with its threshold.
    decide
        The rule.
    """

    line: Line
    words: str
    decide: Callable[[Comparison], Finding]


@dataclass(frozen=True)
class Outcome:
    """A promise, how many runs there are, what was seen, and the verdict."""

    promise: Promise
    runs: int
    seen: str
    verdict: str


def outcome(promise: Promise, found: Mapping[str, Comparison]) -> Outcome:
    """Return how a promise stands; with fewer runs than it asks for, nothing is decided."""
    comparison = found.get(promise.line.name)
    if comparison is None or len(comparison) < 2:
        return Outcome(promise, 0 if comparison is None else len(comparison), "", TOO_FEW)
    finding = promise.decide(comparison)
    verdict = HOLDS if finding.kept else NOT
    if not comparison.enough:
        verdict = TOO_FEW
    return Outcome(promise, len(comparison), finding.seen, verdict)


def at_most(bound: float) -> Callable[[Comparison], Finding]:
    """Return the rule that the mean error of the default is at most so much."""

    def decide(found: Comparison) -> Finding:
        mean = found.mean(DEFAULT)
        return Finding(str(mean), mean.value <= bound)

    return decide


def near_the_best(margin: float) -> Callable[[Comparison], Finding]:
    """Return the rule that the default is at most so much above the paper's best."""

    def decide(found: Comparison) -> Finding:
        gap = found.against(found.best)
        return Finding(f"{signed(*gap)} against {found.best}", gap.value <= margin)

    return decide


def below_by(share: float, rival: str) -> Callable[[Comparison], Finding]:
    """Return the rule that the default has less error than a rival by a share of it."""

    def decide(found: Comparison) -> Finding:
        saved = 1 - found.mean(DEFAULT).value / found.mean(rival).value
        seen = f"{found.mean(DEFAULT)} against {found.mean(rival)}: {saved:.0%} below"
        return Finding(seen, saved >= share)

    return decide


def no_worse_than(rival: str) -> Callable[[Comparison], Finding]:
    """Return the rule that the default is not significantly worse than a rival."""

    def decide(found: Comparison) -> Finding:
        gap = found.against(rival)
        return Finding(signed(*gap), not Verdict(gap).worse)

    return decide


def no_worse_than_majority(found: Comparison) -> Finding:
    """Nowhere on the way, nor at the end, significantly worse than the most frequent label."""
    money, gap = found.above_majority()
    seen = f"worst after {money}: {signed(*gap)}"
    return Finding(seen, not Verdict(gap).worse)


def signed(value: float, standard_error: float) -> str:
    """Return a difference with its sign and its standard error.

    >>> signed(0.01234, 0.002)
    '+0.012 ± 0.002'
    """
    return f"{value:+.3f} ± {standard_error:.3f}"


def _promises() -> tuple[Promise, ...]:
    lines = {line.name: line for line in MUST_HOLD}
    promises = [
        Promise(lines[name], f"error at most {bound:.3f}", at_most(bound))
        for name, bound in (
            ("figure-3b-60", 0.17),
            ("figure-3b-150", 0.115),
            ("figure-3b-30-features-150", 0.20),
        )
    ]
    promises += [
        Promise(lines[name], f"at most {margin:.3f} above the paper's best", near_the_best(margin))
        for name, margin in (("figure-3a-50", 0.010), ("figure-3a-100", 0.010), ("figure-3a-300", 0.003))
    ]  # fmt: skip
    promises.append(
        Promise(lines["mushroom-300"], "at least 35 % below sfl", below_by(0.35, "sfl"))
    )
    promises += [
        Promise(lines[name], f"at most {SIGNIFICANT:g} standard errors above {rival}",
                no_worse_than(rival))
        for name in NO_WORSE
        for rival in ("sfl", "round-robin")
    ]  # fmt: skip
    tables = [line for line in MUST_HOLD if not line.problem.startswith("figure")]
    tables.sort(key=lambda line: line.problem not in SEVERAL_CLASSES)
    promises += [
        Promise(line, f"never {SIGNIFICANT:g} standard errors above the majority class",
                no_worse_than_majority)
        for line in tables
    ]  # fmt: skip
    return tuple(promises)


PROMISES = _promises()
