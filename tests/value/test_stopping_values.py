"""What is weighed beyond a soft budget: errors, handfuls, and values bought one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem, Soft
from budgeted.errors import EngineError
from budgeted.learners import Hierarchical
from budgeted.optimal.stopping import solve_stopping
from budgeted.value import gains
from budgeted.value import held as held_module
from budgeted.value.held import Held
from budgeted.value.sequences import length_for, parameters_after, prospects


def a_problem(sizes, labels, budget=9):
    features = [
        Feature(f"f{at}", [str(value) for value in range(size)], 1) for at, size in enumerate(sizes)
    ]
    shares = np.arange(1, labels + 1) / (labels * (labels + 1) / 2)
    return Problem(features, [f"y{at}" for at in range(labels)], shares.tolist(), budget)


def seen(problem, seed, number=12):
    rng, belief = np.random.default_rng(seed), Belief.prior(problem)
    for _ in range(number):
        feature = int(rng.integers(len(problem.features)))
        value = int(rng.integers(len(problem.features[feature].values)))
        belief = belief.observe_at(feature, int(rng.integers(len(problem.labels))), value)
    return belief


def slow_error(problem, tables):
    """Every case: the masses of all labels but the largest."""
    wrong = 0.0
    for case in np.ndindex(*(len(each.values) for each in problem.features)):
        masses = np.array(problem.prior)
        for table, value in zip(tables, case, strict=True):
            masses = masses * table[:, value]
        wrong += masses.sum() - masses.max()
    return wrong


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(2, 3), min_size=1, max_size=4), st.integers(2, 3), st.integers(0, 99))
def test_errors_with_other_parameters_of_a_feature(sizes, labels, seed):
    problem = a_problem(sizes, labels)
    belief, rng = seen(problem, seed), np.random.default_rng(seed)
    every = range(len(sizes))
    held = Held.of(belief, list(every))
    for feature in every:
        tried = rng.dirichlet(np.ones(sizes[feature]), (3, labels))
        found = held.errors(feature, tried)
        for table, error in zip(tried, found, strict=True):
            tables = [table if at == feature else belief.mean(at) for at in every]
            assert error == pytest.approx(slow_error(problem, tables), abs=1e-12)
        now = slow_error(problem, [belief.mean(at) for at in every])
        assert held.now(feature) == pytest.approx(now, abs=1e-12)


@pytest.mark.parametrize(("labels", "close"), [(2, 1e-3), (3, 0.03)])
def test_a_grid_or_cases_that_are_drawn_give_nearly_the_same(monkeypatch, labels, close):
    problem = a_problem([2, 3, 2, 3], labels)
    for seed in range(5):
        belief = seen(problem, seed, 40)
        exact = Held.of(belief, [0]).now(0)
        with monkeypatch.context() as few:
            few.setattr(held_module, "MOST_CASES", 1)
            assert Held.of(belief, [0]).now(0) == pytest.approx(exact, abs=close)


@pytest.mark.parametrize("worth", [20, 100, 400])
def test_values_one_by_one_are_the_programme_of_a_single_feature(worth):
    soft = Soft(0, length_for(2, 2), str(worth / 100), "0.2")
    problem = a_problem([2], 2).but(budget=soft)
    belief = Belief.prior(problem).observe_at(0, 0, 1)
    start = Belief.prior(problem)
    optimum = solve_stopping(start).choices(start)
    held = Held.of(start, [0])
    costs = [(1.2, 1.2)] * length_for(2, 2)
    found = prospects(start, held, 0, costs, (99, 99), worth)
    best = min(cost for cell, cost in optimum.items() if cell is not None)
    assert found.paid + worth * (held.now(0) - found.saved) == pytest.approx(best, abs=1e-3 * worth)
    assert belief.total == 1


def test_no_more_values_are_bought_than_there_are():
    problem = a_problem([2], 2)
    belief = Belief.prior(problem)
    held = Held.of(belief, [0])
    found = prospects(belief, held, 0, [(1.0, 1.0)] * 5, (1, 0), worth=1e6)
    assert found.paid == 1
    assert prospects(belief, held, 0, [(1.0, 1.0)] * 5, (0, 0), worth=1e6).paid == 0


def test_parameters_after_more_values_are_those_that_the_learner_would_have():
    """Of a single feature exactly; with others, what is learned of them all is not carried over."""
    problem = a_problem([3], 2)
    belief = seen(problem, 3, 6)
    known = Hierarchical().believed(belief)
    more = np.array([[[0, 0, 0], [0, 0, 0]], [[2, 0, 1], [0, 3, 0]], [[0, 0, 4], [1, 0, 0]]], float)
    found = parameters_after(known, 0, more)
    for extra, parameters in zip(more, found, strict=True):
        later = Hierarchical().posterior(problem, known.counts + extra)
        np.testing.assert_allclose(parameters, later.expected, atol=1e-9)
    plain = parameters_after(belief, 0, more)
    np.testing.assert_allclose(plain[0], belief.mean(0))


def test_handfuls_of_what_the_default_learner_believes_save_mistakes():
    """One value of each label of a single feature: the four outcomes, one by one."""
    problem = a_problem([2], 2)
    belief = seen(problem, 8, 5)
    known = Hierarchical().believed(belief)
    now = slow_error(problem, [known.expected])
    later = 0.0
    for first in range(2):
        one = belief.observe_at(0, 0, first)
        for second in range(2):
            both = one.observe_at(0, 1, second)
            chance = known.expected[0, first] * Hierarchical().believed(one).expected[1, second]
            later += chance * slow_error(problem, [Hierarchical().believed(both).expected])
    found = gains(known, "zero_one").gains(np.array([[1, 1]]))[0]
    assert found == pytest.approx(now - later, abs=3e-3)  # common shares are approximated


def test_another_kind_of_belief_is_refused_in_words():
    class Odd(Belief):
        means = property(lambda self: self.counts)

    with pytest.raises(EngineError, match="looking ahead one by one needs"):
        parameters_after(Odd.prior(a_problem([2], 2)), 0, np.zeros((1, 2, 2)))
