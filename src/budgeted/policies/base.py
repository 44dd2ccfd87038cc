"""What a policy is, and what it answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from budgeted.errors import PolicyError
from budgeted.problem import Action
from budgeted.registry import check_dataclass
from budgeted.state import State


@dataclass(frozen=True)
class Choice:
    """The cell to buy next, and why.

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
        `Planner`.
    """

    action: Action
    scores: Mapping[Action, float] = field(default_factory=dict)
    reason: str = ""
    engine: str = ""
    plan: tuple[Action, ...] = ()


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
    has the first three:

    - ``looks_back``: how many of the last purchases it looks at, besides what is known and the
      money: 0 for none; None, as without it, for the whole history;
    - ``alike``: what it does not tell apart by position: some of ``features``, ``labels`` and
      ``values``; without it, nothing;
    - ``odds(state)``: the probability of each action, for policies that draw continuous numbers.

    - ``worth(state)``: what it expects of one more value of each cell for its money, features ×
      labels, NaN where none is sold; `status` and the page show that instead of what plain naive
      Bayes expects.

    And one thing helps people who ask at the same moment (`budgeted.policies.planner`):

    - ``next_best(state, choice)``: what a decision ranked behind its choice, the best first, each
      as a choice of its own whose reason says so.
    """

    name: ClassVar[str]
    summary: ClassVar[str]


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


Entry = TypeVar("Entry")


def in_turn(order: Sequence[Entry], after: Entry | None, allowed: Collection[Entry]) -> list[Entry]:
    """Return the allowed entries in cyclic order, beginning behind a given one.

    >>> in_turn("abcd", "b", {"a", "b", "d"})
    ['d', 'a', 'b']
    """
    begin = 0 if after is None else order.index(after) + 1
    return [entry for entry in (*order[begin:], *order[:begin]) if entry in allowed]


def draw_label(
    state: State, feature: int, affordable: Collection[Action], rng: np.random.Generator
) -> Action:
    """Return a cell of a feature, its label drawn from the prior of those that can be bought."""
    cells = [action for action in affordable if action.feature == feature]
    shares = np.array([state.problem.prior[cell.label] for cell in cells])
    return cells[int(rng.choice(len(cells), p=shares / shares.sum()))]


def draw_cell(
    cells: Sequence[Action], chances: Sequence[float], rng: np.random.Generator
) -> tuple[Action, dict[Action, float]]:
    """Return a cell drawn with these chances, and as the scores 1 − the chance of each."""
    shares = np.array(chances) / np.sum(chances)
    drawn = cells[int(rng.choice(len(cells), p=shares))]
    return drawn, dict(zip(cells, (1 - shares).tolist(), strict=True))


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
