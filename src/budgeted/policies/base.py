"""What a policy is, how it is asked, and what it answers: policies may be somebody else's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from budgeted.errors import BudgetedError, PolicyError
from budgeted.learners.belief import Belief
from budgeted.problem import Action, Order
from budgeted.registry import check_dataclass
from budgeted.state import State

_LONGEST = 60
"""Characters of a wrong answer that are shown."""
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Choice:
    """What to order next, and why: a cell, perhaps with further features of the same case.

    Attributes
    ----------
    action
        Feature and label.
    scores
        What the policy compared, for each cell that could be bought; lower is better.
    reason
        The comparison in words.
    engine
        Where the losses among the scores come from; empty when no loss was needed.
    plan
        What the policy would buy next if nothing came back meanwhile, for the same reason; see
        `Several`.
    together
        Further features, by position, that are wanted of the same case in the same order, the most
        important first: where no case can give all of them, the last ones are left out.
    resolution
        Scores that differ by no more than this are ties; of those the cheapest is bought.

    Examples
    --------
    >>> Choice(Action(feature=2, label=1), together=(0,)).order
    Order(features=(2, 0), label=1, case=None, day=None)
    """

    action: Action
    scores: Mapping[Action, float] = field(default_factory=dict)
    reason: str = ""
    engine: str = ""
    plan: tuple[Action, ...] = ()
    together: tuple[int, ...] = ()
    resolution: float = 0.0

    @property
    def order(self) -> Order:
        """What is wanted of one case; which one is for others to say."""
        return Order((self.action.feature, *self.together), self.action.label)


class Chooser(Protocol):
    """Whoever says what to buy next: a policy, or what stands before one."""

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the cell to buy next, or None when nothing is affordable."""
        ...


@runtime_checkable
class Policy(Chooser, Protocol):
    """A rule that says what to buy next: a pure function of the state and a generator.

    It returns None when nothing can be bought any more. Whatever it needs to remember it reads
    from the history in the state, so there is nothing to save, replay or reseed.

    Some things more are up to a policy. `budgeted.optimal` evaluates it faster, or at all, if it
    has the first two:

    - ``looks_back``: how many of the last purchases it looks at, besides what is known and the
      money: 0 for none; None, as without it, for the whole history;
    - ``alike``: what it does not tell apart by position: some of ``features``, ``labels`` and
      ``values``; without it, nothing.

    - ``worth(state)``: what it expects of one more value of each cell for its money, features ×
      labels, NaN where none is sold; `status` and the page show that instead of what plain naive
      Bayes expects.

    - ``for_learner(learner)``: the policy that buys for the learner that makes the classifier; the
      default does so if the learner says what it believes (`budgeted.learners.base.Learner`);
    - ``unfit(problem)``: what is wrong with its parameters for a problem, a list of sentences; a
      study with such a policy does not begin;
    - ``draws``: True if it draws what it buys, so that not always the best score is bought;
    - ``takes_turns``: True if those of the same score have turns, and not the cheapest is bought.

    Several requests at once are one decision where the policy's choice comes with a plan, and what
    is under way is in the state; `several` hands the plan out. Two things more help people who ask
    at the same moment:

    - ``next_best(state, choice)``: what a decision ranked behind its choice, the best first, each
      as a choice of its own whose reason says so;
    - ``several(shared)``: an object with ``choose(state, rng)`` that takes the place of `Several`.
    """

    name: ClassVar[str]
    summary: ClassVar[str]


def choose(chooser: Chooser, state: State, rng: np.random.Generator, name: str) -> Choice | None:
    """Return what a policy chooses, or say in words what is wrong with it.

    >>> from budgeted import Feature, Problem
    >>> class Mine:
    ...     def choose(self, state, rng):
    ...         return Choice((0, 1), reason="why not")
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 3)
    >>> choose(Mine(), State.start(problem), None, "mine")
    Traceback (most recent call last):
    ...
    budgeted.errors.PolicyError: policy 'mine': a choice must have an Action(feature, label) of \
positions, got (0, 1)
    """
    try:
        found = chooser.choose(state, rng)
    except BudgetedError:
        raise
    except Exception as error:
        raise PolicyError(
            f"policy {name!r}: choose raised {type(error).__name__}: {error}"
        ) from error
    wrong = _wrong(found, state)
    if wrong:
        raise PolicyError(f"policy {name!r}: {wrong}")
    return found


def several(policy: Policy, *, shared: bool = False) -> Chooser:
    """Return who chooses several requests that are wanted at the same moment."""
    own: Callable[[bool], Chooser] | None = getattr(policy, "several", None)
    return Several(policy, shared=shared) if own is None else own(shared)


Ranked = Callable[[State, Choice], Sequence[Choice]]


class Several:
    """Hands out the plan of a policy, and asks it again as soon as the plan no longer fits.

    A decision of `auto` weighs whole handfuls of purchases. When several requests are wanted at
    the same moment, there is no need to weigh everything anew for each of them: the handful that
    was best is bought. Nor would that give much else. If a handful of n is worth most per money,
    then what is left of it after some of it was bought is worth at least as much per money: what
    was bought cannot have been worth more, or a smaller handful would have been better.

    A plan ends when it is used up, when a value came back or the budget was changed (then the
    belief is another one), or when anything but the plan's own requests is under way. Scores and
    reason are those of the decision. A policy without plans is asked each time.

    Unless many people ask at the same moment (`shared`), and the policy ranks cells
    (``next_best``, as `sfl` does). With fifty of them the last one would wait for fifty decisions.
    So a decision is good for half as many requests as were handed out before it, one of each of
    the best cells; the next decision counts all of them as under way. The first four are decided
    one by one, fifty take eleven decisions. Each gets its own place in the ranking as the reason.
    Measured on studies with few and many features, with and without good ones, the expected loss
    after fifty such requests fell by 99.9 to 101 % of what fifty decisions gave.

    This is memory, so one is made anew for requests that are wanted together, and not kept: what is
    asked depends on the study and on nothing else.

    >>> from budgeted import Feature, Problem, State
    >>> from budgeted.policies import policy
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> chooser, state = several(policy("auto")), State.start(problem)
    >>> first = chooser.choose(state, np.random.default_rng(0))
    >>> first.plan
    (Action(feature=0, label=0),)
    >>> chooser.choose(state.reserve(first.action), np.random.default_rng(0)).action
    Action(feature=0, label=0)
    """

    def __init__(self, policy: Policy, *, shared: bool = False) -> None:
        self._policy = policy
        self._ranked: Ranked | None = getattr(policy, "next_best", None) if shared else None
        self._next: list[Choice] = []  # of the last decision, the next one last
        self._handed_out = 0
        self._known: Belief | None = None
        self._under_way: Counter[Action] = Counter()

    def choose(self, state: State, rng: np.random.Generator) -> Choice | None:
        """Return the next purchase of the plan, or what the policy decides now."""
        if state.belief is not self._known or state.under_way() != self._under_way:
            self._next, self._handed_out = [], 0  # something else happened meanwhile
        choice = self._go_on(state) or self._decide(state, rng)
        self._handed_out += 1
        if choice is not None and (self._next or self._ranked is not None):
            self._known = state.belief
            self._under_way = Counter(state.under_way())
            order = choice.order
            self._under_way.update(Action(each, order.label) for each in order.features)
        return choice

    def _go_on(self, state: State) -> Choice | None:
        """Return what the last decision said comes next, if that can be bought."""
        if self._next and state.depths()[self._next[-1].action]:
            return self._next.pop()
        return None

    def _decide(self, state: State, rng: np.random.Generator) -> Choice | None:
        choice = self._policy.choose(state, rng)
        self._next = [] if choice is None else list(reversed(self._behind(state, choice)))
        return choice

    def _behind(self, state: State, choice: Choice) -> Sequence[Choice]:
        """Return what comes after a decision, the next one first."""
        if self._ranked is None:
            plan = choice.plan
            return [
                replace(choice, action=action, plan=plan[at:], together=())
                for at, action in enumerate(plan, start=1)
            ]
        more = self._handed_out // 2 - 1
        return self._ranked(state, choice)[:more] if more > 0 else ()


def check_kind(kind: type[Policy]) -> None:
    """Raise an error unless a class can be a policy: a dataclass with ``choose(state, rng)``."""
    check_dataclass(kind, "policy", "choose(state, rng)", PolicyError)
    if not isinstance(getattr(kind, "summary", None), str):
        raise PolicyError(f"policy {kind.name!r}: must have a summary, a line for lists")


def looks_back(policy: Policy) -> int | None:
    """Return how many of the last purchases a policy looks at; None for the whole history."""
    declared: int | None = getattr(policy, "looks_back", None)
    return declared


def alike(policy: Policy) -> tuple[str, ...]:
    """Return what a policy does not tell apart by position: features, labels, values."""
    declared: tuple[str, ...] = getattr(policy, "alike", ())
    return declared


def in_turn(order: Sequence[Entry], after: Entry | None, allowed: Collection[Entry]) -> list[Entry]:
    """Return the allowed entries in cyclic order, beginning behind a given one.

    >>> in_turn("abcd", "b", {"a", "b", "d"})
    ['d', 'a', 'b']
    """
    begin = 0 if after is None else order.index(after) + 1
    queue = [*order[begin:], *order[:begin]]
    return queue if len(allowed) == len(order) else list(filter(set(allowed).__contains__, queue))


def _wrong(found: object, state: State) -> str:
    """What is wrong with an answer; nothing if it is one."""
    if found is None:
        return ""
    if not isinstance(found, Choice):
        return f"choose must return a Choice or None, got {_clipped(found)}"
    return next((
        f"{must}, got {_clipped(part)}"
        for part, fits, must in _parts(found, state) if not fits
    ), "")  # fmt: skip


def _parts(found: Choice, state: State) -> Iterator[tuple[object, bool, str]]:
    """Each part of a choice, whether it is as it must be, and how it must be."""
    yield (
        found.action,
        _is_action(found.action, state),
        "a choice must have an Action(feature, label) of positions",
    )
    yield (
        found.scores,
        _are_scores(found.scores, state),
        "scores must map actions to finite numbers",
    )
    chosen = not found.scores or found.action in found.scores
    yield found.action, chosen, "scores must have the action that is chosen among them"
    planned = isinstance(found.plan, tuple) and all(_is_action(each, state) for each in found.plan)
    yield found.plan, planned, "a plan must be a tuple of actions"
    features = len(state.problem.features)
    others = isinstance(found.together, tuple) and all(
        _is_position(each, features) for each in found.together
    )
    yield found.together, others, "together must be positions of features"
    once = len({found.action.feature, *found.together}) == 1 + len(found.together)
    yield found.together, once, "together must be other features than that of the action, each once"
    words = (found.reason, found.engine)
    yield words, all(isinstance(each, str) for each in words), "reason and engine must be texts"


def _is_action(action: object, state: State) -> bool:
    return (
        isinstance(action, Action)
        and _is_position(action.feature, len(state.problem.features))
        and _is_position(action.label, len(state.problem.labels))
    )


def _are_scores(scores: object, state: State) -> bool:
    """Whether all are finite numbers of cells that there are; there may be thousands."""
    if not isinstance(scores, Mapping) or not state.problem.every_action.issuperset(scores):
        return False
    try:
        return all(map(math.isfinite, scores.values()))
    except TypeError:
        return False


def _is_position(number: object, of: int) -> bool:
    whole = type(number) is int or (isinstance(number, Integral) and not isinstance(number, bool))
    return whole and 0 <= int(number) < of  # type: ignore[call-overload]


def _clipped(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def check_share(name: str, number: object) -> None:
    """Raise an error unless a parameter is a number above 0 and at most 1."""
    real = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    if not (real and 0 < number <= 1):  # type: ignore[operator]
        raise PolicyError(f"{name}: must be a number above 0 and at most 1, got {number!r}")


def check_number(name: str, number: object) -> None:
    """Raise an error unless a parameter is a finite number above 0."""
    real = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    if not (real and 0 < number < float("inf")):  # type: ignore[operator]
        raise PolicyError(f"{name}: must be a number above 0, got {number!r}")


def check_count(name: str, number: object) -> None:
    """Raise an error unless a parameter is a whole number from 1."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not (whole and number >= 1):  # type: ignore[operator]
        raise PolicyError(f"{name}: must be a whole number from 1, got {number!r}")
