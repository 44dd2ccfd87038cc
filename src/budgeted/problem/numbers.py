"""Numbers as people write them: with a decimal point or a comma, exact, and refused in words.

Nothing is computed in binary fractions: "0.1" is one tenth, and a float counts as the decimal that
Python prints for it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from numbers import Integral, Real

MARKS = {"point": ".", "comma": ","}
"""What stands before the decimals."""
LONGEST = 40
"""Characters of a number."""
_DIGITS = 15
"""So many significant digits survive a float, as JSON readers have them."""
_MINUS = "\N{MINUS SIGN}"
_PLAIN = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}([.,'’  \u202f][0-9]{3})+([.,][0-9]*)?")
_BEGINS = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
_FRACTION = re.compile(r"[+-]?[0-9]*[.,][0-9]+")
_LIMIT = re.compile(r"\s*[<>≤≥~≈]")


def as_told(given: object, decimal: str, unit: str = "") -> str:
    """Return the text to keep of a number; text is kept as it is, without blanks around it.

    >>> as_told(" 233,0 ", "comma"), as_told(37.5, "comma"), as_told(3, "point")
    ('233,0', '37,5', '3')
    >>> as_told("233 mg/dl", "point", "mg/dl")
    Traceback (most recent call last):
    ...
    ValueError: leave out the unit
    """
    text = given.strip() if isinstance(given, str) else _written(given, decimal)
    if _decimal(text, decimal) is None:
        raise ValueError(_hint(text, decimal, unit))
    return text


def number_of(text: str, decimal: str) -> Decimal:
    """Return the number that a text is, exactly.

    >>> number_of("233,50", "comma") == number_of("233.5", "point")
    True
    """
    found = _decimal(text, decimal)
    if found is None:
        raise ValueError(_hint(text, decimal, ""))
    return found


def plain(number: Decimal) -> int | float:
    """Return a number as JSON has it; one that JSON cannot hold exactly is refused.

    >>> plain(Decimal("200.0")), plain(Decimal("37.5"))
    (200, 37.5)
    """
    if number and not -_DIGITS <= number.adjusted() < _DIGITS:
        raise ValueError(f"it must be below 1e{_DIGITS} and not smaller than 1e-{_DIGITS}")
    if len(number.normalize().as_tuple().digits) > _DIGITS:
        raise ValueError(f"it has more than {_DIGITS} digits; round it")
    return int(number) if number == number.to_integral_value() else float(number)


def shown(number: int | float | Decimal, decimal: str) -> str:
    """Return a number as people of the study write it.

    >>> shown(37.5, "comma"), shown(1e-7, "point"), shown(200, "point")
    ('37,5', '0.0000001', '200')
    """
    text = format(Decimal(str(number)).normalize(), "f")
    return text.replace(".", MARKS[decimal])


def _written(given: object, decimal: str) -> str:
    """How a number that is no text is written; "" for what is no number."""
    if type(given).__name__ in ("bool", "bool_"):
        return ""
    if isinstance(given, Integral):
        return str(int(given))
    if isinstance(given, Real | Decimal):
        return str(given).replace(".", MARKS[decimal])
    return ""


def _decimal(text: str, decimal: str) -> Decimal | None:
    mark = MARKS[decimal]
    if len(text) > LONGEST or (mark != "." and "." in text):
        return None
    usual = text.replace(mark, ".").replace(_MINUS, "-")
    return Decimal(usual) if _PLAIN.fullmatch(usual) else None


def _hint(text: str, decimal: str, unit: str) -> str:
    """What to do instead, in words; "" where nothing can be said."""
    where = f"decimals stand behind a {decimal} in this study"
    begun = _BEGINS.match(text)
    bare = text.removesuffix(unit).strip() if unit and text.endswith(unit) else ""
    hints = {
        f"a number has at most {LONGEST} characters": len(text) > LONGEST,
        "that is no number, and where there is none there is nothing to tell": (
            text.lower().strip("+-") in ("nan", "na", "n/a", "inf", "infinity")
        ),
        "a limit is no number; tell the number that stands for it in this study": (
            _LIMIT.match(text)
        ),
        "leave out the unit": bare and _decimal(bare, decimal) is not None,
        f"{where}, and thousands are written without a separator": _GROUPED.fullmatch(text),
        where: _FRACTION.fullmatch(text),
        f"give it in {unit or 'the unit of the study'}, without the unit": (
            begun and text[begun.end() :].strip()[:1].isalpha()
        ),
    }
    return next((words for words, fits in hints.items() if fits), "")
