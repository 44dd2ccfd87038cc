"""What a decision of the default costs, against one of single feature lookahead in the same state.

Both decide in every state that a run of the default meets, one after the other, on one thread; the
ratio of their total times must not exceed 5 for any size.

    python -m research.speed.decisions [--json]
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # before NumPy is loaded, as in engine.py

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from budgeted.cache import results
from budgeted.experiments.spec import parse
from budgeted.policies import Policy, policy
from budgeted.seeds import POLICY, stream
from budgeted.state import State
from research.speed.findings import Finding, exit_status

SEED = 1
MOST_TIMES = 5
SIZES: Mapping[str, tuple[Mapping[str, Any], int]] = {
    "figure-3b at 100": ({"synthetic": "figure-3b"}, 100),
    "breast-wisconsin at 50": ({"table": "breast-wisconsin"}, 50),
    "mushroom at 100": ({"table": "mushroom", "missing": "own value"}, 100),
    "chess at 100": ({"table": "chess"}, 100),
    "car at 100": ({"table": "car"}, 100),
}
"""Name → problem and budget."""


def states(problem: Mapping[str, Any], budget: int) -> list[State]:
    """Return the states of a run of the default."""
    document = {"budget": budget, "problem": problem, "policy": [{"name": "auto"}], "seed": SEED}
    rehearsal = parse(document, "decisions").rehearsal(0, str(budget))
    world = replace(rehearsal.world, case_rule="settle")
    stock = world.open()
    state = State.start(rehearsal.problem, world.cases)
    met: list[State] = []
    default = policy("auto")
    while (choice := default.choose(state, stream(SEED, POLICY, len(met)))) is not None:
        met.append(state)
        for bought in stock.buy(choice.order, state.free):
            state = state.after(bought)
    return met


def seconds(chooser: Policy, met: list[State]) -> float:
    """Return the time of all decisions of a run, with nothing remembered from before it."""
    results.clear()
    fresh = [replace(state, belief=state.belief.of_problem(state.problem))
             for state in met]  # fmt: skip
    start = time.process_time()
    for step, state in enumerate(fresh):
        chooser.choose(state, np.random.default_rng(step))
    return time.process_time() - start


def measure(name: str) -> Finding:
    """Return the ratio of one size; both policies take turns, three times."""
    met = states(*SIZES[name])
    default, lookahead = 0.0, 0.0
    for _ in range(3):
        default += seconds(policy("auto"), met)
        lookahead += seconds(policy("sfl"), met)
    each = 1e3 / (3 * len(met))
    print(f"{name}: auto {default * each:.1f} ms, sfl {lookahead * each:.1f} ms a decision")
    claim = f"{name}: a decision of auto costs at most so many of sfl"
    return Finding(claim, default / lookahead, MOST_TIMES, False)


def main() -> int:
    """Measure all sizes, print them, and say whether the bound holds for each."""
    findings = []
    for name in SIZES:
        finding = measure(name)
        findings.append(finding)
        print(finding)
    return exit_status(findings, "--json" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
