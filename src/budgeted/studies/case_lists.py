"""The list of cases as a CSV: their labels, their groups, and values that are known already.

A column that is called like a feature holds known values, in cells that are filled in; the column
``group`` says to which group a case belongs. Other columns are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

from budgeted.errors import ObservationError, StudyFileError
from budgeted.listing import nearest, shortened
from budgeted.problem import Feature, Problem
from budgeted.studies.creation import case_mistakes
from budgeted.studies.csv_rows import UNKNOWN, read_rows, repeated

Cases = tuple[tuple[str, str], ...]
"""Name and label of each case."""


@dataclass(frozen=True)
class Columns:
    """Which columns of a list of cases hold what is no feature."""

    case: str = "case"
    label: str = "label"
    group: str = "group"


class KnownValue(NamedTuple):
    """A value that stands in the list of cases: in which row, of which feature."""

    row: int
    feature: str
    value: str


@dataclass(frozen=True)
class CaseList:
    """What a list of cases says."""

    cases: Cases  # name and label of each, row by row
    known: tuple[KnownValue, ...] = ()  # the cells that hold values
    groups: Mapping[str, str] = field(default_factory=dict)

    @property
    def values(self) -> tuple[tuple[str, str, str], ...]:
        """Case, feature and value of each value that is known."""
        return tuple((self.cases[each.row][0], each.feature, each.value) for each in self.known)


_MISSPELT = 0.85
"""How much a column must be like a feature, from 0 to 1, to be taken for a slip."""


def case_list(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    source: str,
    features: Sequence[str] = (),
    columns: Columns | None = None,
) -> CaseList:
    """Return what the rows of a list of cases say, or an error about its header.

    >>> found = case_list(["case", "label", "fever"], [["Ann", "ill", "yes"], ["Bob", "well", ""]],
    ...                   "cases.csv", ["fever"])
    >>> found.cases, found.values
    ((('Ann', 'ill'), ('Bob', 'well')), (('Ann', 'fever', 'yes'),))
    """
    named = Columns() if columns is None else columns
    needed = [named.case, named.label]
    if named.group != Columns().group:
        needed.append(named.group)
    own = [name for name in header if name in set(features) and name not in needed]
    missing = [f"there is no column {name!r}; its columns are {', '.join(map(repr, header))}"
               for name in needed if name not in header]  # fmt: skip
    held = {*needed, named.group, *own}
    without = [name for name in features if name not in header]
    for name in header:  # values under a misspelt name would be lost without a word
        meant = None if name in held else nearest(name, without, _MISSPELT)
        if meant is not None:
            missing.append(f"column {name!r}: did you mean {meant!r}? Rename it, or take it out")
    missing += repeated([name for name in header if name in held])
    if missing:
        raise StudyFileError(source, missing)
    case, label = header.index(named.case), header.index(named.label)
    places = [(name, header.index(name)) for name in own]
    known = tuple(
        KnownValue(at, name, row[place])
        for at, row in enumerate(rows)
        for name, place in places
        if row[place] not in UNKNOWN
    )
    groups = {}
    if named.group in header and named.group not in own:
        place = header.index(named.group)
        groups = {row[case]: row[place] for row in rows if row[place] not in UNKNOWN}
    return CaseList(tuple((row[case], row[label]) for row in rows), known, groups)


def known_mistakes(
    known: Iterable[KnownValue], features: Iterable[Feature], places: Callable[[int], str]
) -> Iterator[str]:
    """Yield which known values are none of their feature, in words."""
    readers = {each.name: each for each in features}
    wrong: dict[tuple[str, str], str] = {}  # a long list has few different values
    for each in known:
        cell = (each.feature, each.value)
        if cell not in wrong:
            wrong[cell] = ""
            try:
                if each.feature in readers:
                    readers[each.feature].read(each.value)
            except ObservationError as error:
                wrong[cell] = str(error)
        if wrong[cell]:
            yield f"{places(each.row)}: {wrong[cell]}"


def read_case_list(
    path: str | PathLike[str],
    problem: Problem,
    *,
    columns: Columns | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> CaseList:
    """Return the cases in a CSV that arrive at a study; an error lists what is wrong."""
    header, rows, lines = read_rows(path, delimiter, encoding)
    names = [each.name for each in problem.features]
    found = case_list(header, rows, str(path), names, columns)

    def place(position: int) -> str:
        return f"{path}, line {lines[position]}"

    mistakes = case_mistakes(found.cases, problem.labels, place)
    mistakes += known_mistakes(found.known, problem.features, place)
    if mistakes:
        raise StudyFileError("the cases cannot be added", shortened(mistakes))
    return found


def feature_names(plain: Mapping[str, Any]) -> list[str]:
    """Return the names of the features in a study file, whatever else is wrong with it.

    >>> feature_names({"features": [{"name": "fever"}, {"nam": "cough"}, 7]})
    ['fever']
    """
    tables = plain.get("features", [])
    names = [each.get("name") for each in tables if isinstance(each, dict)] if isinstance(
        tables, list
    ) else []  # fmt: skip
    return [name for name in names if isinstance(name, str)]
