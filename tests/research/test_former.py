"""The default of before: it is only compared with, so little of it is tested, but by oracles."""

import doctest
import importlib
import itertools
import math
import pkgutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from budgeted import Feature, Problem, Purchase, State
from budgeted.cache import results
from budgeted.learners.layout import layout_of
from budgeted.testing import policies as contracts
from budgeted.value.loss import GINI, named
from research.quality import former
from research.quality.former import outcomes
from research.quality.former.buying import FormerDefault
from research.quality.former.odds import logistic
from research.quality.former.relevance import RelevanceBelief
from tests import oracles
from tests.strategies import beliefs, counts, ordinary_counts, problems

MODULES = [each.name for each in pkgutil.walk_packages(former.__path__, "research.quality.former.")]
SHARES = [((node + 0.5) / 24, 2 / 3 * (node + 0.5) / sum(each + 0.5 for each in range(24)))
          for node in range(24)] + [(1.0, 1 / 3)]  # fmt: skip
"""The share of features that matter, and its probability: Beta(2, 1) in steps, or all."""
STEP_ERROR = 2e-5
"""Of the integral of expected losses: 1e-5 for each of two."""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples():
    """Of what is compared: the classifier, and the beliefs that it is made of and bought for by."""
    tried = {name: doctest.testmod(importlib.import_module(name)).attempted for name in MODULES}
    for name in ("guard", "strength", "relevance"):
        assert tried[f"research.quality.former.{name}"] > 0


@st.composite
def relevance_beliefs(draw, most_seen=5, **options):
    options = {"features": (1, 3), "values": (2, 3), "prior_counts": ordinary_counts} | options
    plain = draw(beliefs(most_seen=most_seen, **options))
    return RelevanceBelief(plain.problem, plain.observed)


def a_belief(labels, sizes, seed):
    rng = np.random.default_rng(seed)
    features = [
        Feature(f"f{at}", [str(value) for value in range(size)], 1) for at, size in enumerate(sizes)
    ]
    prior = rng.dirichlet([3] * labels)
    problem = Problem(features, [f"l{at}" for at in range(labels)], prior.tolist(), 100)
    return RelevanceBelief(problem, rng.integers(0, 7, (labels, sum(sizes))))


def alphas(problem, feature):
    """Prior counts of a feature, a row per label: flat ones of c become 2c/r for r values."""
    owner = problem.features[feature]
    rows = [oracles.prior_row(owner, label) for label in range(len(problem.labels))]
    if len({count for row in rows for count in row}) == 1:
        rows = [[2 * count / len(row) for count in row] for row in rows]
    return np.array(rows)


def evidence_by_scipy(belief, feature):
    """Log Bayes factor that a feature matters."""

    def marginal(prior, seen):
        return (
            gammaln(prior.sum()) - gammaln((prior + seen).sum())
            + (gammaln(prior + seen) - gammaln(prior)).sum()
        )  # fmt: skip

    rows, seen = alphas(belief.problem, feature), belief.observed[:, belief.columns(feature)]
    matters = sum(marginal(row, number) for row, number in zip(rows, seen, strict=True))
    return matters - marginal(rows.mean(axis=0), seen.sum(axis=0))


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
            rows, seen = alphas(problem, feature), belief.observed[:, belief.columns(feature)]
            after = rows + seen
            if not matters:
                after = np.tile(rows.mean(axis=0) + seen.sum(axis=0), (len(rows), 1))
            columns.append(after / after.sum(axis=1, keepdims=True))
        result += chance * np.concatenate(columns, axis=1)
    return result


@given(relevance_beliefs(labels=3, most_seen=300, values=(2, 5), prior_counts=counts))
@settings(max_examples=30)
def test_evidence_equals_that_by_scipy(belief):
    for feature in range(len(belief.problem.features)):
        slow = evidence_by_scipy(belief, feature)
        assert belief.log_evidence[feature] == pytest.approx(slow, abs=1e-7)


@given(st.data(), st.integers(2, 3))
@settings(max_examples=40)
def test_relevance_and_means_are_sums_over_all_patterns(data, labels):
    belief = data.draw(relevance_beliefs(labels=labels))
    chances = all_patterns(belief)
    for feature in range(len(belief.problem.features)):
        slow = math.fsum(chance for pattern, chance in chances.items() if pattern[feature])
        assert belief.relevance[feature] == pytest.approx(slow, abs=1e-10)
    np.testing.assert_allclose(belief.means, means_by_patterns(belief), rtol=1e-9)


@given(relevance_beliefs(features=(2, 4)))
@settings(max_examples=30)
def test_log_odds_are_those_without_the_feature_itself(belief):
    """With what was seen of a feature taken away, its relevance is what the others say."""
    for feature in range(len(belief.problem.features)):
        observed = belief.observed.copy()
        observed[:, belief.columns(feature)] = 0
        chances = all_patterns(RelevanceBelief(belief.problem, observed))
        matters = math.fsum(chance for pattern, chance in chances.items() if pattern[feature])
        odds = math.log(matters / (1 - matters))
        assert belief.log_odds[feature] == pytest.approx(odds, abs=1e-9)


@given(st.floats(-700, 700))
def test_logistic_has_its_log_odds(odds):
    chance = logistic(np.array([odds, -odds]))
    assert chance.sum() == pytest.approx(1, abs=1e-15)
    assert math.log(chance.min()) == pytest.approx(-abs(odds) - math.log1p(math.exp(-abs(odds))))


def log_odds_of(belief, feature):
    """Log-odds that a feature matters, those by the other features rounded as the engine does."""
    others = round(float(belief.log_odds[feature]) / outcomes.ROUNDING) * outcomes.ROUNDING
    return others + float(belief.log_evidence[feature])


def cells_of(belief, feature):
    """Counts of a feature if it matters, a row per label, and if it does not."""
    columns = belief.columns(feature)
    apart = (belief.alpha + belief.observed)[:, columns]
    together = belief.alpha.mean(axis=0)[columns] + belief.observed.sum(axis=0)[columns]
    return apart.tolist(), together.tolist()


def all_outcomes(belief, feature, bought):
    """Every outcome of purchases of a feature: its chance, and its parameters after it."""
    apart, together = cells_of(belief, feature)
    ways = [list(oracles.compositions(number, len(together))) for number in bought]
    for seen in itertools.product(*ways):
        yield outcome(apart, together, log_odds_of(belief, feature), seen)


def outcome(apart, together, odds, seen):
    own, common, urn = 1.0, 1.0, list(together)
    for row, numbers in zip(apart, seen, strict=True):
        own *= oracles.outcome_chance(row, numbers)
        common *= oracles.outcome_chance(urn, numbers)
        urn = [count + more for count, more in zip(urn, numbers, strict=True)]
    before = 1 / (1 + math.exp(-odds))
    chance = before * own + (1 - before) * common
    matters = before * own / chance
    after = np.add(apart, seen)
    rows = matters * after / after.sum(axis=1, keepdims=True) + (1 - matters) * np.divide(
        urn, math.fsum(urn)
    )
    return chance, rows.tolist()


def loss_of(model, prior, kind):
    """The loss that is lowered: summed over pairs of labels, each with its own masses."""
    masses, total = oracles.all_masses(model, prior), 0.0
    for one, two in itertools.combinations(range(len(prior)), 2):
        pair = masses[:, [one, two]]
        posterior = pair / pair.sum(axis=1, keepdims=True)
        total += ((pair * (1 - posterior)) if kind == "gini" else (-pair * np.log(posterior))).sum()
    return float(total)


def means_of(belief):
    return [belief.mean(feature).tolist() for feature in range(len(belief.problem.features))]


def slow_change(belief, feature, bought, kind="gini"):
    """By how much buying one feature changes the loss, with the odds held."""
    prior, model, terms = belief.problem.prior, means_of(belief), []
    for sign, purchases in ((1, bought), (-1, [0] * len(bought))):
        for chance, rows in all_outcomes(belief, feature, purchases):
            after = [*model[:feature], rows, *model[feature + 1 :]]
            terms.append(sign * chance * loss_of(after, prior, kind))
    return math.fsum(terms)


def changes(belief, depths, kind="gini"):
    """By how much the loss changes when so many of each label are bought, feature by feature."""
    nothing = np.zeros_like(depths)
    found = outcomes.features(belief, depths, nothing, named(kind))
    return found.values - float(outcomes.expected(belief, nothing, named(kind)))


@pytest.mark.parametrize("labels", [2, 3])
@given(data=st.data(), kind=st.sampled_from(["gini", "entropy"]))
@settings(max_examples=15)
def test_all_outcomes_of_one_feature(labels, data, kind):
    """Within the error of the integral, while there are few of them."""
    belief = data.draw(relevance_beliefs(labels=labels))
    bought = data.draw(st.lists(st.integers(0, 4 - labels), min_size=labels, max_size=labels))
    depths = np.zeros((len(belief.problem.features), labels), dtype=np.int64)
    depths[-1] = bought
    now = outcomes.expected(belief, np.zeros_like(depths), named(kind))
    truth = loss_of(means_of(belief), belief.problem.prior, kind)
    pairs = math.comb(labels, 2)
    assert now == pytest.approx(truth, abs=pairs * outcomes.ERROR)
    slow = slow_change(belief, len(depths) - 1, bought, kind)
    if any(bought):
        assert changes(belief, depths, kind)[-1] == pytest.approx(slow, abs=pairs * STEP_ERROR)
    one = np.zeros_like(depths)
    one[-1, 0] = 2
    found = outcomes.cells(belief, one, np.zeros_like(depths), named(kind))
    assert (np.isnan(found.values) == (one == 0)).all()
    slow = slow_change(belief, len(depths) - 1, one[-1].tolist(), kind)
    assert found.values[-1, 0] - now == pytest.approx(slow, abs=pairs * STEP_ERROR)


@pytest.mark.parametrize("seed", range(3))
def test_groups_of_outcomes_lose_little_and_never_invent(seed):
    """A group at its mean tells less than its members; with eight groups, by up to a tenth."""
    belief = a_belief(2, (2, 2), seed)
    exact = np.array([slow_change(belief, feature, [26, 25]) for feature in range(2)])
    error = changes(belief, np.array([[26, 25]] * 2)) - exact
    assert (error > -STEP_ERROR - 0.002 * -exact).all()
    assert (error < STEP_ERROR + 0.1 * -exact).all()


def drawn_changes(belief, feature, depth, number, rng):
    """Changes of the loss for outcomes drawn by the oracle; their mean is what is estimated."""
    apart, together = cells_of(belief, feature)
    odds, prior, model = log_odds_of(belief, feature), belief.problem.prior, means_of(belief)

    def after(seen):
        _, rows = outcome(apart, together, odds, seen)
        return loss_of([*model[:feature], rows, *model[feature + 1 :]], prior, "gini")

    before = after([[0] * len(together)] * len(apart))
    found = []
    for _ in range(number):
        common = rng.dirichlet(together)
        own = [rng.dirichlet(row) for row in apart]
        matters = rng.random() < 1 / (1 + math.exp(-odds))
        chances = own if matters else [common] * len(apart)
        found.append(after([rng.multinomial(depth, row).tolist() for row in chances]) - before)
    return np.array(found)


@pytest.mark.parametrize(("labels", "size", "depth"), [(2, 3, 16), (2, 6, 8), (3, 3, 4)])
def test_drawn_outcomes_are_off_by_no_more_than_chance(labels, size, depth):
    """64 draws at least: within 4 standard errors of them and of the oracle's own draws."""
    belief = a_belief(labels, (size, size), 1)
    found = changes(belief, np.full((2, labels), depth))
    slow = drawn_changes(belief, 0, depth, 300, np.random.default_rng(1))
    band = 4 * slow.std() * math.sqrt(1 / outcomes.DRAWS + 1 / len(slow))
    assert abs(found[0] - slow.mean()) < band + STEP_ERROR


@pytest.mark.parametrize(("labels", "sizes"), [(2, (2, 3, 4)), (3, (2, 3, 2))])
@pytest.mark.parametrize("depth", [3, 30])
def test_neither_order_nor_memory_matters(labels, sizes, depth):
    belief, order = a_belief(labels, sizes, seed=4), [2, 0, 1]
    problem, depths = belief.problem, np.full((3, labels), depth)
    other = RelevanceBelief(
        Problem([problem.features[at] for at in order], problem.labels, problem.prior, 100),
        np.concatenate([belief.observed[:, belief.columns(at)] for at in order], axis=1),
    )
    results.clear()
    first = changes(belief, depths)
    for each in (belief.observe(0, 1, 1), belief.observe(2, 1, 0)):
        changes(each, depths)
    np.testing.assert_allclose(changes(belief, depths), first, rtol=0, atol=1e-14)
    results.clear()
    np.testing.assert_allclose(changes(other, depths), first[order], rtol=1e-9, atol=1e-13)


class SayingWhy:
    """The default of before gives no reasons, which every policy must."""

    def choose(self, state, rng):
        choice = FormerDefault().choose(state, rng)
        return choice and replace(choice, reason="it is the best")


@pytest.mark.parametrize(
    "check",
    [each for each in contracts.CHECKS if each not in contracts.FEE_CHECKS],
    ids=lambda check: check.__name__,
)
def test_contract(check):
    """What there was when it was the default: it knows neither fees nor panels."""
    check(SayingWhy())


@st.composite
def states(draw, labels=2):
    """States in the middle of a run, some cells without cases; nothing is under way."""
    costs = st.sampled_from(["0.5", "1", "2", "3"])
    problem = draw(problems(labels=labels, costs=costs, features=(1, 3), values=(2, 3),
                            prior_counts=ordinary_counts))  # fmt: skip
    state = State.start(
        problem, cases=draw(st.lists(st.integers(1, 5), min_size=labels, max_size=labels))
    )
    for _ in range(draw(st.integers(0, 6))):
        if state.affordable():
            action = draw(st.sampled_from(state.affordable()))
            value = draw(st.integers(0, layout_of(problem).sizes[action.feature] - 1))
            cost = problem.features[action.feature].cost
            state = state.after(Purchase(*action, value, cost))
    return state


def loss_after(belief, feature, bought):
    allocation = np.zeros((len(belief.problem.features), len(bought)), dtype=np.int64)
    allocation[feature] = bought
    return float(outcomes.expected(belief, allocation, GINI))


@given(states())
@settings(max_examples=25)
def test_it_buys_of_the_feature_with_the_best_slow_rate(state):
    """Then of the label whose share does most good alone."""
    choice = FormerDefault().choose(state, np.random.default_rng(0))
    belief = RelevanceBelief(state.problem, state.belief.observed)
    labels, best = range(len(state.problem.labels)), {}
    for feature, owner in enumerate(state.problem.features):
        paid = int(state.free // owner.cost)
        room = [min(paid, int(state.cases_left[feature, label])) for label in labels]
        held = belief.observed[:, belief.columns(feature)].sum(axis=1).tolist()
        most = min(paid, sum(room))
        rates = {}
        for total in sorted({min(most, 4**power * len(room)) for power in range(8)} - {0}):
            after = loss_after(belief, feature, oracles.even_shares(total, room, held))
            fall = loss_after(belief, feature, [0] * len(room)) - after
            rates[total] = fall / (total * float(owner.cost))
        if rates:
            number = max(rates, key=rates.__getitem__)
            best[feature] = rates[number], number, room
    if choice is None:
        assert not best
        return
    rate, number, room = best[choice.action.feature]
    assert rate >= max(each for each, _, _ in best.values()) - 1e-10
    share = math.ceil(number / len(room))
    alone = {}
    for label in np.flatnonzero(room).tolist():
        bought = [min(share, room[label]) * (label == each) for each in labels]
        alone[label] = loss_after(belief, choice.action.feature, bought)
    assert alone[choice.action.label] <= min(alone.values()) + 1e-9
