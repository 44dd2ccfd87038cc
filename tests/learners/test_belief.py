import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem
from budgeted.errors import ObservationError
from budgeted.learners.layout import layout_of
from tests import oracles
from tests.strategies import beliefs, ordinary_counts

PROBLEM = Problem(
    features=(
        Feature("fever", values=("no", "yes"), cost="1.50", prior_counts=0.1),
        Feature("culture", values=("neg", "pos", "unclear"), cost="40"),
    ),
    labels=("well", "ill"),
    prior=(0.7, 0.3),
    budget="500",
)


@given(st.data(), beliefs(labels=3))
def test_retract_undoes_observe_to_the_last_bit(data, belief):
    feature, label = data.draw(st.sampled_from(belief.problem.actions))
    value = data.draw(st.integers(0, layout_of(belief.problem).sizes[feature] - 1))
    after = belief.observe(feature, label, value)
    assert after != belief
    assert after.retract(feature, label, value) == belief
    assert hash(after.retract(feature, label, value)) == hash(belief)
    assert (after.retract(feature, label, value).counts == belief.counts).all()


@given(st.data(), beliefs(labels=3))
def test_what_is_looked_up_follows_what_was_seen(data, belief):
    """Keys that were made once change with the one feature, as if all were made anew."""
    assert len(belief.keys) == len(belief.problem.features)
    feature, label = data.draw(st.sampled_from(belief.problem.actions))
    value = data.draw(st.integers(0, layout_of(belief.problem).sizes[feature] - 1))
    after = belief.observe_at(feature, label, value)
    assert after.keys != belief.keys
    for each in (
        after,
        after.observe_at(feature, label, value),
        after.retract_at(feature, label, value),
    ):
        columns = map(each.columns, range(len(each.problem.features)))
        wanted = [(each.alpha[:, at].tobytes(), each.observed[:, at].tobytes()) for at in columns]
        assert list(each.keys) == wanted


def test_observing_changes_one_count_and_nothing_else():
    prior = Belief.prior(PROBLEM)
    after = prior.observe(feature=1, label=1, value=2, times=3)
    assert (after.counts - prior.counts).tolist() == [[0] * 5, [0, 0, 0, 0, 3]]
    assert prior == Belief.prior(PROBLEM)
    np.testing.assert_allclose(after.mean("culture")[1], [1 / 6, 1 / 6, 4 / 6])


def test_nobody_can_change_a_belief():
    mine = np.zeros((2, 5), dtype=np.int64)
    belief = Belief(PROBLEM, mine)
    mine[0, 0] = 7
    assert belief == Belief.prior(PROBLEM)
    for array in (belief.observed, belief.counts, belief.means, belief.totals, belief.log_means):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    with pytest.raises(AttributeError):
        belief.problem = None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((2, 0, 0), "there is no feature number 2; positions go from 0 to 1"),
        (("cough", 0, 0), "there is no feature 'cough'; there are 'fever', 'culture'"),
        ((0, 2, 0), "there is no label number 2"),
        ((0, "dead", 0), "there is no label 'dead'"),
        ((0, 0, 2), "feature 'fever' has no value number 2"),
        ((0, 0, "maybe"), "feature 'fever' has no value 'maybe'"),
        ((0, 0, -1), "feature 'fever' has no value number -1"),
        ((0, 0, float("nan")), "feature 'fever' has no value number nan"),
        ((0, 0, 0, -1), "times: must be a whole number from 0, got -1"),
        ((0, 0, 0, 0.5), "times: must be a whole number from 0, got 0.5"),
    ],
)
def test_wrong_observations_are_explained_and_change_nothing(arguments, says):
    belief = Belief.prior(PROBLEM)
    for method in (belief.observe, belief.retract):
        with pytest.raises(ObservationError, match=says):
            method(*arguments)
    assert belief == Belief.prior(PROBLEM)


def test_what_was_not_observed_cannot_be_retracted():
    belief = Belief.prior(PROBLEM).observe("fever", "ill", "yes")
    says = "cannot retract 'fever' = 'yes' of label 'ill' 2 times: it was observed 1 times"
    with pytest.raises(ObservationError, match=says):
        belief.retract("fever", "ill", "yes", times=2)


@pytest.mark.parametrize(
    "observed", [np.zeros((2, 4), dtype=int), np.full((2, 5), -1), np.zeros((2, 5)), np.zeros(5)]
)
def test_a_belief_needs_whole_numbers_of_the_right_shape(observed):
    with pytest.raises(ObservationError, match="observed: must be whole numbers"):
        Belief(PROBLEM, observed)


@given(st.data(), beliefs(labels=3, features=(1, 4)))
def test_posterior_of_a_partial_case_equals_summing_out_the_rest(data, belief):
    sizes = layout_of(belief.problem).sizes
    known = data.draw(
        st.dictionaries(st.integers(0, len(sizes) - 1), st.integers(0, 1), max_size=len(sizes))
    )
    masses = oracles.all_masses(oracles.counts_of(belief), belief.problem.prior)
    masses = masses.reshape(*sizes, 3)
    for feature in range(len(sizes)):
        keep = [known[feature]] if feature in known else list(range(sizes[feature]))
        masses = np.take(masses, keep, axis=feature)
    totals = masses.reshape(-1, 3).sum(axis=0)
    np.testing.assert_allclose(belief.posterior(known), totals / totals.sum(), rtol=1e-9)


def test_posterior_by_name_and_with_the_prior_of_another_population():
    belief = Belief.prior(PROBLEM).observe("culture", "ill", "pos", times=7)
    here = belief.posterior({"culture": "pos"})
    ill = 0.3 * 0.8 / (0.3 * 0.8 + 0.7 / 3)
    assert here.tolist() == pytest.approx([1 - ill, ill])
    rare = belief.posterior({"culture": "pos"}, prior=(0.99, 0.01))
    assert rare[1] == pytest.approx(0.01 * 0.8 / (0.01 * 0.8 + 0.99 / 3))
    for wrong in [(0.5,), (1.0, 0.0), (float("nan"), 0.5)]:
        with pytest.raises(ObservationError, match="prior: must be one share above 0 per label"):
            belief.posterior({}, prior=wrong)


@given(beliefs(features=(1, 3), prior_counts=ordinary_counts), st.integers(0, 2**31))
def test_samples_are_distributions_of_the_right_layout(belief, seed):
    drawn = belief.sample(np.random.default_rng(seed))
    assert drawn.shape == belief.means.shape
    sums = np.add.reduceat(drawn, layout_of(belief.problem).offsets, axis=1)
    np.testing.assert_allclose(sums, 1, rtol=1e-12)


def test_samples_have_the_mean_of_the_belief():
    belief = Belief.prior(PROBLEM).observe("culture", "ill", "pos", times=3)
    rng = np.random.default_rng(4)
    drawn = np.stack([belief.sample(rng) for _ in range(4_000)])
    standard_errors = drawn.std(axis=0) / math.sqrt(len(drawn))
    assert (abs(drawn.mean(axis=0) - belief.means) < 4.5 * standard_errors).all()
