"""The hierarchical learner: its mathematics against slow oracles, its symmetries, its honesty."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from budgeted import Belief, Feature, Problem, Purchase
from budgeted.errors import LearnerError, ObservationError
from budgeted.learners import (
    LEARNERS,
    Hierarchical,
    NaiveBayes,
    dependence,
    learner,
    of_belief,
    prospect,
)
from budgeted.learners.layout import layout_of
from budgeted.learners.posterior import posterior
from budgeted.learners.special import (
    digamma,
    digamma_rising,
    log_gamma,
    log_rising,
    log_rising_ordered,
    log_rising_whole,
    trigamma,
    trigamma_falling,
)
from budgeted.learners.strength import strengths
from budgeted.value import loss
from tests import oracles
from tests.thorough import sized

LEVELS, EVENNESS = Hierarchical().levels, Hierarchical().evenness


def a_problem(sizes=(2, 3, 4), prior=(0.6, 0.4), prior_counts=1.0):
    features = [
        Feature(f"f{at}", [f"v{k}" for k in range(size)], 1, prior_counts)
        for at, size in enumerate(sizes)
    ]
    return Problem(features, [f"l{j}" for j in range(len(prior))], prior, 1000)


def bought(problem, number, seed, cases=20):
    """Values drawn at random, several of them of the same case."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(len(problem.labels), size=cases)
    found = {}
    while len(found) < number:
        case, feature = int(rng.integers(cases)), int(rng.integers(len(problem.features)))
        value = int(rng.integers(layout_of(problem).sizes[feature]))
        found[case, feature] = Purchase(feature, int(labels[case]), value, 1, case)
    return list(found.values())


def everything(problem):
    return np.array(list(product(*map(range, layout_of(problem).sizes))))


boolean_counts = st.lists(st.integers(0, 12), min_size=4, max_size=4)


CLOSE = 0.05
"""Nats by which the evidence of a level may be off: a factor of 1.05 of its probability."""


@given(boolean_counts, st.sampled_from(LEVELS), st.sampled_from(EVENNESS))
@settings(max_examples=60)
@pytest.mark.slow
def test_the_evidence_of_a_strength_is_near_the_integral(counts, level, beta):
    table = np.array(counts, dtype=float).reshape(2, 2)
    found = strengths(table[None], [beta], [level]).logs[0, 0, 1]
    off = found - oracles.log_evidence_of_level(table, level, beta)  # √(r − 1) is 1
    assert abs(off) < CLOSE


def by_quadrature_of_three(table, kappa, beta, steps=150):
    """The same for three values: over the share of the first, and of the second in the rest."""
    first, second = np.meshgrid(*[(np.arange(steps) + 0.5) / steps] * 2)
    shares = np.stack([first, (1 - first) * second, (1 - first) * (1 - second)], axis=-1)
    logs = np.log(1 - first) + stats.dirichlet.logpdf(shares.reshape(-1, 3).T, [beta] * 3).reshape(
        first.shape
    )
    for row in table:
        logs += (special.gammaln(kappa * shares + row) - special.gammaln(kappa * shares)).sum(-1)
        logs -= special.gammaln(kappa + row.sum()) - special.gammaln(kappa)
    return special.logsumexp(logs) - 2 * math.log(steps)


@pytest.mark.parametrize("level", LEVELS)
def test_the_evidence_of_a_feature_of_three_values_is_near_the_integral(level):
    rng = np.random.default_rng(4)
    for _ in range(6):
        table = rng.integers(0, 9, (2, 3)).astype(float)
        for beta in EVENNESS:
            found = strengths(table[None], [beta], [level])
            exact = by_quadrature_of_three(table, level * math.sqrt(2), beta)
            assert abs(found.logs[0, 0, 1] - exact) < 2 * CLOSE
            assert found.concentrations[0] == level * math.sqrt(2)


@pytest.mark.parametrize("number", [15, 30, 500])
def test_the_evidence_of_features_alike_does_not_add_up_to_a_mistake(number):
    """Of many features with even counts even a small error of one sign would decide."""
    even = np.full((2, 2), float(number))
    for beta in EVENNESS:
        found = strengths(even[None], [beta], LEVELS).logs[0, 0, 1:]
        exact = [oracles.log_evidence_of_level(even, level, beta) for level in LEVELS]
        np.testing.assert_allclose(found, exact, atol=CLOSE)


@given(st.integers(2, 6), st.integers(0, 5), st.sampled_from(LEVELS), st.sampled_from(EVENNESS))
def test_one_value_says_nothing_of_strength(size, value, level, beta):
    """Whatever it is: it has the same probability, one in r, however strong the feature."""
    counts = np.zeros((1, 2, size))
    counts[0, 1, value % size] = 1
    np.testing.assert_allclose(strengths(counts, [beta], [level]).logs, -math.log(size), atol=1e-9)


def test_irrelevance_has_a_closed_form():
    counts = np.array([[[3.0, 0, 2], [1, 1, 4]]])
    pooled = counts[0].sum(axis=0)
    for at, beta in enumerate(EVENNESS):
        exact = (special.gammaln(pooled + beta) - special.gammaln(beta)).sum()
        exact -= special.gammaln(3 * beta + 11) - special.gammaln(3 * beta)
        assert strengths(counts, EVENNESS, LEVELS).logs[0, at, 0] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("sizes", [(2, 3), (2, 2, 5, 4)])
def test_the_posterior_is_the_sum_over_all_settings(sizes):
    """Setting by setting and feature by feature, in plain loops."""
    problem = a_problem(sizes)
    counts = np.random.default_rng(3).integers(0, 5, layout_of(problem).shape).astype(float)
    plain = 1.5 / (len(sizes) + 1.5)
    found = posterior(problem, counts, EVENNESS, LEVELS, 1.5)
    shares_of_levels = [(step, typical) for step in range(4) for typical in range(4)]
    logs, means, components = [], [], []
    for beta in EVENNESS:
        for step, typical in [*shares_of_levels, (None, 0)]:
            prior = 1 / 5 if step is None else 1 / 5 / 4
            log, parameters = math.log((1 - plain) / 2 * prior), []
            for start, size in zip(
                layout_of(problem).offsets, layout_of(problem).sizes, strict=True
            ):
                part = counts[:, start : start + size]
                each = strengths(part[None], [beta], LEVELS)
                share = 0 if step is None else len(sizes) ** (-step / 3)
                chances = [1 - share]
                for level in range(4):
                    near = [at for at in (typical - 1, typical + 1) if 0 <= at < 4]
                    own = 0.5 * (level == typical) + 0.5 * (level in near) / len(near)
                    chances.append(share * own)
                joint = np.array(chances) * np.exp(each.logs[0, 0])
                log += math.log(joint.sum())
                draws = each.draws[0, 0]
                common = draws / draws.sum(axis=1, keepdims=True)
                kappa = np.array(LEVELS) * math.sqrt(size - 1)
                shares = [np.tile(common[0], (2, 1))] + [
                    (part + k * m) / (part.sum(axis=1, keepdims=True) + k)
                    for k, m in zip(kappa, common[1:], strict=True)
                ]
                parameters.append(np.tensordot(joint / joint.sum(), np.array(shares), 1))
                components.append(joint / joint.sum())
            logs.append(log)
            means.append(np.concatenate(parameters, axis=1))
    stated = 0.0
    for start, size in zip(layout_of(problem).offsets, layout_of(problem).sizes, strict=True):
        for row in counts[:, start : start + size]:
            stated += special.gammaln(1 + row).sum() + special.gammaln(size)
            stated -= special.gammaln(size + row.sum())
    logs.append(math.log(plain) + stated)
    weights = np.exp(logs - special.logsumexp(logs))
    np.testing.assert_allclose(found.weights, weights, atol=1e-9)
    for at, each in enumerate(means):
        np.testing.assert_allclose(found.of_setting(at), each, atol=1e-9)
    np.testing.assert_allclose(found.of_setting(34), found.as_stated)
    every = [*means, found.as_stated]
    np.testing.assert_allclose(found.expected, np.tensordot(weights, every, 1), atol=1e-9)
    by_setting = np.reshape(components, (34, len(sizes), 5)) * weights[:-1, None, None]
    for beta in range(2):
        half = by_setting[17 * beta : 17 * (beta + 1)].sum(axis=0)
        np.testing.assert_allclose(found.chances[:, 5 * beta : 5 * (beta + 1)], half, atol=1e-9)
    np.testing.assert_allclose(found.chances[:, -1], weights[-1], atol=1e-9)


def test_before_anything_is_bought_shares_and_levels_are_as_probable_as_stated():
    for number in (1, 3, 20):
        blank = Hierarchical().posterior(a_problem((2,) * number), np.zeros((2, 2 * number)))
        stated = 3 / (number + 3)
        matters = np.mean([number ** (-step / 3) for step in range(4)] + [0])
        assert blank.weights[-1] == pytest.approx(stated)
        for row in blank.chances:
            assert row[-1] == pytest.approx(stated)
            assert row[[0, 5]].sum() == pytest.approx((1 - stated) * (1 - matters))
    assert blank.kappas([0, 3]).tolist() == [[math.inf, *LEVELS] * 2] * 2


def test_what_is_known_to_somebody_stays_as_stated():
    """A feature with informative prior counts keeps them, and the others do not see it."""
    plain = Feature("a", ("x", "y"), 1)
    known = Feature("b", ("x", "y"), 1, prior_counts=((9.0, 1.0), (1.0, 9.0)))
    both = Problem([plain, known], ("no", "yes"), (0.5, 0.5), 10)
    purchases = [Purchase(0, j, j, 1, j) for j in (0, 1)] + [Purchase(1, 0, 1, 1, 7)]
    made = Hierarchical().fit(both, purchases)
    expected = np.array([[9, 2], [1, 9]]) / [[11], [10]]
    for member in made.members:
        np.testing.assert_allclose(member[:, 2:], expected)
    without = [each for each in purchases if each.feature == 0]
    alone = Problem([plain], ("no", "yes"), (0.5, 0.5), 10)
    for problem in (both, alone):
        np.testing.assert_allclose(
            made.posterior.weights, Hierarchical().fit(problem, without).posterior.weights
        )


def test_where_everything_is_known_to_somebody_nothing_is_doubted():
    known = Feature("b", ("x", "y"), 1, prior_counts=((9.0, 1.0), (1.0, 9.0)))
    problem = Problem([known], ("no", "yes"), (0.5, 0.5), 10)
    made = Hierarchical().fit(problem, [Purchase(0, 0, 1, 1, 7)])
    np.testing.assert_allclose(made.posterior.weights, np.eye(1, 35, 34)[0])
    np.testing.assert_allclose(made.members, np.array([[[9, 2], [1, 9]]]) / [[11], [10]])


@pytest.mark.parametrize("prior", [(0.5, 0.3, 0.2), (0.7, 0.3)])
@given(st.integers(0, 10**6), st.integers(0, 40), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_columns_labels_values_and_purchases_does_not_matter(
    prior, seed, number, random
):
    sizes = (2, 3, 4)
    problem = a_problem(sizes, prior)
    purchases = bought(problem, number, seed)
    features, labels = [0, 1, 2], list(range(len(prior)))
    values = [list(range(size)) for size in sizes]
    for order in (features, labels, *values):
        random.shuffle(order)
    other = a_problem([sizes[at] for at in features], [prior[at] for at in labels])
    again = [
        Purchase(features.index(each.feature), labels.index(each.label),
                 values[each.feature].index(each.value), 1, each.case)
        for each in purchases
    ]  # fmt: skip
    random.shuffle(again)
    cases = everything(problem)
    moved = np.stack(
        [[values[at].index(value) for value in cases[:, at]] for at in features], axis=1
    )
    one = Hierarchical().fit(problem, purchases).probabilities(cases)
    two = Hierarchical().fit(other, again).probabilities(moved)
    np.testing.assert_allclose(two, one[:, labels], atol=1e-9)


@given(st.integers(0, 10**6), st.integers(0, 30))
@settings(max_examples=25)
def test_prices_and_budget_do_not_matter(seed, number):
    problem = a_problem()
    dear = Problem(
        [Feature(each.name, each.values, 7 + at) for at, each in enumerate(problem.features)],
        problem.labels, problem.prior, 5,
    )  # fmt: skip
    purchases, cases = bought(problem, number, seed), everything(problem)
    one, two = (Hierarchical().fit(each, purchases).log_scores(cases) for each in (problem, dear))
    assert (one == two).all()


@pytest.mark.parametrize("kind", LEARNERS.values())
def test_nothing_bought_is_the_prior_of_the_labels(kind):
    problem = a_problem(prior=(0.7, 0.2, 0.1))
    found = kind().fit(problem, []).probabilities(everything(problem))
    np.testing.assert_allclose(found, np.tile([0.7, 0.2, 0.1], (24, 1)), atol=1e-12)
    outlook = kind().fit(problem, []).outlook()
    assert outlook.error == pytest.approx(0.3, abs=1e-9)
    assert outlook.low == pytest.approx(0.295)
    assert outlook.high == pytest.approx(0.305)


LITTLE = 0.03


@given(st.integers(0, 10**6), st.integers(1, 15))
@settings(max_examples=25)
def test_a_feature_that_is_always_the_same_changes_little(seed, copies):
    """Values of it say that it is the same under all labels, and nothing of the others."""
    problem = a_problem((2, 3, 3))
    purchases = [each for each in bought(problem, 24, seed) if each.feature < 2]
    same = [Purchase(2, label, 0, 1, f"{label} {at}") for label in (0, 1) for at in range(copies)]
    cases = everything(problem)[::3]  # the third feature has its first value
    before = Hierarchical().fit(problem, purchases)
    after = Hierarchical().fit(problem, purchases + same)
    shift = after.probabilities(cases) - before.probabilities(cases * [1, 1, 0] - [0, 0, 1])
    assert abs(shift).max() < 0.12  # it moves how many features are thought to matter
    known = after.probabilities(cases) - after.probabilities(cases * [1, 1, 0] - [0, 0, 1])
    assert abs(known).max() < LITTLE


def copies(number, right=0.75, cases=60, seed=2):
    """Cases on which several features repeat the first one, which is right at times."""
    rng = np.random.default_rng(seed)
    purchases = []
    for case in range(cases):
        label = case % 2
        value = label if rng.random() < right else 1 - label
        purchases += [Purchase(at, label, value, 1, case) for at in range(number)]
    return purchases


def test_what_features_repeat_is_not_counted_several_times():
    problem = a_problem((2,) * 4, (0.5, 0.5))
    same = Hierarchical().fit(problem, copies(4))
    apart = Hierarchical().fit(
        problem, [Purchase(each.feature, each.label, each.value, 1) for each in copies(4)]
    )
    case = np.array([[1, 1, 1, 1]])
    assert same.feature_weights(case >= 0).max() < 0.45
    assert apart.feature_weights(case >= 0).min() > 0.7
    assert same.probabilities(case)[0, 1] < apart.probabilities(case)[0, 1]
    alone = np.array([[1, -1, -1, -1]])
    assert same.feature_weights(alone >= 0)[0].tolist() == pytest.approx([1, 0, 0, 0])
    assert same.probabilities(alone)[0, 1] == pytest.approx(apart.probabilities(alone)[0, 1])


def test_how_frequent_labels_are_does_not_change_what_is_learned_of_dependence():
    found = [
        Hierarchical().fit(a_problem((2,) * 4, prior), copies(4)).correlations
        for prior in ((0.5, 0.5), (0.9, 0.1))
    ]
    np.testing.assert_array_equal(*found)


def test_of_three_labels_nobody_weighs_one_cause():
    problem = a_problem((2,) * 4, (0.4, 0.3, 0.3))
    found = Hierarchical().fit(problem, copies(4)).correlations
    assert found[0].tolist() == [0.0] * len(dependence.CORRELATIONS)
    assert found[1].sum() == pytest.approx(1)


def test_a_problem_as_it_is_stated_has_independent_features():
    """As probable as that is, the correlation is 0 unless cases say otherwise."""
    found = dependence.prior_weights(6.0, 2, 0.75)
    assert found.sum() == pytest.approx(1)
    assert found[:, 0].sum() == pytest.approx(
        0.25 + 0.75 * dependence.prior_weights(6.0)[:, 0].sum()
    )
    bought = [Purchase(0, label, label, 1) for label in (0, 1) for _ in range(4)]
    made = Hierarchical().fit(a_problem((2, 2), (0.5, 0.5)), bought)
    stated = float(made.posterior.weights[-1])
    assert stated > 0.2
    np.testing.assert_allclose(made.correlations, dependence.prior_weights(6.0, 2, 1 - stated))


def discriminant(sizes, rho):
    """Weights of Fisher's discriminant that are not negative: the best of all sets of features.

    The evidence of a feature of sensitivity d has the variance d² within a label, and labels are
    d² apart in it; any two are correlated by ρ. In naive Bayes all weights are 1.
    """
    sizes, best, result = np.asarray(sizes), 0.0, None
    for chosen in product([False, True], repeat=len(sizes)):
        kept = np.flatnonzero(chosen)
        if not len(kept):
            continue
        apart = sizes[kept] ** 2
        scatter = np.outer(sizes[kept], sizes[kept]) * (rho + (1 - rho) * np.eye(len(kept)))
        weights = np.linalg.solve(scatter, apart)
        if (weights > 0).all() and apart @ weights > best:
            best, result = apart @ weights, np.zeros(len(sizes))
            result[kept] = weights
    return result


@given(st.lists(st.tuples(st.just(0.0) | st.floats(0.1, 5), st.booleans()), min_size=1, max_size=5))
def test_if_one_cause_stands_behind_all_fishers_discriminant_weighs_them(features):
    """Of those that are known and say something; the others have the weight 0."""
    sizes, known = (np.array(each) for each in zip(*features, strict=True))
    some = known & (sizes > 0)
    by_rho = dependence.feature_weights(known[None], sizes)
    for rho, found in zip(dependence.CORRELATIONS.tolist(), by_rho, strict=False):
        if some.any() and rho > 0:
            np.testing.assert_allclose(found[0, some], discriminant(sizes[some], rho), atol=1e-9)
        assert (found[0, ~some] == (known[~some] if rho == 0 else 0)).all()
        assert (found >= 0).all()
        assert (found <= 1 + 1e-12).all()


@given(st.lists(st.floats(0.1, 5), min_size=1, max_size=5), st.data())
def test_copies_count_alike(sizes, data):
    """1/(1 + ρ(n − 1)): n equal features that are copies count as one."""
    known = np.array([[data.draw(st.booleans()) for _ in sizes]])
    every = list(dependence.feature_weights(known, np.array(sizes)))[len(dependence.CORRELATIONS) :]
    number = effective_number([size for size, there in zip(sizes, known[0], strict=True) if there])
    for rho, found in zip(dependence.CORRELATIONS.tolist(), every, strict=True):
        np.testing.assert_allclose(found, known / (1 + rho * (number - 1)))


def effective_number(sizes):
    return sum(sizes) ** 2 / sum(each**2 for each in sizes) if sizes else 1


def test_what_is_as_stated_beyond_doubt_can_still_turn_out_to_be_repeated():
    """Of 200 Boolean features 197 are copies of three: by the counts all are as stated."""
    problem, rng = a_problem((2,) * 200, (0.5, 0.5)), np.random.default_rng(3)
    purchases = []
    for case in range(200):
        label = case % 2
        three = [label if rng.random() < 0.8 else 1 - label for _ in range(3)]
        purchases += [Purchase(at, label, three[at % 3], 1, case) for at in range(200)]
    made = Hierarchical().fit(problem, purchases)
    assert made.posterior.weights[-1] == 1, "the counts leave no doubt, to the last digit"
    assert made.feature_weights(np.ones((1, 200), dtype=bool)).max() < 0.1


@given(st.integers(0, 10**6), st.integers(2, 3))
@settings(max_examples=20)
def test_sensitivities_are_distances_in_standard_deviations(seed, labels):
    """For each two labels, what a value says of one against the other, value by value."""
    rng = np.random.default_rng(seed)
    problem = a_problem((2, 4), tuple(rng.dirichlet([5.0] * labels)))
    means = np.concatenate([rng.dirichlet([1.0] * size, labels) for size in (2, 4)], axis=1)
    found = dependence.sensitivities(problem, means)
    for at, columns in enumerate((range(2), range(2, 6))):
        total = shares = 0.0
        for one, two in combinations(range(labels), 2):
            said = [math.log(means[one, k] / means[two, k]) for k in columns]
            centres, variances = [], []
            for label in (one, two):
                chances = [means[label, k] for k in columns]
                centres.append(sum(p * x for p, x in zip(chances, said, strict=True)))
                squares = sum(p * x * x for p, x in zip(chances, said, strict=True))
                variances.append(squares - centres[-1] ** 2)
            share = problem.prior[one] * problem.prior[two]
            total += share * (centres[0] - centres[1]) / math.sqrt(sum(variances) / 2)
            shares += share
        assert found[at] == pytest.approx(total / shares, rel=1e-6)


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_spreads_are_standard_deviations_within_labels(seed):
    problem = a_problem((2, 4), (0.7, 0.3))
    means = Hierarchical().fit(problem, bought(problem, 12, seed)).means
    found = prospect.spreads(problem, means)
    for at, (start, size) in enumerate(
        zip(layout_of(problem).offsets, layout_of(problem).sizes, strict=True)
    ):
        part = means[:, start : start + size]
        ratio = np.log(part[0] / part[1])
        variance = 0.0
        for share, row in zip(problem.prior, part, strict=True):
            variance += share * ((row * ratio**2).sum() - (row * ratio).sum() ** 2)
        # Of two labels, 0.7 and 0.3, a log-likelihood minus the mean is a share of the ratio.
        assert found[at] ** 2 == pytest.approx(0.7 * 0.3 * variance, abs=1e-12)


def test_a_value_is_judged_without_itself():
    """Against counts that lack it, with all weights held."""
    problem = a_problem((2, 3))
    purchases = bought(problem, 20, 4)
    made = Hierarchical().fit(problem, purchases)
    known = made.posterior
    left = dependence.left_out(known, made.means)
    for label, column in zip(*np.nonzero(known.counts), strict=True):
        without = known.counts.copy()
        without[label, column] -= 1
        feature = int(np.searchsorted(layout_of(problem).offsets, column, side="right")) - 1
        part = slice(
            layout_of(problem).offsets[feature],
            layout_of(problem).offsets[feature] + layout_of(problem).sizes[feature],
        )
        expected = np.zeros(2)
        chances = known.chances[feature, :-1].reshape(2, 5)
        for beta in range(2):
            pooled = without[:, part].sum(axis=0) + EVENNESS[beta]
            at = column - part.start
            expected += chances[beta, 0] * pooled[at] / pooled.sum()
            for level in range(1, 5):
                draws = known.draws[beta, level, part]
                kappa = known.concentrations[level, column]
                prior = kappa * draws / draws.sum()
                expected += chances[beta, level] * (
                    (without[:, column] + prior[at]) / (without[:, part].sum(axis=1) + kappa)
                )
        stated = known.chances[feature, -1]
        rows = without[:, part] + 1
        expected += stated * rows[:, column - part.start] / rows.sum(axis=1)
        # `means` leaves out settings that are improbable, so that a little is missing.
        np.testing.assert_allclose(left[label, column], expected, atol=0.01)


def test_naive_bayes_is_that_of_the_belief():
    problem = a_problem((2, 3), (0.3, 0.7), prior_counts=0.5)
    purchases = bought(problem, 15, 8)
    belief = Belief.prior(problem)
    for each in purchases:
        belief = belief.observe_at(each.feature, each.label, each.value)
    made = NaiveBayes().fit(problem, purchases)
    np.testing.assert_allclose(made.members[0], belief.means)
    names = {"f0": "v1", "f1": "v2"}
    np.testing.assert_allclose(made.probabilities(np.array([[1, 2]]))[0], belief.posterior(names))
    np.testing.assert_allclose(of_belief(belief).members, made.members)
    drawn = made.outlook(2_000)
    errors_have = (drawn.high - drawn.low) / 3.3  # about their standard deviation
    assert abs(drawn.error - float(loss(belief, "zero_one"))) < 4 * errors_have / math.sqrt(2_000)


@pytest.mark.slow
def test_the_interval_holds_the_true_error_as_often_as_it_says():
    """Where models come from the learner's own prior, nine of ten intervals must hold the truth.

    The band is that of a binomial number, at four standard errors.
    """
    problem = a_problem((2, 2, 3, 2), (0.6, 0.4))
    blank = Hierarchical().fit(problem, []).posterior
    cases = everything(problem)
    inside, tries = 0, sized(80, 160)
    for at in range(tries):
        rng = np.random.default_rng([at, 11])
        truth = prospect.draw_model(blank, rng)
        purchases = []
        for case in range(20):
            feature, label = int(rng.integers(4)), case % 2
            start, size = layout_of(problem).offsets[feature], layout_of(problem).sizes[feature]
            chances = truth[label, start : start + size]
            value = int(rng.choice(size, p=chances / chances.sum()))
            purchases.append(Purchase(feature, label, value, 1))
        made = Hierarchical(independence=1e9).fit(problem, purchases)
        chances = truth[:, cases + layout_of(problem).starts].prod(axis=2).T * problem.prior
        said = made.probabilities(cases).argmax(axis=1)
        error = 1 - chances[np.arange(len(cases)), said].sum()
        now = made.outlook()
        inside += now.low <= error <= now.high
    assert abs(inside / tries - 0.9) < 4 * math.sqrt(0.9 * 0.1 / tries)


def test_wrong_names_and_parameters_are_explained():
    with pytest.raises(LearnerError, match="no learner 'guarded'; there are hierarchical, naive"):
        learner("guarded")
    with pytest.raises(
        LearnerError, match="no parameter 'tau'; it takes levels, evenness, as_stated"
    ):
        learner("hierarchical", tau=3)
    with pytest.raises(LearnerError, match="it takes none"):
        learner("naive-bayes", alpha=3)
    with pytest.raises(LearnerError, match=r"no learner \{\}"):
        learner({})
    for wrong in ({"levels": (1.0,)}, {"evenness": 3.0}, {"as_stated": 0}, {"independence": 0}):
        with pytest.raises(LearnerError, match=f"{next(iter(wrong))}: must be"):
            learner("hierarchical", **wrong)
    assert learner("hierarchical", as_stated=1).as_stated == 1
    for cell in ((3, 0, 0), (0, -1, 0), (0, 0, 2)):
        with pytest.raises(ObservationError, match="no positions of this problem"):
            NaiveBayes().fit(a_problem(), [Purchase(*cell, 1)])
    with pytest.raises(ObservationError, match="must be positions"):
        NaiveBayes().fit(a_problem(), [Purchase(0, 0, "v1", 1)])
    with pytest.raises(ObservationError, match="cases × 3 features"):
        NaiveBayes().fit(a_problem(), []).log_scores(np.array([[0, 0]]))
    with pytest.raises(LearnerError, match="at least 2"):
        NaiveBayes().fit(a_problem(), []).outlook(1)
    with pytest.raises(ObservationError, match="behind the last one"):
        NaiveBayes().fit(a_problem(), []).log_scores(np.array([[2, 0, 0]]))


def test_tiny_prior_counts_mean_all_or_nothing():
    """Half of the models that remain give the unseen label one value, half the other."""
    problem = a_problem((2,), (0.5, 0.5), prior_counts=1e-100)
    made = NaiveBayes().fit(problem, [Purchase(0, 0, 0, 1)])
    rng = np.random.default_rng(3)
    drawn = np.array([prospect.draw_model(made.posterior, rng) for _ in range(200)])
    assert set(np.unique(drawn[:, 1].round(12))) == {0.0, 1.0}
    assert abs(drawn[:, 1, 0].mean() - 0.5) < 4 * 0.5 / math.sqrt(200)
    assert (made.outlook().low, made.outlook().high) == (0.0, 0.5)


@pytest.mark.parametrize("count", [1e-15, 1e-20, 1e-100])
def test_tiny_prior_counts_of_many_features_give_numbers(count):
    problem = a_problem((2,) * 40, (0.5, 0.5), prior_counts=count)
    purchases = [Purchase(at, label, label, 1) for at in range(40) for label in (0, 1)]
    for kind in LEARNERS:
        made = learner(kind).fit(problem, purchases)
        found = made.probabilities(np.array([[0] * 40, [1] * 40, [0, 1] * 20]))
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert 0 <= made.outlook().error <= 1
        if kind != "scikit-learn":  # its trees want twenty cases in a leaf, and know no counts
            assert found[:2].argmax(axis=1).tolist() == [0, 1]
            assert found[:2].max(axis=1).min() > 0.99, "forty values, all of one label"


@pytest.mark.parametrize(
    ("ours", "theirs"), [(digamma, special.digamma), (trigamma, lambda x: special.polygamma(1, x))]
)
def test_derivatives_of_log_gamma(ours, theirs):
    numbers = np.geomspace(1e-100, 1e15, 500)
    np.testing.assert_allclose(ours(numbers), theirs(numbers), rtol=1e-10, atol=1e-12)


@given(
    st.lists(st.integers(1, 60), min_size=0, max_size=12),
    st.lists(st.floats(-3, 3).map(lambda power: 10**power), min_size=1, max_size=4),
)
def test_sums_over_few_and_many_steps(steps, numbers):
    """Some steps are gone one by one, others by functions."""
    most_first = sorted(steps, reverse=True)
    shape = (len(steps), len(numbers))
    table = np.broadcast_to(numbers, shape).copy()
    inverses, squares, logs = np.zeros((3, *shape))
    for at, number in np.ndindex(shape):
        along = numbers[number] + np.arange(most_first[at])
        inverses[at, number] = math.fsum(1 / along)
        squares[at, number] = math.fsum(1 / along**2)
        logs[at, number] = math.fsum(np.log(along))
    wanted = np.array(most_first, dtype=float)
    for ours, slow in (
        (digamma_rising, inverses), (trigamma_falling, squares), (log_rising_ordered, logs),
    ):  # fmt: skip
        np.testing.assert_allclose(ours(table, wanted), slow, rtol=1e-9, atol=1e-11)


def test_log_gamma_of_small_and_large_numbers():
    numbers = np.geomspace(1e-6, 1e9, 4001)
    slow = [math.lgamma(number) for number in numbers.tolist()]
    np.testing.assert_allclose(log_gamma(numbers), slow, rtol=1e-13, atol=2e-14)


@pytest.mark.parametrize("number", [1e3, 1e9, 1e15])
def test_the_logarithm_of_rising_factorials_keeps_its_digits(number):
    steps = np.arange(50.0)
    exact = np.concatenate([[0], np.cumsum([math.log(number + at) for at in range(49)])])
    np.testing.assert_allclose(log_rising(np.full(50, number), steps), exact, rtol=1e-9)


@pytest.mark.parametrize("number", [1e-3, 1.0, 5.0, 28.0])
def test_rising_factorials_of_whole_steps_are_those_of_scipy(number):
    steps = np.array([[0.0, 3.0], [7.0, 400.0]])
    exact = special.gammaln(number + steps) - special.gammaln(number)
    np.testing.assert_allclose(log_rising_whole(number, steps), exact, rtol=1e-10, atol=1e-12)
    assert log_rising_whole(number, np.zeros((0, 2))).shape == (0, 2)
