"""The designs that a plan compares: the study as its file says, and what-ifs beside it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from budgeted.errors import BudgetedError, PlanError, StudyFileError, TableError
from budgeted.simulation.tables.csv_file import read_bytes
from budgeted.studies.case_lists import CaseList, Columns, case_list, feature_names
from budgeted.studies.csv_rows import table_rows
from budgeted.studies.files import LARGEST_TOML, StudyFile, parse_toml, study_of
from budgeted.studies.proposed_cuts import with_own_cuts

AS_PLANNED = "as planned"
"""What the design of the file itself is called."""
MOST_CASES = 1_000_000
"""That all designs of a plan may have together, unless told otherwise."""
MOST_WHAT_IFS = 20
MOST_TIMES = 1000
StudyLike = str | PathLike[str] | bytes | Mapping[str, Any]
"""A study file: where it is, its content, or what it holds."""
_NAMELESS = "study file"


@dataclass(frozen=True)
class WhatIf:
    """A change of a study that a plan looks at beside the study itself.

    Attributes
    ----------
    name
        What it is called.
    without
        Tests that are left out.
    costs
        Test → another cost; or panel → another set-up, shared part or price, whichever it has.
    prices
        Entries of ``[prices]`` that are others; panels are found by their name, and only what is
        given of them changes.
    cases
        How many times as many cases there are.

    Examples
    --------
    >>> plain = {"features": [{"name": "scan", "cost": 50}, {"name": "crp", "cost": 10}],
    ...          "prices": {"list": "tariff", "panels": [{"name": "blood", "features": ["crp"],
    ...                                                   "setup": 20}]}}
    >>> blood = {"panels": [{"name": "blood", "setup": 9}]}
    >>> WhatIf("cheaper", costs={"crp": 5}, prices=blood)(plain)  # doctest: +NORMALIZE_WHITESPACE
    {'features': [{'name': 'scan', 'cost': 50}, {'name': 'crp', 'cost': 5}],
     'prices': {'list': 'tariff', 'panels': [{'name': 'blood', 'features': ['crp'], 'setup': 9}]}}
    """

    name: str
    without: tuple[str, ...] = ()
    costs: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Any] = field(default_factory=dict)
    cases: float = 1

    def __call__(self, plain: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the file of the changed study would hold."""
        changed = copy.deepcopy(dict(plain))
        names = feature_names(changed)
        tables = changed.get("prices", {}).get("panels", ())
        panels = [each["name"] for each in tables if "name" in each]
        unknown = [each for each in self.without if each not in names]
        unknown += [each for each in self.costs if each not in (*names, *panels)]
        if unknown:
            listed = ", ".join(map(repr, names))
            listed += f"; and the panels {', '.join(map(repr, panels))}" if panels else ""
            raise PlanError(
                f"what if {self.name!r}: there is no test {each!r}; there are {listed}"
                for each in unknown
            )
        for table in changed["features"]:
            if table["name"] in self.costs:
                table["cost"] = self.costs[table["name"]]
        for table in tables:
            if table.get("name") in self.costs and table["name"] not in names:
                key = next((each for each in ("shared", "price") if each in table), "setup")
                table[key] = self.costs[table["name"]]
        changed["features"] = [
            each for each in changed["features"] if each["name"] not in self.without
        ]
        if "prices" in changed or self.prices:
            changed["prices"] = self._prices(changed.get("prices", {}))
        return changed

    def _prices(self, prices: dict[str, Any]) -> dict[str, Any]:
        others = {key: value for key, value in self.prices.items() if key != "panels"}
        panels = list(prices.get("panels", ()))
        for change in self.prices.get("panels", ()):
            found = [each for each in panels if each.get("name") == change.get("name")]
            if not found:
                raise PlanError(
                    f"what if {self.name!r}: there is no panel {change.get('name')!r} in the study"
                )
            found[0].update(change)
        return self._without_them(prices | others | ({"panels": panels} if panels else {}))

    def _without_them(self, prices: dict[str, Any]) -> dict[str, Any]:
        """Prices that say nothing of the tests that are left out."""
        gone = set()
        for panel in prices.get("panels", ()):
            panel["features"] = [each for each in panel["features"] if each not in self.without]
            if not panel["features"]:
                gone.add(panel["name"])
        for key in ("panels", "changes", "exceptions"):
            if self.without and isinstance(prices.get(key), list):
                kept = [
                    each
                    for each in prices[key]
                    if (each.get("name") if key == "panels" else each.get("panel")) not in gone
                    and each.get("feature") not in self.without
                ]
                prices = {name: value for name, value in prices.items() if name != key}
                prices |= {key: kept} if kept else {}
        return prices

    @classmethod
    def read(cls, plain: object, at: int) -> WhatIf:
        """Return a what-if of a plan's file; `at` is its place there."""
        where = f"what_if[{at}]"
        if not isinstance(plain, Mapping) or not str(plain.get("name", "")).strip():
            raise PlanError(f"{where}: must be a table with a name, got {plain!r}")
        known = ("name", "without", "costs", "prices", "cases")
        mistakes = [
            f"{where}.{key}: there is no such key; there are {', '.join(known)}"
            for key in plain
            if key not in known
        ]
        without = plain.get("without", [])
        if isinstance(without, str) or not isinstance(without, Sequence):
            mistakes.append(f"{where}.without: must be a list of tests, got {without!r}")
        for key in ("costs", "prices"):
            if not isinstance(plain.get(key, {}), Mapping):
                mistakes.append(f"{where}.{key}: must be a table, got {plain[key]!r}")
        mistakes += _panel_mistakes(plain.get("prices", {}), f"{where}.prices.panels")
        times = plain.get("cases", 1)
        if wrong := times_mistake(times):
            mistakes.append(f"{where}.cases: {wrong}")
        if mistakes:
            raise PlanError(mistakes)
        return cls(
            str(plain["name"]),
            tuple(without),
            plain.get("costs", {}),
            plain.get("prices", {}),
            times,
        )


def times_mistake(times: object) -> str:
    """Return what is wrong with how many times as many cases there are; nothing if it is fine."""
    number = isinstance(times, int | float) and not isinstance(times, bool)
    if number and 0 < times <= MOST_TIMES:  # type: ignore[operator]
        return ""
    return f"must be a number of times above 0 and at most {MOST_TIMES}, got {times!r}"


def _panel_mistakes(prices: object, where: str) -> list[str]:
    """What is wrong with the panels of a what-if, as far as it can be said without the study."""
    panels = prices.get("panels", []) if isinstance(prices, Mapping) else []
    if not isinstance(panels, list):
        return [f"{where}: must be tables, got {panels!r}"]
    return [
        f"{where}[{at}]: must be a table with the name of a panel, and what changes of it"
        for at, each in enumerate(panels)
        if not isinstance(each, Mapping)
        or not isinstance(each.get("name"), str)
        or not isinstance(each.get("features", []), list)
    ]


def read_designs(
    study: StudyLike,
    cases: str | PathLike[str] | bytes | int,
    what_ifs: Sequence[WhatIf] = (),
    *,
    columns: Columns | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    most_cases: int = MOST_CASES,
) -> dict[str, StudyFile]:
    """Return the study of a file and its what-ifs by name, the study itself first.

    Parameters
    ----------
    study
        The study file: where it is, its content as bytes, or what it holds.
    cases
        The list of cases, as a file or as its content in bytes; or how many there will be, with the
        shares of labels that the study file gives as ``prior``.
    what_ifs
        Changes to look at.
    columns, delimiter, encoding
        Of the list of cases; see `budgeted.studies.files.read_study`.
    most_cases
        That all designs may have together.
    """
    plain, source = content_of(study)
    plain.pop("plan", None)
    named = Columns() if columns is None else columns
    if isinstance(cases, int):
        listed = _expected_cases(plain, cases, source, most_cases)
    else:
        header, rows, _ = table_rows(cases, "cases", delimiter, encoding)
        name = "cases" if isinstance(cases, bytes) else str(cases)
        listed = case_list(header, rows, name, feature_names(plain), named)
    _check_size(len(listed.cases), what_ifs, most_cases)
    plain, wrong = with_own_cuts(plain, listed)
    name = Path(study).stem if isinstance(study, str | PathLike) else "study"
    plain = {"name": name} | plain
    found = {AS_PLANNED: study_of(plain, listed, source, wrong=wrong)}
    # What a file leaves to its cases must not change with their number.
    plain |= {"labels": list(found[AS_PLANNED].problem.labels)}
    plain |= {"prior": list(found[AS_PLANNED].problem.prior)}
    for each in what_ifs:
        if each.name in found:
            raise PlanError(f"what if {each.name!r}: there are two of that name")
        try:
            changed = each(plain)
            kept = set(feature_names(changed))
            found[each.name] = study_of(changed, _times(listed, each.cases, kept), source)
        except PlanError:
            raise
        except BudgetedError as error:
            raise PlanError(f"what if {each.name!r}: {error}") from None
    return found


def content_of(study: StudyLike) -> tuple[dict[str, Any], str]:
    """Return what a study file holds, and what to call it in messages."""
    if isinstance(study, Mapping):
        return dict(study), _NAMELESS
    if isinstance(study, bytes):
        return parse_toml(study, _NAMELESS), _NAMELESS
    source = Path(study)
    try:
        return parse_toml(read_bytes(source, LARGEST_TOML), str(source)), str(source)
    except TableError as error:
        raise StudyFileError(str(source), [str(error)]) from None


def plan_settings(study: StudyLike) -> dict[str, Any]:
    """Return what stands under ``[plan]`` in a study file; nothing if there is no such table."""
    table = content_of(study)[0].get("plan", {})
    known = ("matter", "best_alone", "target_error", "probability", "cases", "up_to", "what_if")
    if not isinstance(table, Mapping):
        raise PlanError(f"plan: must be a table, got {table!r}")
    unknown = [key for key in table if key not in known]
    if unknown:
        raise PlanError(
            f"plan.{key}: there is no such key; there are {', '.join(known)}" for key in unknown
        )
    number = table.get("cases", 2)
    if isinstance(number, bool) or not isinstance(number, int):
        raise PlanError(f"plan.cases: must be a whole number, got {number!r}")
    return dict(table)


def _check_size(number: int, what_ifs: Sequence[WhatIf], most: int) -> None:
    """Refuse what is too much before it is made."""
    if len(what_ifs) > MOST_WHAT_IFS:
        raise PlanError(f"what_if: at most {MOST_WHAT_IFS}, got {len(what_ifs)}")
    total = number + sum(round(number * each.cases) for each in what_ifs)
    if total > most:
        raise PlanError(
            f"cases: the study and what it is compared with have {total} cases, and at most {most} "
            f"can be planned with; plan with fewer, or with fewer what-ifs"
        )


def _expected_cases(plain: Mapping[str, Any], number: int, source: str, most: int) -> CaseList:
    """A list of as many cases as there will be, whose labels have the shares of the file."""
    labels, prior = plain.get("labels"), plain.get("prior")
    if not _are_shares(labels, prior):
        raise PlanError(
            f"{source}: without a list of cases the study file must say 'labels' and their shares "
            f"as 'prior'"
        )
    assert isinstance(labels, list)
    if not len(labels) <= number <= most:
        raise PlanError(f"cases: must be a number from {len(labels)} to {most}, got {number}")
    shares = np.asarray(prior, dtype=float)
    each = np.maximum(np.floor(number * shares / shares.sum()), 1).astype(int)
    each[shares.argmax()] += number - each.sum()
    names = [str(label) for label, times in zip(labels, each, strict=True) for _ in range(times)]
    return CaseList(tuple((f"case {at}", label) for at, label in enumerate(names, start=1)))


def _are_shares(labels: object, prior: object) -> bool:
    """Whether there is a share of each label; that they add up is looked at with the study."""
    return (
        isinstance(labels, list)
        and isinstance(prior, list)
        and len(labels) == len(prior) > 0
        and all(isinstance(each, int | float) and 0 <= each < np.inf for each in prior)
        and sum(prior) > 0
    )


def _times(listed: CaseList, times: float, tests: set[str]) -> CaseList:
    """So many times as many cases, label by label; known values stay with the first of them."""
    known = tuple(each for each in listed.known if each.feature in tests)
    if times == 1:
        return CaseList(listed.cases, known, listed.groups)
    by_label: dict[str, list[str]] = {}
    for case, label in listed.cases:
        by_label.setdefault(label, []).append(case)
    wanted = {label: max(1, round(times * len(each))) for label, each in by_label.items()}
    if times < 1:
        kept = {case for label, each in by_label.items() for case in each[: wanted[label]]}
        rows = [at for at, (case, _) in enumerate(listed.cases) if case in kept]
        places = {old: new for new, old in enumerate(rows)}
        return CaseList(
            tuple(listed.cases[at] for at in rows),
            tuple(each._replace(row=places[each.row]) for each in known if each.row in places),
            {case: group for case, group in listed.groups.items() if case in kept},
        )
    more = [
        (f"{each[at % len(each)]} ({at // len(each) + 1})", label)
        for label, each in by_label.items()
        for at in range(len(each), wanted[label])
    ]
    groups = {
        case: listed.groups[origin]
        for case, _ in more
        if (origin := case.rpartition(" (")[0]) in listed.groups
    }
    return CaseList((*listed.cases, *more), known, {**listed.groups, **groups})
