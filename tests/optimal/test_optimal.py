"""The exact programme against brute force, and what no policy can do."""

import math
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Problem
from budgeted.errors import OptimalError
from budgeted.learners.layout import cell_at, layout_of, position_in
from budgeted.learners.tallied import means_of_many
from budgeted.optimal import YARDSTICKS, solve
from budgeted.optimal.cells import check_size
from budgeted.optimal.programme import losses
from budgeted.optimal.tallies import (
    Codes,
    count_states,
    exchanges,
    whole_units,
)
from budgeted.optimal.yardsticks import small_problem
from budgeted.value import loss as loss_of
from budgeted.value.loss import LOSSES, named
from tests import oracles
from tests.beliefs import Doubtful


def flat(costs, budget, values=2, prior=(0.5, 0.5)):
    number = len(costs)
    return small_problem([values] * number, costs, [1] * number, prior, budget)


@st.composite
def small_problems(draw):
    """Some with interchangeable features, labels and values, some with none."""
    labels = draw(st.sampled_from([(0.5, 0.5), (0.7, 0.3), (0.5, 0.25, 0.25)]))
    counts = st.sampled_from([1, 0.5, (1, 2), tuple((1, 3) for _ in labels), 2])
    features = draw(st.integers(1, 2))
    costs = [draw(st.sampled_from(["1", "2", "1.5"])) for _ in range(features)]
    priors = [draw(counts) for _ in range(features)]
    sizes = [draw(st.sampled_from([2, 3])) if isinstance(prior, int | float) else 2
             for prior in priors]  # fmt: skip
    if features == 2 and draw(st.booleans()):
        costs, priors, sizes = costs[:1] * 2, priors[:1] * 2, sizes[:1] * 2
    return small_problem(sizes, costs, priors, labels, draw(st.sampled_from(["2", "3", "3.2"])))


@given(small_problems(), st.sampled_from(list(LOSSES)))
@settings(max_examples=40, deadline=None)
def test_the_optimum_is_that_of_brute_force(problem, kind):
    start = Belief.prior(problem)
    slow = oracles.brute_optimal(
        oracles.counts_of(start),
        problem.prior,
        [feature.cost for feature in problem.features],
        problem.budget,
        kind,
    )
    assert solve(start, kind).expected == pytest.approx(slow, abs=1e-12)


def test_the_optimum_from_the_middle_of_a_study_is_that_of_brute_force():
    problem = flat([1, 1], 4)
    start = Belief.prior(problem).observe_at(0, 1, 1, times=3).observe_at(1, 0, 0)
    slow = oracles.brute_optimal(oracles.counts_of(start), problem.prior, [1, 1], 4, "gini")
    assert solve(start).expected == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("kind", LOSSES)
def test_the_optimum_of_another_kind_of_belief(kind):
    """Any belief will do that can observe and has means; here one whose features are coupled."""
    start = Doubtful.prior(flat([1, 2], 4))

    def brute(belief, budget):
        best = float(losses(belief, np.zeros((1, 8), dtype=np.int64), named(kind))[0])
        for feature, label in belief.problem.actions:
            cost = int(belief.problem.features[feature].cost)
            if cost <= budget:
                chances = belief.mean(feature)[label]
                best = min(best, math.fsum(
                    chance * brute(belief.observe_at(feature, label, value), budget - cost)
                    for value, chance in enumerate(chances)))  # fmt: skip
        return best

    assert solve(start, kind).expected == pytest.approx(brute(start, 4), abs=1e-12)


@given(small_problems(), st.sampled_from(["gini", "entropy"]), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_losses_and_means_of_many_are_those_of_each(problem, kind, seed):
    tallies = np.random.default_rng(seed).integers(0, 4, (5, layout_of(problem).prior_counts.size))
    for start in (Belief.prior(problem), Belief.prior(problem).observe_at(0, 1, 1, times=2)):
        found = losses(start, tallies, named(kind))
        means = means_of_many(start, tallies)
        for tally, value, mean in zip(tallies, found, means, strict=True):
            belief = Belief(problem, start.observed + tally.reshape(start.observed.shape))
            assert value == pytest.approx(loss_of(belief, kind), abs=1e-10)
            assert mean == pytest.approx(belief.means, abs=1e-15)


def test_positions_lead_to_cells_and_back():
    problem = small_problem((2, 3, 2), (1, 1, 1), (1, 1, 1), (0.5, 0.5), 5)
    cells = [cell_at(problem, at) for at in range(14)]
    assert cells[:3] == [(0, 0, 0), (0, 0, 1), (1, 0, 0)]
    assert [position_in(problem, *cell) for cell in cells] == list(range(14))


def test_money_is_counted_in_the_largest_unit():
    assert whole_units(flat(["0.7", "3", "1.1"], "20.05")) == ((7, 30, 11), 200)
    assert whole_units(flat(["1.50", "3"], "10")) == ((1, 2), 6)
    assert whole_units(flat(["2"], "1")) == ((1,), 0)


@pytest.mark.parametrize(
    ("problem", "number"),
    [
        (flat([1, 1], 9), 2 * 2 * 2 * 2),
        (flat([1, 1, 1], 9), 6 * 8 * 2),
        (flat([1, 2], 9), 2 * 2 * 2),
        (flat([1, 1], 9, prior=(0.6, 0.4)), 2 * 2 * 2),
        (flat([1, 1], 9, values=3), 2 * 6 * 6 * 2),
        (small_problem((2, 2), (1, 1), (1, (2, 1)), (0.5, 0.5), 9), 2 * 2),
        # Labels and values can only be exchanged together here.
        (small_problem((2,), (1,), (((3, 1), (1, 3)),), (0.5, 0.5), 9), 2),
        (small_problem((2, 3), (1, 1), (1, 1), (0.6, 0.4), 9), 2 * 6),
    ],
)
def test_what_is_interchangeable(problem, number):
    start = Belief.prior(problem)
    group = exchanges(start)
    assert len(group) == number
    assert len({tuple(row) for row in group.tolist()}) == number
    every = {tuple(row) for row in group.tolist()}
    for one in group:
        assert tuple(one[group[-1]].tolist()) in every, "closed, so it is a group"
    assert len(exchanges(start, ())) == 1


def test_too_many_exchanges_are_left_alone():
    start = Belief.prior(flat([1, 1], 2, values=7))
    assert len(exchanges(start)) == 2 * 2


@pytest.mark.parametrize("problem", [flat([1, 1], 5), flat([1, 2], 6), flat([1, 1], 4, values=3),
                                     flat([1, 1, 1], 4, prior=(0.6, 0.4))])  # fmt: skip
def test_states_are_counted_before_they_are_made(problem):
    start = Belief.prior(problem)
    budget = whole_units(problem)[1]
    solution = solve(start)
    counted = count_states(start, exchanges(start), budget)
    assert counted == [len(codes) for codes, _ in solution.levels]
    assert check_size(start) == solution.states == sum(counted)
    # Without exchanges: compositions of the money over all positions, one by one.
    costs, _ = whole_units(problem)
    prices = [costs[cell_at(problem, at)[0]] for at in range(start.observed.size)]
    alone = count_states(start, exchanges(start, ()), budget)
    ways = [1] + [0] * budget
    for price in prices:
        ways = [sum(ways[spent - price * n] for n in range(spent // price + 1))
                for spent in range(budget + 1)]  # fmt: skip
    assert alone == ways


@pytest.mark.parametrize("budget", [10, 30])  # codes below 2^53 and beyond
@given(tally=st.lists(st.integers(0, 4), min_size=12, max_size=12), pick=st.integers(0, 10**6))
def test_equivalent_tallies_have_one_code_and_others_another(budget, tally, pick):
    start = Belief.prior(flat([1, 1, 1], budget))
    group = exchanges(start)
    codes = Codes(start, group)
    rows = np.array([tally])
    code = codes.of(rows)
    assert codes.of(rows[:, group[pick % len(group)]]) == code
    canonical = codes.tallies(code)[0].tolist()
    assert canonical in rows[0][group].tolist()
    assert canonical == min(rows[0][group].tolist())


def test_codes_beyond_exact_floats_are_whole_numbers():
    problem = flat([1, 1, 1], 8, values=3)  # 9^18 is more than 2^53
    start = Belief.prior(problem)
    codes = Codes(start, exchanges(start, ()))
    rows = np.eye(18, dtype=np.int64) * 8
    rows[:-1, -1] = 1
    assert codes.of(rows).max() > 2**53
    assert np.array_equal(codes.tallies(codes.of(rows)), rows)
    with pytest.raises(OptimalError, match="more than the exact programme can number"):
        Codes(Belief.prior(flat([1] * 5, 100)), np.arange(20)[None, :])


@pytest.mark.parametrize("costs", [[1, 1], [1, 4], [2, 3]])
def test_more_money_never_hurts(costs):
    found = [solve(Belief.prior(flat(costs, budget))).expected for budget in range(9)]
    assert found[0] == pytest.approx(0.5)
    assert all(more <= less + 1e-12 for less, more in pairwise(found))
    assert found[-1] < found[0]


def test_the_scores_of_the_optimum():
    problem = flat([1, 4], 8)
    start = Belief.prior(problem)
    solution = solve(start)
    scores = solution.scores(start)
    assert min(scores.values()) == pytest.approx(solution.expected, abs=1e-14)
    assert set(scores) == set(problem.actions)
    later = start.observe_at(0, 0, 1, times=2).observe_at(0, 1, 0, times=3)
    rest = Problem(problem.features, problem.labels, problem.prior, 3)
    known = Belief(rest, later.observed)
    scores = solution.scores(later)
    assert {action.feature for action in scores} == {0}
    assert min(scores.values()) == pytest.approx(solve(known).expected, abs=1e-14)


def test_a_problem_that_is_too_large_is_refused_with_what_would_fit():
    start = Belief.prior(flat([1, 1], 30))
    with pytest.raises(OptimalError, match=r"a budget of (\d+) would fit") as caught:
        solve(start, most_states=5_000)
    fits = int(str(caught.value).split("budget of ")[1].split()[0])
    assert solve(Belief.prior(flat([1, 1], fits)), most_states=5_000).states <= 5_000
    with pytest.raises(OptimalError):
        solve(Belief.prior(flat([1, 1], fits + 1)), most_states=5_000)
    with pytest.raises(OptimalError, match="would need more than"):
        check_size(Belief.prior(flat([1, 1], 900_000)))
    with pytest.raises(OptimalError, match="round the prices"):
        check_size(Belief.prior(flat(["0.0001", "1"], 900)))
    with pytest.raises(OptimalError, match=r"a budget of 3\.0 would fit"):
        solve(Belief.prior(flat(["0.5", "0.5"], 10)), most_states=300)


def test_money_that_buys_nothing():
    for budget in (0, Decimal("0.99")):
        solution = solve(Belief.prior(flat([1, 2], budget)))
        assert (solution.expected, solution.states) == (solution.loss_now, 1)


def test_features_may_have_any_names():
    problem = Problem([Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
                      ("well", "ill"), (0.5, 0.5), 5)  # fmt: skip
    assert solve(Belief.prior(problem)).expected == solve(Belief.prior(flat([1, 1], 5))).expected


def test_the_yardsticks_have_their_names_and_fit():
    for name, each in YARDSTICKS.items():
        assert each.name == name
        assert each.about
        assert check_size(each.start()) < 200_000
