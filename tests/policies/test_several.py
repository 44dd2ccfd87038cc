"""Several requests from one decision."""

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase, State
from budgeted.policies import policy
from budgeted.policies.base import Several
from budgeted.problem import Action
from budgeted.state.revisions import corrected, with_budget


class Counting:
    """A policy, and how often it was asked."""

    def __init__(self, name="auto"):
        self._policy, self.times = policy(name), 0

    def choose(self, state, rng):
        self.times += 1
        return self._policy.choose(state, rng)


def make_problem(budget=1000):
    features = [Feature(name, ("no", "some", "much"), 1) for name in ("a", "b")]
    return Problem(features, ("x", "y"), (0.5, 0.5), budget)


def knowing(problem, counts=((4, 4, 4), (6, 3, 3))):
    """A state in which a handful of several values of a feature is best, by a tenth or so."""
    state = State.start(problem, (500, 500))
    for label, row in enumerate(counts):
        for value in np.repeat(range(3), row).tolist():
            state = state.after(Purchase(0, label, value, 1)).after(Purchase(1, label, value, 1))
    return state


def test_a_batch_is_handed_out_without_deciding_again():
    state, decide = knowing(make_problem()), Counting()
    several, rng = Several(decide), np.random.default_rng(0)
    first = several.choose(state, rng)
    number = first.batch
    assert number >= 8, "or this example says nothing"
    assert f"the best use of the next {number};" in first.reason
    handed = [first]
    for _ in range(number - 1):
        state = state.reserve(handed[-1].action)
        handed.append(several.choose(state, rng))
    assert decide.times == 1
    assert {each.action.feature for each in handed} == {first.action.feature}
    labels = [each.action.label for each in handed]
    assert labels.count(0) == labels.count(1)
    assert all(each.reason == first.reason and each.scores == first.scores for each in handed)
    several.choose(state.reserve(handed[-1].action), rng)
    assert decide.times == 2


def test_each_is_of_the_label_with_the_fewest_values():
    """There are many more values of one label: the batch makes up for it."""
    state = knowing(make_problem(), ((8, 8, 8), (3, 4, 1)))
    several, rng = Several(policy("auto")), np.random.default_rng(0)
    first = several.choose(state, rng)
    assert first.batch >= 8, "or this example says nothing"
    for _ in range(first.batch):
        choice = several.choose(state, rng)
        assert choice.action.label == 1
        state = state.reserve(choice.action)


def change_value(state, taken):
    return state.after(Purchase(*taken, 1, 1, number=state.next_number - 1))


def change_other(state, _taken):
    return state.reserve((1, 0)).reserve((1, 1))


def change_cancelled(state, _taken):
    return state.release(state.next_number - 1)


def change_correction(state, _taken):
    return corrected(state, 1, 2)


def change_budget(state, _taken):
    return with_budget(state, 900)


CHANGES = [change_value, change_other, change_cancelled, change_correction, change_budget]


@pytest.mark.parametrize("change", CHANGES)
def test_what_happens_meanwhile_ends_the_batch(change):
    state, decide = knowing(make_problem()), Counting()
    several, rng = Several(decide), np.random.default_rng(0)
    first = several.choose(state, rng)
    assert first.batch > 1
    state = change(state.reserve(first.action), first.action)
    found = several.choose(state, np.random.default_rng(1))
    assert decide.times == 2
    assert found == policy("auto").choose(state, np.random.default_rng(1))


@pytest.mark.parametrize(("budget", "cases"), [(51, (500, 500)), (40, (3, 2))])
def test_a_batch_ends_with_the_money_and_with_the_cases(budget, cases):
    """Of the first 51 three are left; in the second there are five cases."""
    problem, rng = make_problem(budget), np.random.default_rng(0)
    state = knowing(problem) if budget == 51 else State.start(problem, cases)
    several, taken = Several(policy("auto")), []
    while (choice := several.choose(state, rng)) is not None:
        assert isinstance(choice.action, Action)
        taken.append(tuple(choice.action))
        state = state.reserve(choice.action)
    if budget == 51:
        assert len(taken) == 3
    else:
        assert sorted(taken) == [(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 3 + [(1, 1)] * 2


@pytest.mark.parametrize("name", ["round-robin", "sfl", "exp3"])
def test_policies_without_batches_decide_each_time(name):
    decide = Counting(name)
    several, state = Several(decide), State.start(make_problem(budget=20))
    for number in range(3):
        choice = several.choose(state, np.random.default_rng(number))
        assert choice == policy(name).choose(state, np.random.default_rng(number))
        state = state.reserve(choice.action)
    assert decide.times == 3
