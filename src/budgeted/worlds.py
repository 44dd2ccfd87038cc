"""Worlds: who answers when a value is bought, in place of laboratories and people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from budgeted.belief import Belief, Integers
from budgeted.cases import check_rule, pick_case, shuffled
from budgeted.errors import WorldError
from budgeted.problem import Action, Problem
from budgeted.streams import WORLD, stream


class Answer(NamedTuple):
    """What comes back for a purchase: a value (None where it is missing) of a case."""

    value: int | None
    case: int | None


class Stock(Protocol):
    """What is left of a world during one run."""

    def buy(self, action: Action) -> Answer:
        """Hand over one value of a feature from a case of that label."""
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
    >>> [stock.buy(Action(0, 1)).value for _ in range(8)]
    [1, 1, 1, 0, 1, 1, 1, 0]
    """

    problem: Problem
    parameters: ArrayLike
    seed: int = 0
    cases: None = field(default=None, init=False)

    def __post_init__(self) -> None:
        shape = self.problem.prior_counts.shape
        table = np.asarray(self.parameters, dtype=float)
        sums = np.zeros(1)
        if table.shape == shape:
            sums = np.add.reduceat(table, self.problem.offsets, axis=1)
        if table.shape != shape or not ((table >= 0).all() and np.allclose(sums, 1)):
            raise WorldError(
                f"parameters: must be probabilities that sum to 1 for each feature, {shape[0]} "
                f"labels × {shape[1]} values, got {self.parameters!r}"
            )
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
        self._chances = np.split(table, problem.offsets[1:], axis=1)
        self._streams = {action: stream(world.seed, WORLD, *action) for action in problem.actions}

    def buy(self, action: Action) -> Answer:
        thresholds = self._chances[action.feature][action.label].cumsum()[:-1]
        drawn = self._streams[action].random()
        return Answer(int((drawn >= thresholds).sum()), None)


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
    rule
        Which case is next, ``fresh`` or ``overlap``; see `budgeted.cases`.
    """

    problem: Problem
    values: NDArray[np.integer[Any]]
    labels: NDArray[np.integer[Any]]
    seed: int = 0
    rule: str = "fresh"

    def __post_init__(self) -> None:
        check_rule(self.rule)
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
        observed = np.zeros(self.problem.prior_counts.shape, dtype=np.int64)
        for feature, offset in enumerate(self.problem.offsets):
            known = self.values[:, feature] >= 0
            columns = offset + self.values[known, feature]
            np.add.at(observed, (self.labels[known], columns), 1)
        return Belief(self.problem, observed)


class _TableStock:
    def __init__(self, world: TableWorld) -> None:
        self._world = world
        self._sold = np.zeros(world.values.shape, dtype=bool)

    def buy(self, action: Action) -> Answer:
        world = self._world
        case = pick_case(world.rule, world.order[action.label], self._sold, action.feature)
        if case is None:
            raise WorldError(f"the table has no case left to buy {action} from")
        self._sold[case, action.feature] = True
        value = int(world.values[case, action.feature])
        return Answer(None if value < 0 else value, case)


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
    _check_positions("values", values, problem.sizes, lowest=-1)


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
