"""Where a numeric feature could be cut, by the numbers that were bought of it so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from budgeted.errors import BudgetedError, StudyError
from budgeted.problem import Problem
from budgeted.problem.cuts import QUANTILES, label_cuts, quantile_cuts
from budgeted.problem.feature_kinds.number import Number
from budgeted.problem.numbers import plain
from budgeted.studies.fates import RECORDED, TOLD
from budgeted.studies.projection import Requested
from budgeted.studies.recut import numeric
from budgeted.studies.snapshot import Snapshot

LABELS = "labels"
WAYS = (*QUANTILES, LABELS)
"""How cuts can be found: a word for so many quantiles, or by the labels."""


@dataclass(frozen=True)
class Found:
    """Cuts that were found in numbers.

    Attributes
    ----------
    how
        One of `WAYS`.
    cuts
        The numbers.
    in_each
        How many of the numbers lie in each category.
    source
        Where they come from, in words.
    """

    how: str
    cuts: tuple[int | float, ...]
    in_each: tuple[int, ...]
    source: str


def found_cuts(how: str, numbers: list[Decimal], labels: list[str], origin: str) -> Found:
    """Return the cuts of some labelled numbers, or an error that says why there are none.

    Parameters
    ----------
    how
        One of `WAYS`.
    numbers, labels
        Of each case.
    origin
        What they are the numbers of, for people.

    Examples
    --------
    >>> numbers = [Decimal(each) for each in (4, 5, 6, 7, 8, 9)]
    >>> found_cuts("terciles", numbers, [], "old.csv")
    Found(how='terciles', cuts=(6, 8), in_each=(2, 2, 2), source='terciles of old.csv, 6 numbers')
    >>> found_cuts("labels", numbers, ["well", "ill"] * 3, "old.csv").source
    'labels of old.csv, 6 numbers; the MDL rule accepts no cut, so it is the one that says most'
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
        cuts = tuple(map(plain, places))
    except ValueError as error:
        raise StudyError(f"{how} of {origin}: {error}") from None
    in_each = [0] * (len(cuts) + 1)
    for number in numbers:
        in_each[sum(place <= number for place in places)] += 1
    return Found(how, cuts, tuple(in_each), source)


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
