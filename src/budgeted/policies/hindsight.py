"""What each purchase did to the classifier, seen on the cases that were bought so far.

The policies of Deng et al. learn from how good the classifier is on the bought pool and from how
much a purchase changed it there. The pool holds nothing but what was paid for: a case is known by
the values bought of it, its other features are left out, and a value that came without a case is
a case of its own. No validation data comes near it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from budgeted.learners.belief import Belief
from budgeted.problem.orders import Purchase
from budgeted.state import State

Floats = NDArray[np.float64]

_REMEMBERED = 32
"""Histories whose hindsight is kept: about as many runs as one process plays at once."""
_TIED = 1e-12


@dataclass(frozen=True, eq=False)
class Hindsight:
    """A history and what each of its purchases did, oldest first."""

    history: Sequence[Purchase]
    belief: Belief
    accuracy: tuple[float, ...] = ()
    change: tuple[float, ...] = ()
    rows: tuple[int, ...] = ()
    features: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()  # of each case of the pool


_recent: list[Hindsight] = []
_lock = Lock()


def hindsight(state: State) -> Hindsight:
    """Return what each purchase in the history of a state did.

    A function of the state alone. The next decision of a run has a longer history that begins
    with this one, so what was computed for it is continued instead of begun again.
    """
    with _lock:
        known = [each for each in _recent if _may_begin(state, each)]
    for earlier in sorted(known, key=lambda each: -len(each.history)):
        # The same purchases may have begun from another belief.
        if _observed(earlier.belief, state.history[len(earlier.history) :]) == state.belief:
            break
    else:
        earlier = Hindsight((), _retracted(state.belief, state.history))
    result = earlier
    if len(earlier.history) < len(state.history):
        result = _continued(earlier, state.history)
    with _lock:
        _recent[:] = [result, *(each for each in _recent if each is not earlier)][:_REMEMBERED]
    return result


def _may_begin(state: State, earlier: Hindsight) -> bool:
    # The last purchase first: other runs differ there, and in one run they are the same objects.
    history, part = state.history, earlier.history
    size = len(part)
    return (
        size <= len(history)
        and (size == 0 or (history[size - 1] == part[-1] and history[:size] == part))
        and type(earlier.belief) is type(state.belief)
        and earlier.belief.problem == state.problem
    )


def _observed(belief: Belief, purchases: Sequence[Purchase]) -> Belief:
    for each in purchases:
        if each.value is not None:
            belief = belief.observe_at(each.feature, each.label, each.value)
    return belief


def _retracted(belief: Belief, purchases: Sequence[Purchase]) -> Belief:
    for each in reversed(purchases):
        if each.value is not None:
            belief = belief.retract_at(each.feature, each.label, each.value)
    return belief


def _continued(earlier: Hindsight, history: Sequence[Purchase]) -> Hindsight:
    belief = earlier.belief
    problem = belief.problem
    accuracy, change = list(earlier.accuracy), list(earlier.change)
    rows, labels = list(earlier.rows), list(earlier.labels)
    features, values = list(earlier.features), list(earlier.values)
    bought = [each for each in earlier.history if each.value is not None]
    row_of = {each.case: row for each, row in zip(bought, rows, strict=True)}
    for each in history[len(earlier.history) :]:
        if each.value is None:  # nothing was learnt, and there is nothing more to judge by
            accuracy.append(accuracy[-1] if accuracy else max(problem.prior))
            change.append(0.0)
            continue
        row = None if each.case is None else row_of.get(each.case)
        if row is None:
            row = row_of[each.case] = len(labels)
            labels.append(each.label)
        rows.append(row)
        features.append(each.feature)
        values.append(each.value)
        before, belief = belief, belief.observe_at(each.feature, each.label, each.value)
        scores = _scores(belief, rows, features, values, len(labels))
        tied = scores >= scores.max(axis=0) - _TIED
        right = tied[labels, np.arange(len(labels))] / tied.sum(axis=0)
        accuracy.append(float(right.mean()))
        earlier_scores = _scores(before, rows, features, values, len(labels))
        moved = _posteriors(scores) - _posteriors(earlier_scores)
        change.append(float(np.abs(moved).sum(axis=0).mean()))
    return Hindsight(
        history,
        belief,
        tuple(accuracy),
        tuple(change),
        tuple(rows),
        tuple(features),
        tuple(values),
        tuple(labels),
    )


def _scores(
    belief: Belief, rows: list[int], features: list[int], values: list[int], cases: int
) -> Floats:
    """Return log P(case, label), labels × cases."""
    logs = belief.log_chances(features, values)
    sums = [np.bincount(rows, weights=row, minlength=cases) for row in logs]
    result: Floats = np.array(sums, dtype=float) + np.log(belief.problem.prior)[:, None]
    return result


def _posteriors(scores: Floats) -> Floats:
    masses = np.exp(scores - scores.max(axis=0))
    result: Floats = masses / masses.sum(axis=0)
    return result


def per_money(state: State) -> Floats:
    """Return how much of a feature the price of the cheapest one buys: 1 for all at equal costs."""
    costs = np.array([float(price) for price in state.problem.feature_prices])
    result: Floats = costs.min() / costs
    return result


def last_change(state: State, enough: Callable[[Sequence[float]], float]) -> tuple[bool, str]:
    """Return whether the last purchase changed the classifier enough, and why, in words.

    `enough` makes of the changes of all purchases before, oldest first, what must be exceeded.
    """
    last = state.last_purchase()
    if last is None or last.value is None:
        return False, "there is no last value to judge by"
    scale, past = per_money(state), hindsight(state)
    changes = [
        float(change * scale[each.feature])
        for each, change in zip(past.history, past.change, strict=True)
    ]
    at = next(at for at in reversed(range(len(changes))) if past.history[at].number == last.number)
    threshold = enough(changes[:at])
    # Beyond rounding: a change that is only the last digit is none.
    stay = changes[at] > threshold + _TIED
    verb = "more" if stay else "not more"
    return stay, (
        f"the last purchase changed the classifier by {changes[at]:.4f}, {verb} than "
        f"{threshold:.4f}"
    )
