"""Write the tables of docs/optimal.md: the suite of the exact programme (minutes).

python tools/write_optimal.py
"""

from __future__ import annotations

import re
from pathlib import Path

from budgeted.optimal import YARDSTICKS, compare
from budgeted.optimal.report import markdown

TARGET = Path(__file__).resolve().parent.parent / "docs" / "optimal.md"
SHOWN = ("auto", "pair-lookahead", "kg-star", "sfl", "greedy", "iga", "round-robin",
         "uniform-expenditure")  # fmt: skip
"""Policies that look at no more than what is known: the others take many times as long."""
BEGIN, END = "<!-- suite -->\n", "<!-- end of suite -->\n"


def with_tables(page: str, tables: str) -> str:
    """Return the page with these tables in their place."""
    return re.sub(
        f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{tables}\n{END}", page, count=1, flags=re.DOTALL
    )


if __name__ == "__main__":
    found = []
    for yardstick in YARDSTICKS.values():
        print(yardstick.name, flush=True)
        found.append(compare(yardstick, SHOWN))
    TARGET.write_text(
        with_tables(TARGET.read_text(encoding="utf-8"), markdown(found)), encoding="utf-8"
    )
