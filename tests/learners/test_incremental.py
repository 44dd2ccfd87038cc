"""Errors after each of many purchases, corrections and withdrawals are those of a fresh start."""

from fractions import Fraction
from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem
from budgeted.learners import NaiveBayes, fitted
from budgeted.learners.belief import Belief
from budgeted.problem.orders import Purchase
from budgeted.simulation.judge import Judge, Validation
from tests.oracles import counts_of

PRIORS = ((0.5, 0.5), (0.25, 0.75), (0.5, 0.25, 0.25))
"""Exact in binary, as the prior counts are: the oracle knows then what is a tie."""


@st.composite
def judged(draw):
    """A problem, cases to be judged on, some of them known in part, and their labels."""
    prior = draw(st.sampled_from(PRIORS))
    labels = len(prior)
    sizes = draw(st.lists(st.integers(2, 3), min_size=1, max_size=3))
    features = [
        Feature(f"f{at}", [str(value) for value in range(size)], 1, draw(st.sampled_from((0.5, 1))))
        for at, size in enumerate(sizes)
    ]
    problem = Problem(features, [f"l{at}" for at in range(labels)], prior, 100)
    rows = st.tuples(*[st.integers(-1, size - 1) for size in sizes])
    cases = draw(st.lists(st.tuples(rows, st.integers(0, labels - 1)), min_size=1, max_size=12))
    return problem, np.array([row for row, _ in cases]), np.array([label for _, label in cases])


def error_by_hand(belief, cases, labels):
    """Share of wrong votes by fractions, so that a tie is a tie; tied labels share the vote."""
    model = counts_of(belief)
    right = Fraction(0)
    for case, label in zip(cases.tolist(), labels.tolist(), strict=True):
        chances = [
            Fraction(share)
            * prod(
                Fraction(model[at][other][value]) / sum(map(Fraction, model[at][other]))
                for at, value in enumerate(case)
                if value >= 0
            )
            for other, share in enumerate(belief.problem.prior)
        ]
        if chances[label] == max(chances):
            right += Fraction(1, chances.count(max(chances)))
    return 1 - right / len(labels)


@given(judged(), st.data())
@settings(max_examples=60, deadline=None)
def test_one_judge_says_what_a_fresh_one_says_and_fractions_do(world, data):
    problem, cases, labels = world
    validation = Validation.of_table(problem, cases, labels)
    judge, belief, bought = Judge(validation), Belief.prior(problem), []
    for _ in range(data.draw(st.integers(1, 12))):
        step = data.draw(st.sampled_from(["buy", "buy", "correct", "withdraw"]))
        if step != "buy" and bought:
            old = bought.pop(data.draw(st.integers(0, len(bought) - 1)))
            belief = belief.retract_at(old.feature, old.label, old.value)
        if step != "withdraw":
            feature = data.draw(st.integers(0, len(problem.features) - 1))
            label = data.draw(st.integers(0, len(problem.labels) - 1))
            value = data.draw(st.integers(0, len(problem.features[feature].values) - 1))
            bought.append(Purchase(feature, label, value, 1))
            belief = belief.observe_at(feature, label, value)
        if data.draw(st.booleans()):
            continue  # more than one change until the next look
        anew = NaiveBayes().fit(problem, bought)
        short = fitted(NaiveBayes(), problem, bought, belief)
        np.testing.assert_array_equal(short.members, anew.members)
        error = judge.error(short)
        assert error == validation.error(anew)
        assert abs(error - error_by_hand(belief, cases, labels)) < 1e-12


def test_hundreds_of_changes_leave_no_trace():
    """Scores are equal to the last bit to those of the last classifier alone."""
    rng = np.random.default_rng(1)
    features = [Feature(f"f{at}", ("a", "b", "c"), 1, 0.01) for at in range(20)]
    problem = Problem(features, ("x", "y"), (0.3, 0.7), 9)
    cases = rng.integers(-1, 3, (50, 20))
    kept, belief = {}, Belief.prior(problem)
    for _ in range(400):
        feature, label, value = (int(rng.integers(each)) for each in (20, 2, 3))
        belief = belief.observe_at(feature, label, value)
        last = NaiveBayes().of_belief(belief)
        scores = last.log_scores_again(cases, kept)
    np.testing.assert_array_equal(scores, last.log_scores_again(cases, {}))
    np.testing.assert_allclose(scores, last.log_scores(cases), rtol=0, atol=1e-12)
