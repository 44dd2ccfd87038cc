"""What a measurement claims, and whether it holds: printed, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Finding:
    """A claim, what was measured, and whether it holds.

    >>> print(Finding("a decision costs at most", 3.5, 8, at_least=False))
      a decision costs at most: 3.5 (<= 8) holds
    """

    claim: str
    measured: float
    bound: float
    at_least: bool

    @property
    def holds(self) -> bool:
        """Whether the measured figure keeps the bound."""
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound

    def __str__(self) -> str:
        sign, verdict = ">=" if self.at_least else "<=", "holds" if self.holds else "DOES NOT HOLD"
        return f"  {self.claim}: {self.measured:.3g} ({sign} {self.bound:g}) {verdict}"


def exit_status(findings: Sequence[Finding], as_json: bool) -> int:
    """Print the findings as JSON if that is wanted; return 0 if all hold, else 1."""
    if as_json:
        print(json.dumps([{**asdict(each), "holds": each.holds} for each in findings], indent=2))
    return 0 if all(each.holds for each in findings) else 1
