"""Which case of a label to buy a value from.

Under the naive Bayes model it does not matter; in real tables it does. ``fresh`` takes cases with
nothing bought yet while there are any, so that the estimates of different features come from
different cases and their errors are not correlated. ``overlap`` completes cases that have other
values: fewer cases are needed, and values are seen together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgeted.belief import Integers
from budgeted.errors import WorldError

RULES = ("fresh", "overlap")


def check_rule(rule: str) -> None:
    """Raise an error that lists the rules unless this is one."""
    if rule not in RULES:
        raise WorldError(f"there is no case rule {rule!r}; there are {', '.join(RULES)}")


def pick_case(rule: str, order: Integers, bought: NDArray[np.bool_], feature: int) -> int | None:
    """Return the case to buy a feature from, or None when all of them have it.

    Parameters
    ----------
    rule
        ``fresh`` or ``overlap``.
    order
        The cases of the label, in the order in which they are to be used.
    bought
        Cases × features: what was bought or requested already.
    feature
        What is wanted.

    Examples
    --------
    >>> bought = np.array([[True, False], [False, False], [False, False]])
    >>> [pick_case(rule, np.array([0, 1, 2]), bought, feature=1) for rule in RULES]
    [1, 0]
    """
    lacking = ~bought[order, feature]
    if rule == "fresh":
        untouched = ~bought[order].any(axis=1)
        lacking = untouched if untouched.any() else lacking
    return int(order[lacking.argmax()]) if lacking.any() else None
