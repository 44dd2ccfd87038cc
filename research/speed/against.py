"""How much faster this tree is than an earlier revision: both are timed side by side, in one run.

The earlier revision is checked out into a temporary folder. Each time is the processor time of one
task (`research.speed.tasks`) on one thread, in a process of its own; the two revisions take turns,
and the least time of several rounds counts. Each claim has its bound beside it; the script ends
with status 1 when one does not hold.

    python -m research.speed.against [--before REVISION] [--rounds 3] [--only WORD] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from research.speed.findings import Finding, exit_status

BEFORE = "524be4a3139937e4afda3194e1c8150ee46d4d3a"
"""The last revision in which all outcomes of purchases are gone through, and all else as well."""
ROOT = Path(__file__).parents[2]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Measured:
    """What a task came to on one revision.

    Attributes
    ----------
    seconds
        The least processor time of all rounds.
    gigabytes
        The most memory that its process needed.
    found
        What it returned.
    """

    seconds: float
    gigabytes: float
    found: Any


@dataclass(frozen=True)
class Sides:
    """Both revisions, as the folders that they are in, and how often they take turns."""

    before: Path
    now: Path
    rounds: int

    def measure(self, task: str, instead: str = "") -> tuple[Measured, Measured]:
        """Return what a task comes to before, and it or another one `instead` now; print it."""
        sides = (self.before, task), (self.now, instead or task)
        taken = [[_in_a_process(*side) for side in sides] for _ in range(self.rounds)]
        before, now = (min(each, key=lambda one: one.seconds) for each in zip(*taken, strict=True))
        named = f" ({instead})" * bool(instead)
        print(f"    {task}: {_words(before)} before, {_words(now)} now{named}", flush=True)
        return before, now

    def measure_now(self, *tasks: str) -> list[Measured]:
        """Return what some tasks come to now; they take turns."""
        taken = [[_in_a_process(self.now, task) for task in tasks] for _ in range(self.rounds)]
        least = [min(each, key=lambda one: one.seconds) for each in zip(*taken, strict=True)]
        for task, each in zip(tasks, least, strict=True):
            print(f"    {task}: {_words(each)} now", flush=True)
        return least


Claim = Callable[[Sides], list[Finding]]


def faster(claim: str, task: str, least: float, sides: Sides, instead: str = "") -> list[Finding]:
    """Say how many times faster a task is, or what does as well now."""
    before, now = sides.measure(task, instead)
    return [Finding(claim, before.seconds / now.seconds, least, True)]


def faster_and_same(claim: str, task: str, least: float, sides: Sides) -> list[Finding]:
    """Say the same, and how many of the numbers that it finds are others than before."""
    before, now = sides.measure(task)
    differ = sum(one != other for one, other in zip(before.found, now.found, strict=True))
    return [
        Finding(claim, before.seconds / now.seconds, least, True),
        Finding(f"  of its {len(now.found)} numbers, so many are others", differ, 0, False),
    ]


def steering(claim: str, task: str, least: float, sides: Sides) -> list[Finding]:
    """Say the same of decisions, and how far the losses of what is chosen are apart, at most.

    Only decisions after the same purchases are compared.
    """
    before, now = sides.measure(task)
    pairs = [
        (one[1:], other[1:])
        for one, other in zip(before.found, now.found, strict=False)
        if one[0] == other[0]
    ]
    differ = sum(one[0] != other[0] for one, other in pairs)
    print(f"    {differ} of {len(pairs)} decisions differ; {len(now.found)} were timed")
    return [
        Finding(claim, before.seconds / now.seconds, least, True),
        Finding(
            "  expected losses of what is chosen differ by at most",
            max(abs(one[1] - other[1]) for one, other in pairs), 1e-4, False,
        ),
    ]  # fmt: skip


def growth(claim: str, small: str, large: str, most: float, sides: Sides) -> list[Finding]:
    """Say how many times longer a larger task takes now."""
    one, other = sides.measure_now(small, large)
    return [Finding(claim, other.seconds / one.seconds, most, False)]


def large(claim: str, small: str, larger: str, most: float, sides: Sides) -> list[Finding]:
    """Say the same, and how much memory the larger one needs."""
    one, other = sides.measure_now(small, larger)
    return [
        Finding(claim, other.seconds / one.seconds, most, False),
        Finding(f"(e) {larger}, gigabytes", other.gigabytes, 2, False),
    ]


def no_less_sure(
    claim: str, task: str, most: float, sides: Sides, instead: str = ""
) -> list[Finding]:
    """Say by how much standard errors are larger now."""
    before, now = sides.measure(task, instead)
    return [Finding(claim, sum(now.found) / sum(before.found), most, False)]


STEERED = ("figure 3(b), lookahead", "figure 3(b), greedy", "votes, lookahead", "votes, greedy")
CLAIMS: dict[str, Claim] = {
    # A drawn case says more now: fewer are enough for no larger a standard error.
    "nursery": partial(
        faster,
        "(a) nursery, SFL at depth 300, with a quarter of the cases, is faster by",
        "nursery at 300",
        10,
        instead="nursery at 300, fewer cases",
    ),
    "nursery, errors": partial(
        no_less_sure,
        "(a) standard errors with a quarter of the cases, as a share of those before",
        "nursery, errors",
        1,
        instead="nursery, errors, fewer cases",
    ),
    "nursery, errors of as many": partial(
        no_less_sure, "(a) and with as many cases as before", "nursery, errors", 0.5
    ),
    "nursery, depth": partial(
        growth, "(a) depth 3 000 over depth 30", "nursery at 30", "nursery at 3000", 1.5
    ),
    **{
        f"steering, {task}": partial(steering, f"(d) {task} by 0/1 error, is faster by", task, 5)
        for task in STEERED
    },
    "mushroom, run": partial(
        faster_and_same,
        "(b) a run of round robin, an error after each of 300 purchases, is faster by",
        "mushroom, run",
        5,
    ),
    "mushroom, purchases": partial(
        faster_and_same, "(b) its purchases and errors alone", "mushroom, purchases", 3
    ),
    "mushroom, default learner": partial(
        faster_and_same, "(b) the same with the default learner", "mushroom, default learner", 1
    ),
    "mushroom, coded": partial(faster, "a table is split and coded", "mushroom, coded", 5),
    "mushroom, read": partial(faster, "a table is read", "mushroom, read", 1.2),
    "features": partial(
        large,
        "(e) a first decision on 100 000 features over one on 10 000",
        "10000 features",
        "100000 features",
        10,
    ),
}
"""What is claimed, by a few words; `--only` takes those that hold a word."""


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """Yield a folder with the files of a revision."""
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "tree.tar"
        command = ["git", "-C", str(ROOT), "archive", "-o", str(packed), revision]
        if subprocess.run(command, check=False).returncode:
            sys.exit(
                f"{revision} is not in this clone: git fetch --unshallow, or --before REVISION"
            )
        tree = Path(folder) / "tree"
        tree.mkdir()
        subprocess.run(["tar", "-xf", str(packed), "-C", str(tree)], check=True)
        yield tree


def _in_a_process(tree: Path, task: str) -> Measured:
    """Time a task of this tree with the package of another one."""
    path = os.pathsep.join([str(tree / "src"), str(ROOT)])
    command = [sys.executable, "-m", "research.speed.against", "--task", task]
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
    done = subprocess.run(
        command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def _words(measured: Measured) -> str:
    return f"{1e3 * measured.seconds:.1f} ms, {measured.gigabytes:.2f} GB"


def _time(task: str) -> None:
    """Run one task in this process, and print what it came to."""
    import budgeted  # noqa: PLC0415 - not in the process that starts the others
    from research.speed.tasks import TASKS  # noqa: PLC0415

    wanted = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])
    assert Path(budgeted.__file__).is_relative_to(wanted), f"{budgeted.__file__}, not {wanted}"
    work = TASKS[task]()
    start = time.process_time()
    found = work()
    seconds = time.process_time() - start
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
    print(json.dumps({"seconds": seconds, "gigabytes": peak, "found": found}))


def main() -> int:
    """Measure everything, print it, and say whether all of it holds."""
    parser = argparse.ArgumentParser(description="this tree against an earlier revision")
    parser.add_argument("--before", default=BEFORE, help="what it is compared with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="claims that hold this word")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        _time(given.task)
        return 0
    findings: list[Finding] = []
    with checked_out(given.before) as before:
        sides = Sides(before, ROOT, given.rounds)
        for name, claim in CLAIMS.items():
            if given.only in name:
                print(name, flush=True)
                found = claim(sides)
                findings += found
                print(*found, sep="\n", flush=True)
    return exit_status(findings, given.json)


if __name__ == "__main__":
    sys.exit(main())
