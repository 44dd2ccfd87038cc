"""Policies that compare expected losses in other ways: their rules by slow and obvious means."""

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from budgeted import Belief, Feature, Problem, Purchase, State
from budgeted.errors import BudgetedError
from budgeted.learners.layout import layout_of
from budgeted.policies import policy
from budgeted.policies.kg_star import numbers
from budgeted.testing import policies as contracts
from budgeted.value import expected_loss, feature_lookahead, lookahead, loss, spectral
from tests import oracles
from tests.strategies import ordinary_counts, problems

COSTS = st.sampled_from(["0.5", "1", "2", "3"])
LOSSES = st.sampled_from(["gini", "entropy"])


@st.composite
def states(draw, labels=2, most=6, costs=COSTS, **options):
    """States in the middle of a run, some requests under way."""
    problem = draw(
        problems(labels=labels, features=(1, 3), values=(2, 3), prior_counts=ordinary_counts,
                 costs=costs, **options)
    )  # fmt: skip
    state = State.start(problem, cases=(4,) * labels)
    for _ in range(draw(st.integers(0, most))):
        if state.affordable():
            action = draw(st.sampled_from(state.affordable()))
            value = draw(st.integers(0, layout_of(problem).sizes[action.feature] - 1))
            cost = problem.features[action.feature].cost
            state = state.after(Purchase(*action, value, cost))
    for _ in range(draw(st.integers(0, 2))):
        if state.affordable():
            state = state.reserve(draw(st.sampled_from(state.affordable())))
    return state


def after(state, cell, number, kind):
    """The expected loss after the requests under way and more purchases of one cell."""
    bought = state.under_way()
    bought[cell] = bought.get(cell, 0) + number
    return expected_loss(state.belief, bought, kind)


def cost_of(state, cell):
    return float(state.problem.features[cell.feature].cost)


@pytest.mark.parametrize(
    ("labels", "kind", "engine"),
    [(2, "gini", "spectral"), (2, "entropy", "spectral"), (2, "zero_one", "grid"),
     (3, "gini", "enumeration"), (3, "zero_one", "enumeration"), (2, "gini", "enumeration")],
)  # fmt: skip
@pytest.mark.parametrize("under_way", [{}, {(1, 0): 2}])
def test_features_are_looked_ahead_as_brute_force_says(labels, kind, engine, under_way):
    problem = contracts.make_problem(["1"] * 2, labels=labels)
    belief = Belief.prior(problem).observe(0, 0, 1, 3).observe(0, 1, 0, 2).observe(1, 1, 1)
    depths = np.array([[2, 1, 1][:labels], [0, 3, 0][:labels]])
    asked = engine if (labels, engine) == (2, "enumeration") else "auto"
    found = feature_lookahead(belief, depths, kind, given=under_way, engine=asked)
    assert found.engine == engine
    for feature in range(2):
        bought = Counter(under_way)
        for label in range(labels):
            bought[feature, label] += int(depths[feature, label])
        truth = oracles.brute_expected_loss(oracles.counts_of(belief), problem.prior, bought, kind)
        assert found.values[feature] == pytest.approx(truth, abs=max(1e-10, found.resolution))


@pytest.mark.slow
def test_features_are_looked_ahead_by_particles_within_their_error():
    problem = contracts.make_problem(["1"] * 7, labels=3, values=4)
    belief = Belief.prior(problem).observe(0, 0, 1, 9).observe(0, 1, 2, 9).observe(0, 2, 3, 9)
    depths = np.full((7, 3), 4)
    depths[3] = 0
    found = feature_lookahead(belief, depths, "gini", particles=4000, rng=5)
    assert found.engine == "particles"
    assert np.isnan(found.values).tolist() == [False] * 3 + [True] + [False] * 3
    for feature in (0, 1):
        bought = {(feature, label): 4 for label in range(3)}
        many = expected_loss(belief, bought, "gini", particles=200_000, rng=1)
        assert abs(found.values[feature] - many) < 4 * found.standard_errors[feature] + 0.002
    again = feature_lookahead(belief, depths, "gini", particles=4000, rng=5)
    assert np.array_equal(found.values, again.values, equal_nan=True)


def slow_shares(total, most, losses):
    """One purchase after the other to the label that has least, the best alone first."""
    shares = [0] * len(most)
    for _ in range(total):
        room = [label for label in range(len(most)) if shares[label] < most[label]]
        shares[min(room, key=lambda label: (shares[label], losses[label], label))] += 1
    return shares


@given(states(), LOSSES)
@settings(max_examples=40)
def test_pair_lookahead_shares_the_money_between_the_labels(state, kind):
    choice = policy("pair-lookahead", loss=kind).choose(state, np.random.default_rng(0))
    depths = state.depths()
    if choice is None:
        assert not depths.any()
        return
    best, alone = {}, {}
    for feature in {cell.feature for cell in state.affordable()}:
        cost = state.problem.features[feature].cost
        total = min(int(state.free // cost), int(depths[feature].sum()))
        for label in range(2):
            number = min(int(depths[feature, label]), -(-total // 2))
            alone[feature, label] = (
                after(state, (feature, label), number, kind) if number else math.inf
            )
        worth = [round(alone[feature, label], 12) for label in range(2)]
        shares = slow_shares(total, depths[feature].tolist(), worth)
        bought = Counter(state.under_way())
        bought.update({(feature, label): share for label, share in enumerate(shares)})
        best[feature] = expected_loss(state.belief, bought, kind)
    for cell, score in choice.scores.items():
        assert score == pytest.approx(best[cell.feature], abs=1e-10)
    chosen = choice.action
    assert best[chosen.feature] <= min(best.values()) + 1e-10
    assert alone[chosen] <= min(alone[chosen.feature, label] for label in range(2)) + 1e-10


@pytest.mark.parametrize("name", ["pair-lookahead", "kg-star", "rsfl", "sfl"])
def test_with_one_purchase_left_and_equal_costs_all_lookaheads_are_greedy(name):
    seen = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (0, 1, 1), (2, 0, 0)]
    state = State.start(contracts.make_problem(["1"] * 3, budget=str(len(seen) + 1)))
    for feature, label, value in seen:
        state = state.after(Purchase(feature, label, value, "1"))
    greedy = policy("greedy").choose(state, np.random.default_rng(0))
    best = {
        cell for cell, score in greedy.scores.items() if score < min(greedy.scores.values()) + 1e-12
    }
    parameters = {"temperature": 1e-3} if name == "rsfl" else {}
    for seed in range(10):
        choice = policy(name, **parameters).choose(state, np.random.default_rng(seed))
        assert choice.action in best


def test_the_numbers_of_kg_star_grow_by_half_at_most():
    for most in range(1, 400):
        tried = numbers(most)
        assert tried == sorted(set(tried))
        assert tried[0] == 1
        assert tried[-1] == most
        assert all(b <= max(a + 1, 1.5 * a) for a, b in pairwise(tried))


@given(states(), LOSSES)
@settings(max_examples=40)
def test_kg_star_is_the_best_rate_over_all_numbers(state, kind):
    """By expected_loss alone; four cases of a label, so that every number is tried."""
    choice = policy("kg-star", loss=kind).choose(state, np.random.default_rng(0))
    depths = state.depths()
    if choice is None:
        assert not depths.any()
        return
    now = expected_loss(state.belief, state.under_way(), kind)
    rates = {
        cell: max(
            (now - after(state, cell, number, kind)) / (number * cost_of(state, cell))
            for number in range(1, int(depths[cell]) + 1)
        )
        for cell in state.affordable()
    }
    assert choice.scores == pytest.approx({cell: -rate for cell, rate in rates.items()}, abs=1e-10)
    assert rates[choice.action] >= max(rates.values()) - 1e-10


@pytest.mark.parametrize("name", ["kg-star", "seu"])
def test_nothing_but_ties_is_drawn_where_nothing_is_sampled(name):
    """A decision is one draw among the tied cells, so that all its outcomes can be enumerated."""

    class OneDraw:
        def integers(self, high):
            self.asked = [*getattr(self, "asked", []), high]
            return 0

    rng = OneDraw()
    state = State.start(contracts.make_problem(["1", "1"])).after(Purchase(0, 0, 0, "1"))
    policy(name).choose(state, rng)
    assert len(rng.asked) == 1
    assert rng.asked[0] <= 4


@given(states(), st.sampled_from([1, 2, 10]), st.sampled_from([0.3, 1.0]), LOSSES)
@settings(max_examples=40)
def test_rsfl_draws_the_better_the_likelier(state, best, temperature, kind):
    rule = policy("rsfl", best=best, temperature=temperature, loss=kind)
    choice = rule.choose(state, np.random.default_rng(0))
    if choice is None:
        return
    depths = state.depths()
    losses = {cell: after(state, cell, int(depths[cell]), kind) for cell in state.affordable()}
    assert choice.scores == pytest.approx(losses, abs=1e-10)
    ordered = sorted(losses.values())
    kept = [each for each in ordered if each <= ordered[:best][-1] + 1e-12]
    spread = np.std(kept)
    if spread < 1e-9:
        chance = 1 / len(kept)
    else:
        behind = [math.exp((kept[0] - each) / (temperature * spread)) for each in kept]
        own = math.exp((kept[0] - losses[choice.action]) / (temperature * spread))
        chance = own / sum(behind)
    assert losses[choice.action] <= kept[-1] + 1e-12
    said = float(choice.reason.split("probability ")[1].split()[0])
    assert said == pytest.approx(chance, abs=0.0051)


def test_rsfl_does_not_take_rounding_for_a_difference(monkeypatch):
    """Rounding is made here: what there is of it by nature depends on the processor."""
    exact, noise = spectral.cells, np.random.default_rng(1).uniform(-0.4, 0.4, (4, 2))

    def cells(*arguments):
        found = exact(*arguments)
        return replace(found, values=found.values + noise * found.resolution)

    monkeypatch.setattr(spectral, "cells", cells)
    state = State.start(contracts.make_problem(["1"] * 4))
    drawn = Counter(
        policy("rsfl", best=2).choose(state, np.random.default_rng(seed)).action
        for seed in range(400)
    )
    assert len(drawn) == 8  # all alike: none is among the best two more than another
    assert all(abs(number - 50) < 4 * np.sqrt(400 / 8) for number in drawn.values())


@given(states(), st.integers(1, 7), st.integers(0, 100))
@settings(max_examples=40)
def test_seu_takes_the_most_log_gain_per_money_of_its_sample(state, candidates, seed):
    choice = policy("seu", candidates=candidates).choose(state, np.random.default_rng(seed))
    if choice is None:
        return
    assert len(choice.scores) == min(candidates, len(state.affordable()))
    now = expected_loss(state.belief, state.under_way(), "entropy")
    rates = {
        cell: (now - after(state, cell, 1, "entropy")) / cost_of(state, cell)
        for cell in choice.scores
    }
    assert choice.scores == pytest.approx({cell: -rate for cell, rate in rates.items()}, abs=1e-10)
    assert rates[choice.action] >= max(rates.values()) - 1e-10


def test_seu_draws_every_cell_equally_often():
    state = State.start(contracts.make_problem(["1"] * 3)).after(Purchase(0, 0, 0, "1"))
    seen = Counter()
    for seed in range(600):
        seen.update(
            policy("seu", candidates=2).choose(state, np.random.default_rng(seed)).scores.keys()
        )
    assert all(abs(number - 200) < 4 * np.sqrt(600 * 2 / 9) for number in seen.values())
    assert len(seen) == 6


def divergence(alpha, beta):
    """E[KL(θ ‖ mean)] of a Boolean feature under Beta(α, β), by quadrature."""
    mean = alpha / (alpha + beta)

    def integrand(theta):
        kl = theta * math.log(theta / mean) + (1 - theta) * math.log((1 - theta) / (1 - mean))
        return kl * stats.beta.pdf(theta, alpha, beta)

    return integrate.quad(integrand, 0, 1, epsabs=1e-12, limit=200)[0]


@pytest.mark.parametrize("waiting", [0, 1, 3])
def test_iga_is_the_fall_of_the_expected_divergence_by_quadrature(waiting):
    rows = ((1.5, 2.0), (4.0, 3.0))
    features = [Feature("f", ("a", "b"), 2, prior_counts=rows), Feature("g", ("a", "b"), 1)]
    problem = Problem(features, ("no", "yes"), (0.3, 0.7), 20)
    state = State.start(problem)
    for _ in range(waiting):
        state = state.reserve((0, 1))
    choice = policy("iga").choose(state, np.random.default_rng(0))

    def expected(alpha, beta, bought):
        """Over all sightings of `bought` more values."""
        if bought == 0:
            return divergence(alpha, beta)
        chance = alpha / (alpha + beta)
        return chance * expected(alpha + 1, beta, bought - 1) + (1 - chance) * expected(
            alpha, beta + 1, bought - 1
        )

    counts = {(0, 0): rows[0], (0, 1): rows[1], (1, 0): (1, 1), (1, 1): (1, 1)}
    for cell, (alpha, beta) in counts.items():
        already = waiting if cell == (0, 1) else 0
        fall = expected(alpha, beta, already) - expected(alpha, beta, already + 1)
        rate = problem.prior[cell[1]] * fall / float(features[cell[0]].cost)
        assert -choice.scores[cell] == pytest.approx(rate, rel=1e-6)
    assert choice.action == min(choice.scores, key=choice.scores.get)


@given(states(labels=3))
@settings(max_examples=40)
def test_iga_with_more_values_by_enumerating_them(state):
    """E[KL] has a closed form with digamma functions; one purchase, every value."""
    from scipy.special import digamma

    def expected_kl(alphas):
        total = sum(alphas)
        return sum(
            a / total * (digamma(a + 1) - digamma(total + 1) - math.log(a / total)) for a in alphas
        )

    assume(not state.pending)
    choice = policy("iga").choose(state, np.random.default_rng(0))
    assume(choice is not None)
    model = oracles.counts_of(state.belief)
    for cell, score in choice.scores.items():
        alphas = model[cell.feature][cell.label]
        fall = expected_kl(alphas) - sum(
            alpha / sum(alphas) * expected_kl([a + (k == at) for at, a in enumerate(alphas)])
            for k, alpha in enumerate(alphas)
        )
        rate = state.problem.prior[cell.label] * fall / cost_of(state, cell)
        assert -score == pytest.approx(rate, rel=1e-6, abs=1e-12)
        assert score < 0


def test_iga_with_equal_everything_goes_round():
    """What was bought least is known least."""
    state = contracts.play(policy("iga"), contracts.make_problem(["1"] * 3, budget="12"), (50, 50))
    bought = Counter(each.action for each in state.history if each.value is not None)
    assert max(bought.values()) - min(bought.values()) <= 1


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("rsfl", {"best": 0}, "best: must be a whole number from 1, got 0"),
        ("rsfl", {"temperature": 0}, "temperature: must be a number above 0, got 0"),
        ("rsfl", {"max_depth": 0}, "max_depth"),
        ("kg-star", {"max_depth": True}, "max_depth"),
        ("kg-star", {"loss": "brier"}, "no loss"),
        ("pair-lookahead", {"engine": "quick"}, "no engine"),
        ("pair-lookahead", {"max_depth": 1.5}, "max_depth"),
        ("seu", {"candidates": "all"}, "candidates"),
        ("seu", {"loss": "gini"}, "has no parameter 'loss'"),
    ],
)
def test_wrong_parameters_are_explained(name, parameters, says):
    with pytest.raises(BudgetedError, match=says):
        policy(name, **parameters)


def test_sampled_lookaheads_of_one_decision_share_their_cases():
    """Where cases are sampled, all numbers of purchases see the same: rates are comparable."""
    problem = contracts.make_problem(["1"] * 7, labels=3, values=4, budget="6")
    state = State.start(problem)
    choice = policy("kg-star", particles=200).choose(state, np.random.default_rng(3))
    assert choice.engine == "particles"
    seed = int(np.random.default_rng(3).integers(2**63))
    now = loss(state.belief, "gini", engine="particles", particles=200, rng=seed)
    one, all_ = (
        lookahead(state.belief, np.full((7, 3), depth), "gini", particles=200, rng=seed).values
        for depth in (1, 6)
    )
    rates = [-choice.scores[cell] for cell in problem.actions]
    least = np.maximum(now - one, (now - all_) / 6).ravel()
    assert (np.array(rates) >= least - 1e-12).all()
