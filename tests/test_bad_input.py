"""Odd values of every kind get an error of our own, and change nothing."""

import pickle

import numpy as np
import pytest

from budgeted import Belief, BudgetedError, Feature, Problem, Purchase, State, simulate
from budgeted.policies import policy
from budgeted.simulation.judge import Validation
from budgeted.simulation.synthetic import Synthetic
from budgeted.simulation.worlds import ModelWorld
from budgeted.value import expected_loss, lookahead, loss

HUGE = 10**30
PROBLEM = Problem(
    [Feature("f", ("a", "b"), 1), Feature("g", ("a", "b"), 1)], ("no", "yes"), (0.5, 0.5), 10
)
BELIEF = Belief.prior(PROBLEM)
STATE = State.start(PROBLEM)
OTHER = Problem([Feature("f", ("a", "b"), 1)], ("no", "yes"), (0.5, 0.5), 10)


def feature(**changes):
    return Feature(**{"name": "f", "values": ("a", "b"), "cost": 1, **changes})


def problem(**changes):
    parts = {"features": [feature()], "labels": ("x", "y"), "prior": (0.5, 0.5), "budget": 1}
    return Problem(**{**parts, **changes})


CALLS = {
    "prior count too large": lambda: feature(prior_counts=1e308),
    "prior count beyond floats": lambda: feature(prior_counts=10**400),
    "prior count too small": lambda: feature(prior_counts=1e-300),
    "prior counts of three dimensions": lambda: feature(prior_counts=np.ones((1, 1, 2))),
    "prior beyond floats": lambda: problem(prior=(10**400, 0.5)),
    "prior without dimension": lambda: problem(prior=np.array(0.5)),
    "prior as a mapping": lambda: problem(prior={"x": 0.5, "y": 0.5}),
    "prior of None": lambda: problem(prior=None),
    "labels of None": lambda: problem(labels=None),
    "observe an array": lambda: BELIEF.observe(np.array([0]), 0, 0),
    "observe None": lambda: BELIEF.observe(None, 0, 0),
    "observe too often": lambda: BELIEF.observe(0, 0, 0, times=HUGE),
    "ragged observations": lambda: Belief(PROBLEM, [[1], [1, 2]]),
    "observations beyond whole floats": lambda: Belief(
        PROBLEM, np.full((2, 4), 2**63, dtype=np.uint64)
    ),
    "posterior of a list": lambda: BELIEF.posterior([0, 1]),
    "posterior with an infinite prior": lambda: BELIEF.posterior({}, prior=(float("inf"), 1)),
    "a case behind the last value": lambda: BELIEF.log_likelihoods(np.array([[3, 0]])),
    "loss of a list": lambda: loss(BELIEF, ["gini"]),
    "loss of None": lambda: loss(BELIEF, None),
    "allocation of None": lambda: expected_loss(BELIEF, None),
    "allocation as a list": lambda: expected_loss(BELIEF, [1, 2]),
    "allocation too large": lambda: expected_loss(BELIEF, {(0, 0): HUGE}),
    "given as a number": lambda: lookahead(BELIEF, np.ones((2, 2), dtype=int), given=5),
    "ragged depths": lambda: lookahead(BELIEF, [[1], [1, 2]]),
    "depths too large": lambda: lookahead(BELIEF, np.full((2, 2), 10**7)),
    "generator of None kind": lambda: loss(BELIEF, engine="particles", rng="seed"),
    "negative seed": lambda: loss(BELIEF, engine="particles", rng=-1),
    "particles beyond measure": lambda: loss(BELIEF, engine="particles", particles=HUGE),
    "zero_one of too many outcomes": lambda: expected_loss(
        BELIEF, {(0, 0): 10**4, (0, 1): 10**4}, "zero_one"
    ),
    "policy of None": lambda: policy(None),
    "policy of a list": lambda: policy(["sfl"]),
    "policy with an engine that is not there": lambda: policy("sfl", engine="magic"),
    "policy with negative particles": lambda: policy("greedy", particles=-1),
    "a budget that looks too far ahead": lambda: policy("sfl").choose(
        State.start(problem(budget=10**7)), np.random.default_rng(0)
    ),
    "cases as a number": lambda: State.start(PROBLEM, 5),
    "cases beyond whole numbers": lambda: State.start(PROBLEM, (HUGE, 1)),
    "belief that is none": lambda: State.start(PROBLEM, belief=3),
    "more remaining than the budget": lambda: State(PROBLEM, BELIEF, PROBLEM.budget * 2),
    "cases left of another shape": lambda: State(
        PROBLEM, BELIEF, PROBLEM.budget, cases_left=np.ones((1, 2), dtype=np.int64)
    ),
    "a purchase of None": lambda: STATE.after(Purchase(None, 0, 0, 1)),
    "reserve a number": lambda: STATE.reserve(5),
    "synthetic features of None": lambda: Synthetic(features=None),
    "synthetic features in halves": lambda: Synthetic(features=2.5),
    "the true error of too many cases": lambda: Validation.of_model(
        problem(features=[feature(name=f"f{i}") for i in range(40)]), np.full((2, 80), 0.5)
    ),
    "a world of another problem": lambda: next(
        simulate(PROBLEM, policy("sfl"), ModelWorld(OTHER, np.full((2, 2), 0.5)))
    ),
    "a loss that is not there": lambda: next(
        simulate(PROBLEM, policy("sfl"), ModelWorld(PROBLEM, np.full((2, 4), 0.5)), loss="brier")
    ),
    "a seed below zero": lambda: next(
        simulate(PROBLEM, policy("sfl"), ModelWorld(PROBLEM, np.full((2, 4), 0.5)), seed=-1)
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_odd_input_gets_an_error_of_our_own(call):
    with pytest.raises(BudgetedError) as caught:
        call()
    assert len(str(caught.value)) > 15
    assert Belief.prior(PROBLEM) == BELIEF
    assert STATE.spent == 0


def test_numpy_numbers_are_as_good_as_pythons():
    rng = np.random.default_rng(0)
    chosen = policy("sfl", max_depth=np.int64(3)).choose(STATE, rng)
    assert chosen is not None
    assert feature(prior_counts=np.float64(2)).prior_counts == 2.0
    assert problem(prior=np.array([0.25, 0.75])).prior == (0.25, 0.75)
    assert BELIEF.observe(np.int64(1), np.int64(0), np.int64(1), np.int64(2)).observed.sum() == 2
    assert expected_loss(BELIEF, {(np.int64(0), 0): np.int64(3)}) < loss(BELIEF)


def test_a_state_made_by_hand_has_an_endless_supply():
    made = State(PROBLEM, BELIEF, PROBLEM.budget)
    assert made.affordable() == State.start(PROBLEM).affordable()


def test_a_belief_stays_read_only_in_another_process():
    twin = pickle.loads(pickle.dumps(BELIEF))
    assert twin == BELIEF
    assert not twin.observed.flags.writeable


def test_a_world_keeps_its_own_copy_of_the_model():
    parameters = np.full((2, 4), 0.5)
    world = ModelWorld(PROBLEM, parameters, seed=1)
    parameters[:] = 2.0
    assert world.parameters.max() == 0.5


@pytest.mark.parametrize("engine", ["enumeration", "particles"])
def test_three_labels_stand_a_value_that_is_next_to_impossible(engine):
    certain = Feature("certain", ("always", "never"), 1, prior_counts=(1.0, 1e-17))
    three = Problem([certain, Feature("f", ("a", "b"), 1)], ("x", "y", "z"), (0.2, 0.3, 0.5), 9)
    belief = Belief.prior(three).observe("f", "x", "a")
    now = loss(belief, engine=engine)
    then = expected_loss(belief, {("certain", "x"): 2, ("certain", "z"): 5}, engine=engine)
    assert then == pytest.approx(now, abs=1e-10 + 4 * (now.standard_error + then.standard_error))
