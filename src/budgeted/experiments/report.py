"""What the results of an experiment say, for a paper: by money, differences with tests, and ranks.

Policies are compared run by run, in the same worlds. A difference has the 95 % interval of
Student's t, and two p-values, of the paired t-test and of Wilcoxon's signed-rank test; one of them
is corrected, by Holm's method, for all comparisons of its measure in the report. Over several
tables policies are ranked by their means, and compared by Wilcoxon's test over the tables, once
more corrected by Holm's method.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from math import isnan, nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from budgeted.errors import RunnerError
from budgeted.experiments.measured import MOMENTS, NAMES
from budgeted.experiments.problems import terms_of
from budgeted.experiments.runs import Runs, one_fingerprint, versions
from budgeted.experiments.series import read_all
from budgeted.experiments.significance import (
    Pair,
    cliques,
    friedman,
    holm,
    paired_t,
    rank_pairs,
    ranked,
    t_within,
    wilcoxon,
)
from budgeted.learners.belief import Floats
from budgeted.listing import did_you_mean
from budgeted.statistics import Interval, paired

ERROR, AREA = "0/1 error", "area under the curve"
LEVEL = 0.05
"""Below which a corrected p-value counts."""
LARGER_IS_BETTER = ("auc",)
UNITS = {"run time": "s"}


@dataclass(frozen=True)
class Row:
    """A measure of a policy on a table, when a share of its budget was spent: the mean of runs.

    `low` and `high` are the ends of the 95 % interval of Student's t; `best` whether no other
    policy has a better mean there.
    """

    table: str
    measure: str
    policy: str
    share: float
    runs: int
    mean: float
    standard_error: float
    low: float
    high: float
    best: bool = False


@dataclass(frozen=True)
class Difference:
    """One policy minus another at the end, run by run.

    `corrected` is the p-value of the chosen test, corrected for all comparisons of the measure.
    """

    table: str
    measure: str
    one: str
    other: str
    runs: int
    mean: float
    low: float
    high: float
    p_t: float
    p_wilcoxon: float
    corrected: float = nan


@dataclass(frozen=True)
class Ranking:
    """Policies ranked over several tables by a measure, the best first."""

    measure: str
    tables: tuple[str, ...]
    policies: tuple[str, ...]
    ranks: tuple[float, ...]
    friedman: float  # the p-value that all are the same
    pairs: tuple[Pair, ...]  # each two of them, as positions in `policies`
    groups: tuple[tuple[int, ...], ...]  # stretches of policies that do not differ, likewise


@dataclass(frozen=True)
class Report:
    """All of it; `test` corrected the differences, `origin` says which code computed the runs.

    `left_out` says, in words, which tables and policies comparisons are without, and why.
    """

    rows: tuple[Row, ...]
    differences: tuple[Difference, ...]
    rankings: tuple[Ranking, ...]
    test: str
    origin: str
    left_out: tuple[str, ...] = ()


def report_of(
    files: Iterable[str | Path], *, against: str | None = None, test: str = "t"
) -> Report:
    """Return the report of files of results; runs of different code are refused."""
    found: dict[str, tuple[dict[str, Any], dict[str, Runs]]] = {}
    for file in files:
        for name, facts, runs in read_all(Path(file)):
            if name in found:
                raise RunnerError(f"{file}: there are two results on {name!r}; name each once")
            found[name] = facts, runs
    every = [runs for _, results in found.values() for runs in results.values()]
    fingerprint = one_fingerprint(every)
    labels = list(dict.fromkeys(label for _, results in found.values() for label in results))
    if against is not None and against not in labels:
        guess = did_you_mean(against, labels)
        raise RunnerError(f"there is no policy {against!r}; {guess}there are: {', '.join(labels)}")
    rows: list[Row] = []
    differences: list[Difference] = []
    for name, (told, results) in found.items():
        limits = {each["label"]: terms_of(str(each["budget"])).limit
                  for each in told["experiment"]["policy"]}  # fmt: skip
        for measure, shares in _measures(told["experiment"]):
            values = {
                (label, share): _values(runs, measure, limits[label], share)
                for label, runs in results.items()
                for share in shares
            }
            rows += _rows(name, measure, list(results), shares, values)
            ends = {label: values[label, 1.0] for label in results}
            differences += _differences(name, measure, ends, against)
    tried = [_ranking(measure, rows) for measure in dict.fromkeys(row.measure for row in rows)]
    return Report(
        tuple(rows),
        tuple(_corrected(differences, test)),
        tuple(each for each in tried if each is not None),
        test,
        f"code {fingerprint}; {versions(every)}",
        tuple(_left_out({name: list(results) for name, (_, results) in found.items()}, against)),
    )


def _left_out(tables: Mapping[str, Sequence[str]], against: str | None) -> Iterable[str]:
    """Yield what cannot be compared because a policy is not on a table."""
    for table, policies in tables.items():
        if against is not None and against not in policies:
            yield (
                f"no paired differences on {table}: there is no policy {against!r} there, "
                f"only {', '.join(policies)}"
            )
    if len(tables) > 1:
        for label in dict.fromkeys(each for policies in tables.values() for each in policies):
            without = [table for table, policies in tables.items() if label not in policies]
            if without:
                yield f"no ranks of {label}: it is not on {', '.join(without)}"


def _measures(experiment: Mapping[str, Any]) -> list[tuple[str, tuple[float, ...]]]:
    """Return the measures of an experiment with the shares of the budget where they are known."""
    moments = tuple(experiment.get("moments", MOMENTS))
    asked = [each for each in NAMES if each in experiment.get("measures", ())]
    return [(ERROR, moments), (AREA, (1.0,)), *((each, moments) for each in asked)]


def _values(runs: Runs, measure: str, limit: Decimal, share: float) -> Floats:
    amount = limit * Decimal(str(share))
    if measure == ERROR:
        return runs.error_within(amount)
    if measure == AREA:
        return runs.area_under_curve(limit)
    return runs.measure_within(measure, amount)


def _rows(
    table: str, measure: str, policies: Sequence[str], shares: Sequence[float],
    values: Mapping[tuple[str, float], Floats],
) -> Iterable[Row]:  # fmt: skip
    sign = -1 if measure in LARGER_IS_BETTER else 1
    for share in shares:
        means = {each: float(values[each, share].mean()) for each in policies}
        there = [sign * mean for mean in means.values() if not isnan(mean)]
        for policy in policies:
            numbers = values[policy, share]
            mean, error, interval = _interval(numbers)
            best = bool(there) and sign * means[policy] <= min(there) + 1e-12
            yield Row(table, measure, policy, share, len(numbers), mean, error, interval.low,
                      interval.high, best)  # fmt: skip


def _interval(numbers: Floats) -> tuple[float, float, Interval]:
    """Return mean, standard error and 95 % interval of Student's t."""
    mean = float(numbers.mean())
    if len(numbers) < 2:
        return mean, nan, Interval(mean, nan, nan)
    error = float(numbers.std(ddof=1)) / sqrt(len(numbers))
    half = t_within(0.95, len(numbers) - 1) * error
    return mean, error, Interval(mean, mean - half, mean + half)


def _differences(
    table: str, measure: str, ends: Mapping[str, Floats], against: str | None
) -> Iterable[Difference]:
    if against is None:
        pairs = list(combinations(ends, 2))
    else:
        pairs = [(each, against) for each in ends if each != against and against in ends]
    for one, other in pairs:
        if len(ends[one]) != len(ends[other]):
            raise RunnerError(f"{table}: {one!r} and {other!r} have not the same runs")
        gap = ends[one] - ends[other]
        mean = paired(ends[one], ends[other]).value
        _, _, interval = _interval(gap)
        yield Difference(table, measure, one, other, len(gap), mean, interval.low, interval.high,
                         paired_t(gap), wilcoxon(gap))  # fmt: skip


def _corrected(found: Sequence[Difference], test: str) -> list[Difference]:
    """Return the comparisons with the chosen p-values corrected, measure by measure."""
    result = list(found)
    for measure in dict.fromkeys(each.measure for each in found):
        places = [at for at, each in enumerate(found) if each.measure == measure]
        values = [found[at].p_t if test == "t" else found[at].p_wilcoxon for at in places]
        for at, value in zip(places, holm(values), strict=True):
            result[at] = replace(found[at], corrected=value)
    return result


def _ranking(measure: str, rows: Sequence[Row]) -> Ranking | None:
    """Return the ranks of the policies at the end; None unless there are several tables."""
    ends = {(row.table, row.policy): row.mean for row in rows
            if row.measure == measure and row.share == 1}  # fmt: skip
    tables = list(dict.fromkeys(table for table, _ in ends))
    policies = [each for each in dict.fromkeys(policy for _, policy in ends)
                if all((table, each) in ends for table in tables)]  # fmt: skip
    if len(tables) < 2 or len(policies) < 2:
        return None
    sign = -1 if measure in LARGER_IS_BETTER else 1
    scores = np.array([[sign * ends[table, each] for each in policies] for table in tables])
    whole = np.isfinite(scores).all(axis=1)
    if whole.sum() < 2:
        return None
    ranks = np.apply_along_axis(ranked, 1, scores[whole])
    means = ranks.mean(axis=0)
    order = np.argsort(means, kind="stable").tolist()
    pairs = rank_pairs(scores[whole][:, order])
    return Ranking(
        measure,
        tuple(table for table, kept in zip(tables, whole, strict=True) if kept),
        tuple(policies[at] for at in order),
        tuple(float(means[at]) for at in order),
        friedman(ranks),
        tuple(pairs),
        tuple(cliques(range(len(order)), pairs, LEVEL)),
    )
