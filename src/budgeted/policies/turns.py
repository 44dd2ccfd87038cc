"""Going round the features, and what is drawn: a label by its share, a cell by its chance."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from budgeted.policies.base import Choice, in_turn
from budgeted.problem import Action
from budgeted.state import State


def take_turn(
    state: State,
    rng: np.random.Generator,
    *,
    stay: bool,
    reason: str,
    engine: str = "",
    over: str = "features",
    next_label: str = "prior",
) -> Choice | None:
    """Return a cell of the feature that was bought last, or of the next one that can be bought.

    Over ``cells`` every feature and label has its turn apart; over ``features`` the label is drawn
    from the ``prior``, or is the one of which the feature has the ``fewest`` values.
    """
    affordable = state.affordable()
    if not affordable:
        return None

    def turn_of(action: Action) -> tuple[int, ...]:
        return (action.feature,) if over == "features" else tuple(action)

    order = list(dict.fromkeys(turn_of(action) for action in state.problem.actions))
    last = None if state.last_action is None else turn_of(state.last_action)
    queue = in_turn(order, last, {turn_of(action) for action in affordable})
    if stay and last in queue:
        queue.insert(0, queue.pop(queue.index(last)))
    turn = {entry: float(number) for number, entry in enumerate(queue)}
    scores = {action: turn[turn_of(action)] for action in affordable}
    chosen = queue[0]
    whole = len(chosen) == 2
    of_feature = draw_label if next_label == "prior" else fewest_label
    action = Action(*chosen) if whole else of_feature(state, chosen[0], affordable, rng)
    step = "stay with" if chosen == last else "on to"
    name = state.problem.features[action.feature].name
    return Choice(action, scores, f"{reason}: {step} {name!r}", engine)


def draw_label(
    state: State, feature: int, affordable: Collection[Action], rng: np.random.Generator
) -> Action:
    """Return a cell of a feature, its label drawn from the prior of those that can be bought."""
    cells = [action for action in affordable if action.feature == feature]
    shares = np.array([state.problem.prior[cell.label] for cell in cells])
    return cells[int(rng.choice(len(cells), p=shares / shares.sum()))]


def fewest_label(
    state: State, feature: int, affordable: Collection[Action], rng: np.random.Generator
) -> Action:
    """Return a cell of a feature, of the label with the fewest values there; of equals, drawn."""
    cells = [action for action in affordable if action.feature == feature]
    under_way = state.under_way()
    seen = [float(state.belief.seen[cell]) + under_way.get(cell, 0) for cell in cells]
    equals = [cell for cell, number in zip(cells, seen, strict=True) if number == min(seen)]
    return equals[int(rng.integers(len(equals)))]


def draw_cell(
    cells: Sequence[Action], chances: Sequence[float], rng: np.random.Generator
) -> tuple[Action, dict[Action, float]]:
    """Return a cell drawn with these chances, and as the scores 1 − the chance of each."""
    shares = np.array(chances) / np.sum(chances)
    drawn = cells[int(rng.choice(len(cells), p=shares))]
    return drawn, dict(zip(cells, (1 - shares).tolist(), strict=True))
