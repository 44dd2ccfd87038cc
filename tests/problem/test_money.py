import re
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from budgeted import Feature, Problem, Purchase
from budgeted.problem import money

amounts = st.decimals(min_value=0, max_value=10**12, places=4)
numbers = st.one_of(
    st.integers(0, 10**15),
    st.floats(0, 1e15, allow_nan=False).map(lambda number: round(number, 3)),
    st.decimals(0, 10**15, places=6),
    st.builds(lambda digits, zeros: Decimal((0, (digits,), zeros)), st.integers(0, 9),
              st.integers(-6, 14)),
)  # fmt: skip


@given(st.lists(amounts, max_size=30))
def test_sums_are_exact_whatever_the_callers_context(parts):
    with localcontext() as context:
        context.prec = 3
        total = Decimal(0)
        for part in parts:
            total = money.add(total, money.parse(part))
        for part in parts:
            total = money.subtract(total, part)
    assert total == 0


@given(amounts, st.decimals(min_value="0.01", max_value=1000, places=3))
def test_how_many_is_the_exact_quotient(amount, price):
    assert money.how_many(amount, price) == Fraction(amount) // Fraction(price)


@pytest.mark.parametrize(
    ("given", "exact"),
    [("1.50", "1.50"), (0.1, "0.1"), (np.float64(0.1), "0.1"), (40, "40"), (Decimal("2"), "2"),
     (np.int64(7), "7"), (" 7 ", "7"), (Decimal("1E+1"), "10"), (Decimal("-0"), "0"), (-0.0, "0.0"),
     (1e15, "1000000000000000"), (0.000001, "0.000001"), (Decimal("1.5000000000"), "1.500000"),
     (0, "0")],
)  # fmt: skip
def test_amounts_are_read_as_they_are_written(given, exact):
    parsed = money.parse(given)
    assert parsed == Decimal(exact)
    assert money.show(parsed) in {exact, f"{exact}.0"}


@pytest.mark.parametrize(
    "wrong",
    ["", "abc", "1,50", "NaN", float("nan"), "Infinity", float("inf"), None, True, [1], "1e30",
     "0.0000001", 1e-7, "1_000", "١", "１", "-0", "-0.00", "1E+1", "1e3", "+1", "-1", -1, 1e16,
     ".5", "5.", "007", "1 000", "1\n2", "0x1", b"1", Decimal("sNaN"),
     Decimal("1E+99999"), Decimal("1E-99999"), np.bool_(True), 1j],
)  # fmt: skip
def test_what_is_no_money_is_refused(wrong):
    with pytest.raises(ValueError, match="must") as caught:
        money.parse(wrong)
    assert len(str(caught.value)) < 200


@given(numbers)
def test_what_is_shown_is_the_same_amount_again(number):
    amount = money.parse(number)
    shown = money.show(amount)
    assert Fraction(shown) == Fraction(str(number))
    again = money.parse(shown)
    assert (again, money.show(again)) == (amount, shown)


@given(st.from_regex(r"[0-9_.eE+\- ,]{1,12}", fullmatch=True) | st.text(max_size=6))
@example("12.50")
@example("0")
def test_a_text_is_an_amount_only_if_it_is_written_the_one_way(text):
    try:
        amount = money.parse(text)
    except ValueError:
        return
    assert re.fullmatch(r"[0-9]+|[0-9]+\.[0-9]+", text.strip(), re.ASCII)
    assert money.show(amount) == text.strip()


@given(numbers, numbers)
def test_str_of_amounts_and_of_their_sums_is_how_they_are_shown(first, second):
    """So nobody who prints an amount can forget to."""
    larger, smaller = sorted((money.parse(first), money.parse(second)), reverse=True)
    for amount in (larger, money.add(larger, smaller), money.subtract(larger, smaller)):
        assert str(amount) == f"{amount}" == money.show(amount)
        assert re.fullmatch(r"[0-9]+(\.[0-9]{1,6})?", str(amount))


def test_every_way_in_is_the_same_way():
    sold = Feature("f", ("a", "b"), Decimal("1E+1"))
    problem = Problem([sold], ("u", "v"), (0.5, 0.5), Decimal("4E+2"))
    paid = Purchase(0, 0, 0, Decimal("1E+1"))
    assert [str(each) for each in (sold.cost, problem.budget, paid.cost)] == ["10", "400", "10"]
    for wrong in ("1_000", "١", "-0", "1E+1"):
        for refuses in (
            lambda cost: Feature("f", ("a", "b"), cost),
            lambda budget: Problem([sold], ("u", "v"), (0.5, 0.5), budget),
            lambda cost: Purchase(0, 0, 0, cost),
        ):
            with pytest.raises(ValueError, match="must be an amount of money"):
                refuses(wrong)


def test_what_is_very_long_is_refused_in_few_words():
    for long in ("9" * 10**6, "1." + "0" * 10**6, 10**5000, -(10**5000), Decimal("1E+99999")):
        with pytest.raises(ValueError, match="must") as caught:
            money.parse(long)
        assert len(str(caught.value)) < 200
