"""Money as exact decimals: what goes in is what adds up.

Binary floats cannot hold 0.1, so three purchases at 0.1 would cross a budget of 0.3. All amounts
here are `decimal.Decimal`, and all arithmetic runs in a context of its own that refuses to round;
a caller's changed decimal context changes nothing.
"""

from __future__ import annotations

from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow

MoneyLike = Decimal | int | str | float

LARGEST = Decimal(10) ** 15
MOST_DECIMALS = 10

# 60 digits hold any sum of amounts within the limits above, so Inexact never fires by accident.
_EXACT = Context(prec=60, traps=[Inexact, InvalidOperation, DivisionByZero, Overflow])


def parse(amount: MoneyLike) -> Decimal:
    """Return `amount` as an exact decimal; a float counts as the decimal that Python prints.

    Raises
    ------
    ValueError
        With a message that completes "<field>: …".

    Examples
    --------
    >>> parse("1.50"), parse(0.1), parse(40)
    (Decimal('1.50'), Decimal('0.1'), Decimal('40'))
    >>> parse("1,50")
    Traceback (most recent call last):
    ...
    ValueError: must be an amount of money such as 12 or "1.50", got '1,50'
    """
    wrong = f'must be an amount of money such as 12 or "1.50", got {amount!r}'
    if isinstance(amount, bool) or not isinstance(amount, Decimal | int | str | float):
        raise ValueError(wrong)
    text = float.__repr__(amount) if isinstance(amount, float) else str(amount)
    try:
        value = Decimal(text, _EXACT)
    except InvalidOperation:
        raise ValueError(wrong) from None
    if not value.is_finite():
        raise ValueError(f"must be a finite amount of money, got {amount!r}")
    if abs(value) > LARGEST:
        raise ValueError(f"must be at most {LARGEST:f}, got {amount!r}; use a larger unit of money")
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > MOST_DECIMALS:
        raise ValueError(
            f"must have at most {MOST_DECIMALS} decimals, got {amount!r}; use a smaller unit"
        )
    return value


def add(first: Decimal, second: Decimal) -> Decimal:
    """Return the exact sum."""
    return _EXACT.add(first, second)


def subtract(first: Decimal, second: Decimal) -> Decimal:
    """Return the exact difference."""
    return _EXACT.subtract(first, second)


def how_many(amount: Decimal, price: Decimal) -> int:
    """Return how many things at `price` (above 0) `amount` pays for.

    >>> how_many(Decimal("0.3"), Decimal("0.1"))
    3
    """
    return max(0, int(_EXACT.divide_int(amount, price)))
