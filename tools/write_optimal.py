"""Write the tables of docs/optimal.md: the suite of the exact programme (a minute)."""

from __future__ import annotations

import re
from pathlib import Path

from budgeted.optimal import YARDSTICKS, compare
from budgeted.optimal.yardsticks import markdown

TARGET = Path(__file__).resolve().parent.parent / "docs" / "optimal.md"
SHOWN = ("auto", "pair-lookahead", "kg-star", "sfl", "greedy", "iga", "round-robin",
         "uniform-expenditure")  # fmt: skip
"""Policies that look at no more than what is known: the others take many times as long."""
BEGIN, END = "<!-- suite -->\n", "<!-- end of suite -->\n"


if __name__ == "__main__":
    tables = markdown([compare(each, SHOWN) for each in YARDSTICKS.values()])
    page = TARGET.read_text(encoding="utf-8")
    page = re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{tables}\n{END}", page, flags=re.DOTALL)
    TARGET.write_text(page, encoding="utf-8")
