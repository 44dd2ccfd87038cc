"""Write the table of docs/budgets.md: how often the default stops close to the optimum.

python tools/write_budgets.py [runs]    (minutes)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from budgeted.optimal.stops import AMOUNTS, GRID, LEARNERS, WORTHS, Stop, play_stops

PAGE = Path(__file__).resolve().parent.parent / "docs" / "budgets.md"
BEGIN, END = "<!-- stops -->\n", "<!-- end of stops -->"
RUNS = 20


def rows(runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    heads = [f"`{each.name}` {word}" for each in LEARNERS for word in ("within one", "early")]
    yield f"| problem | {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * len(heads)}"
    every: list[list[Stop]] = [[] for _ in LEARNERS]
    for small in GRID:
        cells = []
        for found, learner in zip(every, LEARNERS, strict=True):
            mine = [
                stop
                for amount in AMOUNTS
                for worth in WORTHS
                for stop in play_stops(small.problem(amount, worth, learner), learner, runs)
            ]
            found.extend(mine)
            cells += cells_of(mine)
        line = f"| {small.name} | {' | '.join(cells)} |"
        print(line, flush=True)
        yield line
    total = [cell for found in every for cell in cells_of(found)]
    yield f"| **all** | {' | '.join(total)} |"
    bought = [cell for found in every for cell in cells_of([each for each in found if each.bought])]
    yield f"| those in which anything was bought | {' | '.join(bought)} |"


def cells_of(stops: list[Stop]) -> list[str]:
    """Return the shares of runs that are within one purchase, and that stop earlier than that."""
    within = np.mean([each.within_one for each in stops])
    early = np.mean([each.early > 1 for each in stops])
    return [f"{100 * within:.1f} %", f"{100 * early:.1f} %"]


def main() -> None:
    """Write the table into the page."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join(rows(runs))
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
