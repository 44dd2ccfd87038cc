"""How fast a decision is, as ratios measured side by side in one run, on one thread.

Each claim has its bound beside it; the script ends with status 1 when one does not hold.

    python -m research.speed.engine [--json]
"""

from __future__ import annotations

import os

# Before NumPy is loaded: one thread, so that ratios compare algorithms and not schedulers.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import multiprocessing
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from budgeted import Belief, Feature, Problem
from budgeted.cache import results
from budgeted.learners.layout import layout_of
from budgeted.value import lookahead
from research.speed.findings import Finding, exit_status

MUSHROOM_SIZES = (6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 2, 4, 3, 5, 9, 6, 7)
"""Values of mushroom's 22 features; veil-type, constant in the table, has the two documented."""


def a_belief(sizes: Sequence[int], seed: int = 1) -> Belief:
    """Return a belief in the middle of a study: counts of its own for every value."""
    problem = Problem(
        [Feature(f"f{i}", [str(k) for k in range(size)], 1) for i, size in enumerate(sizes)],
        labels=("no", "yes"),
        prior=(0.52, 0.48),
        budget=100,
    )
    rng = np.random.default_rng(seed)
    return Belief(problem, rng.integers(0, 40, layout_of(problem).shape))


def decide(belief: Belief, depth: int, engine: str = "auto") -> None:
    """Score every cell, as single feature lookahead does for one decision."""
    depths = np.full((len(belief.problem.features), 2), depth)
    lookahead(belief, depths, "gini", engine=engine, particles=1_000)


def first_decision(belief: Belief, depth: int) -> Callable[[], None]:
    """Return a decision with nothing remembered from before."""

    def run() -> None:
        results.clear()
        decide(belief, depth)

    return run


def seconds(*candidates: Callable[[], None], rounds: int) -> list[float]:
    """Return the median time of each candidate; they take turns, so that drift hits all alike."""
    times: list[list[float]] = [[] for _ in candidates]
    for candidate in candidates:
        candidate()
    for _ in range(rounds):
        for candidate, measured in zip(candidates, times, strict=True):
            start = time.perf_counter()
            candidate()
            measured.append(time.perf_counter() - start)
    return [statistics.median(measured) for measured in times]


def exact_against_particles() -> Finding:
    """(a) A mushroom-sized decision, depth 100."""
    belief = a_belief(MUSHROOM_SIZES)
    exact, sampled = seconds(
        first_decision(belief, 100), lambda: decide(belief, 100, "particles"), rounds=7
    )
    print(f"    exact {exact * 1e3:.1f} ms, 1 000 particles {sampled * 1e3:.0f} ms")
    return Finding("(a) exact is faster than 1 000 particles by", sampled / exact, 20, True)


def growth_with_features() -> Finding:
    """(b) From 100 to 10 000 Boolean features."""
    few, many = a_belief([2] * 100), a_belief([2] * 10_000)
    small, large = seconds(first_decision(few, 100), first_decision(many, 100), rounds=5)
    print(f"    100 features {small * 1e3:.1f} ms, 10 000 features {large * 1e3:.0f} ms")
    return Finding("(b) 100x the features cost at most 100x the time", large / small, 100, False)


def memory_of_many_features() -> Finding:
    """(b) Peak memory of a process of its own that decides among 10 000 features."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        gigabytes = pool.apply(_peak_of_ten_thousand)
    return Finding("(b) 10 000 features: peak memory in GB", gigabytes, 1.0, False)


def _peak_of_ten_thousand() -> float:
    belief = a_belief([2] * 10_000)
    for feature in range(5):
        decide(belief, 100)
        belief = belief.observe_at(feature, 0, 1)
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def growth_with_depth() -> Finding:
    """(c) From depth 100 to depth 10 000."""
    belief = a_belief(MUSHROOM_SIZES)
    shallow, deep = seconds(first_decision(belief, 100), first_decision(belief, 10_000), rounds=5)
    print(f"    depth 100 {shallow * 1e3:.1f} ms, depth 10 000 {deep * 1e3:.0f} ms")
    return Finding("(c) 100x the depth costs at most 100x the time", deep / shallow, 100, False)


def next_after_a_purchase() -> Finding:
    """(d) The first decision of a study against the ten that follow, a purchase before each."""
    first_times: list[float] = []
    next_times: list[float] = []
    rng = np.random.default_rng(0)
    for study in range(20):
        belief = a_belief(MUSHROOM_SIZES, seed=study)
        results.clear()
        for measured in [first_times] + 10 * [next_times]:
            start = time.perf_counter()
            decide(belief, 100)
            measured.append(time.perf_counter() - start)
            feature, label = (int(number) for number in rng.integers([len(MUSHROOM_SIZES), 2]))
            belief = belief.observe_at(feature, label, 0)
    first, following = statistics.median(first_times), statistics.median(next_times)
    print(f"    first {first * 1e3:.1f} ms, next {following * 1e3:.2f} ms")
    return Finding("(d) the next decision is cheaper than the first by", first / following, 3, True)


def main() -> int:
    """Measure everything, print it, and say whether all of it holds."""
    findings = []
    for measure in (
        exact_against_particles,
        growth_with_features,
        memory_of_many_features,
        growth_with_depth,
        next_after_a_purchase,
    ):
        print(f"{(measure.__doc__ or '').strip()}")
        finding = measure()
        findings.append(finding)
        print(finding)
    return exit_status(findings, "--json" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
