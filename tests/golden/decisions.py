"""What policies choose, step by step, from what the record says is known."""

from __future__ import annotations

import math
import random

import numpy as np

from budgeted import Order, Purchase, State, policy
from tests.golden import close, problem_of, rounded

STEPS = 10
DRAWN = 0.02
"""By how much scores may differ that come of drawn cases."""


def begun(table):
    """The state before the first decision."""
    state = State.start(problem_of(table), table.get("cases"))
    for feature, label, value in table["known"]:
        state = state.after(Purchase(feature, label, value, "0"))
    return state


def decided(chooser, state, step):
    """What is chosen, with which scores; each step has a generator of its own."""
    choice = chooser.choose(state, np.random.default_rng([7, step]))
    if choice is None:
        return None, None, 0.0
    order = [[choice.action.feature, *choice.together], choice.action.label]
    scores = choice.scores and [
        [choice.scores.get((feature, label)) for label in range(len(state.problem.labels))]
        for feature in range(len(state.problem.features))
    ]
    drawn = DRAWN if getattr(choice, "engine", "") == "particles" else 0.0
    return order, scores or None, max(choice.resolution, drawn)


def after(state, step):
    """The state after what was bought at a step, and what came back then."""
    features, label = step["order"]
    state = state.reserve(Order(tuple(features), label))
    for number, value in step["back"]:
        request = next(each for each in state.pending if each.number == number)
        cell = request.feature, request.label
        state = state.release(number) if value is None else state.after(
            Purchase(*cell, value, request.cost, case=request.case, number=number)
        )  # fmt: skip
    return state


def money(state):
    return [str(amount) for amount in (state.spent, state.reserved, state.free)]


def record(table, name, parameters):
    """Let a policy buy; write down what it chose and what came of it."""
    chooser, state, rng = policy(name, **parameters), begun(table), random.Random(name)
    steps = []
    for at in range(STEPS):
        order, scores, within = decided(chooser, state, at)
        step = {"order": order, "back": []}
        steps.append(step)
        if order is None:
            break
        if scores:
            step["scores"] = [[rounded(score) for score in row] for row in scores]
            step |= {"within": rounded(within)} if within > 1e-9 else {}
        pending = list(after(state, step).pending)
        for each in pending[: len(pending) - table["lag"]] if len(pending) > table["lag"] else ():
            size = len(state.problem.features[each.feature].values)
            value = rng.choice([*range(size), each.label % size])
            step["back"].append([each.number, None if rng.random() < 0.1 else value])
        state = after(state, step)
        step["money"] = money(state)
    return {"policy": name, "parameters": parameters, "steps": steps}


def differences(table, name, parameters, steps):
    """Ask a policy again at each step of a record; yield what it says otherwise."""
    chooser, state = policy(name, **parameters), begun(table)
    for at, step in enumerate(steps):
        order, scores, _ = decided(chooser, state, at)
        if order != step["order"] and not _tie(step, order):
            yield f"step {at}: {order} instead of {step['order']}"
        if step["order"] is None:
            return
        for feature, row in enumerate(step.get("scores", ())):
            now = scores[feature] if scores else [None] * len(row)
            if not all(map(close, now, row, [step.get("within", 0.0)] * len(row))):
                yield f"step {at}: {now} instead of {row} for feature {feature}"
        state = after(state, step)
        if money(state) != step["money"]:
            yield f"step {at}: {money(state)} spent, reserved and free, not {step['money']}"


def _tie(step, order):
    """Whether what is chosen now is as good, by the record; turns that are counted never tie."""
    scores = step.get("scores")
    if order is None or step["order"] is None or scores is None:
        return False
    one, other = (scores[features[0]][label] for features, label in (step["order"], order))
    counted = all(score is None or math.floor(score) == score for row in scores for score in row)
    return not counted and close(one, other, step.get("within", 0.0))
