"""The belief that learns how strongly features tell the labels apart, against plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem, Purchase
from budgeted.guard import deliver
from budgeted.judging import Validation
from budgeted.kinds import KINDS
from budgeted.strength import StrengthBelief

ALL_OWN = 1 / 3


def make_problem(sizes, labels=2, prior=None):
    return Problem(
        [Feature(f"f{at}", [str(value) for value in range(size)], 1)
         for at, size in enumerate(sizes)],
        [f"l{at}" for at in range(labels)],
        [1 / labels] * labels if prior is None else prior,
        10_000,
    )  # fmt: skip


def log_marginal(prior, counts):
    """Log-probability of counts under a Dirichlet, one value after the other."""
    seen, log = [0] * len(prior), 0.0
    for value, number in enumerate(counts):
        for _ in range(number):
            log += math.log((prior[value] + seen[value]) / (sum(prior) + sum(seen)))
            seen[value] += 1
    return log


def slow_near(counts):
    """Log evidence and parameters of all kinds but the last, for one feature."""
    size = len(counts[0])
    together = [sum(column) for column in zip(*counts, strict=True)]
    common = [(each + 2 / size) / (sum(together) + 2) for each in together]
    plain = sum(number * math.log(share) for row in counts
                for number, share in zip(row, common, strict=True))  # fmt: skip
    logs, means = [0.0], [[common] * len(counts)]
    for close in (30, 8, 2):
        near = [close * share for share in common]
        logs.append(math.fsum(log_marginal(near, row) for row in counts) - plain)
        means.append([[(n + a) / (sum(row) + close) for n, a in zip(row, near, strict=True)]
                      for row in counts])  # fmt: skip
    return logs, means


def priors(size):
    """Prior counts of 1 each, 1 in all, and between."""
    return [[1.0] * size, [size**-0.5] * size, [1 / size] * size]


def slow_last(counts, scales):
    """Log evidence of a feature's own shares, and for each label the chances of each scale."""
    each = priors(len(counts[0]))
    found = [[share * math.exp(log_marginal(prior, row))
              for share, prior in zip(shares, each, strict=True)]
             for row, shares in zip(counts, scales, strict=True)]  # fmt: skip
    together = [sum(column) for column in zip(*counts, strict=True)]
    usual = [math.fsum(column) / len(scales) for column in zip(*scales, strict=True)]
    same = math.fsum(share * math.exp(log_marginal(prior, together))
                     for share, prior in zip(usual, each, strict=True))  # fmt: skip
    log = math.fsum(math.log(math.fsum(row)) for row in found) - math.log(same)
    return log, [[mass / math.fsum(row) for mass in row] for row in found]


def posterior(logs, shares):
    masses = [share * math.exp(log - max(logs)) for share, log in zip(shares, logs, strict=True)]
    return [mass / sum(masses) for mass in masses]


def slow_learned(tables):
    """How many features are of each kind and scale, and the probability that all are as stated."""
    labels = len(tables[0])
    shares, scales = [0.2] * 5, [[1 / 3] * 3 for _ in range(labels)]
    near = [slow_near(counts)[0] for counts in tables]
    for _ in range(30):
        last = [slow_last(counts, scales) for counts in tables]
        found = [posterior([*logs, log], shares) for logs, (log, _) in zip(near, last, strict=True)]
        sums = [1 + math.fsum(each[kind] for each in found) for kind in range(5)]
        shares = [each / sum(sums) for each in sums]
        masses = [[1 / 3 + math.fsum(each[4] * chances[label][scale]
                                     for each, (_, chances) in zip(found, last, strict=True))
                   for scale in range(3)] for label in range(labels)]  # fmt: skip
        scales = [[mass / sum(row) for mass in row] for row in masses]
    mixed = math.log(1 - ALL_OWN) + math.fsum(math.log(5 * share) for share in shares)
    mixed += math.fsum(math.log(3 * share) for row in scales for share in row) / 3
    stated = math.log(ALL_OWN)
    for counts, logs in zip(tables, near, strict=True):
        log, _ = slow_last(counts, scales)
        each = zip(shares, [*logs, log], strict=True)
        mixed += math.log(math.fsum(share * math.exp(log) for share, log in each))
        stated += slow_last(counts, [[1.0, 0.0, 0.0]] * labels)[0]
    return shares, scales, 1 / (1 + math.exp(mixed - stated))


def slow_means(counts, shares, scales, as_stated):
    logs, near = slow_near(counts)
    log, chances = slow_last(counts, scales)
    kinds = posterior([*logs, log], shares)
    means = (1 - as_stated) * np.tensordot(kinds[:-1], np.array(near), 1)
    for label, row in enumerate(counts):
        for scale, prior in enumerate(priors(len(row))):
            chance = (1 - as_stated) * kinds[-1] * chances[label][scale]
            chance += as_stated * (scale == 0)
            means[label] += chance * (np.array(row) + prior) / (sum(row) + sum(prior))
    kinds = [(1 - as_stated) * each for each in kinds]
    kinds[-1] += as_stated
    return kinds, means


@st.composite
def beliefs(draw):
    labels = draw(st.integers(2, 3))
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    cell = st.integers(0, 5)
    tables = [draw(st.lists(st.lists(cell, min_size=size, max_size=size),
                            min_size=labels, max_size=labels)) for size in sizes]  # fmt: skip
    observed = np.concatenate([np.array(table) for table in tables], axis=1)
    return tables, StrengthBelief(make_problem(sizes, labels), observed)


@given(drawn=beliefs())
@settings(max_examples=60)
@pytest.mark.slow
def test_it_equals_the_slow_one(drawn):
    tables, belief = drawn
    learned = slow_learned(tables)
    left = belief.left_out()
    for at, counts in enumerate(tables):
        kinds, means = slow_means(counts, *learned)
        np.testing.assert_allclose(belief.kinds[at], kinds, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(belief.mean(at), means, rtol=1e-8)
        start = belief.problem.offsets[at]
        for label, row in enumerate(counts):
            for value, number in enumerate(row):
                if number:
                    without = [list(each) for each in counts]
                    without[label][value] -= 1
                    _, means = slow_means(without, *learned)
                    found = np.exp(left[label, start + value])
                    np.testing.assert_allclose(found, means[:, value], rtol=1e-8)


@given(drawn=beliefs(), data=st.data())
@settings(max_examples=40)
@pytest.mark.slow
def test_what_is_foretold_comes_from_the_values_before(drawn, data):
    tables, belief = drawn
    learned = slow_learned(tables)
    values = [
        (at, label, value)
        for at, counts in enumerate(tables)
        for label, row in enumerate(counts)
        for value, number in enumerate(row)
        for _ in range(number)
    ]
    values = data.draw(st.permutations(values))
    before = [[[0] * len(row) for row in counts] for counts in tables]
    found = belief.foretold(values)
    assert found.shape == (len(values), len(belief.problem.labels))
    for row, (at, label, value) in zip(found, values, strict=True):
        _, means = slow_means(before[at], *learned)
        np.testing.assert_allclose(np.exp(row), means[:, value], rtol=1e-8)
        before[at][label][value] += 1


@given(drawn=beliefs())
@settings(max_examples=60)
def test_parameters_are_probabilities(drawn):
    _, belief = drawn
    assert (belief.means > 0).all()
    sums = np.add.reduceat(belief.means, belief.problem.offsets, axis=1)
    np.testing.assert_allclose(sums, 1, rtol=1e-12)
    np.testing.assert_allclose(belief.kinds.sum(axis=1), 1, rtol=1e-12)


def test_it_learns_that_the_values_of_one_label_are_few():
    """A value that nobody has shown speaks for the label whose values are spread."""
    counts = np.array([[5, 0, 0, 0, 0, 0, 0, 0], [0, 1, 1, 1, 0, 1, 1, 0]])
    belief = StrengthBelief(make_problem([8] * 6), np.tile(counts, 6))
    few, spread = belief.mean(0)[:, 7]
    assert spread > 3 * few
    flat = Belief(belief.problem, belief.observed).mean(0)[:, 7]
    assert flat[0] == flat[1]


def table_of(shares, number, rng):
    return np.array([rng.multinomial(number, row) for row in shares])


@pytest.mark.parametrize(("kind", "shares"), [
    ("irrelevant", [[0.2, 0.3, 0.5], [0.2, 0.3, 0.5]]),
    ("its own", [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]]),
])  # fmt: skip
def test_with_many_values_it_knows(kind, shares):
    rng = np.random.default_rng(1)
    problem = make_problem([3] * 6)
    observed = np.concatenate([table_of(shares, 2_000, rng) for _ in range(6)], axis=1)
    belief = StrengthBelief(problem, observed)
    assert (belief.kinds.argmax(axis=1) == KINDS.index(kind)).all()
    np.testing.assert_allclose(belief.mean(0), shares, atol=0.03)


def test_a_feature_that_somebody_knows_has_its_own_shares():
    told = ((6, 2), (2, 6))
    features = [Feature("a", ("no", "yes"), 1, told), Feature("b", ("no", "yes"), 1)]
    problem = Problem(features, ("x", "y"), (0.5, 0.5), 10)
    belief = StrengthBelief.prior(problem).observe("a", "x", "no").observe("b", "x", "no")
    assert belief.kinds[0].tolist() == [0, 0, 0, 0, 1]
    alone = Problem(features[1:], ("x", "y"), (0.5, 0.5), 10)
    without = StrengthBelief.prior(alone).observe("b", "x", "no")
    np.testing.assert_allclose(belief.mean("b"), without.mean("b"), rtol=1e-12)
    np.testing.assert_allclose(belief.mean("a"), [[7 / 9, 2 / 9], [2 / 8, 6 / 8]])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_drawn_models_are_right_on_average(seed):
    """Within 5 standard errors of the means, and irrelevant as often as they should be."""
    rng = np.random.default_rng(seed)
    belief = StrengthBelief(make_problem([2, 4, 3]), rng.integers(0, 2, (2, 9)))
    assert (belief.kinds * 3_000 > 20).all()  # few values: all kinds are drawn
    drawn = np.array([belief.sample(rng) for _ in range(3_000)])
    sums = np.add.reduceat(drawn, belief.problem.offsets, axis=2)
    np.testing.assert_allclose(sums, 1, rtol=1e-9)
    error = drawn.std(axis=0, ddof=1) / math.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - belief.means) < 5 * error).all()
    for at, share in enumerate(belief.kinds[:, 0].tolist()):
        same = drawn[:, 0, belief.columns(at)] == drawn[:, 1, belief.columns(at)]
        error = math.sqrt(share * (1 - share) / len(drawn))
        assert abs(same.all(axis=1).mean() - share) < 5 * error


def skewed_worlds(number, closeness, rng):
    """Problems of many-valued features with a frequent label, values bought at random, and judges.

    The shares of a label are drawn around common ones, `closeness` values' worth close to them.
    """
    problem = make_problem([6, 3, 11, 7, 2, 3], prior=(0.7, 0.3))
    for _ in range(number):
        common = [rng.dirichlet(np.ones(size)) for size in problem.sizes]
        shares = [rng.dirichlet(closeness * each + 1e-3, size=2) for each in common]
        labels = rng.permutation(np.repeat([0, 1], [1_400, 600]))
        values = np.stack(
            [(rng.random((2_000, 1)) > each.cumsum(axis=1)[labels][:, :-1]).sum(axis=1)
             for each in shares], axis=1,
        )  # fmt: skip
        bought = []
        for label in (0, 1):
            for case in np.flatnonzero(labels == label)[:6].tolist():
                bought += [Purchase(int(at), label, int(values[case, at]), 1, case)
                           for at in rng.permutation(6)[:2]]  # fmt: skip
        rest = np.delete(np.arange(2_000), [each.case for each in bought])
        yield problem, bought, Validation.of_table(problem, values[rest], labels[rest])


@pytest.mark.parametrize("closeness", [60, 1e4])
@pytest.mark.slow
def test_a_few_values_of_features_that_say_little_do_little_harm(closeness):
    """Less than a fifth of what naive Bayes loses against the most frequent label."""
    excess = {"naive": [], "guarded": []}
    for problem, bought, judge in skewed_worlds(60, closeness, np.random.default_rng(5)):
        belief = Belief.prior(problem)
        for each in bought:
            belief = belief.observe(each.feature, each.label, each.value)
        most_frequent = judge.error(belief, np.zeros(6))
        for name, found in excess.items():
            found.append(judge.error(*deliver(name, belief, bought)) - most_frequent)
    saved = np.array(excess["naive"]) - 5 * np.array(excess["guarded"])
    assert saved.mean() > 2 * saved.std(ddof=1) / math.sqrt(len(saved))
