"""Names of values, labels and cases, which people also give as numbers.

A name is text. Where people mean a name and give a number, the number stands for the name that is
written like it, and for nothing else: 3 is ``"3"``, whatever its position. Where people may give a
position as well (`budgeted.problem`), a number that could be either is refused.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from budgeted.errors import ObservationError
from budgeted.listing import listed

_NUMERAL = re.compile(r"\s*[+-]?[0-9]+(\.0*)?\s*")
# "007" is a code, not the number 7; the readers of tables see it the same way.
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?")


def spelled(given: object, names: Collection[str]) -> str | None:
    """Return the one of the names that was given, as text or as a number; None if it is none.

    >>> spelled(3, ("1", "2", "3")), spelled(3.0, ("1", "3")), spelled(True, ("true", "false"))
    ('3', '3', 'true')
    >>> [spelled(each, ("0", "1")) for each in ("one", 7, True, None, b"1", 1j)]
    [None, None, None, None, None, None]
    """
    if type(given) is str:
        return given if given in names else None
    found = [name for name in _spellings(given) if name in names]
    return found[0] if len(found) == 1 else None


def numerals_of(names: Iterable[str]) -> dict[Decimal, str | None]:
    """Return the names that are numbers, by number; None where two names are the same number.

    >>> numerals_of(("1", "2.0", "007", "3", "3.0"))
    {Decimal('1'): '1', Decimal('2.0'): '2.0', Decimal('3'): None}
    """
    found: dict[Decimal, str | None] = {}
    for name in names:
        number = _number(name)
        if number is not None:
            found[number] = None if number in found else name
    return found


def by_number(given: object, numerals: dict[Decimal, str | None]) -> str | None:
    """Return the name that is the number that was given, however it is written; or None.

    >>> known = numerals_of(("1", "2", "3"))
    >>> [by_number(given, known) for given in ("3.0", " 2", 1.0, "03", "x")]
    ['3', '2', '1', None, None]
    """
    for spelling in _spellings(given):
        number = _number(spelling)
        if number is not None:
            return numerals.get(number)
    return None


def as_name(given: object) -> object:
    """Return a whole number as the text that it is written with; anything else as it is.

    >>> as_name(17), as_name("17"), as_name(True), as_name(1.5)
    ('17', '17', True, 1.5)
    """
    if isinstance(given, Integral) and not isinstance(given, bool):
        return str(int(given))
    return given


def are_numerals(names: Sequence[str]) -> bool:
    """Whether a whole number could be meant as one of these names.

    >>> are_numerals(("low", "high")), are_numerals(("1", "2", "more")), are_numerals(("0.5", "x"))
    (False, True, False)
    """
    return any(_NUMERAL.fullmatch(name) for name in names)


def _spellings(given: object) -> tuple[str, ...]:
    """All ways in which people write what was given."""
    if isinstance(given, str):
        return (str(given),)
    if type(given).__name__ in ("bool", "bool_"):
        return (str(given), str(given).lower())
    if isinstance(given, Integral):
        return (str(int(given)),)
    if isinstance(given, Real):
        number = float(given)
        return tuple({repr(number), str(int(number))} if number.is_integer() else {repr(number)})
    return ()


def _number(text: str) -> Decimal | None:
    written = text.strip()
    return Decimal(written) if _NUMBER.fullmatch(written) else None


def index_of(key: Any, names: Sequence[str], wrong: str, having: str, numerals: bool) -> int:
    """Return the position of a name, or of what is given by its position.

    Where names are numbers, a position could be meant as a name: it is then refused unless both
    mean the same.
    """
    if isinstance(key, str):
        if key in names:
            return names.index(key)
        raise ObservationError(f"{wrong} {key!r}; there are {listed(names)}")
    if not numerals:
        return position_of(key, names, wrong)
    whole = isinstance(key, Integral) and not isinstance(key, bool)
    if whole and 0 <= key < len(names) and names[int(key)] == str(int(key)):
        return int(key)
    raise ObservationError(
        f"{having} that are numbers, so {key!r} could be a name or a position; give the name as "
        f"text, such as {str(key) if str(key) in names else names[0]!r}"
    )


def position_of(key: Any, names: Sequence[str], wrong: str) -> int:
    """Return a position after checking it; truth values and negative ones are refused.

    Parameters
    ----------
    key
        The position.
    names
        What stands at the positions.
    wrong
        How a message begins, such as "there is no label".
    """
    if type(key) is int and 0 <= key < len(names):
        return key
    try:
        position = -1 if isinstance(key, bool) else operator.index(key)
    except TypeError:
        position = -1
    if not 0 <= position < len(names):
        raise ObservationError(f"{wrong} number {key!r}; positions go from 0 to {len(names) - 1}")
    return position
