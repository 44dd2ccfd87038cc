"""What `make reproduce` costs: all budgets of the paper now, beside shortened ones before.

Both revisions compute the first runs of every experiment, one process, one thread, in turn. From
the processor time of a few runs and of some more follows that of one more run and of what does not
depend on their number, and so that of all of them.

    python -m research.speed.reproduction [--before REVISION] [--few 2] [--more 5] [--json]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from research.speed.against import BEFORE, ONE_THREAD, ROOT, checked_out
from research.speed.findings import Finding, exit_status

ALL_RUNS = 50
LOOK = 5
_START = "from research.paper.__main__ import main; main()"
"""Not `-m research.paper`: before, workers could not find what was defined in that module then."""


class Costs:
    """Processor seconds of `make reproduce` by the number of runs, from two of them.

    >>> costs = Costs({2: 30.0, 5: 60.0})
    >>> costs.of(2), costs.of(50)
    (30.0, 510.0)
    """

    def __init__(self, seconds: dict[int, float]) -> None:
        (few, least), (more, most) = sorted(seconds.items())
        self.each = (most - least) / (more - few)
        self.fixed = least - few * self.each

    def of(self, runs: int) -> float:
        """Return what so many runs cost."""
        return self.fixed + runs * self.each


def reproduce(tree: Path, runs: int) -> float:
    """Return the processor seconds of so many runs of every experiment of a revision."""
    path = os.pathsep.join([str(tree / "src"), str(tree)])
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _START, "--runs", str(runs), "--workers", "1",
                   "--out", folder, "--docs", folder]  # fmt: skip
        began = _of_children()
        subprocess.run(
            command,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
            cwd=tree,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        seconds = _of_children() - began
    print(f"    {runs} runs of {tree.name}: {seconds:.1f} s", flush=True)
    return seconds


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Measure both revisions, print what follows, and say whether it holds."""
    parser = argparse.ArgumentParser(description="what make reproduce costs, now and before")
    parser.add_argument("--before", default=BEFORE, help="what it is compared with")
    parser.add_argument("--few", type=int, default=2)
    parser.add_argument("--more", type=int, default=LOOK)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with checked_out(given.before) as before:
        seconds: dict[Path, dict[int, float]] = {before: {}, ROOT: {}}
        for runs in (given.few, given.more):
            for tree, found in seconds.items():
                found[runs] = reproduce(tree, runs)
        earlier, now = Costs(seconds[before]), Costs(seconds[ROOT])
    for name, each in (("before", earlier), ("now", now)):
        print(f"    {name}: {ALL_RUNS} runs take {each.of(ALL_RUNS) / 60:.0f} min of a processor")
    findings = [
        Finding(
            f"{ALL_RUNS} runs, as a share of what shortened ones took before",
            now.of(ALL_RUNS) / earlier.of(ALL_RUNS), 1, at_least=False,
        ),
        Finding(
            f"{LOOK} runs, as a share of {ALL_RUNS}",
            now.of(LOOK) / now.of(ALL_RUNS), 1 / 5, at_least=False,
        ),
    ]  # fmt: skip
    print(*findings, sep="\n")
    return exit_status(findings, given.json)


if __name__ == "__main__":
    sys.exit(main())
