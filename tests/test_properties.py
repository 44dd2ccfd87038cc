"""What must be true of expected losses whatever the numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem
from budgeted.cache import results
from budgeted.value import expected_loss, lookahead, loss
from budgeted.value.loss import LOSSES
from tests import oracles
from tests.strategies import allocations, beliefs, ordinary_counts

KINDS = st.sampled_from(["gini", "entropy", "zero_one"])


@given(st.data(), beliefs(), KINDS)
@settings(max_examples=120)
@pytest.mark.slow
def test_one_more_purchase_never_raises_the_expected_loss(data, belief, kind):
    allocation = data.draw(allocations(belief, largest=20, cells=4))
    cell = data.draw(st.sampled_from(belief.problem.actions))
    before = expected_loss(belief, allocation, kind)
    after = expected_loss(belief, {**allocation, cell: allocation.get(cell, 0) + 1}, kind)
    if kind == "zero_one":  # each is within half its resolution of the truth
        assert after <= before + (after.resolution + before.resolution) / 2 + 1e-12
    else:
        assert after <= before + 1e-11


@given(st.data(), beliefs(labels=3, features=(1, 3), values=(2, 3)), KINDS)
@settings(max_examples=40)
def test_one_more_purchase_never_raises_it_with_three_labels(data, belief, kind):
    allocation = data.draw(allocations(belief, largest=4, cells=2))
    cell = data.draw(st.sampled_from(belief.problem.actions))
    before = expected_loss(belief, allocation, kind, engine="enumeration")
    more = {**allocation, cell: allocation.get(cell, 0) + 1}
    assert expected_loss(belief, more, kind, engine="enumeration") <= before + 1e-11


@given(st.data(), beliefs(labels=3))
@pytest.mark.slow
def test_the_predictive_mean_is_a_martingale(data, belief):
    feature, label = data.draw(st.sampled_from(belief.problem.actions))
    chances = belief.mean(feature)[label]
    after = [
        belief.observe(feature, label, value).mean(feature)[label] for value in range(len(chances))
    ]
    np.testing.assert_allclose(chances @ np.array(after), chances, rtol=1e-12)


@given(beliefs(features=(1, 4)), st.integers(1, 500), st.integers(0, 1), KINDS)
@settings(max_examples=60)
def test_buying_a_constant_feature_changes_nothing(belief, depth, label, kind):
    """A feature that is known to always take one value, under both labels."""
    constant = Feature("constant", ("always", "never"), cost=1, prior_counts=(1.0, 1e-15))
    problem = Problem(
        (*belief.problem.features, constant), belief.problem.labels, belief.problem.prior, 10
    )
    seen = np.zeros((2, 2), dtype=np.int64)
    wider = Belief(problem, np.concatenate([belief.observed, seen], axis=1))
    now = loss(wider, kind)
    then = expected_loss(wider, {("constant", label): depth}, kind)
    assert now == pytest.approx(loss(belief, kind), abs=max(1e-10, 2 * now.resolution))
    assert then == pytest.approx(now, abs=max(1e-10, now.resolution + then.resolution))


def test_endless_purchases_give_the_mean_loss_of_models_drawn_from_the_belief():
    problem = Problem(
        [Feature("f", ("a", "b"), 1), Feature("g", ("a", "b", "c"), 1)],
        ("no", "yes"), (0.4, 0.6), 10,
    )  # fmt: skip
    belief = Belief.prior(problem).observe("f", "yes", "b").observe("g", "no", "c", times=2)
    endless = expected_loss(belief, dict.fromkeys(problem.actions, 5_000))
    rng = np.random.default_rng(11)
    drawn = []
    for _ in range(4_000):
        f, g = np.split(belief.sample(rng), [2], axis=1)
        model = [feature.tolist() for feature in (f, g)]
        drawn.append(oracles.brute_loss(model, problem.prior, "gini"))
    standard_error = np.std(drawn, ddof=1) / np.sqrt(len(drawn))
    # 5 000 purchases leave a bias of about 1/5 000 of the loss.
    assert abs(endless - np.mean(drawn)) < 4 * standard_error + 1e-4
    assert standard_error < 0.003


@given(st.data(), beliefs(features=(2, 6), prior_counts=ordinary_counts))
@settings(max_examples=40)
def test_what_is_remembered_does_not_change_results(data, belief):
    """The same question before and after other questions filled the memory."""
    depths = np.full((len(belief.problem.features), 2), data.draw(st.integers(1, 300)))
    results.clear()
    cold = lookahead(belief, depths).values
    other = belief.observe(*data.draw(st.sampled_from(belief.problem.actions)), 0)
    lookahead(other, depths)
    np.testing.assert_allclose(lookahead(belief, depths).values, cold, rtol=0, atol=1e-14)


@pytest.mark.parametrize("labels", [2, 3, 4, 7])
@pytest.mark.parametrize("rule", LOSSES.values(), ids=LOSSES.keys())
def test_the_largest_loss_is_that_of_labels_that_are_all_alike(rule, labels):
    alike = np.full(labels, 1 / labels)
    assert rule.largest(labels) == pytest.approx(float(rule(alike)), rel=1e-14)
    others = np.random.default_rng(0).dirichlet(alike, size=1_000)
    assert (rule(others) <= rule.largest(labels)).all()


def test_a_split_of_the_same_cell_by_name_and_position_adds_up():
    problem = Problem([Feature("f", ("a", "b"), 1)], ("no", "yes"), (0.5, 0.5), 10)
    belief = Belief.prior(problem)
    mixed = expected_loss(belief, {(0, 0): 2, ("f", "no"): 3})
    assert mixed == expected_loss(belief, {(0, 0): 5})
