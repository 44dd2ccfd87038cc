"""Stopping beyond a soft budget: the exact programme, and how close the default comes to it."""

from functools import cache

import numpy as np
import pytest

from budgeted import Belief, Feature, Problem, Soft
from budgeted.errors import OptimalError
from budgeted.learners import Hierarchical, NaiveBayes
from budgeted.learners.believed import Believed, believing
from budgeted.optimal.stopping import solve_stopping
from budgeted.optimal.stops import AMOUNTS, GRID, LEARNERS, WORTHS, play_stops
from budgeted.policies import stopping
from tests.thorough import sized


def slowly(problem):
    """The least cost of every situation of a problem, without any of the programme's shortcuts."""
    soft, cells = problem.soft, problem.actions

    def paid(spent, price):
        return float(price + soft.surcharge(spent + price) - soft.surcharge(spent))

    def error(belief):
        wrong = 0.0
        for case in np.ndindex(*(len(each.values) for each in problem.features)):
            masses = np.array(problem.prior)
            for feature, value in enumerate(case):
                masses = masses * belief.mean(feature)[:, value]
            wrong += masses.sum() - masses.max()
        return wrong

    @cache
    def least(belief):
        spent = sum(
            (each.cost * int(belief.seen[at].sum()) for at, each in enumerate(problem.features)),
            start=soft.amount * 0,
        )
        prices = [problem.feature_prices[cell.feature] for cell in cells]
        below = any(spent + price <= soft.amount for price in prices)
        best = np.inf if below else 100 * float(soft.point_worth) * error(belief)
        for cell, price in zip(cells, prices, strict=True):
            if spent + price > (soft.amount if below else soft.limit):
                continue
            ahead = sum(
                chance * least(belief.observe_at(*cell, value))
                for value, chance in enumerate(belief.mean(cell.feature)[cell.label])
            )
            best = min(best, paid(spent, price) + ahead)
        return best

    return least


@pytest.mark.parametrize("worth", ["0.3", "1", "5"])
@pytest.mark.parametrize("amount", [0, 2])
def test_the_programme_is_what_trying_everything_gives(worth, amount):
    features = [Feature("a", ("no", "yes"), 1), Feature("b", ("x", "y", "z"), 2, (1, 2, 1))]
    soft = Soft(amount, 5, worth, steps=[(0, "0.2"), (2, "0.7")])
    problem = Problem(features, ("well", "ill"), (0.6, 0.4), soft)
    least, found = slowly(problem), solve_stopping(Belief.prior(problem))
    situations = [Belief.prior(problem)]
    situations.append(situations[0].observe("b", "ill", "z"))
    situations.append(situations[1].observe("a", "well", "no"))
    for belief in situations:
        assert min(found.choices(belief).values()) == pytest.approx(least(belief), abs=1e-9)


def test_only_a_soft_budget_has_a_stop():
    problem = Problem([Feature("a", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 5)
    with pytest.raises(OptimalError, match="must be soft"):
        solve_stopping(Belief.prior(problem))


def test_what_the_default_learner_believes_is_one_model_of_probability():
    """A purchase never raises the expected error, and the means are a martingale."""
    problem = GRID[1].problem(0, "1")
    belief = Believed.prior(problem).observe_at(0, 0, 1).observe_at(1, 1, 0)
    nothing = np.zeros((1, belief.tally.size), dtype=np.int64)
    now = belief.errors_of_many(nothing)[0]
    for cell in problem.actions:
        chances = belief.mean(cell.feature)[cell.label]
        then = [belief.observe_at(*cell, value) for value in range(len(chances))]
        errors = [each.errors_of_many(nothing)[0] for each in then]
        assert chances @ errors <= now + 1e-9
        means = sum(chance * each.means for chance, each in zip(chances, then, strict=True))
        np.testing.assert_allclose(means, belief.means, atol=2e-3)  # shares are approximated
    assert believing("naive-bayes", belief) is belief


def shares(learner, grid=GRID, worths=WORTHS, runs=3):
    """How many runs stop within one purchase of the optimum, late and early."""
    every = [
        stop
        for small in grid
        for amount in AMOUNTS
        for worth in worths
        for stop in play_stops(small.problem(amount, worth, learner), learner, runs, seed=17)
    ]
    return (
        np.mean([each.within_one for each in every]),
        np.mean([each.late > 1 for each in every]),
        np.mean([each.early > 1 for each in every]),
    )


QUICK = [GRID[0], GRID[2]]
FEW = [
    small for small in GRID
    if small.name in ("prices 1 and 3", "three", "three values", "three labels")
]  # fmt: skip


def test_the_default_stops_within_one_purchase_of_the_optimum_on_the_smallest_problems():
    within, _, _ = shares(NaiveBayes(), [GRID[0], GRID[4]], ("0.50", "2", "4"))
    assert within >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: each.name)
def test_the_default_stops_within_one_purchase_of_the_optimum(learner):
    """With what each learner believes being true; the whole grid in `make thorough`."""
    within, late, _ = shares(learner, sized(FEW, GRID))
    assert within >= 0.9
    assert late <= 0.02


def test_who_looks_one_value_ahead_stops_too_early(monkeypatch):
    """Else the grid would not tell a good rule from a poor one."""
    monkeypatch.setattr(stopping, "HANDFULS", (1,))
    monkeypatch.setattr(stopping, "_one_by_one", lambda *_: False)
    within, late, early = shares(NaiveBayes(), QUICK, ("2", "4"))
    assert within < 0.8
    assert early > late


def test_who_never_weighs_anything_stops_too_late(monkeypatch):
    monkeypatch.setattr(stopping, "_one_by_one", lambda *_: True)
    within, late, _ = shares(NaiveBayes(), QUICK, ("0.50", "2"))
    assert within < 0.2
    assert late > 0.8


def test_the_default_is_the_one_that_studies_begin_with():
    assert LEARNERS[0] == Hierarchical()
