"""Claims 11 to 13: other tables, run times, and which loss steers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from budgeted.experiments.spec import Experiment
from budgeted.simulation.simulator import simulate
from budgeted.statistics import Floats, Mean, paired
from research.paper.rules import (
    BR,
    DEPTH_10,
    DEPTH_30,
    DEPTH_100,
    GREEDY,
    RR,
    Check,
    Claim,
    Finding,
    Results,
    above,
    below,
    compare,
    decided,
    not_above,
    within,
)

TABLES = ("car", "diabetes", "chess", "breast-wisconsin", "breast-ljubljana")


def other_tables(results: Results) -> Finding:
    """Claim 11."""
    ahead = [
        not_above(f"{table}: lookahead minus {name}, over the curve",
                  compare(results[table][DEPTH_30], results[table][name]), 0.01)
        for table in TABLES for name in (RR, BR, GREEDY)
    ]  # fmt: skip
    robin = _robin(results)
    worse = any(each.found.above() for checks in robin.values() for each in checks)
    shown = any(all(each.passed for each in checks) for checks in robin.values())
    parts = (all(each.passed for each in ahead), shown and not worse)
    every = (*ahead, *(each for checks in robin.values() for each in checks))
    return decided(all(parts), any(parts), every)


def _robin(results: Results) -> dict[str, list[Check]]:
    return {
        table: [
            below(f"{table}: biased robin minus {name}, over the curve",
                  compare(results[table][BR], results[table][name]))
            for name in (RR, GREEDY)
        ]
        for table in TABLES
    }  # fmt: skip


def _why_robin_is_not_best(readings: Mapping[str, Results]) -> Iterable[str]:
    for name, results in readings.items():
        robin = _robin(results)
        shown = [table for table, each in robin.items() if all(one.passed for one in each)]
        worse = [table for table, each in robin.items() if any(one.found.above() for one in each)]
        yield (
            f"Reading {name}: biased robin is the best of the three on {_listed(shown)}, worse than "
            f"another on {_listed(worse)}; the rest is not decided."
        )


def _listed(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


def steering(results: Results) -> Finding:
    """Claim 13."""
    checks = []
    for table in ("figure-3b", "votes"):
        for words, gini in (("greedy", GREEDY), ("depth 10", DEPTH_10)):
            runs = results[table]
            entropy, zero_one = (runs[f"{gini}, {loss}"] for loss in ("entropy", "0/1"))
            checks += [
                within(f"{table}, {words}: entropy minus GINI", compare(entropy, runs[gini]),
                       -0.02, 0.02),
                above(f"{table}, {words}: 0/1 minus GINI", compare(zero_one, runs[gini])),
            ]  # fmt: skip
    passed = sum(each.passed for each in checks)
    return decided(passed == len(checks), passed >= len(checks) / 2, checks)


def _why_zero_one_is_not_worse(readings: Mapping[str, Results]) -> Iterable[str]:
    yield (
        "The expected 0/1 error after a single purchase is flat, as the paper says; but it is computed "
        "exactly here, ties are broken by chance, and chance buys broadly, which does no harm."
    )
    for table in ("figure-3b", "votes"):
        runs = readings["A"][table]
        ends = ", ".join(f"{name} {runs[name].final}" for name in (GREEDY, f"{GREEDY}, 0/1"))
        yield f"{table}, error at the end: {ends}."


REPEATS = 5


def run_times(seconds: Mapping[str, Floats]) -> Finding:
    """Claim 12: processor seconds of whole runs of each policy, the same worlds."""

    def minus(one: str, other: str) -> Check:
        return below(
            f"{one} minus {other}, seconds", paired(seconds[one], seconds[other]).interval()
        )

    robins = [minus(each, GREEDY) for each in (RR, BR)]
    longest = [minus(each, DEPTH_100) for each in (RR, BR, GREEDY)]
    checks = (*robins, *longest)
    notes = [f"{name}: {Mean.of(each)} s" for name, each in seconds.items()]
    whole = all(each.passed for each in checks)
    return decided(whole, all(each.passed for each in longest), checks, notes)


def measured_seconds(experiment: Experiment, repeats: int = REPEATS) -> dict[str, Floats]:
    """Measure whole runs of Figure 4(a) without judging, in this process, one after the other."""
    found = {}
    for contender in experiment.contenders:
        if contender.label not in (RR, BR, GREEDY, DEPTH_100):
            continue
        paid = replace(contender, budget="100")
        times = []
        for run in range(-1, repeats):
            rehearsal = experiment.rehearsal(max(run, 0), paid.budget)
            began = time.process_time()
            for _ in simulate(rehearsal.problem, paid.build(), rehearsal.world, loss=None):
                pass
            times.append(time.process_time() - began)
        found[contender.label] = np.array(times[1:])  # what is loaded once is not counted
    return found


CLAIMS = (
    Claim(
        11,
        "Car, diabetes, chess, breast: lookahead is superior or comparable, and biased robin is the best "
        "of those that do not know the budget.",
        "Two parts, over the curve. Lookahead (depth 30): on no table is it worse than another policy by "
        "more than 0.01 (whole interval). Biased robin: on no table is it worse than round robin or "
        "greedy, and on at least one it is better than both (whole intervals). Holds if both parts do, "
        "in part if one does.",
        other_tables,
        "Which breast table is not said: both. Diabetes is cut into five bins of equal frequency. "
        "Budget and depth are not given: 300 and 30, of Figure 4(b).",
        _why_robin_is_not_best,
    ),
    Claim(
        13,
        "GINI and entropy steer alike; 0/1 error steers worse.",
        "Four comparisons (greedy and depth 10, on Figure 3(b) and votes, budget 300) over the curve. "
        "Alike: the difference lies within 0.02 (whole interval). Worse: the whole interval is above "
        "zero. Holds if all eight do, in part if at least four do.",
        steering,
        why=_why_zero_one_is_not_worse,
        readings=("A",),
    ),
)

RUN_TIMES = Claim(
    12,
    "Run times of the robins are very short, greedy takes slightly longer, lookahead longest.",
    "Processor seconds of whole runs of Figure 4(a) without measuring errors, five worlds, one policy "
    "after the other. Holds if both robins take less than greedy and all three less than lookahead "
    "(whole intervals); in part if lookahead takes longest.",
    lambda results: decided(False, False, ()),
    unit="seconds",
    readings=("A",),
)
