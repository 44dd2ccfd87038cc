"""What a message says of many: the first of them, and how many more there are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
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


def nearest(name: str, names: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the name that was probably meant, or None if no one is near.

    Names that differ only in capitals, blanks, hyphens and the like are nearest.

    >>> nearest("Chest-Pain ", ["age", "chest_pain"]), nearest("ferritine", ["ferritin", "crp"])
    ('chest_pain', 'ferritin')
    >>> nearest("id", ["age", "cp"]) is None
    True
    """
    simple: dict[str, str] = {}
    for each in names:
        simple.setdefault(_simple(each), each)
    close = get_close_matches(_simple(name), simple, n=1, cutoff=likeness)
    return simple[close[0]] if close else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the question with a blank behind it, or nothing.

    >>> did_you_mean("Age", ["age", "cp"]), did_you_mean("id", ["age", "cp"])
    ("did you mean 'age'? ", '')
    """
    meant = nearest(name, names)
    return "" if meant is None else f"did you mean {meant!r}? "


def _simple(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold() or name
