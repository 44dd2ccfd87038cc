"""Budgets: their terms, and the surcharge of a soft one."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import Feature, Firm, Problem, Soft
from budgeted.errors import ProblemError
from budgeted.problem.budgets import agreed, from_table

amounts = st.decimals(0, 10_000, places=2)
rates = st.decimals("0.001", 3, places=3)


@st.composite
def softs(draw):
    amount = draw(amounts)
    rising = sorted(draw(st.sets(rates, min_size=1, max_size=4)))
    begins = sorted(draw(st.sets(amounts, min_size=len(rising), max_size=len(rising))))
    limit = amount + max(begins) + draw(amounts) + 1
    return Soft(amount, limit, draw(st.decimals(1, 99, places=2)),
                steps=list(zip(begins, rising, strict=True)))  # fmt: skip


def slow_surcharge(soft, spent):
    """One hundredth after the other, at the rate of the last step that it is beyond."""
    total = Decimal(0)
    for cent in range(int(100 * soft.amount), int(100 * spent)):
        over = (Decimal(cent) - 100 * soft.amount) / 100
        passed = [rate for beyond, rate in soft.steps if beyond <= over]
        total += (passed[-1] if passed else 0) * Decimal("0.01")
    return total


@given(softs(), st.decimals(0, 60, places=2))
def test_the_surcharge_is_the_sum_of_every_single_cent(soft, beyond):
    spent = soft.amount + beyond
    assert soft.surcharge(spent) == slow_surcharge(soft, spent)


@given(softs(), amounts, amounts)
def test_the_surcharge_never_falls_and_a_unit_never_gets_cheaper(soft, spent, more):
    at = [soft.surcharge(spent + times * more) for times in range(3)]
    assert 0 <= at[0] <= at[1] <= at[2]
    assert at[2] - at[1] >= at[1] - at[0]
    assert soft.surcharge(min(spent, soft.amount)) == 0


@given(st.one_of(
    amounts.map(Firm),
    softs(),
))  # fmt: skip
def test_what_is_written_down_gives_the_same_terms(terms):
    assert from_table(terms.to_table()) == terms
    assert terms.words()
    features = [Feature("fever", ("no", "yes"), 1)]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), terms)
    assert problem.budget == terms.limit
    assert problem.but(prior=(0.6, 0.4)).terms == terms


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"amount": 5, "limit": 9, "point_worth": 1}, "budget.rate: give a rate, or steps"),
        ({"amount": 5, "limit": 9, "rate": "0.1"}, "budget.point_worth: is missing"),
        ({"amount": 5, "limit": 9, "point_worth": 1, "rate": 0}, "budget.rate: must be above 0"),
        ({"amount": 5, "limit": 9, "point_worth": 1, "rate": 1, "steps": [[0, 1]]}, "budget.rate"),
        ({"amount": 5, "limit": 9, "point_worth": 1, "steps": [{"rate": 1}]}, "steps[0]"),
        (
            {"amount": 5, "limit": 9, "point_worth": 1,
             "steps": [{"beyond": 0, "rate": 2}, {"beyond": 1, "rate": 1}]},
            "budget.steps[1]: must begin further",
        ),
        ({"amount": 5, "limit": 9, "point_worth": 1, "steps": "0:1"}, "budget.steps: must be"),
        ({"amount": -5}, "budget: must be 0 or more"),
        ({"amuont": 5}, "did you mean 'amount'?"),
    ],
)  # fmt: skip
def test_wrong_terms_are_refused_in_words(table, said):
    with pytest.raises(ProblemError) as refused:
        from_table(table)
    assert said in str(refused.value)


def test_an_amount_is_a_firm_budget():
    assert agreed("5.00") == Firm("5.00") == from_table("5.00")
    problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), "5.00")
    assert (problem.terms, problem.soft) == (Firm("5.00"), None)
