"""What is timed on two revisions of the package, each in a process of its own.

A task prepares what it needs, without being timed, and returns what is timed. That returns what it
found, as JSON can hold it, so that the results of both revisions can be compared too. It may use
only what both revisions have. A new one is a function in `TASKS`; `research.speed.against` says
what its times are to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from budgeted.cache import results
from budgeted.experiments.runs import play
from budgeted.experiments.spec import parse
from budgeted.learners import learner
from budgeted.learners.belief import Belief
from budgeted.policies import policy
from budgeted.problem import Feature, Problem
from budgeted.problem.orders import Purchase
from budgeted.seeds import POLICY, stream
from budgeted.simulation.datasets import load, split
from budgeted.simulation.simulator import simulate
from budgeted.state import State
from budgeted.value import lookahead

Found = Any
Work = Callable[[], Found]

_SEED = 2003
_BOUGHT = 40
_DECISIONS = 5
FEWER = 250
"""Cases that leave a smaller standard error than a thousand did before."""


def nursery(depth: int, cases: int = 1_000) -> Work:
    """Time decisions of SFL that look so far ahead on nursery, with nothing remembered."""
    problem = split(load("nursery"), 1, 10_000).problem
    rng = np.random.default_rng(_SEED)
    states = [State.start(problem, belief=_some(problem, rng)) for _ in range(_DECISIONS)]
    chooser = policy("sfl", max_depth=depth, particles=cases)
    chooser.choose(states[0], np.random.default_rng(0))

    def decide() -> Found:
        for at, state in enumerate(states):
            results.clear()
            chooser.choose(state, np.random.default_rng(at))

    return decide


def nursery_errors(depth: int, cases: int = 1_000) -> Work:
    """Find the standard errors of the same decisions, on average over cells."""
    problem = split(load("nursery"), 1, 10_000).problem
    rng = np.random.default_rng(_SEED)
    beliefs = [_some(problem, rng) for _ in range(_DECISIONS)]
    depths = np.full((len(problem.features), len(problem.labels)), depth)

    def look() -> Found:
        found = [lookahead(each, depths, "gini", particles=cases, rng=at)
                 for at, each in enumerate(beliefs)]  # fmt: skip
        return [float(np.mean(each.standard_errors)) for each in found]

    return look


def steered(problem: Mapping[str, Any], budget: int, name: str, **parameters: Any) -> Work:
    """Time all decisions of a policy in the states of a run, and find what it chooses, and why.

    With each stands what was bought before: worlds of another revision may have answered otherwise.
    """
    met = list(_states(problem, budget, "sfl"))
    chooser = policy(name, **parameters)

    def decide() -> Found:
        results.clear()
        made = [chooser.choose(state, stream(_SEED, POLICY, at)) for at, state in enumerate(met)]
        return [
            [_bought(state), [*map(int, each.action)], float(each.scores[each.action])]
            for state, each in zip(met, made, strict=True)
            if each is not None
        ]

    return decide


def mushroom_run() -> Work:
    """Time a whole run of round robin: a split, 300 purchases, and the errors to compare with."""
    table = load("mushroom")

    def run() -> Found:
        played = play(split(table, 1, 300, missing="own value"), policy("round-robin"), 1)
        return [*played.error.tolist(), played.complete, played.single]

    run()
    return run


def mushroom_purchases(name: str) -> Work:
    """Time the purchases of such a run, and the errors of a learner after each of them."""
    drawn = split(load("mushroom"), 1, 300, missing="own value")

    def buy() -> Found:
        steps = simulate(
            drawn.problem,
            policy("round-robin"),
            drawn.world,
            seed=1,
            loss=None,
            validation=drawn.validation,
            learner=learner(name),
        )
        return [each.validation_error for each in steps]

    buy()
    return buy


def mushroom_coded() -> Work:
    """Time the split of a table that was read before, as in each run but the first."""
    table = load("mushroom")

    def code() -> Found:
        for seed in range(5):
            split(table, seed, 300, missing="own value")

    code()
    return code


def mushroom_read() -> Work:
    """Time the reading of a table."""

    def read() -> Found:
        for _ in range(5):
            load.__wrapped__("mushroom")

    read()
    return read


def first_decision(features: int) -> Work:
    """Time a first decision of SFL on so many Boolean features, and what is known after it."""
    for_sale = [Feature(f"f{at}", ("no", "yes"), 1) for at in range(features)]

    def decide() -> Found:
        state = State.start(Problem(for_sale, ("well", "ill"), (0.6, 0.4), 100))
        choice = policy("sfl").choose(state, np.random.default_rng(_SEED))
        assert choice is not None
        return state.after(Purchase(*choice.action, value=1, cost=1)).belief.total

    return decide


def _some(problem: Problem, rng: np.random.Generator) -> Belief:
    """Return a belief in the middle of a study."""
    belief = Belief.prior(problem)
    for _ in range(_BOUGHT):
        feature = int(rng.integers(len(problem.features)))
        value = int(rng.integers(len(problem.features[feature].values)))
        belief = belief.observe_at(feature, int(rng.integers(len(problem.labels))), value)
    return belief


def _bought(state: State) -> Found:
    return [[each.feature, each.label, each.value] for each in state.history]


def _states(problem: Mapping[str, Any], budget: int, name: str) -> Iterator[State]:
    """Yield the states that a policy meets in the first run of an experiment."""
    document = {"budget": budget, "problem": problem, "policy": [{"name": name}], "seed": _SEED}
    rehearsal = parse(document, "speed").rehearsal(0, str(budget))
    state, stock = State.start(rehearsal.problem, rehearsal.world.cases), rehearsal.world.open()
    player = policy(name, max_depth=10)
    step = 0
    while (choice := player.choose(state, stream(_SEED, POLICY, step))) is not None:
        yield state
        for bought in stock.buy(choice.order, state.free):
            state = state.after(bought)
        step += 1


_FIGURE, _VOTES = {"synthetic": "figure-3b"}, {"table": "votes", "missing": "no value"}
_LOOKAHEAD = {"loss": "zero_one", "max_depth": 10}

TASKS: dict[str, Callable[[], Work]] = {
    **{f"nursery at {depth}": partial(nursery, depth) for depth in (30, 300, 3_000)},
    "nursery at 300, fewer cases": partial(nursery, 300, FEWER),
    "nursery, errors": partial(nursery_errors, 300),
    "nursery, errors, fewer cases": partial(nursery_errors, 300, FEWER),
    "figure 3(b), lookahead": partial(steered, _FIGURE, 60, "sfl", **_LOOKAHEAD),
    "figure 3(b), greedy": partial(steered, _FIGURE, 60, "greedy", loss="zero_one"),
    "votes, lookahead": partial(steered, _VOTES, 40, "sfl", **_LOOKAHEAD),
    "mushroom, run": mushroom_run,
    "mushroom, purchases": partial(mushroom_purchases, "naive-bayes"),
    "mushroom, default learner": partial(mushroom_purchases, "hierarchical"),
    "mushroom, coded": mushroom_coded,
    "mushroom, read": mushroom_read,
    **{f"{number} features": partial(first_decision, number) for number in (10_000, 100_000)},
    "votes, greedy": partial(steered, _VOTES, 40, "greedy", loss="zero_one"),
}
"""Name → what prepares it; the experiments are those of research/paper/experiments/."""
