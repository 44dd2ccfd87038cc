"""The exact programme where prices look at the case, against every order of every case."""

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise, product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Action, Belief, Feature, Problem, Purchase, State
from budgeted.errors import OptimalError
from budgeted.optimal import play, solve
from budgeted.optimal.cells import Cells
from budgeted.optimal.charges import Charges
from budgeted.optimal.draws import order_odds
from budgeted.optimal.programme import losses
from budgeted.optimal.report import steered
from budgeted.optimal.tallies import KINDS
from budgeted.optimal.visits import Visits
from budgeted.problem import CaseSoFar, Order
from budgeted.problem.prices import Tariff
from budgeted.value.loss import LOSSES, named
from tests import oracles

FEES = ("0", "0.50", "1", "2")
PANELS = ("none", "setup", "shared", "whole")


def priced(costs, budget, *, fee="0", panel="none", amount="0.50", prior=(0.5, 0.5), counts=1,
           by_label="0"):  # fmt: skip
    """Boolean features; the first two are a panel; the last label may pay more for the first."""
    features = [Feature(f"x{at + 1}", ("no", "yes"), cost, counts) for at, cost in enumerate(costs)]
    kinds = {"setup": {"setup": amount}, "shared": {"shared": amount},
             "whole": {"price": amount, "whole": True}}  # fmt: skip
    panels = [{"name": "panel", "features": ["x1", "x2"], **kinds.get(panel, {})}] * (
        panel != "none"
    )
    more = Decimal(costs[-1]) + Decimal(by_label)
    exceptions = [{"label": "ill", "feature": f"x{len(costs)}", "price": more}] * (by_label != "0")
    labels = ("well", "ill", "dead")[: len(prior)]
    return Problem(features, labels, prior, budget,
                   Tariff(visit_fee=fee, panels=panels, exceptions=exceptions))  # fmt: skip


LISTS = [
    {"fee": "1", "panel": "none"},
    {"fee": "0", "panel": "setup", "amount": "1"},
    {"fee": "1", "panel": "setup", "amount": "1"},
    {"fee": "1", "panel": "whole", "amount": "2"},
]


def brute_value(chosen, state, blind):
    """Over raw histories, every case by its name: nothing merged, nothing remembered."""
    terms = []
    problem = state.problem
    for wanted, share in order_odds(chosen, state).items():
        if wanted is None:
            nothing = np.zeros((1, state.belief.observed.size), int)
            return float(losses(state.belief, nothing, named("gini"))[0])
        places = settled(state, wanted) if blind else cheapest(state, wanted)
        for case in places:
            had = state.visited[case].features if case in state.visited else frozenset()
            label = wanted.label
            so_far = replace(CaseSoFar(had, label), name=case)
            rest = [at for at in range(len(problem.features))
                    if at not in had and at not in wanted.features]  # fmt: skip
            features = list(wanted.features)
            price = problem.prices.quote(Order(tuple(features), label), so_far)
            for at in rest:  # what costs nothing comes along
                if problem.prices.quote(Order((*features, at), label), so_far) == price:
                    features.append(at)
            number, under_way = state.next_number, state.reserve(
                Order(tuple(features), label, case), so_far)  # fmt: skip
            for values in product((0, 1), repeat=len(features)):
                after, chance = under_way, share / len(places)
                for at, value in enumerate(values):
                    chance *= after.belief.mean(features[at])[label][value]
                    cost = after.pending.find(number + at).cost
                    after = after.after(
                        Purchase(features[at], label, value, cost, case, number + at))  # fmt: skip
                assert after.spent - state.spent == price
                terms.append(chance * brute_value(chosen, after, blind))
    return math.fsum(terms)


def cheapest(state, wanted):
    """A case of each profile on which an order costs least; a fresh one only if no other does."""
    prices = {}
    for name, case in state.visited.items():
        if case.label == wanted.label and case.features.isdisjoint(wanted.features):
            price = state.problem.prices.quote(wanted, CaseSoFar(case.features, case.label))
            prices.setdefault(price, {}).setdefault(case.features, name)
    fresh = state.problem.prices.quote(wanted, CaseSoFar(label=wanted.label))
    least = min([fresh, *prices])
    return list(prices.get(least, {frozenset(): -state.next_number}).values())


def settled(state, wanted):
    """Two fresh cases for each cell, then the first that can; the cheapest if money is short."""
    (feature,) = wanted.features
    cases = sorted((-name, case) for name, case in state.visited.items()
                   if case.label == wanted.label)  # fmt: skip
    had = sum(feature in case.features for _, case in cases)
    can = [-name for name, case in cases if feature not in case.features]
    case = can[0] if can and had >= 2 else -state.next_number
    so_far = state.visited.get(case, CaseSoFar(label=wanted.label))
    if state.problem.prices.quote(wanted, replace(so_far, name=None)) <= state.free:
        return [case]
    return cheapest(state, wanted)


def own_quote(costs, *, fee="0", panel="none", amount="0.50", by_label="0"):
    """The same prices, reckoned without the package."""

    def quote(label, had, wanted):
        total = Decimal(0) if had else Decimal(fee)
        for at in wanted:
            if panel != "whole" or at > 1:
                total += Decimal(costs[at])
            if at == len(costs) - 1 and label == 1:
                total += Decimal(by_label)
        of_panel, before = wanted & {0, 1}, had & {0, 1}
        if panel in ("setup", "whole") and of_panel and not before:
            total += Decimal(amount)
        if panel == "shared":
            total -= Decimal(amount) * (len(of_panel) - (not before and bool(of_panel)))
        return total

    return quote


@st.composite
def lists(draw):
    """Prices that look at the case, on a budget that pays for a few orders."""
    costs = draw(st.sampled_from([("1", "1"), ("1", "2"), ("2", "1", "1")]))
    said = {
        "fee": draw(st.sampled_from(FEES)),
        "panel": draw(st.sampled_from(PANELS)),
        # A label of other prices, for what is not part of a panel that is sold whole.
        "by_label": draw(st.sampled_from(["0", "0.50"])),
    }
    if said["panel"] == "whole" and len(costs) == 2:
        said["by_label"] = "0"
    fees = Decimal(said["fee"]) * 2
    return costs, said, fees + draw(st.sampled_from([Decimal(2), Decimal("2.75")]))


@given(
    lists(),
    st.sampled_from([(0.5, 0.5), (0.7, 0.3)]),
    st.sampled_from([1, (1, 2)]),
    st.sampled_from(list(LOSSES)),
)
@settings(max_examples=60, deadline=None)
def test_the_optimum_is_that_of_every_order_of_every_case(sold, prior, counts, kind):
    costs, said, budget = sold
    start = Belief.prior(priced(costs, budget, prior=prior, counts=counts, **said))
    slow = oracles.brute_orders(
        oracles.counts_of(start), prior, own_quote(costs, **said), budget, kind
    )
    assert solve(start, kind).expected == pytest.approx(slow, abs=1e-12)


@given(
    st.sampled_from(LISTS),
    st.sampled_from(["round-robin", "sfl", "auto", "blind auto", "biased-robin"]),
    st.sampled_from([(0.5, 0.5), (0.7, 0.3)]),
)
@settings(max_examples=30, deadline=None)
def test_the_exact_value_of_a_policy_is_that_of_all_histories(said, name, prior):
    problem = priced(("1", "2"), Decimal(said["fee"]) * 2 + 4, prior=prior, **said)
    start, chosen = Belief.prior(problem), steered(name, "gini")
    found = play(chosen, start)
    slow = brute_value(chosen, State.start(problem), name.startswith("blind"))
    assert found.expected == pytest.approx(slow, abs=1e-12)
    best = solve(start)
    assert best.expected - 1e-12 <= found.expected <= best.loss_now + 1e-12


class Optimal:
    """What the exact programme says, as a policy that names its cases."""

    looks_back, alike = 0, KINDS

    def __init__(self, solution):
        self.solution = solution

    def odds(self, state):
        scores = self.solution.orders(state)
        return {min(scores, key=scores.get): 1.0} if scores else {None: 1.0}


@pytest.mark.parametrize("said", LISTS, ids=str)
@pytest.mark.parametrize("costs", [("1", "2"), ("1", "1", "2")])
def test_following_the_optimum_gives_its_value(costs, said):
    problem = priced(costs, Decimal(said["fee"]) * 3 + 6, prior=(0.6, 0.4), **said)
    solution = solve(Belief.prior(problem))
    played = play(Optimal(solution), Belief.prior(problem))
    assert played.expected == pytest.approx(solution.expected, abs=1e-12)


def test_with_a_price_for_each_feature_nothing_about_cases_need_be_known():
    """The general programme on what the simple one solves: the same states, the same numbers."""
    for costs, prior, budget in ((("1", "1"), (0.5, 0.5), 7), (("1", "2"), (0.7, 0.3), 8)):
        start = Belief.prior(priced(costs, budget, prior=prior))
        simple, general = solve(start), Visits(start)
        assert isinstance(simple.space, Cells)
        assert [len(each) for each in general.levels(10**6)] == [
            len(codes) for codes, _ in simple.levels
        ]
    # Prices by label are a case of the general one.
    start = Belief.prior(priced(("1", "2"), 6, by_label="1"))
    assert isinstance(solve(start).space, Visits)


def test_more_money_never_hurts_and_fees_never_help():
    losses = {
        fee: [
            solve(Belief.prior(priced(("1", "1"), budget, fee=fee, panel="setup"))).expected
            for budget in range(8)
        ]
        for fee in ("0", "1", "2")
    }
    for found in losses.values():
        assert all(more <= less + 1e-12 for less, more in pairwise(found))
    for less, more in pairwise(losses.values()):
        assert all(one <= two + 1e-12 for one, two in zip(less, more, strict=True))
    assert losses["0"][-1] < losses["2"][-1]


def test_what_shares_no_price_is_in_a_block_of_its_own():
    charges = Charges.of(priced(("1", "1", "1"), 9, panel="setup"))
    assert charges.blocks == (frozenset({0, 1}), frozenset({2}))
    assert charges.open_profiles(0) == (frozenset({0}), frozenset({1}))
    whole = Charges.of(priced(("1", "1", "1"), 9, panel="whole"))
    assert whole.open_profiles(0) == ()  # any of the two brings both
    assert Charges.of(priced(("1", "1", "1"), 9, fee="1")).blocks == (frozenset({0, 1, 2}),)


def test_what_is_too_large_is_refused_with_what_would_fit():
    def start(budget, costs=("1", "1", "1")):
        return Belief.prior(priced(costs, budget, fee="1", panel="setup"))

    for most in (300, 3_000):
        with pytest.raises(OptimalError, match=r"a budget of ([\d.]+) would fit") as caught:
            solve(start(14), most_states=most)
        fits = Decimal(str(caught.value).split("budget of ")[1].split()[0])
        assert solve(start(fits), most_states=most).states <= most
    with pytest.raises(OptimalError, match="lower the budget"):
        solve(start(30))
    with pytest.raises(OptimalError, match="more than the exact programme can number"):
        solve(start(900))
    with pytest.raises(OptimalError, match="round the prices"):
        solve(start("1000.001", ("0.001", "0.002")))
    with pytest.raises(OptimalError, match="up to 6 features, not 7"):
        solve(start(9, ("1",) * 7))


def test_prices_that_depend_on_the_sequence_are_refused():
    @dataclass(frozen=True)
    class Moody:
        name: ClassVar[str] = "moody"
        summary: ClassVar[str] = "one at a time is cheaper than together"

        def quote(self, order, case):
            return Decimal(len(order.features) ** 2)

    problem = priced(("1", "1"), 9)
    odd = Problem(problem.features, problem.labels, problem.prior, 9, Moody())
    with pytest.raises(OptimalError, match="one after the other"):
        solve(Belief.prior(odd))


def test_the_scores_of_cells_are_those_of_orders():
    problem = priced(("1", "2"), 6)
    solution, state = solve(Belief.prior(problem)), State.start(problem)
    scores = solution.scores(state.belief)
    assert {Action(each.features[0], each.label): score
            for each, score in solution.orders(state).items()} == scores  # fmt: skip
    with pytest.raises(OptimalError, match="orders of a state"):
        solve(Belief.prior(priced(("1", "2"), 6, fee="1"))).scores(state.belief)
