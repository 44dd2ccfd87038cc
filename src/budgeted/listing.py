"""What a message says of many: the first of them, and how many more there are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

_MOST_NAMES = 30
_MOST_MISTAKES = 20


def listed(names: Collection[str]) -> str:
    """Return names with commas between them, the first of many.

    >>> listed(("well", "ill"))
    "'well', 'ill'"
    >>> listed([f"v{number}" for number in range(32)])[-23:]
    "'v28', 'v29' and 2 more"
    """
    shown = ", ".join(map(repr, islice(names, _MOST_NAMES)))
    more = len(names) - _MOST_NAMES
    return shown if more <= 0 else f"{shown} and {more} more"


def shortened(mistakes: Sequence[str]) -> list[str]:
    """Return the first of many mistakes, and how many more there are.

    >>> shortened(["one"]), shortened(["one"] * 25)[19:]
    (['one'], ['one', 'and 5 more'])
    """
    more = len(mistakes) - _MOST_MISTAKES
    return [*mistakes[:_MOST_MISTAKES], *([f"and {more} more"] if more > 0 else ())]
