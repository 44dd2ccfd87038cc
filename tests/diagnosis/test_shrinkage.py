"""How much cases count beside a model: little where it is right, much where tests go together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, Purchase
from budgeted.diagnosis import ActiveClassifier, Experience, Strategy
from budgeted.diagnosis.beliefs import Beliefs
from budgeted.diagnosis.shrinkage import Shrinkage
from budgeted.diagnosis.terms import diagnose_all
from budgeted.learners import NaiveBayes
from budgeted.learners.model import Model
from budgeted.problem.prices import Panel, Tariff

PAIRS = [(first, second) for second in range(5) for first in range(second)]


def learned_from(values, labels, sizes=None, prior=None):
    """A model of single tests that has all of the cases, and the cases."""
    sizes = sizes or values.max(axis=0) + 1
    features = [Feature(f"x{at}", tuple("abcdef"[:size]), 1) for at, size in enumerate(sizes)]
    prior = prior or tuple(np.bincount(labels) / len(labels))
    problem = Problem(features, tuple("XYZ"[: len(prior)]), prior, 10)
    bought = [
        Purchase(at, int(label), int(value), 1)
        for row, label in zip(values, labels, strict=True)
        for at, value in enumerate(row)
        if value >= 0
    ]
    return Model.of(NaiveBayes().fit(problem, bought)), Experience(values, labels)


def independent(seed, number=400):
    """Five tests of three values, drawn for each label one by one: what the model assumes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=number)
    shares = rng.dirichlet([2, 2, 2], size=(5, 2))
    values = [[rng.choice(3, p=shares[at, label]) for at in range(5)] for label in labels]
    return np.array(values), labels


def exclusive_or(seed, number=400):
    """The same, but labels differ where one of the first two tests is in its upper half."""
    values, labels = independent(seed, number)
    rng = np.random.default_rng([seed, 1])
    values[:, 0] = rng.integers(2, size=number)
    noise = rng.random(number) < 0.1
    values[:, 1] = values[:, 0] ^ labels ^ noise
    return values, labels


def test_cases_drawn_from_the_model_leave_it_as_it_is():
    strengths = []
    for seed in range(5):
        learned = Shrinkage(*learned_from(*independent(seed)))
        strengths += [learned.lesson(pair).strength for pair in PAIRS]
    assert np.median(strengths) == np.inf
    assert np.mean(np.array(strengths) < 16) <= 0.05


def test_of_many_sets_none_counts_because_of_chance():
    """The model knows the truth from other cases; without a correction every sixth pair counts."""
    strengths = []
    for seed in range(10):
        values, labels = independent(seed, 4_000)
        model, _ = learned_from(values[200:], labels[200:])
        learned = Shrinkage(model, Experience(values[:200], labels[:200]))
        strengths += [learned.lesson(pair).strength for pair in PAIRS]
    assert np.mean(np.isfinite(strengths)) <= 0.05


@pytest.mark.parametrize("seed", range(3))
def test_tests_that_go_together_are_learned_and_kept_with_a_third_one(seed):
    learned = Shrinkage(*learned_from(*exclusive_or(seed)))
    assert learned.lesson((0, 1)).strength <= 16
    assert np.median([learned.lesson(pair).strength for pair in PAIRS if pair != (0, 1)]) >= 128
    for third in (2, 3, 4):
        lesson = learned.lesson((0, 1, third))
        assert lesson.without == third
        assert lesson.strength >= 16  # the pair says it; a third test is what the model says


def beliefs_of_others(model, values, labels, case, tests, learned):
    """P(label) of a case by all others, in plain numbers, with what was learned of each set."""
    known = np.full(values.shape[1], -1)
    known[list(tests)] = values[case, list(tests)]
    said = model.probabilities(known[None, :])[0]
    lesson = learned.lesson(tests)
    if lesson.without is not None:
        less = tuple(test for test in tests if test != lesson.without)
        fewer = known.copy()
        fewer[lesson.without] = -1
        before = beliefs_of_others(model, values, labels, case, less, learned)
        said = said * before / model.probabilities(fewer[None, :])[0]
        said = said / said.sum()
    if np.isinf(lesson.strength):
        return said
    like = (values[:, list(tests)] == values[case, list(tests)]).all(axis=1)
    like[case] = False
    counts = np.array([(like & (labels == label)).sum() for label in range(len(said))])
    return (counts + lesson.strength * said) / (counts.sum() + lesson.strength)


@pytest.mark.parametrize("tests", [(0,), (0, 1), (0, 1, 3), (0, 1, 2, 4)])
def test_no_case_counts_for_its_own_label(tests):
    values, labels = exclusive_or(3, 120)
    model, seen = learned_from(values, labels)
    learned = Shrinkage(model, seen)
    own = learned.own(tests)
    for case in range(0, 120, 7):
        expected = beliefs_of_others(model, values, labels, case, tests, learned)
        assert own[case].tolist() == pytest.approx(expected.tolist())


def test_what_is_believed_does_not_depend_on_what_was_known_first():
    """The row and the tests ahead of it are two ways to say the same situation."""
    model, seen = learned_from(*exclusive_or(3))
    beliefs = Beliefs(model, seen)
    ahead = beliefs.chances((-1,) * 5, (4, 1, 0, 2), [(0, 1, 2, 3)])[0]
    for values in ((0, 1, 1, 2), (2, 0, 1, 0)):
        row = (values[2], values[1], values[3], -1, values[0])
        now = beliefs.chances(row, (), [()])[0]
        assert ahead[values].tolist() == pytest.approx(now.tolist())


@pytest.mark.parametrize("number", [60, 200, 1_000])
def test_tests_that_repeat_each_other_do_not_look_like_two_that_agree(number):
    """Both are right of three cases in four, and always say the same."""
    rng = np.random.default_rng(number)
    labels = np.arange(number) % 2
    one = np.where(np.arange(number) // 2 % 4 == 0, 1 - labels, labels)
    values = np.stack([one, one, rng.integers(2, size=number)], axis=1)
    model, seen = learned_from(values, labels)
    prices = dict.fromkeys(("x0", "x1", "x2"), 1)
    strategy = Strategy.of(ActiveClassifier(model, prices, limit=2, experience=seen))
    assert strategy.error == pytest.approx(0.25, abs=0.04)


@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from([0, 1, 3, 4.5, 7, 12]))
@settings(max_examples=25, deadline=None)
def test_no_case_costs_more_than_its_limit_with_a_panel_and_cases_in_part(seed, number, limit):
    rng = np.random.default_rng(seed)
    values = rng.integers(-1, 3, size=(number, 4))
    labels = rng.integers(3, size=number)
    model, seen = learned_from(values, labels, (3,) * 4, (0.5, 0.3, 0.2))
    panel = Panel("both", ("x0", "x1"), setup="1.50")
    active = ActiveClassifier(
        model, {"x0": 1, "x1": 1, "x2": 3, "x3": "2.50"}, Tariff(visit_fee="0.50", panels=[panel]),
        limit=limit, most_cells=60, experience=seen,
    )  # fmt: skip
    strategy = Strategy.of(active)
    assert strategy.followed == pytest.approx(1)
    for node in strategy.nodes:
        prices = sum((1.0, 1.0, 3.0, 2.5)[test] for test in node.ordered)
        fees = 0.5 * bool(node.ordered) + 1.5 * bool({0, 1} & node.ordered)
        assert float(strategy.paid(node)) == pytest.approx(prices + fees)
        assert strategy.paid(node) <= limit
    for each in diagnose_all(active, rng.integers(-1, 3, size=(20, 4))):
        assert each.paid <= limit
