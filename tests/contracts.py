"""What every policy must do, whatever it thinks: run on each one in test_policies.py."""

from __future__ import annotations

import numpy as np

from budgeted import Feature, Problem, Purchase, State
from budgeted.worlds import TableWorld


def make_problem(costs, *, labels=2, budget="10", values=2):
    return Problem(
        features=[
            Feature(f"f{i}", [str(k) for k in range(values)], cost) for i, cost in enumerate(costs)
        ],
        labels=[f"label {j}" for j in range(labels)],
        prior=[1 / labels] * labels,
        budget=budget,
    )


def make_world(problem, cases_per_label, seed):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(problem.labels)), cases_per_label)
    values = rng.integers(0, problem.sizes[0], (len(labels), len(problem.features)))
    # The first feature tells the labels apart, and some cells are missing.
    values[:, 0] = labels % problem.sizes[0]
    values[rng.random(values.shape) < 0.1] = -1
    return TableWorld(problem, values, labels, seed)


def play(policy, problem, cases_per_label, seed=0):
    """Spend everything, checking each step; return the final state and the purchases."""
    world = make_world(problem, cases_per_label, seed)
    stock, state = world.open(), State.start(problem, world.cases)
    for step in range(10_000):
        choice = policy.choose(state, np.random.default_rng([seed, step]))
        again = policy.choose(state, np.random.default_rng([seed, step]))
        assert choice == again, "same state and seed, same choice"
        if choice is None:
            assert not state.affordable(), "stops only when nothing is affordable"
            return state
        assert choice.action in state.affordable()
        assert set(choice.scores) <= set(state.affordable())
        assert not choice.scores or choice.action in choice.scores
        assert all(np.isfinite(score) for score in choice.scores.values())
        assert choice.reason
        answer = stock.buy(choice.action)
        cost = problem.features[choice.action.feature].cost
        state = state.after(Purchase(*choice.action, answer.value, cost, answer.case))
        assert state.spent + state.reserved + state.free == problem.budget
        assert state.spent <= problem.budget
    raise AssertionError("never stops")


def check_equal_costs(policy):
    state = play(policy, make_problem(["1"] * 3, budget="17"), (50, 50))
    assert len(state.history) == 17
    assert state.free == 0


def check_decimal_costs(policy):
    state = play(policy, make_problem(["0.1"] * 2, budget="0.3"), (50, 50))
    assert len(state.history) == 3
    assert state.free == 0


def check_unequal_costs(policy):
    state = play(policy, make_problem(["0.7", "3", "1.1"], budget="20.05"), (50, 50))
    assert state.free < min(feature.cost for feature in state.problem.features)


def check_nothing_affordable(policy):
    problem = make_problem(["5", "6"], budget="4.99")
    assert policy.choose(State.start(problem), np.random.default_rng(0)) is None


def check_zero_budget(policy):
    problem = make_problem(["1"], budget="0")
    assert policy.choose(State.start(problem), np.random.default_rng(0)) is None


def check_exhausted_pool(policy):
    """More money than there is to buy: every value is bought, none twice."""
    state = play(policy, make_problem(["1"] * 3, budget="1000"), (4, 3))
    assert len(state.history) == 3 * 7
    assert len({(each.case, each.feature) for each in state.history}) == 3 * 7


def check_label_without_cases(policy):
    state = play(policy, make_problem(["1"] * 2, budget="9"), (6, 0))
    assert {each.label for each in state.history} == {0}
    assert len(state.history) == 9


def check_no_case_at_all(policy):
    problem = make_problem(["1"] * 2, budget="9")
    assert policy.choose(State.start(problem, cases=(0, 0)), np.random.default_rng(0)) is None


def check_three_labels(policy):
    state = play(policy, make_problem(["1"] * 2, labels=3, budget="8", values=3), (9, 9, 9))
    assert len(state.history) == 8


def check_pending(policy):
    """Requests under way are spent money, and their cases are gone."""
    problem = make_problem(["2", "3"], budget="31")
    state = State.start(problem, cases=(2, 3))
    for step in range(100):
        choice = policy.choose(state, np.random.default_rng(step))
        if choice is None:
            break
        state = state.reserve(choice.action)
        assert state.reserved <= problem.budget
    assert not state.affordable()
    assert state.spent == 0
    for action, number in state.under_way().items():
        assert number <= (2, 3)[action.label]
    assert state.reserved + state.free == problem.budget


def check_pending_then_told(policy):
    """Answers that come back in another order leave nothing undone."""
    problem = make_problem(["1"] * 3, budget="12")
    state, rng = State.start(problem, cases=(9, 9)), np.random.default_rng(3)
    while True:
        while len(state.pending) < 3:
            choice = policy.choose(state, np.random.default_rng(state.next_number))
            if choice is None:
                break
            state = state.reserve(choice.action)
        if not state.pending:
            break
        request = state.pending[int(rng.integers(len(state.pending)))]
        if rng.random() < 0.2:
            state = state.release(request.number)
            continue
        told = Purchase(*request.action, int(rng.integers(2)), request.cost, number=request.number)
        state = state.after(told)
    assert state.spent == 12
    assert len(state.history) == 12


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]
