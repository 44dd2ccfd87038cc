"""Events by which a study grows: cases that arrive, tests and values that become available."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from budgeted.problem import PriorCounts
from budgeted.studies.created import ForSale
from budgeted.studies.events import Event

_MOST_NAMED = 5


@dataclass(frozen=True)
class CasesAdded(Event):
    """Cases arrived, each with its label; the values that came with them are events behind this."""

    cases: tuple[tuple[str, str], ...]  # name and label of each
    groups: dict[str, str] = field(default_factory=dict)  # the group of each that belongs to one
    kind: Literal["cases_added"] = "cases_added"

    def words(self) -> str:
        """Return it in one line.

        >>> CasesAdded(tuple((f"P{number}", "ill") for number in range(61, 70))).words()
        '9 cases added: P61, P62, P63, P64, P65 and 4 more'
        """
        names = ", ".join(name for name, _ in islice(self.cases, _MOST_NAMED))
        more = len(self.cases) - _MOST_NAMED
        noun = "case" if len(self.cases) == 1 else "cases"
        return f"{len(self.cases)} {noun} added: {names}" + (
            f" and {more} more" if more > 0 else ""
        )


@dataclass(frozen=True)
class FeatureAdded(Event):
    """A test became available; it stands behind those that are there."""

    feature: ForSale
    kind: Literal["feature_added"] = "feature_added"

    def words(self) -> str:
        """Return it in one line."""
        return f"feature {self.feature.name} added, {self.feature.kind}, for {self.feature.cost}"


@dataclass(frozen=True)
class ValueAdded(Event):
    """A value of a feature turned up that nobody had foreseen; it stands behind the others."""

    feature: str
    value: str
    prior_counts: PriorCounts  # of the feature with this value; see `budgeted.problem.Feature`
    kind: Literal["value_added"] = "value_added"

    def words(self) -> str:
        """Return it in one line."""
        return f"value {self.value} added to feature {self.feature}"
