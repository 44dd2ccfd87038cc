"""Play a policy against a world whose answers are known, and watch every purchase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import NamedTuple

from budgeted.errors import WorldError
from budgeted.learners import Learner, NaiveBayes, fitted
from budgeted.learners.base import Classifier
from budgeted.policies import for_learner
from budgeted.policies.base import Chooser, Policy, choose
from budgeted.policies.stopping import Thrifty
from budgeted.problem import Problem
from budgeted.seeds import POLICY, stream
from budgeted.simulation.judge import Judge, Validation
from budgeted.simulation.worlds import World
from budgeted.state import State
from budgeted.value import Estimate
from budgeted.value import loss as loss_of
from budgeted.value.loss import named


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
    case: int | str | None
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
    learner: Learner | None = None,
    watch: Callable[[Decimal, Classifier], object] | None = None,
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
    learner
        Makes the classifier that is judged; plain naive Bayes unless given.
    watch
        Called after each purchase with the money spent and the classifier that is judged.

    Examples
    --------
    >>> from budgeted import Feature, Problem
    >>> from budgeted.policies import policy
    >>> from budgeted.simulation.worlds import ModelWorld
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
    made = NaiveBayes() if learner is None else learner
    buyer: Chooser = for_learner(policy, lambda: made)
    if problem.soft is not None:
        buyer = Thrifty(buyer, lambda: made)
    state = State.start(problem, getattr(world, "supply", world.cases))
    judge = None if validation is None else Judge(validation)
    true_judge = None if truth is None else Judge(truth)
    step = 0
    name = getattr(policy, "name", type(policy).__name__)
    while (choice := choose(buyer, state, stream(seed, POLICY, step), name)) is not None:
        for bought in stock.buy(choice.order, state.free):
            step += 1
            state = state.after(bought)
            predictor = None
            if judge or true_judge:
                predictor = fitted(made, problem, state.history, state.belief)
                if watch is not None:
                    watch(state.spent, predictor)
            yield Step(
                step,
                bought.feature,
                bought.label,
                bought.cost,
                state.spent,
                bought.value,
                bought.case,
                None if loss is None else loss_of(state.belief, loss),
                None if judge is None or predictor is None else judge.error(predictor),
                None if true_judge is None or predictor is None else true_judge.error(predictor),
                choice.engine,
            )
