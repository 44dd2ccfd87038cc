"""What holds for every tariff, whatever is in it, and what it costs by trying every way to pay."""

from __future__ import annotations

import json
from decimal import localcontext

from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted.problem import CaseSoFar, Order, Tariff
from budgeted.problem.prices import from_table, parameters_of
from tests.tariffs import GROUPS, Oracle, case_of, orders, problem, quoted, tables

labels, groups = st.integers(0, 1), st.sampled_from(GROUPS)
pasts = st.lists(orders(), max_size=4)


def prices(table):
    return problem(Tariff(**table)).prices


def quote(listed, features, day, visits, label, group):
    order = Order(tuple(features), label, "P1", day)
    return listed.quote(order, case_of(visits, label, group))


@settings(max_examples=150, deadline=None)
@given(tables(), st.lists(orders(), min_size=1, max_size=4), labels, groups)
def test_visits_cost_what_the_cheapest_way_to_pay_for_them_costs(table, visits, label, group):
    assert quoted(prices(table), visits, label, group) == Oracle(table, label, group).total(visits)


@settings(deadline=None)
@given(tables(), pasts, orders(), labels, groups)
def test_nothing_costs_more_on_a_case_that_came_before(table, past, order, label, group):
    listed, (features, day) = prices(table), order
    fresh = quote(listed, features, day, [], label, group)
    assert 0 <= quote(listed, features, day, past, label, group) <= fresh
    assert fresh > 0


@settings(deadline=None)
@given(tables(), pasts, orders(), labels, groups)
def test_what_was_known_for_free_or_brought_nothing_changes_nothing(
    table, past, order, label, group
):
    listed, (features, day) = prices(table), order
    asked = Order(tuple(features), label, "P1", day)
    usual = listed.quote(asked, case_of(past, label, group))
    for had in (frozenset(), frozenset(range(5)) - features):
        assert listed.quote(asked, case_of(past, label, group, had)) == usual


@settings(deadline=None)
@given(tables(), pasts, orders(), labels, groups)
def test_no_decimal_context_rounds_it(table, past, order, label, group):
    listed, (features, day) = prices(table), order
    usual = quote(listed, features, day, past, label, group)
    with localcontext() as context:
        context.prec = 1
        assert quote(prices(table), features, day, past, label, group) == usual


@settings(deadline=None)
@given(tables(), orders(), labels)
def test_it_is_separable_only_if_nothing_but_label_and_feature_matters(table, order, label):
    listed, (features, day) = prices(table), order
    if listed.separable:
        alone = [listed.quote(Order((each,), label), CaseSoFar(label=label)) for each in features]
        for group in GROUPS:
            assert quote(listed, features, day, [], label, group) == sum(alone)


@settings(deadline=None)
@given(tables())
def test_it_is_the_same_after_it_was_written_down(table):
    made = Tariff(**table)
    again = from_table({"list": "tariff", **json.loads(json.dumps(parameters_of(made)))})
    assert again == made
    assert hash(again) == hash(made)
    assert problem(again) == problem(made)
