"""Going round the features: stay with the last one, or on to the next."""

from __future__ import annotations

import numpy as np

from budgeted.policies.base import Choice, in_turn
from budgeted.policies.draws import draw_label, fewest_label
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

    Parameters
    ----------
    state, rng
        As for a policy.
    stay
        Whether the last purchase was worth another one of its kind.
    reason, engine
        What speaks for it, for the choice.
    over
        ``features``, or ``cells`` to go round every feature and label apart.
    next_label
        Over features, which label comes next: drawn from the ``prior``, or the one of which the
        feature has the ``fewest`` values.
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
