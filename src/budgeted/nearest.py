"""Which of some names was meant by one that is none of them, for messages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches


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
