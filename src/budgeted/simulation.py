"""Play a policy against a world whose answers are known, and watch every purchase."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from budgeted.belief import Belief, Floats, Integers
from budgeted.cases import check_rule, pick_case, shuffled
from budgeted.errors import WorldError
from budgeted.expectation import Estimate
from budgeted.expectation import loss as loss_of
from budgeted.guard import check_classifier, weights
from budgeted.loss import named
from budgeted.policies.base import Policy
from budgeted.problem import Action, Problem
from budgeted.purchase import Purchase
from budgeted.relevance import prior_belief
from budgeted.state import State
from budgeted.streams import POLICY, WORLD, stream

_MOST_CASES = 2**22


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


@dataclass(frozen=True)
class Validation:
    """Cases that a classifier is judged on; no policy ever sees them.

    Parameters
    ----------
    problem
        Gives the prior of the labels.
    values
        Positions of the values, cases × features; -1 where missing.
    masses
        Share of each case and label, cases × labels, summing to one: a table has 1/n at the label
        of each row; for the true error of a model it is P(x, label) of every x.
    """

    problem: Problem
    values: NDArray[np.integer[Any]]
    masses: Floats

    @classmethod
    def of_table(
        cls,
        problem: Problem,
        values: NDArray[np.integer[Any]],
        labels: NDArray[np.integer[Any]],
    ) -> Validation:
        """Return the judge that counts errors on the rows of a table."""
        check_cases(problem, values, labels)
        masses = np.zeros((len(labels), len(problem.labels)))
        masses[np.arange(len(labels)), labels] = 1 / len(labels)
        return cls(problem, values, masses)

    @classmethod
    def of_model(cls, problem: Problem, parameters: Floats) -> Validation:
        """Return the judge that knows the model: the true error, over every x there is."""
        if math.prod(problem.sizes) > _MOST_CASES:
            raise WorldError(
                f"the true error needs {math.prod(problem.sizes):.3g} different cases, more than "
                f"{_MOST_CASES}; judge on a table of drawn cases instead"
            )
        values = np.stack(
            np.unravel_index(np.arange(np.prod(problem.sizes)), problem.sizes), axis=1
        )
        columns = values + np.asarray(problem.offsets)
        likelihoods = parameters[:, columns].prod(axis=2).T
        return cls(problem, values, likelihoods * np.asarray(problem.prior))

    def error(self, belief: Belief, weights: Floats | None = None) -> float:
        """Return the 0/1 error of the belief's classifier; where labels tie, it guesses.

        Parameters
        ----------
        belief
            Whose parameters the classifier has.
        weights
            How much each feature counts; see `budgeted.guard`.
        """
        return Judge(self).error(belief, weights)


class Judge:
    """Judges one belief after another, and looks again only at features that changed.

    A purchase moves the parameters of one feature, so of the log-likelihoods of all validation
    cases only that feature's part is computed anew. Adding the parts up in their order each time
    keeps the result the same to the last bit as judging each belief by itself.
    """

    def __init__(self, validation: Validation) -> None:
        self._validation = validation
        self._prior = np.log(validation.problem.prior)
        self._columns = validation.values + np.asarray(validation.problem.offsets)
        self._known = validation.values >= 0
        self._belief: Belief | None = None
        self._parts = np.empty((len(validation.problem.features), *validation.masses.shape))

    def error(self, belief: Belief, weights: Floats | None = None) -> float:
        """Return the 0/1 error of the belief's classifier; where labels tie, it guesses."""
        before, self._belief = self._belief, belief
        for feature in range(len(self._parts)):
            columns = belief.columns(feature)
            if before is None or (before.means[:, columns] != belief.means[:, columns]).any():
                known = self._known[:, feature]
                where = np.where(known, self._columns[:, feature], 0)
                self._parts[feature] = (belief.log_means[:, where] * known).T
        parts = self._parts if weights is None else self._parts * weights[:, None, None]
        scores = parts.sum(axis=0) + self._prior
        tied = scores >= scores.max(axis=1, keepdims=True) - 1e-12
        masses = self._validation.masses
        correct = (masses * tied).sum(axis=1) / tied.sum(axis=1)
        return max(0.0, float(masses.sum() - correct.sum()))


class Step(NamedTuple):
    """One purchase of a run, and how things stand after it.

    `loss` is a float that knows its own engine; `engine` is that of the scores behind the choice.
    """

    step: int
    feature: int
    label: int
    cost: Decimal
    spent: Decimal
    value: int | None
    case: int | None
    loss: Estimate | None
    validation_error: float | None
    true_error: float | None
    engine: str


def simulate(
    problem: Problem,
    policy: Policy,
    world: World,
    *,
    seed: int = 0,
    loss: str | None = "gini",
    validation: Validation | None = None,
    truth: Validation | None = None,
    belief: str = "plain",
    classifier: str = "naive",
) -> Iterator[Step]:
    """Spend the budget in a world as the policy says; yield a row after each purchase.

    Parameters
    ----------
    problem, policy, world
        What is for sale, who chooses, and who answers.
    seed
        Of the policy's own draws; each step has a stream of its own.
    loss
        Which loss of the belief to report, or None.
    validation, truth
        Judges to report as ``validation_error`` and ``true_error``.
    belief, classifier
        What is believed, ``plain`` or ``relevance``, and what is judged, ``naive`` or ``guarded``;
        see `budgeted.relevance` and `budgeted.guard`.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), "0.1")], ("well", "ill"),
    ...                   prior=(0.5, 0.5), budget="0.3")
    >>> world = ModelWorld(problem, [[0.9, 0.1], [0.2, 0.8]], seed=1)
    >>> for row in simulate(problem, policy("round-robin"), world):
    ...     print(row.step, row.label, row.value, row.spent, round(row.loss, 4))
    1 0 0 0.1 0.4857
    2 1 1 0.2 0.4444
    3 0 0 0.3 0.4126
    """
    if loss is not None:
        named(loss)
    other = getattr(world, "problem", problem)
    if other is not problem and other != problem:
        raise WorldError("world: answers for another problem than the one given")
    stock = world.open()
    check_classifier(classifier)
    state = State.start(problem, world.cases, prior_belief(belief, problem))
    judge = None if validation is None else Judge(validation)
    true_judge = None if truth is None else Judge(truth)
    step = 0
    while (choice := policy.choose(state, stream(seed, POLICY, step))) is not None:
        step += 1
        answer = stock.buy(choice.action)
        cost = problem.features[choice.action.feature].cost
        state = state.after(Purchase(*choice.action, answer.value, cost, answer.case))
        counts = weights(classifier, state.belief, state.history) if judge or true_judge else None
        yield Step(
            step,
            *choice.action,
            cost,
            state.spent,
            answer.value,
            answer.case,
            None if loss is None else loss_of(state.belief, loss),
            None if judge is None else judge.error(state.belief, counts),
            None if true_judge is None else true_judge.error(state.belief, counts),
            choice.engine,
        )


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
