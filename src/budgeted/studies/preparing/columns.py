"""Which column of a list of cases holds what: the case, its label, its group, a test, nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from budgeted.studies.csv_rows import UNKNOWN
from budgeted.studies.preparing.tables import Table

CASE, LABEL, GROUP, TEST, IGNORED = "case", "label", "group", "test", "ignored"
USES = {
    CASE: "names the case",
    LABEL: "is the label",
    GROUP: "is the group",
    TEST: "is a test",
    IGNORED: "is left out",
}
"""What a column may be used for, and how people are told."""
_CASES = ("case", "case id", "patient", "patient id", "subject", "subject id", "id", "sample",
          "fall", "fallnummer", "patient nr", "nr", "no", "number", "name")  # fmt: skip
_LABELS = ("label", "diagnosis", "diagnose", "class", "outcome", "disease", "klasse", "target",
           "status", "result", "befund")  # fmt: skip
_GROUPS = ("group", "gruppe", "site", "centre", "center", "clinic", "hospital", "zentrum", "ward")
_MOST_LABELS = 20
_MOST_VALUES = 30
_FEW = 5
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def guessed_uses(
    table: Table, tests: Collection[str] = (), labels: Collection[str] = ()
) -> dict[str, str]:
    """Return what each column is probably for.

    Parameters
    ----------
    table
        The list.
    tests
        Names of the tests, where these are known; other columns are then left out.
    labels
        The labels, where these are known.

    Examples
    --------
    >>> from budgeted.studies.preparing.tables import Table
    >>> rows = (("A", "m", "ill", "38.1", "came late"), ("B", "f", "well", "36.9", "by bus, 7:30"))
    >>> guessed_uses(Table(("patient", "sex", "diagnosis", "temp", "remarks"), rows, (2, 3)))
    {'patient': 'case', 'sex': 'test', 'diagnosis': 'label', 'temp': 'test', 'remarks': 'ignored'}
    """
    facts = {name: facts_of(table.column(name)) for name in table.header}
    free = [name for name in table.header if name not in tests]
    uses = {name: TEST if name in tests else IGNORED for name in table.header}
    case = _named(free, _CASES) or next(
        (name for name in free if facts[name].different == len(table.rows)), None
    )
    if case is not None:
        uses[case] = CASE
        free.remove(case)
    label = next((name for name in free if labels and {*table.column(name)} <= {*labels}), None)
    label = (
        label
        or _named(free, _LABELS)
        or next((name for name in reversed(free) if facts[name].labels), None)
    )
    if label is not None:
        uses[label] = LABEL
        free.remove(label)
    group = _named(free, _GROUPS)
    if group is not None:
        uses[group] = GROUP
        free.remove(group)
    if not tests:
        uses |= {name: TEST for name in free if facts[name].testable}
    return uses


@dataclass(frozen=True)
class Facts:
    """What stands in a column: how many cells are filled in, and how many different ones."""

    rows: int
    known: int
    different: int
    numbers: bool
    examples: tuple[str, ...]

    @property
    def labels(self) -> bool:
        """Whether it may be the label: a few different texts, and none is missing."""
        few = 2 <= self.different <= min(_MOST_LABELS, max(2, self.rows // 2))
        return few and self.known == self.rows and not self.numbers

    @property
    def testable(self) -> bool:
        """Whether it may be a test: numbers, a few categories, or nothing measured yet."""
        few = self.different <= min(_MOST_VALUES, max(_FEW, self.known // 2))
        prose = any(" " in each and len(each) > 10 for each in self.examples)
        return not self.known or self.numbers or (few and not prose)


def facts_of(cells: Iterable[str]) -> Facts:
    """Return what stands in a column."""
    every = list(cells)
    known = [each for each in every if each not in UNKNOWN]
    different = dict.fromkeys(known)
    numbers = bool(known) and all(map(_NUMBER.fullmatch, different))
    return Facts(len(every), len(known), len(different), numbers, tuple(different)[:3])


def use_mistakes(uses: Mapping[str, str]) -> list[str]:
    """Return what is wrong with a choice of columns, in words.

    >>> use_mistakes({"a": "case", "b": "case", "c": "test"})
    ["'a' and 'b' both name the case; choose one of them", 'no column is the label: choose one']
    """
    wrong = []
    for use in (CASE, LABEL, GROUP):
        chosen = [name for name, each in uses.items() if each == use]
        said = {CASE: "name the case", LABEL: "are the label", GROUP: "are the group"}[use]
        if len(chosen) > 1:
            both = " and ".join(map(repr, chosen[:4]))
            wrong.append(f"{both} both {said}; choose one of them")
        elif not chosen and use != GROUP:
            wrong.append(f"no column {USES[use]}: choose one")
    return wrong


def decimal_of(table: Table) -> str:
    """Return how most numbers of a table are written, with a decimal ``point`` or ``comma``."""
    commas = points = 0
    for row in table.rows[:2_000]:
        for cell in row:
            if _NUMBER.fullmatch(cell):
                commas += "," in cell
                points += "." in cell
    return "comma" if commas > points else "point"


def _named(names: Iterable[str], known: Collection[str]) -> str | None:
    """Return the column that is called like one of these; earlier words count more."""
    plain = {re.sub(r"[\s_.\-]+", " ", each).strip().lower(): each for each in reversed([*names])}
    return next((plain[word] for word in known if word in plain), None)
