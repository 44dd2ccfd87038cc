"""Fees that cover days, and panels sold whole, against every way to pay for them."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

from budgeted.problem.prices.tariff.schedule import bought_whole, covered
from tests.tariffs import partitions

DAY = st.integers(0, 40)
PRICES = st.lists(st.integers(0, 9), min_size=41, max_size=41)
REACH = st.none() | st.integers(0, 40)
RISES = [1] * 15 + [9] * 26
FALLS_AND_RISES = [9] * 15 + [1] * 10 + [9] * 16


def priced(prices):
    return lambda day: Decimal(prices[day])


@given(st.sets(DAY, max_size=6), PRICES, REACH)
@example({0, 10, 20, 30}, RISES, 20)  # the longest stretch first would pay the higher price twice
@example({0, 10, 20, 30}, RISES, 10)
def test_a_fee_costs_what_the_cheapest_division_of_the_days_costs(days, prices, reach):
    cheapest = min(
        sum(max(prices[day] for day in heap) for heap in heaps)
        for heaps in partitions(sorted(days))
        if reach is None or all(max(heap) - min(heap) <= reach for heap in heaps)
    )
    assert covered(days, priced(prices), reach) == cheapest


@given(st.sets(DAY, min_size=1, max_size=8), PRICES, REACH, st.data())
@example({0, 10, 20, 30}, RISES, 10, None)
def test_fewer_days_never_cost_more(days, prices, reach, data):
    whole = covered(days, priced(prices), reach)
    gone = data.draw(st.sampled_from(sorted(days))) if data else 0
    assert covered(days - {gone}, priced(prices), reach) <= whole


orders = st.lists(st.tuples(DAY, st.sets(st.integers(0, 2), min_size=1)), max_size=3)


@given(orders, PRICES)
@example([(0, {0}), (20, {0, 1}), (30, {1})], FALLS_AND_RISES)
@example([(0, {0}), (20, {0}), (20, {1})], FALLS_AND_RISES)
def test_whole_panels_cost_what_the_cheapest_purchases_of_them_cost(wanted, prices):
    items = [(feature, day) for day, features in wanted for feature in features]
    cheapest = min(
        sum(max(prices[day] for _, day in heap) for heap in heaps)
        for heaps in partitions(items)
        if all(len({feature for feature, _ in heap}) == len(heap) for heap in heaps)
    )
    assert bought_whole(wanted, priced(prices)) == cheapest
