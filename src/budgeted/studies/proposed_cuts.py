"""Where a numeric feature could be cut, by the numbers that are known of it.

A study file may say ``cuts = "terciles"`` (median, quartiles, quintiles, deciles, labels) in place
of numbers: they come from what its list of cases knows of the feature. What the study keeps are
numbers, and in ``source`` where they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from budgeted.errors import BudgetedError, StudyError
from budgeted.problem import Problem
from budgeted.problem.cuts import QUANTILES, label_cuts, quantile_cuts
from budgeted.problem.numbers import MARKS, as_told, number_of
from budgeted.problem.numbers import plain as exact
from budgeted.problem.values import Number
from budgeted.studies.case_lists import CaseList
from budgeted.studies.events import RECORDED, TOLD
from budgeted.studies.growth import numeric
from budgeted.studies.projection import Requested
from budgeted.studies.snapshot import Snapshot

LABELS = "labels"
WAYS = (*QUANTILES, LABELS)
"""How cuts can be found: a word for so many quantiles, or by the labels."""


@dataclass(frozen=True)
class Found:
    """Cuts that were found in numbers."""

    how: str
    cuts: tuple[int | float, ...]
    in_each: tuple[int, ...]  # how many of the numbers lie in each category
    source: str  # where they come from, in words


def found_cuts(how: str, numbers: list[Decimal], labels: list[str], origin: str) -> Found:
    """Return the cuts of some labelled numbers, or an error that says why there are none.

    >>> numbers = [Decimal(each) for each in (4, 5, 6, 7, 8, 9)]
    >>> found_cuts("terciles", numbers, [], "my list")
    Found(how='terciles', cuts=(6, 8), in_each=(2, 2, 2), source='terciles of my list, 6 numbers')
    >>> found_cuts("labels", numbers, ["well", "ill"] * 3, "my list").source
    'labels of my list, 6 numbers; the MDL rule accepts no cut, so it is the one that says most'
    """
    different, wanted = len(set(numbers)), QUANTILES.get(how, 2)
    if different < wanted:
        there = "number" if different == 1 else "different numbers"
        raise StudyError(f"{origin} has {different or 'no'} {there}, and {how} need {wanted}")
    source = f"{how} of {origin}, {len(numbers)} numbers"
    if how == LABELS:
        places, accepted = label_cuts(numbers, labels)
        if not accepted:
            source += "; the MDL rule accepts no cut, so it is the one that says most"
    else:
        places = quantile_cuts(numbers, wanted)
        if len(places) < wanted - 1:
            source += f"; many are equal, so there are {len(places)} cuts"
    try:
        cuts = tuple(map(exact, places))
    except ValueError as error:
        raise StudyError(f"{how} of {origin}: {error}") from None
    in_each = [0] * (len(cuts) + 1)
    for number in numbers:
        in_each[sum(place <= number for place in places)] += 1
    return Found(how, cuts, tuple(in_each), source)


_STAND_IN = (0,)
"""In the place of cuts that could not be found, so that the rest can be checked too."""


def with_own_cuts(plain: Mapping[str, Any], listed: CaseList) -> tuple[dict[str, Any], list[str]]:
    """Return a study file's content with numbers for cuts, and what is wrong with them."""
    if not isinstance(plain.get("features"), list):
        return dict(plain), []
    made, mistakes = [], []
    for at, table in enumerate(plain["features"]):
        how = table.get("cuts") if isinstance(table, dict) else None
        if isinstance(how, str) and how in WAYS and table.get("kind") == "number":
            cuts: dict[str, Any] = {"cuts": _STAND_IN}
            decimal = table.get("decimal", plain.get("decimal", "point"))
            try:
                if decimal in tuple(MARKS):  # that it is not is said elsewhere
                    found = _listed_cuts(how, str(table.get("name")), decimal, listed)
                    cuts = {"cuts": found.cuts, "source": found.source}
            except BudgetedError as error:
                mistakes.append(f"features[{at}].cuts: {error}")
            table = {**table, **cuts}  # noqa: PLW2901
        made.append(table)
    return {**plain, "features": made}, mistakes


def _listed_cuts(how: str, feature: str, decimal: str, listed: CaseList) -> Found:
    numbers, labels = [], []
    for each in listed.known:
        if each.feature == feature:
            try:
                number = number_of(as_told(each.value, decimal), decimal)
            except ValueError:  # it is named with its line, as every known value
                continue
            numbers.append(number)
            labels.append(listed.cases[each.row][1])
    return found_cuts(how, numbers, labels, "the list of cases")


def bought_cuts(how: str, problem: Problem, requests: Iterable[Requested], feature: str) -> Found:
    """Return the cuts of the numbers that were told or recorded of a feature so far."""
    _, kind = numeric(problem, feature)
    numbers, labels = _bought(kind, requests, feature)
    return found_cuts(how, numbers, labels, "what was bought so far")


def proposals(study: Snapshot, feature: str) -> list[Found | str]:
    """Return cuts for a feature in all `WAYS`; in place of those that there are not, why not.

    Nothing is changed: `budgeted.studies.commands.SetCuts` does that.
    """
    problem = study.state.problem
    if feature not in [each.name for each in problem.features]:
        raise StudyError(f"there is no feature {feature!r}")
    numeric(problem, feature)
    found: list[Found | str] = []
    for how in WAYS:
        try:
            found.append(bought_cuts(how, problem, study.requests(), feature))
        except BudgetedError as error:
            found.append(str(error))
    return found


def _bought(
    kind: Number, requests: Iterable[Requested], feature: str
) -> tuple[list[Decimal], list[str]]:
    told = [each for each in requests
            if each.feature == feature and each.fate in (TOLD, RECORDED)]  # fmt: skip
    known = [(kind.number(each.value), each.label) for each in told if each.value is not None]
    return [number for number, _ in known], [label for _, label in known]
