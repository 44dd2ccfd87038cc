"""The columns of X, whatever X is, what the values of each are, and their positions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from math import isnan
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from budgeted.errors import ObservationError, TableError
from budgeted.learners.layout import Integers
from budgeted.problem import Feature
from budgeted.problem.cuts import QUANTILES, between, label_cuts, quantile_cuts
from budgeted.problem.numbers import plain
from budgeted.problem.values import Categorical, Kind, Number
from budgeted.simulation.tables import MISSING
from budgeted.simulation.tables.coding import Scale
from budgeted.simulation.tables.contents import Cell, find_column, name_of
from budgeted.simulation.tables.dataframes import columns_of, declared_values, plain_cell


def check_names_and_number(estimator: BaseEstimator, X: Any, *, reset: bool) -> None:
    """Check the names and the number of the columns of a dataframe, or learn them with `reset`."""
    validate_data(estimator, X, reset=reset, skip_check_array=True)


def checked_array(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Return X as a dense array of any type, in which cells may be missing; otherwise as above."""
    return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")


def tagged(usual: Callable[[], Any]) -> Any:
    """Return the tags of an estimator that takes missing cells, categories and texts."""
    tags = usual()
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    return tags


class Column(NamedTuple):
    """A column of X."""

    name: str  # as the dataframe calls it; x0, x1 and so on where X has no names
    cells: Sequence[Cell]  # texts, numbers, and None where a value is missing
    declared: tuple[str, ...] = ()


def columns_for(estimator: BaseEstimator, X: Any, *, reset: bool) -> list[Column]:
    """Return the columns of X, after the checks that scikit-learn makes of it."""
    if _is_dataframe(X):
        check_names_and_number(estimator, X, reset=reset)
        if not X.shape[0]:
            raise ValueError("Found array with 0 sample(s): X has no rows; give at least one case")
        _, columns = columns_of(X, "X")
        return [
            Column(name, [_known(cell) for cell in cells], values)
            for name, cells, values in zip(
                names_of(estimator), columns, declared_values(X), strict=True
            )
        ]
    array = checked_array(estimator, _not_as_texts(X), reset=reset)
    if array.dtype.kind in "US" and (array == "nan").any():
        raise ValueError(
            f"X is an array of texts, and 'nan' stands there {int((array == 'nan').sum())} times: "
            f"NumPy made texts of missing cells; make the array with dtype=object"
        )
    names = names_of(estimator)
    return [Column(name, _cells(array[:, at], name)) for at, name in enumerate(names)]


def names_of(estimator: BaseEstimator) -> list[str]:
    """Return the names of the columns that an estimator knows."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is None:
        return [f"x{at}" for at in range(estimator.n_features_in_)]
    return [str(name) for name in known]


def place_of(column: Any, names: Sequence[str], parameter: str) -> int:
    """Return the position of a column that a parameter gives by its name or position.

    >>> place_of("age", ["fever", "age"], "prices"), place_of(np.int64(0), ["fever"], "prices")
    (1, 0)
    """
    whole = isinstance(column, Integral) and not isinstance(column, bool)
    return find_column(int(column) if whole else column, names, parameter)


def is_missing(raw: object) -> bool:
    """Whether an object stands for nothing: None, not a number, or the NA and NaT of pandas."""
    if raw is None or type(raw).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(raw, float | np.floating) and isnan(raw)


def _is_dataframe(X: object) -> bool:
    return (hasattr(X, "columns") or hasattr(X, "column_names")) and hasattr(X, "shape")


def _not_as_texts(X: Any) -> Any:
    """Return lists with texts as an array of objects: NumPy would make texts of all of it."""
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        return np.array(X, dtype=object)
    return X


def _cells(column: Any, name: str) -> list[Cell]:
    if column.dtype.kind in "biuf":
        return [None if isnan(cell) else cell for cell in column.astype(float).tolist()]
    if column.dtype.kind == "S":
        raise TableError(f"column {name!r} holds bytes; make texts of them, as with .astype(str)")
    return [
        None if is_missing(raw) else _known(plain_cell(raw, name, row))
        for row, raw in enumerate(column.tolist())
    ]


def _known(cell: Cell) -> Cell:
    """Return a cell without blanks around it; None where it says that nothing is known."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    return None if text in MISSING else text


ERROR, TAKEN_AS_MISSING = "error", "missing"


def check_handling(handle_unknown: object) -> None:
    """Raise an error unless this says what to do with values that a feature does not have."""
    if handle_unknown not in (ERROR, TAKEN_AS_MISSING):
        raise ValueError(
            f"handle_unknown: must be {ERROR!r} or {TAKEN_AS_MISSING!r}, got {handle_unknown!r}"
        )


def coded(columns: Sequence[Column], features: Sequence[Feature], handle_unknown: str) -> Integers:
    """Return the position of the category of each cell, cases × features; -1 where it is missing.

    >>> pain = Feature("pain", ("no", "yes"), 1)
    >>> coded([Column("pain", ["yes", None, "maybe"])], [pain], "missing").tolist()
    [[1], [-1], [-1]]
    >>> coded([Column("pain", ["yes", None, "maybe"])], [pain], "error")
    Traceback (most recent call last):
    ...
    budgeted.errors.TableError: X, row 2: feature 'pain' has no value 'maybe'; there are 'no', \
'yes'; handle_unknown='missing' takes such cells as not known
    """
    check_handling(handle_unknown)
    table = [
        _codes(column.cells, feature, handle_unknown)
        for column, feature in zip(columns, features, strict=True)
    ]
    return np.array(table, dtype=np.int64).T


def _codes(cells: Sequence[Cell], feature: Feature, handle_unknown: str) -> Integers:
    kind = feature.kind
    if (
        isinstance(kind, Number)
        and not kind.ranged
        and not any(isinstance(cell, str) for cell in cells)
    ):
        return _categories(cells, kind)
    known: dict[Cell, int] = {None: -1}
    for row, cell in enumerate(cells):
        if cell in known:
            continue
        try:
            known[cell] = feature.category(feature.read(cell))
        except ObservationError as error:
            if handle_unknown == ERROR:
                raise TableError(
                    f"X, row {row}: {error}; handle_unknown={TAKEN_AS_MISSING!r} takes such cells "
                    f"as not known"
                ) from None
            known[cell] = -1
    return np.array([known[cell] for cell in cells], dtype=np.int64)


def _categories(cells: Sequence[Cell], kind: Number) -> Integers:
    """Return what `Number.category` says of many numbers, at once.

    The shortest decimals of floats are in the order of the floats, so that nothing is lost.
    """
    numbers = np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    found = np.searchsorted(np.asarray(kind.cuts, dtype=float), numbers, side="right")
    return np.where(np.isnan(numbers), -1, found)


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
