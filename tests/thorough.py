"""Long versions of tests: `make thorough` runs them, `make test` a smaller one of each.

A test that is long as a whole has the mark `thorough`, and beside it stands one that asserts the
same of less. A test that does the same thing many times asks `sized` how often.
"""

from __future__ import annotations

import os

THOROUGH = "BUDGETED_THOROUGH"
"""Environment variable: anything in it asks for the long versions."""


def wanted():
    """Whether the long versions are to run."""
    return bool(os.environ.get(THOROUGH))


def sized(usual, thorough):
    """The one in `make test`, the other in `make thorough`."""
    return thorough if wanted() else usual
