"""The relevance-aware belief against sums over everything that may be true."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from budgeted import Belief, Feature, Problem, Purchase, State
from budgeted.errors import ObservationError
from budgeted.relevance import BELIEFS, RelevanceBelief, prior_belief
from budgeted.special import log_gamma, logistic
from tests import oracles
from tests.strategies import beliefs, counts, ordinary_counts, problems

SHARES = [((node + 0.5) / 24, 2 / 3 * (node + 0.5) / sum(each + 0.5 for each in range(24)))
          for node in range(24)] + [(1.0, 1 / 3)]  # fmt: skip
"""The share of features that matter, and its probability: Beta(2, 1) in steps, or all."""


@st.composite
def relevance_beliefs(draw, most_seen=5, **options):
    options = {"features": (1, 4), "values": (2, 3), "prior_counts": ordinary_counts} | options
    plain = draw(beliefs(most_seen=most_seen, **options))
    return RelevanceBelief(plain.problem, plain.observed)


def alphas(problem, feature):
    """Prior counts of a feature, a row per label: flat ones of c become 2c/r for r values."""
    owner = problem.features[feature]
    rows = [oracles.prior_row(owner, label) for label in range(len(problem.labels))]
    if len({count for row in rows for count in row}) == 1:
        rows = [[2 * count / len(row) for count in row] for row in rows]
    return rows


def seen_of(belief, feature):
    """How often each value was seen, a row per label."""
    start = sum(len(each.values) for each in belief.problem.features[:feature])
    stop = start + len(belief.problem.features[feature].values)
    return belief.observed[:, start:stop].tolist()


def average(rows):
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]


def chain(prior, sequence):
    """Log-probability of values one after the other, each predicted from those before."""
    urn, total = list(prior), 0.0
    for value in sequence:
        total += math.log(urn[value] / math.fsum(urn))
        urn[value] += 1
    return total


def evidence_by_chain(belief, feature, rng):
    """Log Bayes factor that a feature matters, its values in a random order."""
    rows, seen = alphas(belief.problem, feature), seen_of(belief, feature)
    each = [[value for value, number in enumerate(row) for _ in range(number)] for row in seen]
    together = list(itertools.chain(*each))
    for sequence in (*each, together):
        rng.shuffle(sequence)
    matters = math.fsum(chain(row, sequence) for row, sequence in zip(rows, each, strict=True))
    return matters - chain(average(rows), together)


def evidence_by_scipy(belief, feature):
    def marginal(prior, seen):
        prior, seen = np.array(prior), np.array(seen)
        return (
            gammaln(prior.sum()) - gammaln((prior + seen).sum())
            + (gammaln(prior + seen) - gammaln(prior)).sum()
        )  # fmt: skip

    rows, seen = alphas(belief.problem, feature), seen_of(belief, feature)
    matters = sum(marginal(row, number) for row, number in zip(rows, seen, strict=True))
    return matters - marginal(average(rows), np.sum(seen, axis=0))


def all_patterns(belief):
    """Probability of every pattern of which features matter, summed over the shares."""
    number = len(belief.problem.features)
    factors = [math.exp(evidence_by_scipy(belief, feature)) for feature in range(number)]
    chances = {}
    for pattern in itertools.product((False, True), repeat=number):
        evidence = math.prod(f for f, matters in zip(factors, pattern, strict=True) if matters)
        prior = math.fsum(
            weight * math.prod(share if matters else 1 - share for matters in pattern)
            for share, weight in SHARES
        )
        chances[pattern] = evidence * prior
    total = math.fsum(chances.values())
    return {pattern: chance / total for pattern, chance in chances.items()}


def means_by_patterns(belief):
    """Posterior means, averaged over all patterns, labels × values."""
    problem, result = belief.problem, np.zeros(belief.observed.shape)
    for pattern, chance in all_patterns(belief).items():
        columns = []
        for feature, matters in enumerate(pattern):
            rows, seen = np.array(alphas(problem, feature)), np.array(seen_of(belief, feature))
            after = rows + seen
            if not matters:
                after = np.tile(rows.mean(axis=0) + seen.sum(axis=0), (len(rows), 1))
            columns.append(after / after.sum(axis=1, keepdims=True))
        result += chance * np.concatenate(columns, axis=1)
    return result


@given(relevance_beliefs(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_evidence_is_the_product_of_predictions_in_any_order(belief, rng):
    for feature in range(len(belief.problem.features)):
        slow = evidence_by_chain(belief, feature, rng)
        assert belief.log_evidence[feature] == pytest.approx(slow, abs=1e-9)


@given(relevance_beliefs(labels=3, most_seen=300, values=(2, 5), prior_counts=counts))
@settings(max_examples=30)
def test_evidence_equals_that_by_scipy(belief):
    for feature in range(len(belief.problem.features)):
        slow = evidence_by_scipy(belief, feature)
        assert belief.log_evidence[feature] == pytest.approx(slow, abs=1e-7)


@given(st.data(), st.integers(2, 3))
@settings(max_examples=60)
def test_relevance_and_means_are_sums_over_all_patterns(data, labels):
    belief = data.draw(relevance_beliefs(labels=labels))
    chances = all_patterns(belief)
    for feature in range(len(belief.problem.features)):
        slow = math.fsum(chance for pattern, chance in chances.items() if pattern[feature])
        assert belief.relevance[feature] == pytest.approx(slow, abs=1e-10)
    np.testing.assert_allclose(belief.means, means_by_patterns(belief), rtol=1e-9)


@given(relevance_beliefs(features=(2, 4)))
@settings(max_examples=60)
def test_log_odds_are_those_without_the_feature_itself(belief):
    """With what was seen of a feature taken away, its relevance is what the others say."""
    for feature in range(len(belief.problem.features)):
        observed = belief.observed.copy()
        observed[:, belief.columns(feature)] = 0
        chances = all_patterns(RelevanceBelief(belief.problem, observed))
        matters = math.fsum(chance for pattern, chance in chances.items() if pattern[feature])
        odds = math.log(matters / (1 - matters))
        assert belief.log_odds[feature] == pytest.approx(odds, abs=1e-9)


def test_one_feature_that_tells_labels_apart_speaks_for_the_others():
    problem = Problem(
        [Feature(name, ("no", "yes"), 1) for name in "abc"], ("x", "y"), (0.5, 0.5), 9
    )
    start = RelevanceBelief.prior(problem)
    telling = start.observe("a", "x", "no", 20).observe("a", "y", "yes", 20)
    silent = start.observe("a", "x", "no", 20).observe("a", "y", "no", 20)
    assert silent.relevance[1] < start.relevance[1] < telling.relevance[1]
    assert silent.relevance[0] < start.relevance[0] < 0.999 < telling.relevance[0]


@given(relevance_beliefs(features=(1, 3)))
@settings(max_examples=40)
def test_means_are_not_expected_to_move(belief):
    """Averaged over the next value of any cell, the means of its feature are those of now.

    The value of one cell has the belief's own mean as its chance, so this ties together evidence,
    relevance and means of all features.
    """
    for feature, owner in enumerate(belief.problem.features):
        for label in range(len(belief.problem.labels)):
            chances = belief.mean(feature)[label]
            after = sum(
                chance * belief.observe(feature, label, value).means
                for value, chance in zip(range(len(owner.values)), chances.tolist(), strict=True)
            )
            columns = belief.columns(feature)
            np.testing.assert_allclose(after[:, columns], belief.means[:, columns], atol=1e-12)


@given(relevance_beliefs(features=(2, 3)))
@settings(max_examples=40)
def test_relevance_is_not_expected_to_move(belief):
    """Not that of the bought feature, nor that of the others."""
    chances = belief.mean(0)[1].tolist()
    after = sum(
        chance * belief.observe(0, 1, value).relevance for value, chance in enumerate(chances)
    )
    np.testing.assert_allclose(after, belief.relevance, atol=1e-12)


@given(relevance_beliefs(), st.data())
@settings(max_examples=40)
def test_retracting_undoes_observing_to_the_last_bit(belief, data):
    feature, label = data.draw(st.sampled_from(belief.problem.actions))
    value = data.draw(st.integers(0, belief.problem.sizes[feature] - 1))
    again = belief.observe(feature, label, value, 7).retract(feature, label, value, 7)
    assert type(again) is RelevanceBelief
    assert again == belief
    assert hash(again) == hash(belief)
    for name in ("alpha", "counts", "pooled", "log_evidence", "log_odds", "relevance", "means"):
        np.testing.assert_array_equal(getattr(again, name), getattr(belief, name))


@given(relevance_beliefs())
@settings(max_examples=20)
def test_sent_to_a_worker_it_stays_what_it_is(belief):
    again = pickle.loads(pickle.dumps(belief))
    assert type(again) is RelevanceBelief
    assert again == belief
    np.testing.assert_array_equal(again.means, belief.means)
    with pytest.raises(ValueError, match="read-only"):
        again.observed[0, 0] = 5


def test_beliefs_of_different_kinds_are_different():
    problem = Problem([Feature("a", ("no", "yes"), 1)], ("x", "y"), (0.5, 0.5), 9)
    plain, relevance = (prior_belief(kind, problem) for kind in ("plain", "relevance"))
    assert (type(plain), type(relevance)) == (Belief, RelevanceBelief)
    assert plain != relevance
    assert relevance != plain
    assert relevance == RelevanceBelief.prior(problem)
    assert {"plain", "relevance"} == set(BELIEFS)
    assert (
        repr(relevance.observe(0, 0, 0, 3))
        == "RelevanceBelief(1 features, 2 labels, 3 observations)"
    )
    with pytest.raises(ObservationError, match="there is no belief 'odd'; there are plain, rel"):
        prior_belief("odd", problem)


def test_what_is_delivered_cannot_be_changed():
    belief = RelevanceBelief.prior(
        Problem([Feature("a", ("n", "y", "z"), 1)], ("x", "y"), (0.5, 0.5), 9)
    )
    for name in ("means", "log_means"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(belief, name)[0, 0] = 1


def test_log_gamma_of_small_and_large_numbers():
    numbers = np.geomspace(1e-6, 1e9, 4001)
    slow = [math.lgamma(number) for number in numbers.tolist()]
    np.testing.assert_allclose(log_gamma(numbers), slow, rtol=1e-13, atol=2e-14)


@given(st.floats(-700, 700))
def test_logistic_has_its_log_odds(odds):
    chance = logistic(np.array([odds, -odds]))
    assert chance.sum() == pytest.approx(1, abs=1e-15)
    assert math.log(chance.min()) == pytest.approx(-abs(odds) - math.log1p(math.exp(-abs(odds))))


def a_belief():
    problem = Problem(
        [Feature("a", ("no", "yes"), 1), Feature("b", ("low", "mid", "high"), 1),
         Feature("c", ("no", "yes"), 1, ((3, 1), (1, 2)))],
        ("x", "y"), (0.5, 0.5), 100,
    )  # fmt: skip
    observed = [[2, 1, 3, 1, 1, 1, 2], [1, 3, 1, 2, 2, 2, 1]]
    return RelevanceBelief(problem, np.array(observed))


@pytest.mark.slow
def test_samples_have_the_probabilities_of_the_belief():
    """Means, how often each feature is shared, and how often both are: in 4 standard errors."""
    belief, rng, number = a_belief(), np.random.default_rng(5), 4000
    drawn = np.stack([belief.sample(rng) for _ in range(number)])
    np.testing.assert_allclose(np.add.reduceat(drawn, [0, 2, 5], axis=2), 1)
    error = drawn.std(axis=0) / math.sqrt(number)
    assert (np.abs(drawn.mean(axis=0) - belief.means) < 4 * error).all()
    matters = (drawn[:, 0] != drawn[:, 1])[:, [0, 2, 5]]
    found = dict.fromkeys(all_patterns(belief), 0)
    for row in matters.tolist():
        found[tuple(row)] += 1
    for pattern, chance in all_patterns(belief).items():
        error = math.sqrt(number * chance * (1 - chance))
        assert abs(found[pattern] - number * chance) < 4 * error, pattern


def test_sampled_parameters_have_the_spread_of_either_hypothesis():
    """Second moments by Dirichlet formulas, for samples where the feature matters and not."""
    belief, rng = a_belief(), np.random.default_rng(6)
    drawn = np.stack([belief.sample(rng) for _ in range(4000)])[:, :, 0]
    shared = drawn[:, 0] == drawn[:, 1]
    for values, (a, b) in ((drawn[~shared, 0], (3, 2)), (drawn[~shared, 1], (2, 4)),
                           (drawn[shared, 0], (4, 5))):  # fmt: skip
        square = a * (a + 1) / ((a + b) * (a + b + 1))
        assert abs(np.mean(values**2) - square) < 4 * np.std(values**2) / math.sqrt(len(values))


def test_flat_prior_counts_are_rescaled_and_others_are_not():
    given_ = [1.0, 3.0, ((2, 2, 2), (2, 2, 2)), (1, 2), ((1, 1), (2, 2)), (5, 5, 5, 5)]
    sizes = [4, 2, 3, 2, 2, 4]
    problem = Problem(
        [Feature(f"f{at}", [str(value) for value in range(size)], 1, prior)
         for at, (prior, size) in enumerate(zip(given_, sizes, strict=True))],
        ("x", "y"), (0.5, 0.5), 9,
    )  # fmt: skip
    wanted = [[0.5] * 4, [3.0] * 2, [4 / 3] * 3, [1.0, 2.0], [1.0, 1.0], [2.5] * 4]
    alpha = RelevanceBelief.prior(problem).alpha
    np.testing.assert_allclose(alpha[0], np.concatenate(wanted))
    wanted[4] = [2.0, 2.0]
    np.testing.assert_allclose(alpha[1], np.concatenate(wanted))


def test_a_feature_of_many_values_promises_no_more_than_one_of_two():
    """Of a flat prior the spread of P(value) is that of a cell whose counts sum to 2."""
    problem = Problem(
        [Feature("a", ("0", "1"), 1), Feature("b", tuple("0123456789"), 1)],
        ("x", "y"),
        (0.5, 0.5),
        9,
    )
    totals = RelevanceBelief.prior(problem).totals
    np.testing.assert_allclose(totals, 2)


@given(problems(features=(1, 3), values=(2, 3)), st.data())
@settings(max_examples=20)
def test_a_state_with_another_budget_keeps_the_kind_of_belief(problem, data):
    kind = data.draw(st.sampled_from([Belief, RelevanceBelief]))
    state = State.start(problem, belief=kind.prior(problem)).after(Purchase(0, 1, 1, "1"))
    more = state.with_budget("99")
    assert type(state.belief) is type(more.belief) is kind
    assert more.belief.problem.budget == 99
    np.testing.assert_array_equal(more.belief.means, state.belief.means)


@given(relevance_beliefs())
@settings(max_examples=20)
def test_as_plain_has_the_same_classifier(belief):
    plain = belief.as_plain()
    assert type(plain) is Belief
    np.testing.assert_allclose(plain.means, belief.means, rtol=1e-12)


def test_much_evidence_is_no_trouble():
    """Beyond what a double can tell from 0 or 1 nothing overflows."""
    problem = Problem(
        [Feature(f"f{at}", ("0", "1"), 1) for at in range(40)], ("x", "y"), (0.5, 0.5), 9
    )
    belief = RelevanceBelief.prior(problem)
    for at in range(20):
        belief = belief.observe(at, 0, 0, 10**6).observe(at, 1, 1, 10**6)
        belief = belief.observe(20 + at, 0, 0, 10**6).observe(20 + at, 1, 0, 10**6)
    np.testing.assert_allclose(belief.relevance[:20], 1)
    assert (belief.relevance[20:] < 1e-3).all()
    np.testing.assert_allclose(belief.mean(0), [[1, 0], [0, 1]], atol=1e-5)
    assert np.isfinite(belief.sample(np.random.default_rng(0))).all()
