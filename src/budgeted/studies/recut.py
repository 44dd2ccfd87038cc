"""Other cuts for a numeric feature: the event, with both versions, and what it makes of a problem.

The journal has the numbers as they were told, so that everything can be folded again: the belief,
the history and the classifier are then what they would be had the cuts been these from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from budgeted.errors import ProblemError, StudyError
from budgeted.problem import Problem
from budgeted.problem.values import Number
from budgeted.studies.events import Event


@dataclass(frozen=True)
class CutsChanged(Event):
    """A numeric feature has other cuts; both versions stay in the log."""

    feature: str
    old_cuts: tuple[int | float, ...]
    cuts: tuple[int | float, ...]
    old_source: str
    source: str
    decimal: str = "point"  # how numbers are written in the study
    why: str = ""
    kind: Literal["cuts_changed"] = "cuts_changed"

    def words(self) -> str:
        """Return it in one line."""
        old, new = (
            Number(cuts=cuts, decimal=self.decimal).written_cuts
            for cuts in (self.old_cuts, self.cuts)
        )
        source = f", {self.source}" if self.source else ""
        why = f" ({self.why})" if self.why else ""
        return f"cuts of {self.feature} changed from {old} to {new}{source}{why}"

    def changed(self, problem: Problem) -> Problem:
        """Return a problem with these cuts in place of the old ones."""
        at, kind = numeric(problem, self.feature)
        if kind.cuts != self.old_cuts:
            raise StudyError(f"the cuts of {self.feature!r} are {kind.written_cuts}")
        return with_cuts(problem, at, kind.recut(self.cuts, self.source))


def numeric(problem: Problem, feature: str) -> tuple[int, Number]:
    """Return the place and the kind of a numeric feature, or an error that says it is none."""
    at = [each.name for each in problem.features].index(feature)
    kind = problem.features[at].kind
    if not isinstance(kind, Number):
        numbers = [each.name for each in problem.features if isinstance(each.kind, Number)]
        there = f"; those with numbers are {', '.join(map(repr, numbers))}" if numbers else ""
        raise StudyError(f"feature {feature!r} has no cuts: its values are no numbers{there}")
    return at, kind


def with_cuts(problem: Problem, at: int, kind: Number) -> Problem:
    """Return a problem in which the feature at a place is of this kind."""
    old = problem.features[at]
    try:
        new = replace(old, kind=kind)
    except ProblemError as error:  # a prior count for each category, of which there were others
        raise StudyError(
            f"{error}; as they are given one by one, there must be as many cuts as before"
        ) from None
    features = [*problem.features[:at], new, *problem.features[at + 1 :]]
    return problem.but(features=features)
