"""What a policy is: a score for each cell, and one way to choose by it.

A policy says how good it would be to buy each cell next (`Policy.scores`, less is better), and
`Policy.choose` does the rest for all of them: what is sold out, ties, the lot, the reason.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import BudgetedError, DrawError, PolicyError
from budgeted.learners import Learner
from budgeted.learners.belief import Belief
from budgeted.loss import Estimate, expected_loss, lookahead, loss, replaced
from budgeted.loss.losses import Floats, Integers
from budgeted.problem import Action, Order, Problem
from budgeted.state import State

Cell = tuple[int, int]
"""Positions of a feature and a label."""


@dataclass(frozen=True)
class Choice:
    """What to order next, and why: a cell, perhaps with further features of the same case.

    Attributes
    ----------
    action
        Feature and label.
    scores
        What the policy compared, for each cell that could be bought; less is better.
    reason
        The comparison in words.
    together
        Further features, by position, that are wanted of the same case in the same order, the most
        important first: where no case can give all of them, the last ones are left out.
    resolution
        Scores that differ by no more than this are ties.
    batch
        How many values of the feature the decision is good for, where several are wanted.

    Examples
    --------
    >>> Choice(Action(feature=2, label=1), together=(0,)).order
    Order(features=(2, 0), label=1, case=None, day=None)
    """

    action: Action
    scores: Mapping[Action, float] = field(default_factory=dict)
    reason: str = ""
    together: tuple[int, ...] = ()
    resolution: float = 0.0
    batch: int = 1

    @property
    def order(self) -> Order:
        """What is wanted of one case; which one is for others to say."""
        return Order((self.action.feature, *self.together), self.action.label)


class Scores(NamedTuple):
    """What a policy compares: values of each cell, features × labels, NaN where it is not wanted.

    Cells may be worse than the best by `tie` (one for all, or for each) and still be as good.
    Where nothing is compared, as when turns or the lot decide, people are shown no scores.
    """

    values: Floats
    tie: Floats | float = 0.0
    compared: bool = True


class View:
    """What a policy looks at when it decides; made once for each decision."""

    def __init__(
        self, state: State, believer: Learner | None, rng: np.random.Generator | None
    ) -> None:
        self.state, self.problem, self._rng = state, state.problem, rng
        self._believe: Callable[[Belief], Belief] = getattr(believer, "believe", lambda each: each)
        self._remembered: dict[str, Any] = {}

    @cached_property
    def belief(self) -> Belief:
        """What is believed: the counts, unless the policy is played under another belief."""
        return self._believe(self.state.belief)

    @property
    def rng(self) -> np.random.Generator:
        """The generator; a policy that leaves nothing to chance needs none."""
        if self._rng is None:
            raise DrawError("it draws numbers, or cases, before it knows the chances of each cell")
        return self._rng

    @cached_property
    def depth(self) -> Integers:
        """How often each cell could be bought with the free money, features × labels."""
        return self.state.depths()

    @cached_property
    def cost(self) -> Floats:
        """What the next value of each cell costs."""
        return self.state.costs()

    @cached_property
    def under_way(self) -> Integers:
        """How many requests are under way of each cell."""
        result = np.zeros_like(self.depth)
        for cell, number in self.state.under_way().items():
            result[cell] = number
        return result

    @cached_property
    def bought(self) -> Integers:
        """How many values of each cell there are, those under way among them."""
        result: Integers = self.state.belief.seen + self.under_way
        return result

    @property
    def last(self) -> Action | None:
        """The cell that was asked for last, whatever became of it."""
        return self.state.last_action

    @cached_property
    def _seed(self) -> int:
        """Of cases that are drawn: all that is compared in a decision shares them."""
        return int(self.rng.integers(2**63))

    def lot(self) -> int:
        """Return the seed of cases, which is drawn if it is asked for."""
        return self._seed

    def loss(self, kind: str = "gini", particles: int = 1_000) -> Estimate:
        """Return the expected loss with what is under way."""
        return expected_loss(self.belief, self.under_way, kind, particles, self.lot)

    def lookahead(self, numbers: Integers, kind: str = "gini", particles: int = 1_000) -> Scores:
        """Return the expected loss after so many purchases of each cell alone (eq. 1 and 2)."""
        found = lookahead(self.belief, numbers, kind, self.under_way, particles, self.lot)
        return Scores(found.values, found.resolution)

    def without_the_last(self, kind: str = "gini") -> tuple[float, float, float]:
        """Return the loss now, the loss without the value bought last, and their resolution."""
        last = self.state.last_purchase()
        assert last is not None
        assert last.value is not None
        if self._rng is not None:
            _ = self._seed  # drawn in any case: which label follows must not depend on it
        before = self.state.belief.retract_at(last.feature, last.label, last.value)
        if self.belief is self.state.belief:  # one feature is another one; the others stay
            table = before.finer(last.feature, (0,) * len(self.problem.labels))
            return replaced(self.belief, last.feature, table, kind, self.lot)
        now = loss(self.belief, kind, 1_000, self.lot)
        then = loss(self._believe(before), kind, 1_000, self.lot)
        return float(now), float(then), max(now.resolution, then.resolution)

    def remember(self, name: str, find: Callable[[], Any]) -> Any:
        """Return what is found under a name in this decision; it is looked for once."""
        if name not in self._remembered:
            self._remembered[name] = find()
        return self._remembered[name]

    def turns(self, over: str, stay: bool = False) -> Floats:
        """Return how many turns of ``features`` or ``cells`` it takes until each cell is due.

        It begins behind what was asked for last, or with it if it stays; what is sold out is passed
        over.
        """
        by_cell = over == "cells"
        sold = (self.depth.reshape(-1, 1) if by_cell else self.depth).any(axis=1)
        begin = 0
        if self.last is not None:
            feature, label = self.last
            begin = (self.depth.shape[1] * feature + label if by_cell else feature) + (not stay)
        waits = np.where(sold, (np.arange(sold.size) - begin) % sold.size, sold.size)
        turns = waits.argsort(kind="stable").argsort().astype(float)
        return np.broadcast_to(turns.reshape(len(self.depth), -1), self.depth.shape)

    def label_shares(self, feature: int) -> Floats:
        """Return chances of the cells of one feature: labels by their shares in the problem."""
        result = np.zeros(self.depth.shape)
        result[feature] = np.where(self.depth[feature] > 0, self.problem.prior, 0.0)
        result /= result.sum()
        return result


class Policy(ABC):
    """A rule that says what to buy next: a pure function of the state and a generator.

    Whatever it needs to remember it reads from the history in the state. It is a frozen dataclass
    whose fields are its parameters; `scores` must be written, the rest may be.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Cheapest(Policy):
    ...     name = "cheapest"
    ...     summary = "whatever costs least"
    ...     def scores(self, now):
    ...         return now.cost
    >>> from budgeted import Feature
    >>> problem = Problem([Feature("fever", ("no", "yes"), 2), Feature("cough", ("no", "yes"), 1)],
    ...                   ("well", "ill"), prior=(0.5, 0.5), budget=5)
    >>> choice = Cheapest().choose(State.start(problem), np.random.default_rng(0))
    >>> choice.action.feature, choice.reason
    (1, 'whatever costs least: 1.0000')
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    learner: ClassVar[str] = "naive-bayes"
    """Who makes the classifier, unless told otherwise."""
    case_rule: ClassVar[str | None] = None
    """Which case of a label is bought from, unless told otherwise; None: whatever is usual."""
    history_needed: int | None = None
    """How many of the last purchases it looks at, besides what is known and the money; None: all.
    `budgeted.optimal` evaluates it faster, or at all, by that."""
    symmetries: tuple[str, ...] = ()
    """What it does not tell apart by position: some of ``features``, ``labels``, ``values``."""
    follows_learner: ClassVar[bool] = False
    """Whether it looks ahead by what the learner of the study believes."""
    believer: ClassVar[Learner | None] = None
    """Who says what is believed; None: plain counts. `under` gives an object another one."""

    @abstractmethod
    def scores(self, now: View) -> Scores | Floats:
        """Return how good each cell would be, features × labels; less is better."""

    def chances(self, now: View, scores: Scores) -> Floats | None:
        """Return the chance of each cell, of a policy that draws; None: one of the best is due."""
        return None

    def due(self, now: View, scores: Scores) -> NDArray[np.bool_]:
        """Return the cells one of which is bought: the cheapest of those with the least score."""
        best: NDArray[np.bool_] = scores.values <= np.nanmin(scores.values) + scores.tie
        best &= now.cost <= now.cost[best].min()
        return best

    def reason(self, now: View, cell: Cell, scores: Scores) -> str:
        """Return why a cell was chosen, in words."""
        return f"{self.summary}: {scores.values[cell]:.4f}"

    def together(self, now: View, cell: Cell) -> tuple[int, ...]:
        """Return further features that are wanted of the same case."""
        return ()

    def batch(self, now: View, cell: Cell) -> int:
        """Return how many values of the feature one decision is good for."""
        return 1

    def unfit(self, problem: Problem) -> list[str]:
        """Return what is wrong with its parameters for a problem, in words."""
        return []

    def worth(self, state: State) -> Floats | None:
        """Return what one more value of each cell is worth for its money, where it says so."""
        return None

    def under(self, believer: Learner) -> Self:
        """Return the policy that looks ahead by what a learner believes, if it says what that is.

        >>> from budgeted.learners import Hierarchical
        >>> from budgeted.policies import policy
        >>> policy("sfl").under(Hierarchical()).believer.name
        'hierarchical'
        """
        if not callable(getattr(believer, "believe", None)):
            return self
        made = copy(self)
        object.__setattr__(made, "believer", believer)
        return made

    def choose(self, state: State, rng: np.random.Generator | None) -> Choice | None:
        """Return what to buy next; None when nothing can be bought any more."""
        now = View(state, self.believer, rng)
        if not now.depth.any():
            return None
        scores = self._scored(now)
        chances = self.chances(now, scores)
        among = self.due(now, scores) if chances is None else chances > 0
        cell = Action(*drawn(among, chances, now))
        compared = np.argwhere(~np.isnan(scores.values) & scores.compared).tolist()
        return Choice(
            cell,
            {Action(*each): float(scores.values[tuple(each)]) for each in compared},
            self.reason(now, cell, scores),
            self.together(now, cell),
            float(np.max(scores.tie)),
            self.batch(now, cell),
        )

    def odds(self, state: State) -> Mapping[Action, float]:
        """Return the chance of each cell; an error if something is drawn before it is known."""
        now = View(state, self.believer, None)
        if not now.depth.any():
            return {}
        scores = self._scored(now)
        chances = self.chances(now, scores)
        if chances is None:
            due = self.due(now, scores)
            chances = due / due.sum()
        cells = np.argwhere(chances).tolist()
        return {Action(*cell): float(chances[tuple(cell)]) for cell in cells}

    def _scored(self, now: View) -> Scores:
        found = self.scores(now)
        values, tie, compared = found if isinstance(found, Scores) else Scores(found)
        values, shape = np.asarray(values, dtype=float), now.depth.shape
        if values.shape != shape:
            raise PolicyError(
                f"policy {self.name!r}: scores must be {shape[0]} features × {shape[1]} labels, "
                f"got {values.shape}"
            )
        values = np.where(now.depth > 0, values, np.nan)
        if np.isnan(values).all() or np.isinf(values).any():
            raise PolicyError(f"policy {self.name!r}: scores must be finite where a cell is wanted")
        return Scores(values, tie, compared)


def drawn(among: NDArray[np.bool_], chances: Floats | None, now: View) -> Cell:
    """Return one of some cells, drawn; the generator is asked only if there are several."""
    cells, at = np.argwhere(among), 0
    if len(cells) > 1:
        if chances is None:
            at = int(now.rng.integers(len(cells)))
        else:
            weights = chances[tuple(cells.T)]
            at = int(now.rng.choice(len(cells), p=weights / weights.sum()))
    feature, label = cells[at].tolist()
    return feature, label


class Chooser(Protocol):
    """Whoever says what to buy next: a policy, or what stands before one."""

    def choose(self, state: State, rng: np.random.Generator | None) -> Choice | None:
        """Return what to buy next, or None when nothing is affordable."""
        ...


def choose(chooser: Chooser, state: State, rng: np.random.Generator, name: str) -> Choice | None:
    """Return what a policy of that name chooses, or say in words what is wrong with it."""
    try:
        found = chooser.choose(state, rng)
    except BudgetedError:
        raise
    except Exception as error:
        raise PolicyError(
            f"policy {name!r}: choose raised {type(error).__name__}: {error}"
        ) from error
    if found is None:
        return None
    if not isinstance(found, Choice):
        raise PolicyError(f"policy {name!r}: choose must return a Choice or None, got {found!r}")
    features, labels = state.cases_left.shape
    feature, label = found.action
    others = (feature, *found.together)
    whole = all(isinstance(each, int | np.integer) for each in (*others, label))
    if not whole or not all(0 <= each < features for each in others) or not 0 <= label < labels:
        raise PolicyError(
            f"policy {name!r}: a choice must have an Action(feature, label) of positions, got "
            f"{found.action!r} with {found.together!r}"
        )
    if len(set(others)) < len(others):
        raise PolicyError(f"policy {name!r}: a choice must name each feature once, got {others}")
    scores = found.scores
    if not np.isfinite(list(scores.values())).all() or (scores and found.action not in scores):
        raise PolicyError(
            f"policy {name!r}: scores must be finite numbers, one of the action among them"
        )
    return found


class Several:
    """Chooses several requests that are wanted at the same moment.

    A decision is good for the rest of its batch (`Policy.batch`). The policy is asked anew when the
    batch is used up, when a value came back, or when anything but these requests is under way. This
    is memory, so one is made anew for requests that are wanted together, and not kept: what is
    asked depends on the study and on nothing else.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> several, state = Several(policy("auto")), State.start(problem)
    >>> for _ in range(3):
    ...     choice = several.choose(state, np.random.default_rng(0))
    ...     state = state.reserve(choice.action)
    >>> [each.label for each in state.pending]
    [1, 0, 1]
    """

    def __init__(self, policy: Chooser) -> None:
        self._policy = policy
        self._choice: Choice | None = None
        self._left = 0
        self._belief: Belief | None = None
        self._number = self._pending = 0

    def choose(self, state: State, rng: np.random.Generator | None) -> Choice | None:
        """Return what is left of the batch, or what the policy decides now."""
        more = None
        if self._choice is not None and self._left and self._is_as_left(state):
            more = another(self._choice, state)
        self._choice = more
        if more is None:
            self._choice = self._policy.choose(state, rng)
            self._left = 0 if self._choice is None else self._choice.batch
        self._left -= 1
        if self._choice is not None:
            self._belief, orders = state.belief, len(self._choice.order.features)
            self._number, self._pending = state.next_number + orders, len(state.pending) + orders
        return self._choice

    def _is_as_left(self, state: State) -> bool:
        """Whether nothing happened but that what was chosen is under way."""
        left = self._number, self._pending
        return state.belief is self._belief and (state.next_number, len(state.pending)) == left


def another(choice: Choice, state: State) -> Choice | None:
    """Return the next of a batch: the same feature, of the label that has the fewest values."""
    feature = choice.action.feature
    bought = state.belief.seen[feature].copy()
    for cell, number in state.under_way().items():
        bought[cell.label] += number * (cell.feature == feature)
    labels = np.flatnonzero(state.depths(at_most=1)[feature])
    if not len(labels):
        return None
    label = int(labels[np.argmin(bought[labels])])
    return replace(choice, action=Action(feature, label), together=())
