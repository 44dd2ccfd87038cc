from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeted import money

amounts = st.decimals(min_value=0, max_value=10**12, places=4)


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
     ("1e3", "1000"), (" 7 ", "7")],
)  # fmt: skip
def test_amounts_are_read_as_they_are_written(given, exact):
    assert money.parse(given) == Decimal(exact)


@pytest.mark.parametrize(
    "wrong",
    ["", "abc", "1,50", "NaN", float("nan"), "Infinity", float("inf"), None, True, [1], "1e30",
     "0.00000000001"],
)  # fmt: skip
def test_what_is_no_money_is_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        money.parse(wrong)
