"""Learn the values of features from training rows, and code the cells of any rows with them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from budgeted.errors import ObservationError, TableError
from budgeted.learners.belief import Integers
from budgeted.problem import Feature, PriceList, Problem
from budgeted.problem.budgets import Terms
from budgeted.problem.cuts import quantile_cuts
from budgeted.problem.money import MoneyLike
from budgeted.problem.values import Kind
from budgeted.simulation.tables import Table
from budgeted.simulation.tables.contents import (
    Cell,
    by_number_then_text,
    find_column,
    name_of,
)

Missing = Literal["no value", "own value", "not sold"]


@dataclass(frozen=True)
class Scale:
    """The values of one feature, and which cells stand for them."""

    feature: str
    values: tuple[str, ...]  # names of the values; those that stand for no cell come last
    seen: int
    edges: tuple[float, ...] = ()
    missing: int = -1  # position of the value that missing cells have, or -1
    kind: Kind | None = None

    @classmethod
    def learn(
        cls,
        feature: str,
        cells: Iterable[Cell],
        missing: Missing,
        bins: int,
        kind: Kind | None = None,
    ) -> Scale:
        """Learn the values of a feature from its cells in the training rows; or a kind has them.

        The cells may come with how often each of them is there, as a `Counter` has it.
        """
        counts = Counter(cells)
        if kind is not None:
            return cls._of_kind(feature, kind, counts, missing)
        known = [cell for cell in counts if cell is not None]
        numbers = [cell for cell in known if isinstance(cell, float)]
        edges: tuple[float, ...] = ()
        if len(numbers) == len(known) > bins:
            edges = tuple(
                quantile_cuts([*Counter({n: counts[n] for n in numbers}).elements()], bins)
            )
            values = _bin_names(edges)
        else:
            values = sorted({name_of(cell) for cell in known}, key=by_number_then_text)
        seen = len(values)
        own = seen if missing == "own value" and None in counts else -1
        if own >= 0:
            values.append(_unused("(missing)", values))
        while len(values) < 2:  # a feature of one value stays for sale: who buys it learns that
            values.append(_unused("(other)", values))
        return cls(feature, tuple(values), seen, edges, own)

    @classmethod
    def _of_kind(cls, feature: str, kind: Kind, cells: Collection[Cell], missing: Missing) -> Scale:
        values = list(kind.categories)
        for cell in set(cells) - {None}:
            try:
                kind.read(cell)
            except ObservationError as error:
                raise TableError(f"column {feature!r} {error}") from None
        own = len(values) if missing == "own value" and None in cells else -1
        if own >= 0:
            values.append(_unused("(missing)", values))
        return cls(feature, tuple(values), len(kind.categories), missing=own, kind=kind)

    def values_or_kind(self) -> Kind | tuple[str, ...]:
        """Return the kind, where a feature has one and nothing is added to its categories."""
        return self.values if self.kind is None or self.missing >= 0 else self.kind

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {value: position for position, value in enumerate(self.values[: self.seen])}

    def code(self, cell: Cell) -> int:
        """Return the position of a cell's value; -1 where it has none that is known."""
        if cell is None:
            return self.missing
        if self.kind is not None:
            try:
                return self.kind.category(self.kind.read(cell))
            except ObservationError:
                return -1
        if self.edges:
            return bisect_right(self.edges, cell) if isinstance(cell, float) else -1
        return self._positions.get(name_of(cell), -1)


@dataclass(frozen=True)
class Coding:
    """How a table becomes a problem and coded cases, learned from its training rows alone.

    The labels are those of the whole table, for labels are known facts; everything else comes
    from the training rows. A value that they do not have is coded -1, like a missing one.

    Attributes
    ----------
    table
        Where it was learned, and what it codes.
    scales
        The values of each feature.
    shares
        Share of each label among the training rows.

    Examples
    --------
    >>> table = Table("visits", ("fever", "age"),
    ...               (("no", "yes", None, "high"), (31.0, 4.0, 55.0, 60.0)),
    ...               labels=("ill", "well"), row_labels=(1, 0, 0, 0))
    >>> coding = Coding.learn(table, rows=[0, 1, 2], bins=2)
    >>> [scale.values for scale in coding.scales]
    [('no', 'yes'), ('< 31', '>= 31')]
    >>> coding.encode([2, 3]).tolist()
    [[-1, 1], [-1, 1]]
    >>> coding.problem(budget=10, costs={"fever": "0.50", "age": 1}).features[0].cost
    Decimal('0.50')
    """

    table: Table
    scales: tuple[Scale, ...]
    shares: tuple[float, ...]

    @classmethod
    def learn(
        cls,
        table: Table,
        rows: ArrayLike,
        *,
        missing: Missing = "no value",
        bins: int = 5,
        kinds: Mapping[str, Kind] | None = None,
    ) -> Coding:
        """Learn values, bins and the shares of the labels from some rows of a table.

        Parameters
        ----------
        table
            Any table.
        rows
            Positions of the training rows; no other row is looked at.
        missing
            ``no value``: a missing cell is coded -1, a purchase that costs money and brings
            nothing. ``not sold``: likewise -1, which the world does not sell.
            ``own value``: missing is a value of its own where training rows have it.
        bins
            Numbers with more different values than this are cut into so many bins with about
            equally many training rows each; with fewer, each number is a value.
        kinds
            Of some features, what their values are, such as numbers with cuts; those of a study
            rehearse it. Nothing is learned of these.
        """
        if missing not in get_args(Missing):
            raise TableError(
                f"missing: must be 'no value', 'own value' or 'not sold', got {missing!r}"
            )
        if isinstance(bins, bool) or not isinstance(bins, int) or bins < 2:
            raise TableError(f"bins: must be a whole number from 2, got {bins!r}")
        chosen = _row_positions(table, rows)
        if not len(chosen):
            raise TableError("rows: at least one training row is needed")
        given = {table.features[find_column(name, table.features, "kinds")]: kind
                 for name, kind in (kinds or {}).items()}  # fmt: skip
        scales = []
        for feature, cells, which in zip(table.features, table.different, table.which, strict=True):
            times = np.bincount(which[chosen], minlength=len(cells)).tolist()
            there = +Counter(dict(zip(cells, times, strict=True)))
            scales.append(Scale.learn(feature, there, missing, bins, given.get(feature)))
        counts = np.bincount(table.label_positions[chosen], minlength=len(table.labels))
        return cls(table, tuple(scales), tuple((counts / len(chosen)).tolist()))

    def encode(self, rows: ArrayLike, table: Table | None = None) -> Integers:
        """Return the positions of the values of rows, rows × features; -1 is missing or unknown.

        Parameters
        ----------
        rows
            Positions of rows.
        table
            Another table with the same features; the one it was learned from unless given.
        """
        table = self.table if table is None else table
        names = tuple(scale.feature for scale in self.scales)
        if table.features != names:
            raise TableError(f"{table.name}: the features must be {names}, got {table.features}")
        chosen = _row_positions(table, rows)
        coded = np.empty((len(chosen), len(names)), dtype=np.int64)
        for at, (scale, cells) in enumerate(zip(self.scales, table.different, strict=True)):
            coded[:, at] = np.array([scale.code(cell) for cell in cells])[table.which[at, chosen]]
        return coded

    def labels(self, rows: ArrayLike) -> Integers:
        """Return the position of the label of each row."""
        return self.table.label_positions[_row_positions(self.table, rows)]

    def problem(
        self,
        budget: MoneyLike | Terms,
        *,
        costs: MoneyLike | Mapping[str, MoneyLike] = 1,
        prior: Sequence[float] | None = None,
        prior_counts: float | str = 1.0,
        price_list: PriceList | None = None,
    ) -> Problem:
        """Return the problem of buying values of this table's features.

        Parameters
        ----------
        budget
            All the money there is.
        costs
            Price of a value: one for all features, or feature name → price.
        prior
            Share of each label; that of the training rows unless given.
        prior_counts
            Dirichlet count of every value before anything is bought; ``"2/r"`` shares a total
            among the r values of a feature.
        price_list
            What orders cost, given these costs; the sum of them unless given.
        """
        names = self.table.features
        if isinstance(costs, Mapping):
            prices = {names[find_column(each, names, "costs")]: costs[each] for each in costs}
            without = [each for each in names if each not in prices]
            if without:
                raise TableError(f"costs: no price for {', '.join(map(repr, without))}")
        else:
            prices = dict.fromkeys(names, costs)
        if prior is None and 0 in self.shares:
            label = self.table.labels[self.shares.index(0)]
            raise TableError(f"prior: no training row has label {label!r}; give the prior yourself")
        return Problem(
            [
                Feature(scale.feature, scale.values_or_kind(), prices[scale.feature], prior_counts)
                for scale in self.scales
            ],
            self.table.labels,
            self.shares if prior is None else prior,
            budget,
            price_list,
        )


def _row_positions(table: Table, rows: ArrayLike) -> Integers:
    positions = np.asarray(rows)
    if positions.size == 0:
        return np.empty(0, dtype=np.int64)
    if positions.ndim != 1 or positions.dtype.kind not in "iu":
        raise TableError(f"rows: must be a list of positions (whole numbers), got {rows!r}")
    if positions.min() < 0 or positions.max() >= len(table):
        raise TableError(f"rows: positions go from 0 to {len(table) - 1}, got {rows!r}")
    return positions.astype(np.int64)


def _bin_names(edges: tuple[float, ...]) -> list[str]:
    names = [name_of(edge) for edge in edges]
    between = [f"{low} to {high}" for low, high in pairwise(names)]
    return [f"< {names[0]}", *between, f">= {names[-1]}"]


def _unused(name: str, taken: Sequence[str]) -> str:
    """Return the name, or one with more parentheses where the data has it already."""
    while name in taken:
        name = f"({name})"
    return name
