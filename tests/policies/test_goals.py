"""The default policy with a limit for each case: what it buys, says and refuses."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np
import pytest

from budgeted import Feature, Problem, Purchase, State
from budgeted.errors import PolicyError
from budgeted.learners import NaiveBayes
from budgeted.policies import for_learner, policy, unfit
from budgeted.problem.prices import Tariff
from budgeted.simulation.worlds import TableWorld
from budgeted.testing.policies import make_problem


def played(problem, chooser, seed=1, cases=60):
    """What a policy ends with in a world where the first two tests say something."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], cases)
    values = rng.integers(0, 2, (len(labels), len(problem.features)))
    for at, share in ((0, 0.9), (1, 0.8), (2, 0.97)):
        values[:, at] = np.where(rng.random(len(labels)) < share, labels, 1 - labels)
    world = TableWorld(problem, values, labels, seed)
    stock, state = world.open(), State.start(problem, world.cases)
    while (choice := chooser.choose(state, np.random.default_rng(len(state.history)))) is not None:
        for bought in stock.buy(choice.order, state.free):
            state = state.after(bought)
        assert state.remaining >= 0
    return state


def numbers(state):
    return [sum(each.feature == at for each in state.history)
            for at in range(len(state.problem.features))]  # fmt: skip


def test_no_money_goes_to_what_the_limit_does_not_pay_for():
    problem = make_problem(["1", "1", "3", "1", "1"], budget="60")
    plain, bounded = (played(problem, policy("auto", **given)) for given in ({}, {"case_limit": 2}))
    assert numbers(plain)[2] > 0
    assert numbers(bounded)[2] == 0
    assert numbers(bounded)[0] + numbers(bounded)[1] > 25


def test_cheaper_on_new_cases_it_is_bought_after_all():
    problem = make_problem(["1", "1", "3", "1", "1"], budget="60")
    state = played(problem, policy("auto", case_limit=2, case_costs="f2=1"))
    assert numbers(state)[2] > 0


def test_a_limit_that_pays_for_all_tests_changes_nothing():
    problem = make_problem(["1", "2", "3", "1"], budget="40")
    plain, bounded = (played(problem, policy("auto", **given)) for given in ({}, {"case_limit": 7}))
    assert plain.history == bounded.history


@pytest.mark.parametrize("limit", ["3", "5"])
def test_with_fees_and_panels_it_buys_whole_orders_within_the_budget(limit):
    prices = Tariff("1", panels=[{"name": "p", "features": ["f2", "f3"], "setup": "1"}])
    problem = make_problem(["1", "1", "1", "1"], budget="60", prices=prices)
    state = played(problem, policy("auto", case_limit=limit))
    assert state.spent <= 60
    if limit == "3":  # the fee and two tests outside the panel, or one of it
        assert numbers(state)[0] > numbers(state)[3]


def test_the_reason_says_for_whom():
    problem = make_problem(["1", "1", "1"], budget="50")
    choice = policy("auto", case_limit="2.50").choose(
        State.start(problem), np.random.default_rng(0)
    )
    assert "for a classifier that may spend 2.50 on each case" in choice.reason
    tariff = make_problem(["1", "1", "1"], budget="50", prices=Tariff("1"))
    choice = policy("auto", case_limit="2.50").choose(State.start(tariff), np.random.default_rng(0))
    assert "for a classifier that may spend 2.50 on each case" in choice.reason


def test_it_buys_by_what_naive_bayes_believes_if_that_is_the_learner():
    problem = make_problem(["1", "1", "1"], budget="50")
    chooser = for_learner(policy("auto", case_limit=1), NaiveBayes)
    state = State.start(problem)
    for label in (0, 1):
        for _ in range(3):
            state = state.after(Purchase(0, label, label, 1))
    assert chooser.choose(state, np.random.default_rng(0)) is not None
    assert np.isfinite(chooser.worth(state)).all()


def test_features_that_are_alike_may_stand_in_any_order():
    features = [Feature(name, ("no", "yes"), 1) for name in "abc"]
    states = []
    for order in ((0, 1, 2), (2, 1, 0)):
        problem = Problem([features[at] for at in order], ("y0", "y1"), (0.5, 0.5), 50)
        state = State.start(problem)
        for at, label in ((0, 0), (0, 1), (1, 0), (1, 1)):
            state = state.after(Purchase(order.index(at), label, label if at else 0, 1))
        states.append(policy("auto", case_limit=1).worth(state))
    assert states[0] == pytest.approx(states[1][::-1], rel=1e-9)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"case_limit": "much"}, "case_limit: must be an amount of money"),
        ({"case_limit": -2}, "case_limit: must be above 0, got -2"),
        ({"case_limit": 0}, "case_limit: must be above 0"),
        ({"case_limit": True}, "case_limit: must be an amount of money"),
        ({"case_limit": 2, "case_costs": "f0"}, "case_costs: must be TEST=AMOUNT"),
        ({"case_limit": 2, "case_costs": "f0=1, f0=2"}, "case_costs: 'f0' appears twice"),
        ({"case_limit": 2, "case_costs": "f0=-1"}, "case_costs: 'f0': must be 0 or more"),
        ({"case_limit": 2, "case_costs": 3}, "case_costs: must be text"),
        ({"case_costs": "f0=1"}, "case_costs: are for what a case_limit pays for"),
    ],
)
def test_bad_parameters_get_words(given, says):
    with pytest.raises(PolicyError) as caught:
        policy("auto", **given)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"case_limit": "0.50"}, "case_limit: a limit of 0.50 pays for no test"),
        ({"case_limit": 2, "case_costs": "g0=1"}, "case_limit: there is no test 'g0'"),
    ],
)
def test_what_does_not_fit_the_problem_gets_words(given, says):
    problem = make_problem(["1", "1"], budget="50")
    chooser = policy("auto", **given)
    assert says in unfit(chooser, problem)[0]
    with pytest.raises(PolicyError) as caught:
        chooser.choose(State.start(problem), np.random.default_rng(0))
    assert says in str(caught.value)


@dataclass(frozen=True)
class ByLabel:
    """Ill ones cost more."""

    name: ClassVar[str] = "by-label"
    summary: ClassVar[str] = "ill ones cost more"
    separable: ClassVar[bool] = True

    def quote(self, order, case):
        return Decimal(len(order.features) * (1 + order.label))


def test_prices_that_depend_on_the_label_are_refused():
    problem = make_problem(["1", "1"], budget="50", prices=ByLabel())
    (found,) = unfit(policy("auto", case_limit=2), problem)
    assert "prices depend on the label, which is not known of a new case" in found
    assert unfit(policy("round-robin"), problem) == []
