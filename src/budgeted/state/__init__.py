"""Where the buying stands: money, history, requests under way, and which cases are left."""

from budgeted.state.offers import NO_LIMIT
from budgeted.state.state import State

__all__ = ["NO_LIMIT", "State"]
