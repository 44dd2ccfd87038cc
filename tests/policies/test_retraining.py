"""Retraining: it buys what helps the learner of the study, any learner, a handful at a time."""

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase, State
from budgeted.errors import PolicyError
from budgeted.learners import Hierarchical, NaiveBayes, Outlook, learner
from budgeted.policies import for_learner, policy
from budgeted.policies.retraining import _SCORES, Retraining
from budgeted.problem.prices import Tariff
from budgeted.simulation.simulator import simulate
from budgeted.simulation.synthetic import Synthetic
from budgeted.testing import policies as contracts
from budgeted.value.loss import LOSSES


def a_state(features=3, costs=(1, 1, 1), budget=60):
    problem = Problem([Feature(f"f{at}", ("no", "yes"), costs[at]) for at in range(features)],
                      ("well", "ill"), (0.5, 0.5), budget)  # fmt: skip
    return State.start(problem)


@pytest.mark.parametrize(
    "check", ["_check_exhausted_pool", "_check_three_labels", "_check_pending"]
)
def test_the_contract_with_another_learner(check):
    buyer = policy("retraining", worlds=1, cases=4, candidates=2)
    getattr(contracts, check)(for_learner(buyer, lambda: learner("logistic-regression")))


@pytest.mark.parametrize("name", _SCORES)
def test_what_is_expected_of_the_truth_is_the_loss_of_that_name(name):
    """Where the probabilities are right, a score is the loss, on average; else it is more."""
    truth = np.array([0.5, 0.3, 0.2])
    expected = float(LOSSES[name](truth))
    labels = np.arange(3)
    right = _SCORES[name](np.tile(truth, (3, 1)), labels) @ truth
    assert right == pytest.approx(expected)
    for other in ([0.2, 0.3, 0.5], [0.3, 0.4, 0.3], [1.0, 0.0, 0.0]):
        found = _SCORES[name](np.tile(other, (3, 1)), labels) @ truth
        assert found >= expected - 1e-9


@dataclass(frozen=True)
class Stubborn:
    """Looks at the second feature only, and takes its value for the label."""

    name: ClassVar[str] = "stubborn"

    def fit(self, problem, purchases):
        return Believing(problem, [each for each in purchases if each.feature == 1])


class Believing:
    learner = "stubborn"

    def __init__(self, problem, bought):
        self.problem, self.bought = problem, bought

    def probabilities(self, values):
        own = NaiveBayes().fit(self.problem, self.bought)
        return own.probabilities(np.where(np.arange(values.shape[1]) == 1, values, -1))

    def outlook(self, models=200):
        return Outlook(0.4, 0.3, 0.5)

    def to_plain(self):
        return {}


def test_it_buys_what_the_learner_can_use():
    """All features are alike, but the learner looks at one of them: others are worth nothing."""
    state = a_state()
    for feature in range(3):
        for at in range(6):
            label = at % 2
            state = state.after(Purchase(feature, label, label if at < 4 else 1 - label, 1))
    buyer = for_learner(policy("retraining", worlds=20, cases=20, handful=3), Stubborn)
    choice = buyer.choose(state, np.random.default_rng(1))
    assert choice.action.feature == 1
    gains = {cell.feature: -score for cell, score in choice.scores.items()}
    assert gains[1] > 0
    assert gains[0] == gains[2] == 0
    assert "bring 'stubborn' most for their money, of 3 features" in choice.reason


def test_a_handful_is_bought_before_anything_is_weighed_anew():
    state, rng = a_state(), np.random.default_rng(2)
    buyer = policy("retraining", handful=2, worlds=2, cases=5)
    for handful in range(3):
        cells = []
        for at in range(4):
            choice = buyer.choose(state, rng)
            assert bool(choice.scores) == (at == 0), "weighed once a handful"
            cells.append(choice.action)
            state = state.after(Purchase(*choice.action, int(rng.integers(2)), 1))
        assert len({each.feature for each in cells}) == 1, handful
        assert Counter(each.label for each in cells) == {0: 2, 1: 2}


def test_what_is_under_way_counts_as_asked_and_as_bought():
    state, rng = a_state(), np.random.default_rng(3)
    buyer = policy("retraining", handful=1, worlds=2, cases=5)
    labels = []
    for _ in range(4):
        choice = buyer.choose(state, rng)
        labels.append(choice.action.label)
        state = state.reserve(choice.action)
    assert sorted(labels[:2]) == sorted(labels[2:]) == [0, 1]


def test_a_dear_feature_must_bring_more():
    """Alike but for the price; of two that bring as much the cheap one is bought."""
    chosen = Counter()
    for seed in range(10):
        state = a_state(2, (1, 10), 200)
        buyer = policy("retraining", worlds=20, cases=20)
        chosen[buyer.choose(state, np.random.default_rng(seed)).action.feature] += 1
    assert chosen[0] == 10


def test_with_a_visit_fee_whole_orders_are_asked_for():
    problem = Problem([Feature(f"f{at}", ("no", "yes"), 1) for at in range(3)], ("well", "ill"),
                      (0.5, 0.5), 60, prices=Tariff(visit_fee="5"))  # fmt: skip
    state = State.start(problem, (30, 30))
    for feature in range(3):
        for at in range(6):
            state = state.after(Purchase(feature, at % 2, at % 2, 1, case=at))
    choice = policy("retraining", worlds=20, cases=20).choose(state, np.random.default_rng(4))
    assert choice.together


@pytest.mark.slow
def test_it_finds_the_feature_that_matters():
    """Figure 3(b): one of ten tells the labels apart. Who goes round buys 4 values of 40 of it."""
    hits = []
    for seed in range(8):
        drawn = Synthetic().draw(seed, 40)
        steps = simulate(drawn.problem, policy("retraining"), drawn.world, seed=seed,
                         learner=Hierarchical(), loss=None)  # fmt: skip
        hits.append(sum(each.feature in drawn.discriminative for each in steps))
    assert np.mean(hits) > 6


@pytest.mark.parametrize(
    "wrong", [{"loss": "gain"}, {"handful": 0}, {"worlds": 1.5}, {"cases": -1}]
)
def test_parameters_that_make_no_sense(wrong):
    with pytest.raises(PolicyError, match=f"{next(iter(wrong))}: must be"):
        Retraining(**wrong)
