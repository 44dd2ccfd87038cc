"""Whether this tree is slower than an earlier revision: both are timed side by side, in one run.

    python -m research.speed.against [--before REVISION] [--rounds 3] [--only WORD] [--bound 1.2]

The earlier revision is checked out into a temporary folder. Each task (`research.speed.tasks`) runs
in a process of its own, on one thread; the two revisions take turns, and the least processor time
of several rounds counts. The script ends with status 1 if something takes longer than the bound
times what it took; what lasts less than a millisecond longer is within the noise.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BEFORE = "d4c605eae24f9d270910747da77102389b2a0274"
"""The last revision before the house was halved."""
ROOT = Path(__file__).parents[2]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NOISE = 1e-3


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """Yield a folder with the files of a revision."""
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "tree.tar"
        command = ["git", "-C", str(ROOT), "archive", "-o", str(packed), revision]
        if subprocess.run(command, check=False).returncode:
            sys.exit(f"{revision} is not in this clone: git fetch --unshallow")
        tree = Path(folder) / "tree"
        tree.mkdir()
        subprocess.run(["tar", "-xf", str(packed), "-C", str(tree)], check=True)
        yield tree


def in_a_process(tree: Path, task: str) -> dict[str, float]:
    """Time a task of this tree with the package of another one."""
    path = os.pathsep.join([str(tree / "src"), str(ROOT)])
    command = [sys.executable, "-m", "research.speed.against", "--task", task]
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
    done = subprocess.run(
        command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def slower(before: float, now: float, bound: float) -> bool:
    """Tell whether something takes longer than it may."""
    return now > bound * before and now - before > NOISE


def time_here(task: str) -> None:
    """Time one task in this process, and print what it came to."""
    import budgeted  # noqa: PLC0415 - not in the process that starts the others
    from research.speed.tasks import TASKS  # noqa: PLC0415

    wanted = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])
    assert Path(budgeted.__file__).is_relative_to(wanted), f"{budgeted.__file__}, not {wanted}"
    found = {}
    for name, work, clock in TASKS[task]():
        gc.collect()
        gc.freeze()  # else it is chance in which work the collector looks through all there is
        start = clock()
        work()
        found[name] = clock() - start
    print(json.dumps(found))


def main() -> int:
    """Time everything, print a table, and say whether something is slower."""
    parser = argparse.ArgumentParser(description="this tree against an earlier revision")
    parser.add_argument("--before", default=BEFORE, help="what it is compared with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="tasks whose name holds this word")
    parser.add_argument("--bound", type=float, default=1.2, help="how many times as long is fine")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        time_here(given.task)
        return 0
    from research.speed.tasks import TASKS  # noqa: PLC0415

    wrong = []
    print(f"{'task':<58}{'before':>10}{'now':>10}{'ratio':>7}")
    with checked_out(given.before) as before:
        for task in (each for each in TASKS if given.only in each):
            turns = [[in_a_process(tree, task) for tree in (before, ROOT)]
                     for _ in range(given.rounds)]  # fmt: skip
            for name in turns[0][0]:
                was, now = (min(each[side][name] for each in turns) for side in (0, 1))
                mark, words = slower(was, now, given.bound), f"{task}: {name}"
                print(f"{words:<58}{1e3 * was:>7.1f} ms{1e3 * now:>7.1f} ms{now / (was or 1):>7.2f}"
                      f"{' slower' * mark}", flush=True)  # fmt: skip
                if mark:
                    wrong.append(words)
    print(f"slower than {given.bound:g} times: {'; '.join(wrong) or 'nothing'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
