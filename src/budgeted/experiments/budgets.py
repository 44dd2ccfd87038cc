"""The budget of an experiment: an amount, or a table with its terms, as one text.

Labels, documents and files of runs have it as text; that of a table is its JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from budgeted.problem.budgets import Terms, from_table


def as_text(given: Any) -> str:
    """Return a budget as one text.

    >>> as_text(100), as_text({"amount": 90, "limit": 100, "rate": "0.2", "point_worth": 5})
    ('100', '{"amount": 90, "limit": 100, "point_worth": 5, "rate": "0.2"}')
    """
    if isinstance(given, Mapping):
        return json.dumps(given, sort_keys=True, default=str)
    return str(given)


def terms_of(text: str) -> Terms:
    """Return the terms of a budget; of one in periods, which have no calendar here, the sum.

    >>> terms_of('{"amount": 90, "limit": 100, "rate": "0.2", "point_worth": 5}').limit
    Decimal('100')
    """
    return from_table(json.loads(text) if text.startswith("{") else text)
