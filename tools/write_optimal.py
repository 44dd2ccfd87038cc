"""Write the tables of docs/optimal.md: the suites of the exact programme (minutes).

python tools/write_optimal.py [suite] [fees]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from budgeted.optimal import WITH_FEES, YARDSTICKS, Comparison, Yardstick, compare
from budgeted.optimal.report import markdown, one_table

TARGET = Path(__file__).resolve().parent.parent / "docs" / "optimal.md"
SHOWN = ("auto", "pair-lookahead", "kg-star", "sfl", "greedy", "iga", "round-robin",
         "uniform-expenditure")  # fmt: skip
"""Policies that look at no more than what is known: the others take many times as long."""
WITH_FEES_SHOWN = ("auto", "plain auto", "blind auto", "sfl", "round-robin")


def with_tables(page: str, name: str, tables: str) -> str:
    """Return the page with these tables in the place of that name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    return re.sub(
        f"{begin}.*{end}", lambda _: f"{begin}\n{tables}\n{end}", page, count=1, flags=re.DOTALL
    )


def found(suite: Iterable[Yardstick], shown: Sequence[str]) -> Iterator[Comparison]:
    """Yield the comparisons of a suite, and say which one it is at."""
    for yardstick in suite:
        print(yardstick.name, flush=True)
        yield compare(yardstick, shown)


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["suite", "fees"]
    page = TARGET.read_text(encoding="utf-8")
    if "suite" in wanted:
        page = with_tables(page, "suite", markdown(list(found(YARDSTICKS.values(), SHOWN))))
    if "fees" in wanted:
        table = one_table(list(found(WITH_FEES.values(), WITH_FEES_SHOWN)))
        page = with_tables(page, "fees", table)
    TARGET.write_text(page, encoding="utf-8")
