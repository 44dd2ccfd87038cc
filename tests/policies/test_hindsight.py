"""Policies that learn from what each purchase did: their numbers by slow and obvious means."""

import math
import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem, Purchase, State
from budgeted.errors import PolicyError
from budgeted.learners.layout import layout_of
from budgeted.policies import hindsight as module
from budgeted.policies import policy
from budgeted.policies.bandits import probabilities
from budgeted.policies.hindsight import hindsight
from budgeted.state import revisions
from budgeted.testing import policies as contracts
from tests.strategies import ordinary_counts, problems


def slow_posterior(model, prior, case):
    """P(label | case) for a case {feature: value}, multiplied out one by one."""
    masses = []
    for label, share in enumerate(prior):
        rows = [(model[feature][label], value) for feature, value in case.items()]
        masses.append(share * math.prod(row[value] / math.fsum(row) for row, value in rows))
    return [mass / math.fsum(masses) for mass in masses]


def slow_hindsight(problem, history):
    """Accuracy and change after every purchase, each from scratch."""
    start = layout_of(problem).prior_counts
    accuracy, change = [], []
    for done in range(1, len(history) + 1):
        models = []
        for seen in (history[: done - 1], history[:done]):
            model = [
                [list(row) for row in start[:, offset : offset + size]]
                for offset, size in zip(
                    layout_of(problem).offsets, layout_of(problem).sizes, strict=True
                )
            ]
            for each in seen:
                if each.value is not None:
                    model[each.feature][each.label][each.value] += 1
            models.append(model)
        pool = {}
        for number, each in enumerate(history[:done]):
            if each.value is not None:
                key = ("alone", number) if each.case is None else each.case
                pool.setdefault(key, (each.label, {}))[1][each.feature] = each.value
        right, moved = [], []
        for label, case in pool.values():
            old, new = (slow_posterior(model, problem.prior, case) for model in models)
            best = [at for at, share in enumerate(new) if share > max(new) - 1e-11]
            right.append((label in best) / len(best))
            moved.append(sum(abs(a - b) for a, b in zip(old, new, strict=True)))
        if history[done - 1].value is None:
            accuracy.append(accuracy[-1] if accuracy else max(problem.prior))
            change.append(0.0)
        else:
            accuracy.append(statistics.fmean(right))
            change.append(statistics.fmean(moved))
    return accuracy, change


@st.composite
def states(draw, labels=2, costs=None):
    """States with a history: cases that overlap, values without a case, values that never came."""
    problem = draw(
        problems(labels=labels, features=(1, 4), values=(2, 3), prior_counts=ordinary_counts,
                 costs=costs)
    )  # fmt: skip
    state, sold = State.start(problem), set()
    for _ in range(draw(st.integers(0, 8))):
        if not state.affordable():
            break
        action = draw(st.sampled_from(state.affordable()))
        value = draw(st.none() | st.integers(0, layout_of(problem).sizes[action.feature] - 1))
        case = draw(st.none() | st.sampled_from([f"{action.label}-{each}" for each in range(4)]))
        if (case, action.feature) in sold:
            case = None
        sold.add((case, action.feature))
        cost = problem.features[action.feature].cost
        state = state.after(Purchase(*action, value, cost, case))
    return state


@given(st.integers(2, 3).flatmap(lambda labels: states(labels=labels)))
@settings(max_examples=80)
def test_hindsight_is_what_brute_force_says(state):
    past = hindsight(state)
    accuracy, change = slow_hindsight(state.problem, state.history)
    assert past.accuracy == pytest.approx(accuracy, abs=1e-12)
    assert past.change == pytest.approx(change, abs=1e-12)
    assert past.history == state.history
    assert past.belief == state.belief


@given(states(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_what_was_computed_before_changes_nothing(state, random):
    """Same state, same hindsight to the last bit: alone, continued, and after other runs."""
    module._recent.clear()
    alone = hindsight(state)
    module._recent.clear()
    steps = [State.start(state.problem)]
    for each in state.history:
        steps.append(steps[-1].after(Purchase(*each.action, each.value, each.cost, each.case)))
    for step in steps:
        hindsight(step)
    other_start = Belief.prior(state.problem).observe(0, 0, 0)
    other = State.start(state.problem, belief=other_start)
    for each in state.history[:3]:
        other = other.after(Purchase(*each.action, each.value, each.cost, each.case))
    hindsight(other)
    continued = hindsight(steps[-1])
    assert (continued.accuracy, continued.change) == (alone.accuracy, alone.change)
    random.shuffle(module._recent)
    again = hindsight(state)
    assert (again.accuracy, again.change) == (alone.accuracy, alone.change)


def test_a_history_on_another_belief_is_another_history():
    problem = contracts.make_problem(["1", "1"])
    informed = Belief.prior(problem).observe(0, 1, 1, times=40).observe(0, 0, 0, times=40)
    bought = Purchase(0, 1, 0, "1", case="a")
    flat = hindsight(State.start(problem).after(bought))
    known = hindsight(State.start(problem, belief=informed).after(bought))
    assert flat.accuracy == (1.0,)
    assert known.accuracy == (0.0,)
    assert known.belief == informed.observe(0, 1, 0)


def test_a_corrected_value_is_seen_in_hindsight():
    state = State.start(contracts.make_problem(["1", "1"]))
    for value in (0, 1, 1):
        state = state.after(Purchase(0, 1, value, "1"))
    hindsight(state)
    corrected = revisions.corrected(state, 1, 1)
    accuracy, change = slow_hindsight(corrected.problem, corrected.history)
    assert hindsight(corrected).accuracy == pytest.approx(accuracy)
    assert hindsight(corrected).change == pytest.approx(change)


def test_hindsight_continues_instead_of_beginning_again(monkeypatch):
    """A run of n purchases looks at n of them, not at n²/2."""
    judged = []
    scores = module._scores
    monkeypatch.setattr(module, "_scores", lambda *all_: judged.append(1) or scores(*all_))
    state = State.start(contracts.make_problem(["1"] * 3, budget="200"))
    rng = np.random.default_rng(1)
    for step in range(120):
        for name in ("exp3", "exp3c", "fel", "abr2", "rbr2", "wbr2"):
            policy(name).choose(state, np.random.default_rng(step))
        cell = (int(rng.integers(3)), int(rng.integers(2)))
        state = state.after(Purchase(*cell, int(rng.integers(2)), "1"))
    assert len(judged) <= 2 * 120


def slow_exp3(features, plays, gamma):
    """Exp3 as Auer et al. print it, with logarithms of weights."""
    logs = np.zeros(features)
    for feature, reward in plays:
        shares = np.exp(logs - logs.max())
        chances = (1 - gamma) * shares / shares.sum() + gamma / features
        logs[feature] += gamma * reward / chances[feature] / features
    shares = np.exp(logs - logs.max())
    return (1 - gamma) * shares / shares.sum() + gamma / features


def test_exp3_survives_long_runs():
    plays = [(step % 3, 1.0) for step in range(30_000)]
    assert probabilities(3, plays, 0.5) == pytest.approx(slow_exp3(3, plays, 0.5), rel=1e-6)


costs = st.sampled_from(["0.5", "1", "2"])


@given(states(costs=costs), st.sampled_from([0.05, 0.4]))
@settings(max_examples=60)
def test_exp3_draws_by_its_rule(state, gamma):
    choice = policy("exp3", gamma=gamma).choose(state, np.random.default_rng(0))
    if choice is None:
        return
    problem = state.problem
    accuracy, _ = slow_hindsight(problem, state.history)
    lowest = min(feature.cost for feature in problem.features)
    plays = [
        (each.feature, right * float(lowest / problem.features[each.feature].cost))
        for each, right in zip(state.history, accuracy, strict=True)
    ]
    chances = slow_exp3(len(problem.features), plays, gamma)
    affordable = state.affordable()
    left = {action.feature for action in affordable}
    for action, score in choice.scores.items():
        labels = [each.label for each in affordable if each.feature == action.feature]
        chance = chances[action.feature] / sum(chances[feature] for feature in left)
        chance *= problem.prior[action.label] / sum(problem.prior[label] for label in labels)
        assert 1 - score == pytest.approx(chance, rel=1e-9)
    assert sum(1 - score for score in choice.scores.values()) == pytest.approx(1)


@given(states(costs=costs), st.sampled_from([0.05, 0.4]))
@settings(max_examples=60)
def test_exp3c_keeps_the_labels_apart(state, gamma):
    choice = policy("exp3c", gamma=gamma).choose(state, np.random.default_rng(0))
    if choice is None:
        return
    problem = state.problem
    accuracy, _ = slow_hindsight(problem, state.history)
    lowest = min(feature.cost for feature in problem.features)
    affordable = state.affordable()
    labels = {action.label for action in affordable}
    for action, score in choice.scores.items():
        plays = [
            (each.feature, right * float(lowest / problem.features[each.feature].cost))
            for each, right in zip(state.history, accuracy, strict=True)
            if each.label == action.label
        ]
        chances = slow_exp3(len(problem.features), plays, gamma)
        here = [each.feature for each in affordable if each.label == action.label]
        chance = chances[action.feature] / sum(chances[feature] for feature in here)
        chance *= problem.prior[action.label] / sum(problem.prior[label] for label in labels)
        assert 1 - score == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize("name", ["exp3", "exp3c"])
def test_cells_are_drawn_as_often_as_the_scores_say(name):
    state = State.start(contracts.make_problem(["1", "4"], budget="100"))
    for label, value in ((0, 0), (1, 1), (1, 1), (0, 0)):
        state = state.after(Purchase(0, label, value, "1"))
    choices = [
        policy(name, gamma=0.3).choose(state, np.random.default_rng(seed)) for seed in range(1000)
    ]
    drawn = Counter(choice.action for choice in choices)
    for action, score in choices[0].scores.items():
        chance = 1 - score
        assert abs(drawn[action] - 1000 * chance) < 4 * np.sqrt(1000 * chance * (1 - chance))


@given(states(costs=costs), st.integers(0, 2**32), st.integers(0, 2))
@settings(max_examples=60)
def test_fel_follows_the_expected_leader(state, seed, asked):
    for _ in range(asked):
        if state.affordable():
            state = state.reserve(state.affordable()[-1])
    choice = policy("fel", epsilon=0.2).choose(state, np.random.default_rng(seed))
    if choice is None:
        return
    problem = state.problem
    accuracy, _ = slow_hindsight(problem, state.history)
    now = accuracy[-1] if accuracy else max(problem.prior)
    lowest = min(feature.cost for feature in problem.features)
    noise = np.random.default_rng(seed).uniform(0, 5, len(problem.features))
    means = []
    for feature, extra in enumerate(noise):
        share = float(lowest / problem.features[feature].cost)
        errors = [
            1 - right * share
            for each, right in zip(state.history, accuracy, strict=True)
            if each.feature == feature
        ]
        errors += [1 - now * share for each in state.pending if each.feature == feature]
        means.append((sum(errors) + extra) / (len(errors) + 1))
    possible = {action.feature for action in state.affordable()}
    assert choice.action.feature == min(possible, key=lambda feature: means[feature])
    for action, score in choice.scores.items():
        assert score == pytest.approx(means[action.feature])


THRESHOLDS = {
    "abr2": ({"alpha": 0.05}, lambda earlier: 0.05),
    "rbr2": ({"share": 0.6}, lambda earlier: 0.6 * earlier[-1] if earlier else 0.0),
    "wbr2": ({"window": 3}, lambda earlier: statistics.median(earlier[-3:]) if earlier else 0.0),
}


@pytest.mark.parametrize("name", THRESHOLDS)
@given(state=states(costs=costs))
@settings(max_examples=80)
def test_robins_stay_while_the_classifier_changes_enough(name, state):
    parameters, threshold = THRESHOLDS[name]
    choice = policy(name, **parameters).choose(state, np.random.default_rng(0))
    if choice is None:
        return
    problem = state.problem
    _, changes = slow_hindsight(problem, state.history)
    lowest = min(feature.cost for feature in problem.features)
    changes = [
        change * float(lowest / problem.features[each.feature].cost)
        for each, change in zip(state.history, changes, strict=True)
    ]
    possible = sorted({action.feature for action in state.affordable()})
    last = state.history[-1] if state.history else None
    stay = False
    if last is not None and last.value is not None:
        if abs(changes[-1] - threshold(changes[:-1])) < 1e-9:
            return  # too close to say by other arithmetic
        stay = changes[-1] > threshold(changes[:-1])
    if stay and last.feature in possible:
        assert choice.action.feature == last.feature
    elif last is None:
        assert choice.action.feature == possible[0]
    else:
        behind = [feature for feature in possible if feature > last.feature]
        assert choice.action.feature == (behind or possible)[0]


@pytest.mark.parametrize("name", THRESHOLDS)
def test_robins_go_on_while_the_last_request_is_not_back(name):
    state = State.start(contracts.make_problem(["1", "1"])).reserve((0, 0))
    choice = policy(name).choose(state, np.random.default_rng(0))
    assert choice.action.feature == 1
    assert "no last value" in choice.reason


def test_answers_in_another_order_are_judged_by_what_was_asked_last():
    """The last request is answered first: its change counts, not that of the last answer."""
    start = State.start(contracts.make_problem(["1", "1"])).reserve((0, 1)).reserve((1, 1))
    second = start.after(Purchase(1, 1, 1, "1", number=2))
    both = second.after(Purchase(0, 1, None, "1", number=1))
    assert policy("abr2").choose(both, np.random.default_rng(0)).action.feature == 1


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("exp3", {"gamma": 0}, "gamma: must be a number above 0 and at most 1, got 0"),
        ("exp3c", {"gamma": 1.5}, "gamma"),
        ("fel", {"epsilon": "little"}, "epsilon"),
        ("abr2", {"alpha": -0.1}, "alpha: must be a number above 0, got -0.1"),
        ("rbr2", {"share": float("inf")}, "share"),
        ("wbr2", {"window": 0}, "window: must be a whole number from 1, got 0"),
    ],
)
def test_wrong_parameters_are_explained(name, parameters, says):
    with pytest.raises(PolicyError, match=says):
        policy(name, **parameters)


def test_a_feature_that_is_bought_out_is_left_out_of_the_draw():
    features = [Feature(name, ("a", "b"), 1) for name in ("f", "g")]
    problem = Problem(features, ("no", "yes"), (0.3, 0.7), 10)
    state = State.start(problem, cases=(1, 1))
    for label in (0, 1):
        state = state.after(Purchase(0, label, label, "1"))
    for name in ("exp3", "exp3c"):
        scores = policy(name).choose(state, np.random.default_rng(0)).scores
        assert scores == pytest.approx({(1, 0): 0.7, (1, 1): 0.3})
