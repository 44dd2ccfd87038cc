"""Which one of some names is meant: by its name, or by its position."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from budgeted.errors import ObservationError
from budgeted.listing import listed


def index_of(key: Any, names: Sequence[str], wrong: str, having: str, numerals: bool) -> int:
    """Return the position of a name, or of what is given by its position.

    Where names are numbers, a position could be meant as a name: it is then refused unless both
    mean the same.

    Parameters
    ----------
    key, names
        What was given, and what stands at the positions.
    wrong, having
        How messages begin, such as "there is no label" and "there are labels".
    numerals
        Whether a number could be meant as one of the names.
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
