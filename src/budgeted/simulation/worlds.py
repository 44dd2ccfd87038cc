"""Worlds: who answers when a value is bought, in place of laboratories and people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from budgeted.errors import WorldError
from budgeted.learners.belief import Belief, Integers
from budgeted.learners.layout import by_feature, check_parameters
from budgeted.problem import Action, CaseSoFar, Order, Problem
from budgeted.problem.orders import Purchase, along
from budgeted.seeds import WORLD, stream
from budgeted.state.cases import (
    PER_CELL,
    RULES,
    WORLD_RULES,
    cheapest_places,
    check_rule,
    pick_place,
    shuffled,
)


class Stock(Protocol):
    """What is left of a world during one run."""

    def buy(self, order: Order, at_most: Decimal | None = None) -> tuple[Purchase, ...]:
        """Hand over the values of an order, all from one case of its label, at the list's price.

        It is the case that the order names, or the one where it costs least. Where no case can give
        all of it, or all of it costs more than `at_most`, its last features are left out; what
        makes it no dearer comes along. A purchase without a value is one that was missing.
        """
        ...


class World(Protocol):
    """Something that answers purchases; every run opens it anew and gets the same world.

    Where not every case can give every feature, it also has ``supply``: how many cases each cell
    can be bought from, features × labels.
    """

    @property
    def cases(self) -> tuple[int, ...] | None:
        """How many cases there are of each label; None for an endless supply."""
        ...

    def open(self) -> Stock:
        """Return the full stock for one run."""
        ...


@dataclass(frozen=True)
class ModelWorld:
    """A world that draws its answers from a known naive Bayes model, without end.

    The n-th answer of a cell depends on the seed alone, not on what else is bought: all policies
    face the same world.

    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 10)
    >>> stock = ModelWorld(problem, [[0.9, 0.1], [0.2, 0.8]], seed=1).open()
    >>> [stock.buy(Order((0,), label=1))[0].value for _ in range(8)]
    [1, 1, 1, 0, 1, 1, 1, 0]
    """

    problem: Problem  # what is for sale
    parameters: ArrayLike
    seed: int = 0
    cases: None = field(default=None, init=False)

    def __post_init__(self) -> None:
        table = np.asarray(self.parameters, dtype=float)
        wrong = check_parameters(self.problem, table)
        if wrong:
            raise WorldError(f"parameters: {wrong}, got {self.parameters!r}")
        frozen = table.copy()
        frozen.setflags(write=False)
        object.__setattr__(self, "parameters", frozen)

    def open(self) -> Stock:
        """Return an endless stock that begins at the first answer of every cell."""
        return _ModelStock(self)


class _ModelStock:
    def __init__(self, world: ModelWorld) -> None:
        problem = world.problem
        table = np.asarray(world.parameters, dtype=float)
        self._problem = problem
        self._chances = by_feature(problem, table)
        self._streams = {action: stream(world.seed, WORLD, *action) for action in problem.actions}
        self._visited: dict[str | int, CaseSoFar] = {}

    def buy(self, order: Order, at_most: Decimal | None = None) -> tuple[Purchase, ...]:
        problem = self._problem
        if problem.separable:
            return self._sold(order, CaseSoFar(label=order.label))
        for part in order.shortened():
            found = self._cheapest(part)
            if at_most is None or problem.quote(part, replace(found, name=None)) <= at_most:
                break
        part = along(problem, part, found, range(len(problem.features)))
        bought = self._sold(replace(part, case=found.name), found)
        assert found.name is not None
        self._visited[found.name] = found.and_visit(part.features, None)
        return bought

    def _cheapest(self, order: Order) -> CaseSoFar:
        """The case of an endless supply that gives an order for the least money."""
        fresh = CaseSoFar(label=order.label, name=len(self._visited))
        if order.case is not None:
            return self._visited.get(order.case, fresh)
        can = [
            each for each in self._visited.values()
            if each.label == order.label and each.features.isdisjoint(order.features)
        ]  # fmt: skip
        return min(
            [*can, fresh], key=lambda each: self._problem.quote(order, replace(each, name=None))
        )

    def _sold(self, order: Order, case: CaseSoFar) -> tuple[Purchase, ...]:
        prices = self._problem.lines(order, case)
        return tuple(
            Purchase(
                feature, order.label, self._draw(Action(feature, order.label)), price, order.case
            )
            for feature, price in zip(order.features, prices, strict=True)
        )

    def _draw(self, action: Action) -> int:
        thresholds = self._chances[action.feature][action.label].cumsum()[:-1]
        return int((self._streams[action].random() >= thresholds).sum())


@dataclass(frozen=True)
class TableWorld:
    """A world that answers from a table of cases; each value of a case is sold once.

    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature(each, ("no", "yes"), 1) for each in ("fever", "cough")],
    ...                   ("well", "ill"), (0.5, 0.5), 10)
    >>> cells = np.array([[1, -1], [0, 1], [1, 1]])
    >>> world = TableWorld(problem, cells, np.array([0, 0, 1]), sells_missing=False)
    >>> world.cases, world.supply.tolist()
    ((2, 1), [[2, 1], [1, 1]])
    >>> [each.value for each in world.open().buy(Order((0, 1), label=0))]    # it has no cough
    [1]
    """

    problem: Problem  # what is for sale
    values: NDArray[np.integer[Any]]
    labels: NDArray[np.integer[Any]]  # position of the label of each case
    seed: int = 0  # of the order in which the cases of a label are used
    case_rule: str = "fresh"
    sells_missing: bool = True

    def __post_init__(self) -> None:
        check_rule(self.case_rule, WORLD_RULES)
        if not (self.sells_missing or self.problem.separable):
            raise WorldError(
                "missing values: where a price depends on what else was bought of a case, they "
                "must be for sale; say 'no value' or 'own value' in place of 'not sold'"
            )
        check_cases(self.problem, self.values, self.labels)

    @cached_property
    def cases(self) -> tuple[int, ...]:
        """How many cases there are of each label."""
        return tuple(np.bincount(self.labels, minlength=len(self.problem.labels)).tolist())

    @cached_property
    def supply(self) -> Integers:
        """How many cases each cell can be bought from, features × labels."""
        sold = np.ones(self.values.shape, dtype=bool) if self.sells_missing else self.values >= 0
        counted = [sold[self.labels == label].sum(axis=0) for label in range(len(self.cases))]
        result: Integers = np.stack(counted, axis=1)
        return result

    @cached_property
    def order(self) -> tuple[Integers, ...]:
        """For each label its cases, in the order in which they are used."""
        return shuffled(self.labels, len(self.problem.labels), self.seed)

    def order_of(self, feature: int, label: int) -> Integers:
        """Return the cases of a label in the order that a cell has with the rule ``per cell``."""
        drawn = stream(self.seed, WORLD, feature, label)
        result: Integers = drawn.permutation(self.order[label])
        return result

    def open(self) -> Stock:
        """Return the stock with nothing sold."""
        return _TableStock(self)

    def complete_belief(self) -> Belief:
        """Return the belief after buying the whole table: "Complete Training Data"."""
        return Belief.of_cases(self.problem, self.values, self.labels)


class _TableStock:
    def __init__(self, world: TableWorld) -> None:
        self._world = world
        self._sold = np.zeros(world.values.T.shape, dtype=bool)  # features × cases
        self._touched = np.zeros(len(world.values), dtype=bool)
        self._missing = None if world.sells_missing else world.values < 0
        self._orders: dict[tuple[int, int], Integers] = {}
        self._visited: dict[int, CaseSoFar] = {}

    def buy(self, order: Order, at_most: Decimal | None = None) -> tuple[Purchase, ...]:
        world, problem = self._world, self._world.problem
        for part in order.shortened():
            case = self._pick(part) if part.case is None else int(part.case)
            if case is None:
                continue
            so_far = self._visited.get(case) or CaseSoFar(label=order.label, name=case)
            there = self._in_stock(Order(part.features, part.label, case, part.day))
            if there is None:
                continue
            order = along(problem, there, so_far, range(len(problem.features)))
            prices = problem.lines(order, so_far)
            if at_most is None or sum(prices, Decimal(0)) <= at_most:
                break
        else:
            raise WorldError(f"the table has no case left to buy {order} from")
        for feature in order.features:
            self._sold[feature, case] = True
        self._touched[case] = True
        if not problem.separable:
            self._visited[case] = so_far.and_visit(order.features, None)
        values = world.values[case]
        if all(values[feature] < 0 for feature in order.features):
            # As in a study: a case that gave nothing of what was paid for is as fresh as before.
            self._touched[case] = bool((self._sold[:, case] & (values >= 0)).any())
        return tuple([
            Purchase(feature, order.label, _known(values[feature]), price, case)
            for feature, price in zip(order.features, prices, strict=True)
        ])  # fmt: skip

    def _in_stock(self, order: Order) -> Order | None:
        """The part of an order that its case has, if there is any."""
        if self._missing is None:
            return order
        assert order.case is not None
        had = tuple(each for each in order.features if not self._missing[int(order.case), each])
        return replace(order, features=had) if had else None

    def _pick(self, order: Order) -> int | None:
        world, (first, *others) = self._world, order.features
        own = world.case_rule == PER_CELL and not others
        cases = self._order_of(first, order.label) if own else world.order[order.label]
        had = self._sold[first, cases]
        can = ~had
        for each in others:
            can &= ~self._sold[each, cases]
        if self._missing is not None:  # whoever lacks some of it can give the rest
            can &= ~self._missing[cases][:, list(order.features)].all(axis=1)
        can = cheapest_places(world.problem, order, can, cases, self._visited)
        touched = np.zeros_like(can) if own else self._touched[cases]
        rule = RULES[0] if world.case_rule == PER_CELL else world.case_rule
        known = int((had & (world.values[cases, first] >= 0)).sum()) if rule == "settle" else 0
        place = pick_place(rule, can, known, touched)
        return None if place is None else int(cases[place])

    def _order_of(self, feature: int, label: int) -> Integers:
        cell = (feature, label)
        if cell not in self._orders:
            self._orders[cell] = self._world.order_of(feature, label)
        return self._orders[cell]


def _known(value: np.integer[Any]) -> int | None:
    return None if value < 0 else int(value)


def check_cases(
    problem: Problem, values: NDArray[np.integer[Any]], labels: NDArray[np.integer[Any]]
) -> None:
    """Raise an error that names the place unless these are cases of the problem."""
    if values.ndim != 2 or values.shape[1] != len(problem.features) or len(values) == 0:
        raise WorldError(
            f"values: must be a table of at least one case × {len(problem.features)} features, "
            f"got shape {values.shape}"
        )
    if labels.shape != (len(values),):
        raise WorldError(f"labels: must be one per case ({len(values)}), got {labels.shape}")
    _check_positions("labels", labels[:, None], [len(problem.labels)], lowest=0)
    sizes = [len(feature.values) for feature in problem.features]
    _check_positions("values", values, sizes, lowest=-1)


def _check_positions(
    name: str, table: NDArray[np.integer[Any]], sizes: Sequence[int], lowest: int
) -> None:
    if table.dtype.kind not in "iu":
        raise WorldError(f"{name}: must be positions (whole numbers), got {table.dtype}")
    wrong = np.argwhere((table < lowest) | (table >= np.asarray(sizes)))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise WorldError(
            f"{name}: case {row}, column {column} holds {table[row, column]}; positions there go "
            f"from {lowest} to {sizes[column] - 1}"
        )
