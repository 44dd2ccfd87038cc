"""Money as exact decimals: what goes in is what adds up, and is shown as it went in.

Binary floats cannot hold 0.1, so three purchases at 0.1 would cross a budget of 0.3. All amounts
here are `decimal.Decimal`, and all arithmetic runs in a context of its own that refuses to round;
a caller's changed decimal context changes nothing.

There is one way to write an amount: digits, and a point with up to six more, such as ``40`` or
``1.50``. Python writes no decimal of that kind with an exponent, so ``str`` of an amount, or of any
sum or difference of amounts, is that one way too, wherever it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow
from functools import reduce
from numbers import Integral

MoneyLike = Decimal | int | str | float

LARGEST = Decimal(10) ** 15
MOST_DECIMALS = 6
"""With more, Python would write small amounts with an exponent."""

# 60 digits hold any sum of amounts within the limits above, so Inexact never fires by accident.
_EXACT = Context(prec=60, traps=[Inexact, InvalidOperation, DivisionByZero, Overflow])
_ROUNDING = Context(prec=60)
_WRITTEN = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")
_LONGEST = 60
"""Characters of an amount that can be right, or that are worth repeating in a message."""


def parse(amount: MoneyLike, *, above_zero: bool = False) -> Decimal:
    """Return `amount` as an exact decimal from 0; a float counts as the decimal that Python prints.

    Text must be written the one way: no sign, exponent, underscore or comma, no other than the
    digits 0 to 9. Numbers of Python have no such ways, so ``Decimal("1E+1")`` is 10 and minus
    zero is zero.

    >>> parse("1.50"), parse(0.1), parse(40), parse(Decimal("1E+1"))
    (Decimal('1.50'), Decimal('0.1'), Decimal('40'), Decimal('10'))
    >>> parse("1,50")
    Traceback (most recent call last):
    ...
    ValueError: must be an amount of money such as 12 or "1.50", got '1,50'
    """
    value = _written(amount) if isinstance(amount, str) else _number(amount)
    if value < 0 or (above_zero and not value):
        raise ValueError(f"must be {'above 0' if above_zero else '0 or more'}, got {_told(amount)}")
    if value > LARGEST:
        raise ValueError(f"must be at most {LARGEST:f}, got {_told(amount)}; use a larger unit")
    plain = _plain(value)
    if plain is None:
        raise ValueError(
            f"must have at most {MOST_DECIMALS} decimals, got {_told(amount)}; use a smaller unit"
        )
    return plain


def show(amount: Decimal) -> str:
    """Return an amount the one way it is written; `parse` of it is the same amount again.

    >>> show(parse("1.50")), show(parse(Decimal("4E+2")))
    ('1.50', '400')
    """
    return f"{amount:f}"


def add(first: Decimal, second: Decimal) -> Decimal:
    """Return the exact sum."""
    return _EXACT.add(first, second)


def subtract(first: Decimal, second: Decimal) -> Decimal:
    """Return the exact difference."""
    return _EXACT.subtract(first, second)


def total(amounts: Iterable[Decimal]) -> Decimal:
    """Return the exact sum of any number of amounts.

    >>> total([Decimal("0.10"), Decimal("1.5")]), total([])
    (Decimal('1.60'), Decimal('0'))
    """
    return reduce(_EXACT.add, amounts, Decimal(0))


def times(price: Decimal, number: int) -> Decimal:
    """Return the price of several, exactly.

    >>> times(Decimal("0.10"), 3)
    Decimal('0.30')
    """
    return _EXACT.multiply(price, Decimal(number))


def share(amount: Decimal, rate: Decimal) -> Decimal:
    """Return a share of an amount, exactly; it may have more decimals than either.

    >>> share(Decimal("10.00"), Decimal("0.2"))
    Decimal('2.000')
    """
    return _EXACT.multiply(amount, rate)


def tidied(amount: Decimal, like: Decimal) -> Decimal:
    """Return an amount without zeros at its end that another one does not have either.

    >>> tidied(Decimal("2.000"), Decimal("10.00")), tidied(Decimal("2.125"), Decimal("10.00"))
    (Decimal('2.00'), Decimal('2.125'))
    """
    (_, _, wanted), (_, _, exponent) = like.as_tuple(), amount.as_tuple()
    assert isinstance(wanted, int)
    assert isinstance(exponent, int)
    for places in range(max(0, -wanted), -exponent):
        short = amount.quantize(Decimal((0, (1,), -places)), context=_ROUNDING)
        if short == amount:
            return short
    return amount


def how_many(amount: Decimal, price: Decimal) -> int:
    """Return how many things at `price` (above 0) `amount` pays for.

    >>> how_many(Decimal("0.3"), Decimal("0.1"))
    3
    """
    return max(0, int(_EXACT.divide_int(amount, price)))


def _written(text: str) -> Decimal:
    """Read an amount in text; that it is negative is said elsewhere, in better words."""
    digits = text.strip()
    unsigned = digits[1:] if digits[:1] == "-" and digits.strip("-0.") else digits
    if len(digits) > _LONGEST or not _WRITTEN.fullmatch(unsigned):
        raise ValueError(_wrong(text))
    return Decimal(digits, _EXACT)


def _number(amount: object) -> Decimal:
    """Read an amount in a number of Python, NumPy's whole numbers among them."""
    if isinstance(amount, bool) or not isinstance(amount, Decimal | Integral | float):
        raise ValueError(_wrong(amount))
    if isinstance(amount, Integral):
        whole = int(amount)
        return Decimal(whole if abs(whole) <= LARGEST else 2 * LARGEST.copy_sign(whole))
    value = Decimal(float.__repr__(amount)) if isinstance(amount, float) else amount
    if not value.is_finite():
        raise ValueError(f"must be a finite amount of money, got {amount!r}")
    return value


def _plain(value: Decimal) -> Decimal | None:
    """Return the same amount with 0 to `MOST_DECIMALS` decimals; None if it needs more."""
    sign, _, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    if not sign and -MOST_DECIMALS <= exponent <= 0:
        return value
    places = min(max(0, -exponent), MOST_DECIMALS)
    try:
        return _EXACT.quantize(_EXACT.abs(value), Decimal((0, (1,), -places)))
    except (Inexact, InvalidOperation):
        return None


def _wrong(amount: object) -> str:
    shown = f"{amount[:_LONGEST]!r}" if isinstance(amount, str) else _told(amount)
    return f'must be an amount of money such as 12 or "1.50", got {shown}'


def _told(amount: object) -> str:
    """What was given, for a message; it may be as long as a book."""
    try:
        text = amount.strip() if isinstance(amount, str) else str(amount)
    except ValueError:  # Python does not print whole numbers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
