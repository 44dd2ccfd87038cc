"""How much longer does the list of studies take with many of them?

One server, over real sockets: the page and its JSON twin with one study, with 122 and with 1 000.
The ratios are of one run. What grows is the page itself, a card for each study.

python -m research.speed.lists [--studies 1 122 1000] [--json]
"""

from __future__ import annotations

import argparse
import signal
import statistics
import sys
import tempfile
import time
import urllib.request

from budgeted import Feature, Problem, Study
from research.speed.findings import Finding, exit_status
from research.speed.web import serve

BOUND = 0.02
"""Of one study's time, for each more."""
_TIMES = 7


def begin(database: str, name: str) -> None:
    """Make a tiny study."""
    problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    with Study.create(database, name, problem, [("Ann", "ill"), ("Bob", "well")]) as study:
        study.ask(1)


def seconds(port: int, path: str) -> float:
    """Return how long a page takes, the median of some times."""
    taken = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
            answer.read()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> int:
    """Measure, print, and say whether it holds."""
    parser = argparse.ArgumentParser(description="the list of studies")
    parser.add_argument("--studies", type=int, nargs="+", default=[1, 122, 1000])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    findings: list[Finding] = []
    first: dict[str, float] = {}
    made = 1
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/studies.db"
        begin(database, "study 0")
        process, port = serve(database)
        try:
            for number in given.studies:
                for name in range(made, number):
                    begin(database, f"study {name}")
                made = max(made, number)
                for path in ("/studies", "/api/studies"):
                    taken = seconds(port, path)
                    one = first.setdefault(path, taken)
                    print(
                        f"  {path:<14}{number:>6} studies {1e3 * taken:9.1f} ms {taken / one:7.1f}×"
                    )
                    more = (taken / one - 1) / max(1, number - given.studies[0])
                    claim = f"{path}, {number} studies: part of one study's time for each more"
                    findings.append(Finding(claim, more, BOUND, False))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    for finding in findings:
        print(finding)
    return exit_status(findings, given.json)


if __name__ == "__main__":
    sys.exit(main())
