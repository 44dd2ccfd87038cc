"""Where the buying stands: money, history, requests under way, and which cases are left."""

from budgeted.state.state import NO_LIMIT, State

__all__ = ["NO_LIMIT", "State"]
