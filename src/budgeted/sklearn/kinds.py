"""What the values of each column are: names, or numbers with cuts that are learned in fit."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from numbers import Integral

import numpy as np

from budgeted.problem.cuts import QUANTILES, between, label_cuts, quantile_cuts
from budgeted.problem.numbers import plain
from budgeted.problem.values import Categorical, Kind, Number
from budgeted.simulation.tables.coding import Scale
from budgeted.simulation.tables.contents import name_of
from budgeted.sklearn.columns import Column, place_of

LABELS = "labels"
FROM_DTYPE = "from_dtype"


def kinds_of(
    columns: Sequence[Column],
    labels: Sequence[Hashable],
    cuts: object,
    categorical: object,
    given: Mapping[str | int, Kind] | None,
) -> dict[int, Kind]:
    """Return what the values of each column are, by its position, learned from its known cells.

    A column of which nothing is known, and that does not say what could stand there, has no kind.

    Parameters
    ----------
    columns, labels
        The cases, and the label of each.
    cuts, categorical, given
        As the parameters ``cuts``, ``categorical_features`` and ``kinds`` of the estimators.

    Examples
    --------
    >>> columns = [Column("pain", ["no", None, "yes"]), Column("age", [31.0, 4.0, 60.0])]
    >>> for kind in kinds_of(columns, "aab", "median", "from_dtype", None).values():
    ...     print(kind.categories)
    ('no', 'yes')
    ('< 17.5', '≥ 17.5')
    """
    names = [each.name for each in columns]
    parts = parts_of(cuts)
    chosen = {place_of(name, names, "kinds"): kind for name, kind in (given or {}).items()}
    named = _categorical(categorical, names)
    found: dict[int, Kind] = {}
    for at, column in enumerate(columns):
        known = [(cell, label) for cell, label in zip(column.cells, labels, strict=True)
                 if cell is not None]  # fmt: skip
        if at in chosen:
            found[at] = chosen[at]
        elif column.declared or at in named or any(isinstance(cell, str) for cell, _ in known):
            if known or column.declared:
                found[at] = _names(column)
        elif known:
            numbers = [float(cell) for cell, _ in known]
            found[at] = _numbers(column.name, numbers, [label for _, label in known], parts)
    return found


def parts_of(cuts: object) -> int | None:
    """Return into how many categories numbers are cut; None where the labels say where.

    >>> parts_of("terciles"), parts_of(7), parts_of("labels")
    (3, 7, None)
    """
    if isinstance(cuts, str) and cuts == LABELS:
        return None
    if isinstance(cuts, str) and cuts in QUANTILES:
        return QUANTILES[cuts]
    if isinstance(cuts, Integral) and not isinstance(cuts, bool) and int(cuts) >= 2:
        return int(cuts)
    ways = ", ".join(map(repr, (*QUANTILES, LABELS)))
    raise ValueError(f"cuts: must be one of {ways}, or a whole number from 2, got {cuts!r}")


def _categorical(given: object, names: Sequence[str]) -> Collection[int]:
    """Return the positions of the columns whose numbers are names."""
    if isinstance(given, str) and given == FROM_DTYPE:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(
            f"categorical_features: must be {FROM_DTYPE!r} or a list of columns, got {given!r}"
        )
    entries = list(given)
    if entries and all(isinstance(each, bool | np.bool_) for each in entries):
        if len(entries) != len(names):
            raise ValueError(
                f"categorical_features: a list of truth values must have one per column "
                f"({len(names)}), got {len(entries)}"
            )
        return {at for at, each in enumerate(entries) if each}
    return {place_of(each, names, "categorical_features") for each in entries}


def _names(column: Column) -> Categorical:
    cells = [name_of(cell) for cell in column.cells if cell is not None]
    seen = [name for name in Scale.learn(column.name, cells, "no value", 2).values
            if name not in column.declared]  # fmt: skip
    declared = [name for name in column.declared if name.strip()]
    placeholder = len(set(cells)) < 2 <= len(declared)
    return Categorical([*declared, *(name for name in seen if name in cells or not placeholder)])


def _numbers(
    name: str, numbers: Sequence[float], labels: Sequence[Hashable], parts: int | None
) -> Number:
    """Return the kind of a column of numbers.

    Each cut lies in the middle between two neighbours, rounded as far as that is so. Where there
    are no more different numbers than parts, each has a category of its own.
    """
    exact = {number: Decimal(repr(number)) for number in set(numbers)}
    ranked = sorted(exact)
    if parts is None:
        places = label_cuts([exact[number] for number in numbers], labels).cuts
    else:
        many = len(ranked) > parts
        begins = set(quantile_cuts(numbers, parts) if many else ranked[1:])
        places = [between(exact[low], exact[high]) for low, high in pairwise(ranked)
                  if high in begins]  # fmt: skip
    cuts = []
    for place in places or [exact[ranked[0]]]:
        try:
            cuts.append(plain(_rounded(place)))
        except ValueError as error:
            raise ValueError(
                f"column {name!r}: its numbers cannot be cut at {float(place):g}: {error}; "
                f"measure in another unit, or put a StandardScaler before this step"
            ) from None
    return Number(sorted(set(cuts)))


def _rounded(place: Decimal) -> Decimal:
    """Return a number with the digits that a kind keeps: closer neighbours are not told apart."""
    return round(place, 14 - place.adjusted()) if place else place
