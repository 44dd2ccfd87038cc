"""Several requests from one decision."""

from collections import Counter

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase, State
from budgeted.policies import policy
from budgeted.policies.auto import in_turns
from budgeted.policies.base import several
from budgeted.problem import Action
from budgeted.state.revisions import corrected, with_budget
from budgeted.value import expected_loss, loss


class Counting:
    """The default, and how often it was asked."""

    def __init__(self, name="auto"):
        self._policy = policy(name)
        self.times = 0
        self.under_way = []
        if hasattr(self._policy, "next_best"):
            self.next_best = self._policy.next_best

    def choose(self, state, rng):
        self.times += 1
        self.under_way.append(state.under_way())
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


def test_a_handful_is_handed_out_without_deciding_again():
    state, decide = knowing(make_problem()), Counting()
    chooser, rng = several(decide), np.random.default_rng(0)
    first = chooser.choose(state, rng)
    number = 1 + len(first.plan)
    assert number >= 8, "or this example says nothing"
    assert f"the best use of the next {number};" in first.reason
    handed = [first]
    for _ in range(number - 1):
        state = state.reserve(handed[-1].action)
        handed.append(chooser.choose(state, rng))
    assert decide.times == 1
    assert {each.action.feature for each in handed} == {first.action.feature}
    labels = [each.action.label for each in handed]
    assert labels.count(0) == labels.count(1)
    assert all(each.reason == first.reason and each.scores == first.scores for each in handed)
    chooser.choose(state.reserve(handed[-1].action), rng)
    assert decide.times == 2


def test_what_is_handed_out_is_what_was_weighed():
    """Half of it of either label, though there are many more values of one of them."""
    state = knowing(make_problem(), ((8, 8, 8), (3, 4, 1)))
    choice = policy("auto").choose(state, np.random.default_rng(0))
    labels = [each.label for each in (choice.action, *choice.plan)]
    assert len(labels) >= 8, "or this example says nothing"
    assert labels.count(0) == labels.count(1)
    assert f"the best use of the next {len(labels)};" in choice.reason


@pytest.mark.parametrize(
    ("first", "shares", "labels"),
    [(0, [2, 2], [0, 1, 1, 0]), (1, [2, 0], [1, 0]), (1, [1, 0], [1]), (0, [0, 3], [0, 1, 1])],
)
def test_the_first_one_is_always_in_the_plan(first, shares, labels):
    order = in_turns(Action(0, first), np.array(shares), np.array([3.0, 1.0]))
    assert [each.label for each in order] == labels


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
def test_what_happens_meanwhile_ends_the_plan(change):
    state, decide = knowing(make_problem()), Counting()
    chooser, rng = several(decide), np.random.default_rng(0)
    first = chooser.choose(state, rng)
    assert first.plan
    state = change(state.reserve(first.action), first.action)
    found = chooser.choose(state, np.random.default_rng(1))
    assert decide.times == 2
    assert found == policy("auto").choose(state, np.random.default_rng(1))


def test_the_plan_ends_with_the_money_and_with_the_cases():
    rng = np.random.default_rng(0)
    state = knowing(make_problem(budget=51))  # three are left
    chooser = several(policy("auto"))
    taken = []
    while (choice := chooser.choose(state, rng)) is not None:
        taken.append(choice.action)
        state = state.reserve(choice.action)
    assert len(taken) == 3
    state = knowing(make_problem())
    chooser = several(policy("auto"))
    first = chooser.choose(state, rng)
    state = state.reserve(first.action)
    gone = state.resupplied([first.plan[0]], -int(state.cases_left[first.plan[0]]))
    assert chooser.choose(gone, rng).action != first.plan[0]


@pytest.mark.parametrize("name", ["round-robin", "sfl", "exp3"])
def test_policies_without_plans_decide_each_time(name):
    decide = Counting(name)
    chooser, state = several(decide), State.start(make_problem(budget=20))
    for number in range(3):
        choice = chooser.choose(state, np.random.default_rng(number))
        assert choice == policy(name).choose(state, np.random.default_rng(number))
        state = state.reserve(choice.action)
    assert decide.times == 3


def test_a_plan_never_exceeds_what_there_is():
    problem = make_problem(budget=40)
    state = State.start(problem, (3, 2))
    rng = np.random.default_rng(3)
    chooser, seen = several(policy("auto")), []
    while (choice := chooser.choose(state, rng)) is not None:
        assert isinstance(choice.action, Action)
        state = state.reserve(choice.action)
        seen.append(tuple(choice.action))
    assert sorted(seen) == [(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 3 + [(1, 1)] * 2


def crowd(name, state, number):
    """What so many people get who ask at the same moment: choices, the state, and who decided."""
    decide = Counting(name)
    chooser, handed = several(decide, shared=True), []
    for at in range(number):
        choice = chooser.choose(state, np.random.default_rng(at))
        if choice is None:
            break
        handed.append(choice)
        state = state.reserve(choice.action)
    return handed, state, decide


@pytest.mark.parametrize("name", ["sfl", "greedy"])
def test_a_crowd_shares_decisions_by_their_ranking(name):
    start = knowing(make_problem())
    handed, _, decide = crowd(name, start, 50)
    assert len(handed) == 50
    assert decide.times <= 20, "cells are few here, and each is handed out once per decision"
    state = start
    for at in range(4):  # few people get what they would get one by one
        choice = policy(name).choose(state, np.random.default_rng(at))
        assert handed[at] == choice
        state = state.reserve(choice.action)
    asked, decisions = Counter(), iter(decide.under_way)
    for choice in handed:
        score = choice.scores[choice.action]
        if choice.reason.startswith("least"):
            assert next(decisions) == asked, "a decision counts all before it as under way"
            rank, before = 1, score
        else:
            rank += 1
            assert f"number {rank} of one decision" in choice.reason
            assert score >= before - 1e-9, "the best first; ties may come in any order"
            before = score
        assert f"{score:.4f}" in choice.reason
        asked[choice.action] += 1
    assert next(decisions, None) is None


@pytest.mark.parametrize("known", [0, 3])
@pytest.mark.parametrize("features", [3, 12])
def test_sharing_decisions_costs_next_to_nothing(known, features):
    """What fifty requests together are worth, against fifty decisions one after the other."""
    made = [Feature(f"f{at}", ("no", "some", "much"), 1) for at in range(features)]
    problem = Problem(made, ("x", "y"), (0.5, 0.5), 400)
    state, draw = State.start(problem, (500, 500)), np.random.default_rng(7)
    for _ in range(20 * features):
        feature, label = int(draw.integers(features)), int(draw.integers(2))
        chances = ([0.7, 0.2, 0.1], [0.1, 0.2, 0.7])[label] if feature < known else [1 / 3] * 3
        state = state.after(Purchase(feature, label, int(draw.choice(3, p=chances)), 1))

    def worth(end):
        return float(loss(state.belief)) - float(expected_loss(state.belief, end.under_way()))

    _, together, decide = crowd("sfl", state, 50)
    alone = state
    for at in range(50):
        alone = alone.reserve(policy("sfl").choose(alone, np.random.default_rng(at)).action)
    assert decide.times <= 16
    assert worth(together) > 0.97 * worth(alone)


@pytest.mark.parametrize("change", CHANGES)
def test_what_happens_meanwhile_ends_the_ranking(change):
    state, decide = knowing(make_problem()), Counting("sfl")
    chooser, rng = several(decide, shared=True), np.random.default_rng(0)
    for _ in range(7):  # the sixth is shared with the seventh and the eighth
        choice = chooser.choose(state, rng)
        state = state.reserve(choice.action)
    before = decide.times
    state = change(state, choice.action)
    found = chooser.choose(state, np.random.default_rng(1))
    assert decide.times == before + 1
    assert found == policy("sfl").choose(state, np.random.default_rng(1))


def test_a_crowd_never_exceeds_what_there_is():
    handed, _, _ = crowd("sfl", State.start(make_problem(budget=40), (3, 2)), 100)
    seen = sorted(tuple(each.action) for each in handed)
    assert seen == [(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 3 + [(1, 1)] * 2
    handed, _, _ = crowd("sfl", State.start(make_problem(budget=7), (30, 20)), 100)
    assert len(handed) == 7
