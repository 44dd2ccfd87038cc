"""Expected losses under a relevance-aware belief against sums over everything that may come."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem
from budgeted.cache import results
from budgeted.errors import EngineError
from budgeted.expectation import expected_loss, feature_lookahead, lookahead, loss, outcomes
from budgeted.relevance import RelevanceBelief
from tests import oracles
from tests.strategies import beliefs, ordinary_counts

LOSSES = st.sampled_from(["gini", "entropy"])
STEP_ERROR = 2e-5
"""Of the engine's integral: 1e-5 for each of two losses."""


@st.composite
def relevance_beliefs(draw, **options):
    options = {"features": (1, 3), "values": (2, 3), "prior_counts": ordinary_counts} | options
    plain = draw(beliefs(**options))
    return RelevanceBelief(plain.problem, plain.observed)


def logistic(odds):
    return 1 / (1 + math.exp(-odds)) if odds > 0 else math.exp(odds) / (1 + math.exp(odds))


def cells_of(belief, feature):
    """Counts of a feature if it matters, a row per label, and if it does not."""
    columns = belief.columns(feature)
    apart = (belief.alpha + belief.observed)[:, columns]
    together = belief.alpha.mean(axis=0)[columns] + belief.observed.sum(axis=0)[columns]
    return apart.tolist(), together.tolist()


def log_odds_of(belief, feature, rounding=outcomes.ROUNDING):
    """Log-odds that a feature matters, those by the other features rounded as the engine does."""
    others = float(belief.log_odds[feature])
    if rounding:
        others = round(others / rounding) * rounding
    return others + float(belief.log_evidence[feature])


def all_outcomes(belief, feature, bought, odds):
    """Every outcome of purchases of a feature: its chance, and its parameters after it."""
    apart, together = cells_of(belief, feature)
    ways = [list(oracles.compositions(number, len(together))) for number in bought]
    for seen in itertools.product(*ways):
        yield outcome(apart, together, odds, seen)


def outcome(apart, together, odds, seen):
    own, common, urn = 1.0, 1.0, list(together)
    for row, counts in zip(apart, seen, strict=True):
        own *= oracles.outcome_chance(row, counts)
        common *= oracles.outcome_chance(urn, counts)
        urn = [count + more for count, more in zip(urn, counts, strict=True)]
    before = logistic(odds)
    chance = before * own + (1 - before) * common
    matters = before * own / chance
    shared = [count / math.fsum(urn) for count in urn]
    rows = []
    for row, counts in zip(apart, seen, strict=True):
        after = [count + more for count, more in zip(row, counts, strict=True)]
        rows.append([
            matters * count / math.fsum(after) + (1 - matters) * share
            for count, share in zip(after, shared, strict=True)
        ])  # fmt: skip
    return chance, rows


def loss_of(model, prior, kind):
    """The loss that the engine is about: summed over pairs of labels, each with its own masses."""
    masses, total = oracles.all_masses(model, prior), 0.0
    for one, two in itertools.combinations(range(len(prior)), 2):
        pair = masses[:, [one, two]]
        posterior = pair / pair.sum(axis=1, keepdims=True)
        total += ((pair * (1 - posterior)) if kind == "gini" else (-pair * np.log(posterior))).sum()
    return float(total)


def means_of(belief):
    return [belief.mean(feature).tolist() for feature in range(len(belief.problem.features))]


def slow_change(belief, feature, bought, kind, rounding=outcomes.ROUNDING):
    """By how much buying one feature changes the loss, with the odds held."""
    prior, model = belief.problem.prior, means_of(belief)
    odds, terms = log_odds_of(belief, feature, rounding), []
    for sign, purchases in ((1, bought), (-1, [0] * len(bought))):
        for chance, rows in all_outcomes(belief, feature, purchases, odds):
            after = [*model[:feature], rows, *model[feature + 1 :]]
            terms.append(sign * chance * loss_of(after, prior, kind))
    return math.fsum(terms)


@given(relevance_beliefs(labels=2, features=(1, 5)), LOSSES)
@settings(max_examples=40)
def test_nothing_bought_is_the_loss_now(belief, kind):
    found = expected_loss(belief, {}, kind)
    assert found.engine == "outcomes"
    truth = oracles.brute_loss(means_of(belief), belief.problem.prior, kind)
    assert found == pytest.approx(truth, abs=outcomes.ERROR)
    assert found.lower <= truth <= found.upper
    assert loss(belief, kind) == pytest.approx(truth, abs=1e-10)


@pytest.mark.parametrize("labels", [2, 3])
@given(data=st.data(), kind=LOSSES)
@settings(max_examples=20)
def test_all_outcomes_of_one_feature(labels, data, kind):
    """Within the error of the integral, while there are few of them."""
    belief = data.draw(relevance_beliefs(labels=labels))
    most = 3 if labels == 2 else 2
    feature = data.draw(st.integers(0, len(belief.problem.features) - 1))
    bought = data.draw(st.lists(st.integers(0, most), min_size=labels, max_size=labels))
    slow = slow_change(belief, feature, bought, kind)
    allocation = {(feature, label): number for label, number in enumerate(bought)}
    now = expected_loss(belief, {}, kind)
    error = STEP_ERROR * math.comb(labels, 2)
    assert expected_loss(belief, allocation, kind) - now == pytest.approx(slow, abs=error)
    depths = np.zeros((len(belief.problem.features), labels), dtype=np.int64)
    depths[feature] = bought
    if depths.any():
        found = feature_lookahead(belief, depths, kind)
        assert found.engine == "outcomes"
        assert found.values[feature] - now == pytest.approx(slow, abs=error)
        assert np.isnan(np.delete(found.values, feature)).all()


@given(relevance_beliefs(labels=2), LOSSES, st.integers(1, 12))
@settings(max_examples=15)
def test_all_outcomes_of_one_cell(belief, kind, depth):
    depths = np.zeros((len(belief.problem.features), 2), dtype=np.int64)
    depths[0] = depth, 0
    depths[-1, 1] = depth + 1
    found = lookahead(belief, depths, kind)
    now = expected_loss(belief, {}, kind)
    assert (np.isnan(found.values) == (depths == 0)).all()
    for feature, label in np.argwhere(depths).tolist():
        bought = [0, 0]
        bought[label] = int(depths[feature, label])
        slow = slow_change(belief, feature, bought, kind)
        assert found.values[feature, label] - now == pytest.approx(slow, abs=STEP_ERROR)


@pytest.fixture
def exact_odds(monkeypatch):
    """An engine that does not round odds, so that the oracle is one plain sum."""
    results.clear()
    monkeypatch.setattr(outcomes, "ROUNDING", 1e-9)
    yield
    results.clear()


def slow_expected(belief, allocation, kind):
    """Over all outcomes of all features, odds held and not rounded."""
    number, labels = len(belief.problem.features), len(belief.problem.labels)
    ways = [
        list(all_outcomes(belief, feature, [allocation.get((feature, label), 0)
                                            for label in range(labels)],
                          log_odds_of(belief, feature, None)))
        for feature in range(number)
    ]  # fmt: skip
    return math.fsum(
        math.prod(chance for chance, _ in joint)
        * loss_of([rows for _, rows in joint], belief.problem.prior, kind)
        for joint in itertools.product(*ways)
    )


@pytest.mark.usefixtures("exact_odds")
@pytest.mark.parametrize("kind", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(3))
def test_purchases_of_several_features_and_under_way(seed, kind):
    belief = a_belief(2, (2, 3), seed=seed)
    under_way = {(0, 1): 2, (1, 0): 1}
    truth = slow_expected(belief, under_way, kind)
    assert expected_loss(belief, under_way, kind) == pytest.approx(truth, abs=STEP_ERROR)
    depths = np.array([[1, 2], [2, 1]])
    whole = feature_lookahead(belief, depths, kind, given=under_way)
    cells = lookahead(belief, depths, kind, given=under_way)
    for feature in range(2):
        both = dict(under_way)
        for label in range(2):
            more = int(depths[feature, label])
            both[feature, label] = both.get((feature, label), 0) + more
            cell = under_way | {
                (feature, label): under_way.get((feature, label), 0) + more,
            }
            truth = slow_expected(belief, cell, kind)
            assert cells.values[feature, label] == pytest.approx(truth, abs=STEP_ERROR)
        truth = slow_expected(belief, both, kind)
        assert whole.values[feature] == pytest.approx(truth, abs=STEP_ERROR)


def a_belief(labels, sizes, seed, most_seen=6):
    rng = np.random.default_rng(seed)
    features = [
        Feature(f"f{at}", [str(value) for value in range(size)], 1) for at, size in enumerate(sizes)
    ]
    prior = rng.dirichlet([3] * labels)
    problem = Problem(features, [f"l{at}" for at in range(labels)], prior.tolist(), 100)
    return RelevanceBelief(problem, rng.integers(0, most_seen + 1, (labels, sum(sizes))))


def changes(belief, depth, kind="gini"):
    """By how much the loss changes when so many of each label are bought, feature by feature."""
    labels, number = len(belief.problem.labels), len(belief.problem.features)
    depths = np.full((number, labels), depth)
    found = feature_lookahead(belief, depths, kind)
    return found.values - float(expected_loss(belief, {}, kind))


@pytest.mark.parametrize("seed", range(6))
def test_groups_of_outcomes_lose_little_and_never_invent(seed, monkeypatch):
    """A group at its mean tells less than its members; with eight groups, by up to a tenth."""
    belief = a_belief(2, (2, 2), seed)
    exact = np.array([slow_change(belief, feature, [26, 25], "gini") for feature in range(2)])
    depths = np.array([[26, 25], [26, 25]])
    now = float(expected_loss(belief, {}))
    results.clear()
    error = {}
    for groups in (8, 24):
        monkeypatch.setattr(outcomes, "GROUPS", groups)
        results.clear()
        error[groups] = feature_lookahead(belief, depths).values - now - exact
        assert (error[groups] > -STEP_ERROR - 0.002 * -exact).all()
    results.clear()
    assert (error[8] < STEP_ERROR + 0.1 * -exact).all()
    assert (error[24] < STEP_ERROR + 0.02 * -exact).all()


def drawn_changes(belief, feature, depth, number, rng):
    """Changes of the loss for outcomes drawn by the oracle, without the engine's means of groups.

    The mean is what the engine estimates; the spread says how far off it may be.
    """
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
        chances = own if rng.random() < logistic(odds) else [common] * len(apart)
        found.append(after([rng.multinomial(depth, row).tolist() for row in chances]) - before)
    return np.array(found)


@pytest.mark.parametrize(("labels", "size", "depth"), [(2, 3, 16), (2, 6, 8), (3, 2, 16),
                                                       (3, 3, 4)])  # fmt: skip
@pytest.mark.parametrize("seed", range(2))
def test_drawn_outcomes_are_off_by_no_more_than_chance(labels, size, depth, seed):
    """64 draws at least: within 4 standard errors of them and of the oracle's own draws."""
    belief = a_belief(labels, (size, size), seed)
    found = changes(belief, depth)
    for feature in range(2):
        slow = drawn_changes(belief, feature, depth, 500, np.random.default_rng(seed))
        band = 4 * slow.std() * math.sqrt(1 / outcomes.DRAWS + 1 / len(slow))
        assert abs(found[feature] - slow.mean()) < band + STEP_ERROR
        assert found[feature] < band


@given(relevance_beliefs(labels=2), LOSSES)
@settings(max_examples=25)
def test_few_outcomes_never_harm_and_more_purchases_help(belief, kind):
    """Exactly so while all outcomes are enumerated."""
    found = np.array([changes(belief, depth, kind) for depth in (1, 2, 3, 4)])
    assert (found < 1e-12).all()
    assert (np.diff(found, axis=0) < 1e-12).all()


@pytest.mark.parametrize("seed", range(8))
def test_many_outcomes_never_harm_and_more_purchases_help(seed):
    """Also across the border to groups, but for the tenth that these may lose."""
    belief = a_belief(2, (2, 2, 2), seed)
    found = np.array([changes(belief, depth) for depth in (1, 4, 16, 23, 24, 64, 256, 1000)])
    assert (found < 0).all()
    assert (found[1:] < 0.9 * found[:-1]).all()


@pytest.mark.parametrize("seed", range(2))
def test_hundreds_of_purchases_of_one_cell(seed):
    """As many outcomes as are enumerated: their chances are far below the least double."""
    belief = a_belief(2, (2, 3), seed)
    found = [lookahead(belief, np.array([[depth, 0], [0, depth // 20]])).values
             for depth in (150, 250, 400, 599)]  # fmt: skip
    assert np.isfinite([each[0, 0] for each in found]).all()
    assert (np.diff([each[0, 0] for each in found]) < 1e-12).all()
    slow = slow_change(belief, 0, [250, 0], "gini")
    now = float(expected_loss(belief, {}))
    assert found[1][0, 0] - now == pytest.approx(slow, abs=STEP_ERROR)


@pytest.mark.parametrize("least", [1e-100, 1e-20])
def test_prior_counts_of_almost_nothing(least):
    """Groups whose means round below nothing, and chances that vanish, are no trouble."""
    features = [Feature(f"f{at}", ("0", "1"), 1, ((1, least), (least, 1))) for at in range(2)]
    problem = Problem(features, ("x", "y"), (0.5, 0.5), 100)
    observed = np.array([[3, 0, 5, 2], [0, 4, 0, 900]])
    belief = RelevanceBelief(problem, observed)
    for depth in (1, 5, 22, 24, 70, 333):
        assert np.isfinite(changes(belief, depth)).all()


@given(relevance_beliefs(labels=3, features=(1, 4)))
@settings(max_examples=30)
def test_with_three_labels_the_loss_is_a_bound(belief):
    """At least the loss of telling all three apart, and the sum of that over pairs."""
    prior, model = belief.problem.prior, means_of(belief)
    for kind in ("gini", "entropy"):
        found = expected_loss(belief, {}, kind)
        assert found == pytest.approx(loss_of(model, prior, kind), abs=3 * outcomes.ERROR)
        assert found > oracles.brute_loss(model, prior, kind) - 3 * outcomes.ERROR


@pytest.mark.parametrize(("labels", "sizes"), [(2, (2, 2, 2)), (2, (2, 3, 4)), (3, (2, 3, 2))])
@pytest.mark.parametrize("depth", [3, 30])
def test_the_order_of_features_does_not_matter(labels, sizes, depth):
    belief = a_belief(labels, sizes, seed=4)
    order = [2, 0, 1]
    problem = belief.problem
    other = RelevanceBelief(
        Problem([problem.features[at] for at in order], problem.labels, problem.prior, 100),
        np.concatenate([belief.observed[:, belief.columns(at)] for at in order], axis=1),
    )
    results.clear()
    first = changes(belief, depth)
    results.clear()
    np.testing.assert_allclose(changes(other, depth), first[order], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(("labels", "sizes"), [(2, (2, 2, 2)), (2, (2, 3, 4)), (3, (2, 3, 2))])
def test_what_is_remembered_changes_nothing(labels, sizes):
    """Neither beliefs that were looked at before, nor features that were asked together."""
    belief = a_belief(labels, sizes, seed=5)
    results.clear()
    clean = [changes(belief, depth) for depth in (1, 5, 40)]
    for other in (belief.observe(0, 1, 1), belief.observe(1, 0, 1), belief.observe(2, 1, 0)):
        for depth in (1, 5, 40):
            changes(other, depth)
    again = [changes(belief, depth) for depth in (1, 5, 40)]
    np.testing.assert_allclose(again, clean, rtol=0, atol=1e-14)
    results.clear()
    depths = np.zeros((3, labels), dtype=np.int64)
    depths[1] = 40
    alone = feature_lookahead(belief, depths).values[1] - float(expected_loss(belief, {}))
    assert alone == pytest.approx(clean[2][1], abs=1e-14)


def test_prior_counts_that_say_something_are_not_mistaken_for_others():
    """Same counts seen, other prior counts: the memory must tell them apart."""
    results = []
    for prior_counts in ((1, 1), (4, 1), (1, 4)):
        problem = Problem([Feature("a", ("0", "1"), 1, prior_counts)], ("x", "y"), (0.3, 0.7), 9)
        results.append(float(changes(RelevanceBelief.prior(problem), 2)[0]))
    assert len({round(each, 9) for each in results}) == 2
    assert results[1] == pytest.approx(results[2], abs=1e-12)


def test_beliefs_and_engines_that_do_not_go_together():
    problem = Problem([Feature("a", ("0", "1"), 1)], ("x", "y"), (0.5, 0.5), 9)
    belief = RelevanceBelief.prior(problem)
    for engine in ("spectral", "grid", "enumeration", "particles"):
        with pytest.raises(EngineError, match=f"the {engine} engine is for plain beliefs"):
            expected_loss(belief, {}, engine=engine)
    with pytest.raises(EngineError, match="looks ahead by gini or entropy, not by zero_one"):
        lookahead(belief, np.array([[1, 1]]), "zero_one")
    with pytest.raises(EngineError, match="the outcomes engine is for relevance-aware beliefs"):
        feature_lookahead(Belief.prior(problem), np.array([[1, 1]]), engine="outcomes")
    assert loss(belief, "zero_one") == pytest.approx(0.5)


def test_under_certainty_it_agrees_with_the_plain_belief():
    """Features that certainly matter: values as exact as those of the spectral engine."""
    problem = Problem([Feature(f"f{at}", ("0", "1"), 1) for at in range(2)], ("x", "y"),
                      (0.4, 0.6), 9)  # fmt: skip
    observed = np.array([[300, 20, 250, 30], [10, 280, 20, 300]])
    belief, plain = (kind(problem, observed) for kind in (RelevanceBelief, Belief))
    assert belief.relevance == pytest.approx([1, 1])
    depths = np.array([[5, 7], [12, 3]])
    for kind in ("gini", "entropy"):
        np.testing.assert_allclose(
            feature_lookahead(belief, depths, kind).values,
            feature_lookahead(plain, depths, kind).values,
            atol=STEP_ERROR,
        )
