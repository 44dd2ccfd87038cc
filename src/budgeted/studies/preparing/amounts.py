"""Amounts and lists as people type them into a form, in the way that a study file has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from budgeted.problem.numbers import shown

_MARKED = re.compile(r"([0-9]+)([.,])([0-9]+)")
_MOST_CENTS = 2


def amount(typed: str, decimal: str = "point") -> str:
    """Return an amount with a decimal point; what may mean two things stays as it was typed.

    A comma before one or two digits is a decimal comma, for thousands have three.

    >>> [amount(each, "point") for each in ("12", " 12,50 ", "12.5", "1,234", "1.234,50", "many")]
    ['12', '12.50', '12.5', '1,234', '1.234,50', 'many']
    >>> amount("1,234", "comma"), amount("1.234", "comma")
    ('1.234', '1.234 (1234 or 1,234?)')
    """
    text = typed.strip()
    found = _MARKED.fullmatch(text)
    if found is None:
        return text
    whole, mark, rest = found.groups()
    if len(rest) <= _MOST_CENTS or (mark == ",") == (decimal == "comma"):
        return f"{whole}.{rest}"
    return text if decimal == "point" else f"{text} ({whole}{rest} or {whole},{rest}?)"


def written(money: object, decimal: str = "point") -> str:
    """Return an amount of a study file as people of the study write it.

    >>> written("12.50", "comma"), written(7), written(None)
    ('12,50', '7', '')
    """
    text = "" if money is None else str(money)
    whole = _MARKED.fullmatch(text)
    return text.replace(".", ",") if whole and decimal == "comma" else text


def parts(typed: str) -> list[str]:
    """Return what stands between semicolons, or between commas where there are none.

    >>> parts("low, normal,, high"), parts("1,5; 2"), parts("yes")
    (['low', 'normal', 'high'], ['1,5', '2'], ['yes'])
    """
    mark = next((each for each in ("\n", ";") if each in typed), ",")
    return [each.strip() for each in typed.split(mark) if each.strip()]


def joined(texts: Sequence[object]) -> str:
    """Return texts in one line, so that `parts` gives them back where that can be.

    >>> joined(["low", "high"]), joined(["1,5", "2"]), joined(["a,b"])
    ('low, high', '1,5; 2', 'a,b;')
    """
    each = [str(text) for text in texts]
    commas = any("," in text for text in each)
    return (
        "; ".join(each) + (";" if commas and len(each) == 1 else "") if commas else ", ".join(each)
    )


def numbers(typed: str, decimal: str) -> list[str]:
    """Return the numbers in a text, as they are written there.

    >>> numbers("37,5; 39", "comma"), numbers("200, 240", "point"), numbers("200 240", "comma")
    (['37,5', '39'], ['200', '240'], ['200', '240'])
    """
    marks = r"[;\s]+" if decimal == "comma" else r"[;,\s]+"
    return [each for each in re.split(marks, typed.strip()) if each]


def shown_numbers(given: Any, decimal: str) -> str:
    """Return numbers of a study file as people of the study write them.

    >>> shown_numbers([37.5, 39], "comma"), shown_numbers("terciles", "comma")
    ('37,5; 39', 'terciles')
    """
    if not isinstance(given, list | tuple):
        return "" if given is None else str(given)
    between = "; " if decimal == "comma" else ", "
    return between.join(shown_number(each, decimal) for each in given)


def shown_number(given: Any, decimal: str) -> str:
    """Return a number of a study file as people of the study write it; a text as it is."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    return shown(given, decimal) if number else "" if given is None else str(given)
