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
from budgeted.problem.prices import lines
from budgeted.seeds import WORLD, stream
from budgeted.state.cases import cheapest_places, check_rule, pick_case, shuffled


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
    """Something that answers purchases; every run opens it anew and gets the same world."""

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

    Parameters
    ----------
    problem
        What is for sale.
    parameters
        P(value | label), labels × values of all features, laid out like `Belief.means`.
    seed
        Of the answers.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 10)
    >>> stock = ModelWorld(problem, [[0.9, 0.1], [0.2, 0.8]], seed=1).open()
    >>> [stock.buy(Order((0,), label=1))[0].value for _ in range(8)]
    [1, 1, 1, 0, 1, 1, 1, 0]
    """

    problem: Problem
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
        prices = lines(self._problem.prices, order, case)
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

    Parameters
    ----------
    problem
        What is for sale.
    values
        Positions of the values, cases × features; -1 where a value is missing: it costs money
        and brings nothing.
    labels
        Position of the label of each case.
    seed
        Of the order in which the cases of a label are used.
    case_rule
        Which case is next, ``fresh`` or ``overlap``; see `budgeted.state.cases`.
    """

    problem: Problem
    values: NDArray[np.integer[Any]]
    labels: NDArray[np.integer[Any]]
    seed: int = 0
    case_rule: str = "fresh"

    def __post_init__(self) -> None:
        check_rule(self.case_rule)
        check_cases(self.problem, self.values, self.labels)

    @cached_property
    def cases(self) -> tuple[int, ...]:
        """How many cases there are of each label."""
        return tuple(np.bincount(self.labels, minlength=len(self.problem.labels)).tolist())

    @cached_property
    def order(self) -> tuple[Integers, ...]:
        """For each label its cases, in the order in which they are used."""
        return shuffled(self.labels, len(self.problem.labels), self.seed)

    def open(self) -> Stock:
        """Return the stock with nothing sold."""
        return _TableStock(self)

    def complete_belief(self) -> Belief:
        """Return the belief after buying the whole table: "Complete Training Data"."""
        return Belief.of_cases(self.problem, self.values, self.labels)


class _TableStock:
    def __init__(self, world: TableWorld) -> None:
        self._world = world
        self._sold = np.zeros(world.values.shape, dtype=bool)
        self._visited: dict[int, CaseSoFar] = {}

    def buy(self, order: Order, at_most: Decimal | None = None) -> tuple[Purchase, ...]:
        problem = self._world.problem
        for part in order.shortened():
            case = self._pick(part) if part.case is None else int(part.case)
            if case is None:
                continue
            so_far = self._visited.get(case, CaseSoFar(label=order.label, name=case))
            order = along(problem, replace(part, case=case), so_far, range(len(problem.features)))
            prices = lines(problem.prices, order, so_far)
            if at_most is None or sum(prices, Decimal(0)) <= at_most:
                break
        else:
            raise WorldError(f"the table has no case left to buy {order} from")
        self._sold[case, list(order.features)] = True
        self._visited[case] = so_far.and_visit(order.features, None)
        return tuple(
            Purchase(feature, order.label, self._value(case, feature), price, case)
            for feature, price in zip(order.features, prices, strict=True)
        )

    def _pick(self, order: Order) -> int | None:
        world, (first, *others) = self._world, order.features
        cases = world.order[order.label]

        def among(can: NDArray[np.bool_]) -> NDArray[np.bool_]:
            return cheapest_places(world.problem, order, can, cases, self._visited)

        return pick_case(world.case_rule, cases, self._sold, first, together=others, among=among)

    def _value(self, case: int, feature: int) -> int | None:
        value = int(self._world.values[case, feature])
        return None if value < 0 else value


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
