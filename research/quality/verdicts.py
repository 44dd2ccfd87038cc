"""What must hold of the default, and whether it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from budgeted.statistics import NORMAL_90, Mean, paired, threshold
from research.quality.comparison import Runs
from research.quality.fixed import BARS
from research.quality.zoo.entries import CHALLENGERS, DEFAULT, PAPER
from research.quality.zoo.results import Looks, Results
from research.quality.zoo.summary import HARM, Calibration, above_majority

OURS = f"{DEFAULT} / hierarchical"
PLAIN, TAUGHT = "naive-bayes", "hierarchical"
COVERAGE, LEAST_COVERAGE, BIAS = (0.85, 0.97), 0.75, 0.03
MOST_HARM = 0.05


@dataclass(frozen=True)
class Verdict:
    """A claim, what was seen of it, and whether it holds."""

    claim: str
    seen: str
    holds: bool


@dataclass(frozen=True)
class Margin:
    """How far the default is below another: negative is good."""

    name: str
    end: Mean
    way: Mean

    @property
    def worst(self) -> float:
        """The larger of both."""
        return max(self.end.value, self.way.value)

    def __str__(self) -> str:
        return f"{self.name}: {signed(self.end)} at the end, {signed(self.way)} on the way"


def signed(mean: Mean) -> str:
    """Return a difference with its sign and its standard error."""
    return f"{mean:+.4f}"


def margins(results: Results, names: Sequence[str], learner: str) -> list[Margin]:
    """Return how far the default is below each of these with a learner, the closest first."""
    ours = results.looks[OURS]
    found = []
    for name in names:
        other = results.looks[f"{name} / {learner}"]
        end = paired(ours.end, other.end)
        found.append(Margin(name, end, paired(ours.on_the_way, other.on_the_way)))
    return sorted(found, key=lambda each: -each.worst)


@dataclass(frozen=True)
class InStratum:
    """The default in a stratum, beside the best one of the paper's policies there.

    `end` and `way` are the default minus the other one; `end_beyond` and `way_beyond` say whether it is
    above that one by more than chance, if as many strata are looked at.
    """

    stratum: str
    worlds: int
    error: float
    best_end: str
    end: Mean
    best_way: str
    way: Mean
    end_beyond: bool
    way_beyond: bool
    calibration: Calibration | None

    @property
    def beyond(self) -> bool:
        """Whether it is above either of them by more than chance."""
        return self.end_beyond or self.way_beyond


def strata(results: Results) -> list[InStratum]:
    """Return every stratum with two worlds or more."""
    found = []
    margin = threshold(len(results.members))
    for stratum, inside in results.members.items():
        ours = results.looks[OURS].where(inside)
        others = {name: results.looks[f"{name} / {PLAIN}"].where(inside) for name in PAPER}
        best_end = min(others, key=lambda name: float(others[name].end.mean()))
        best_way = min(others, key=lambda name: float(others[name].on_the_way.mean()))
        end = paired(ours.end, others[best_end].end)
        way = paired(ours.on_the_way, others[best_way].on_the_way)
        found.append(
            InStratum(
                stratum,
                int(inside.sum()),
                float(ours.end.mean()),
                best_end,
                end,
                best_way,
                way,
                end.above(margin),
                way.above(margin),
                Calibration.of(ours),
            )
        )
    return found


@dataclass(frozen=True)
class Kept:
    """All results that the page is made of."""

    zoo: Results  # the confirmation worlds: the default and the paper's policies
    challengers: Results  # the same worlds: the default and the challengers, without the slow ones
    slow: Mapping[str, Results]  # slow challenger → those of the worlds in which it has played
    tables: Results  # the trials of the tables

    def of(self, name: str) -> Results:
        """Return the results in which a policy plays."""
        if name in self.slow:
            return self.slow[name]
        return self.challengers if name in CHALLENGERS else self.zoo


def verdicts(kept: Kept, fixed: Runs, test_rows: np.ndarray) -> list[Verdict]:
    """Return every claim, in the order of the page."""
    zoo, tables = kept.zoo, kept.tables
    ours = zoo.looks[OURS]
    found = [
        _below("each of the paper's policies with naive Bayes", margins(zoo, PAPER, PLAIN)),
        _below("each challenger with naive Bayes", challengers(kept)),
        _below(
            "the best of the paper's policies with the hierarchical learner",
            margins(zoo, PAPER, TAUGHT),
        ),
    ]
    each = strata(zoo)
    over = [one for one in each if one.beyond]
    found.append(
        Verdict(
            f"in no stratum above the paper's best there by more than {threshold(len(each)):.2f} "
            f"standard errors (2, corrected for {len(each)} strata)",
            "; ".join(
                f"{one.stratum}: {signed(one.end)} at the end, {signed(one.way)} on the way"
                for one in over
            )
            or "in none",
            not over,
        )
    )
    overall = Calibration.of(ours)
    assert overall is not None
    low, high = COVERAGE
    found.append(
        Verdict(
            f"the 90 % interval holds the true error in {low:.0%} to {high:.0%} of looks",
            f"{overall.coverage:.1%}",
            low <= overall.coverage <= high,
        )
    )
    said = [(one.calibration.coverage, one.stratum) for one in each if one.calibration]
    least, where = min(said)
    found.append(
        Verdict(
            f"in at least {LEAST_COVERAGE:.0%} in each stratum",
            f"least: {least:.1%} ({where})",
            least >= LEAST_COVERAGE,
        )
    )
    found.append(
        Verdict(
            f"predicted minus true error, on average, within ±{BIAS}",
            f"{overall.bias:+.3f}",
            abs(overall.bias) <= BIAS,
        )
    )
    on_tables = noisy_coverage(tables.looks[OURS], test_rows)
    found.append(
        Verdict(
            f"on the tables in at least {LEAST_COVERAGE:.0%}, allowing for the noise of the test rows",
            f"{on_tables.mean():.1%}",
            bool(on_tables.mean() >= LEAST_COVERAGE),
        )
    )
    harm = above_majority(ours, zoo.majority)
    found.append(
        Verdict(
            f"more than {HARM} above the majority class in at most {MOST_HARM:.0%} of looks",
            f"{harm:.1%}",
            harm <= MOST_HARM,
        )
    )
    return found + _bars(fixed)


def challengers(kept: Kept) -> list[Margin]:
    """Return how far the default is below each challenger with naive Bayes, the closest first."""
    found = [one for name in CHALLENGERS for one in margins(kept.of(name), [name], PLAIN)]
    return sorted(found, key=lambda each: -each.worst)


def noisy_coverage(looks: Looks, rows: np.ndarray) -> np.ndarray:
    """Return where the interval holds the error on some rows, trials × looks.

    An error that is counted on n rows scatters; the interval is made wider by 1.645 of its standard
    errors, in quadrature, on either side.
    """
    noise = NORMAL_90**2 * looks.error * (1 - looks.error) / rows[:, None]
    below = np.sqrt((looks.predicted - looks.low) ** 2 + noise)
    above = np.sqrt((looks.high - looks.predicted) ** 2 + noise)
    apart = looks.error - looks.predicted
    result: np.ndarray = (-below <= apart) & (apart <= above)
    return result


def _below(whom: str, found: Sequence[Margin]) -> Verdict:
    closest = found[0]
    return Verdict(
        f"mean error at the end, and on the way, below {whom}",
        f"closest: {closest}" if len(found) > 1 else str(closest),
        closest.worst < 0,
    )


def _bars(fixed: Runs) -> list[Verdict]:
    found = []
    for name, bar in BARS.items():
        runs = fixed[name]
        for at, look in enumerate(bar.looks):
            ours, plain = (
                np.array([each[at][learner] for each in runs]) for learner in (TAUGHT, PLAIN)
            )
            when = f", {look:.0%} of the money" if len(bar.looks) > 1 else ""
            if bar.most is not None:
                mean = Mean.of(ours)
                claim = f"{bar.title}{when}: error at most {bar.most}"
                found.append(Verdict(claim, f"{mean} ({len(runs)} runs)", mean.value <= bar.most))
            if bar.above is not None:
                apart = paired(ours, plain)
                claim = (
                    f"{bar.title}{when}: at most {bar.above} above naive Bayes on the same values"
                )
                found.append(
                    Verdict(
                        claim,
                        f"{signed(apart)} ({ours.mean():.3f} against {plain.mean():.3f}; "
                        f"{len(runs)} runs)",
                        apart.value <= bar.above,
                    )
                )
    return found
