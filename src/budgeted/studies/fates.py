"""What becomes of a request, and of the cell of a case that it is about."""

from __future__ import annotations

PENDING, TOLD, RECORDED, FAILED, CANCELLED = (
    "pending", "told", "recorded", "failed", "cancelled",
)  # fmt: skip
"""Fates of a request; a value that nobody asked for is recorded."""

OPEN, REQUESTED, BOUGHT, UNUSABLE = range(4)
"""What a cell of a case is: for sale, asked for, paid for, or not to be had."""
