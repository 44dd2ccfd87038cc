"""Which case of a label to buy a value from.

Under the naive Bayes model it does not matter; in real tables it does. ``fresh`` takes cases with
nothing bought yet while there are any, so that the estimates of different features come from
different cases and their errors are not correlated. ``overlap`` completes cases that have other
values: fewer cases are needed, and values are seen together. ``settle`` begins each cell with two
fresh cases and then overlaps: the first estimates of different features do not lean on the same
few cases, and later ones show which features say the same.

Worlds know one rule more, ``per cell``: each cell has an order of its own, so that the n-th value
of a cell is the same whatever else was bought, and policies are compared with less noise. It fits
the naive Bayes model alone, which learns nothing from values that were seen together; so it is no
rule of studies, and not what worlds do unless told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import WorldError
from budgeted.learners.belief import Integers
from budgeted.problem import CaseSoFar, Order, Problem
from budgeted.seeds import ARRIVAL, WORLD, stream

RULES = ("fresh", "overlap", "settle")
"""Rules of studies."""
PER_CELL = "per cell"
WORLD_RULES = (*RULES, PER_CELL)
"""Rules of worlds."""
SETTLED = 2
"""With ``settle``, how many values of a cell come from fresh cases before others may."""


def check_rule(rule: str, rules: Sequence[str] = RULES) -> None:
    """Raise an error that lists the rules, those of studies unless given, unless this is one."""
    if rule not in rules:
        raise WorldError(f"there is no case rule {rule!r}; there are {', '.join(rules)}")


def shuffled(
    labels: NDArray[np.integer[Any]], number: int, seed: int, before: int = 0
) -> tuple[Integers, ...]:
    """Return for each label its cases, in the order in which they are to be used.

    >>> [cases.tolist() for cases in shuffled(np.array([0, 1, 0, 0]), 2, seed=1)]
    [[3, 0, 2], [1]]
    """
    draws = stream(seed, ARRIVAL, before) if before else stream(seed, WORLD)
    order = draws.permutation(len(labels))
    return tuple(order[labels[order] == label] for label in range(number))


def cheapest_places(
    problem: Problem,
    wanted: Order,
    can: NDArray[np.bool_],
    order: Integers,
    visited: Mapping[int, CaseSoFar],
    groups: Mapping[int, str] | None = None,
) -> NDArray[np.bool_]:
    """Return which of the cases that can give an order give it for the least money."""
    if problem.separable:
        return can

    def quote(terms: CaseSoFar) -> Decimal:
        return problem.quote(wanted, replace(terms, name=None))

    places: dict[Decimal, list[int]] = {}
    known = np.isin(order, list(visited))
    for at in np.flatnonzero(can & known).tolist():
        places.setdefault(quote(visited[int(order[at])]), []).append(at)
    fresh = np.flatnonzero(can & ~known)
    of_group: dict[str, list[int]] = {}
    if groups:
        for at in fresh.tolist():
            of_group.setdefault(groups.get(int(order[at]), ""), []).append(at)
    elif len(fresh):
        of_group[""] = fresh.tolist()
    for group, those in of_group.items():
        price = quote(CaseSoFar(label=wanted.label, group=group))
        places.setdefault(price, []).extend(those)
    result = np.zeros_like(can)
    if places:
        result[places[min(places)]] = True
    return result


def pick_place(
    rule: str, can: NDArray[np.bool_], had: int, touched: NDArray[np.bool_]
) -> int | None:
    """Return the place of the case to buy a feature from, among those of its label in their order.

    >>> touched = np.array([True, False, False])
    >>> [pick_place(rule, np.array([True] * 3), 0, touched) for rule in RULES]
    [1, 0, 1]
    >>> [pick_place(rule, np.array([False, False, True]), 0, touched) for rule in RULES]
    [2, 2, 2]
    """
    chosen = can
    if rule != "settle" or had < SETTLED:
        preferred = can & touched if rule == "overlap" else can > touched
        if preferred.any():
            chosen = preferred
    at = int(chosen.argmax()) if len(chosen) else 0
    return at if len(chosen) and chosen[at] else None
