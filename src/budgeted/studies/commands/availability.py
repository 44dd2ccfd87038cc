"""Rule out a test of a case before it was asked, and allow it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StudyError
from budgeted.hints import FailIt
from budgeted.studies import events
from budgeted.studies.availability import Allowed, RuledOut
from budgeted.studies.commands.base import LONGEST_NAME, Command, parameter, reason
from budgeted.studies.fates import BOUGHT, OPEN, PENDING, REQUESTED, UNUSABLE

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft


@dataclass(frozen=True)
class RuleOut(Command):
    """Say that a feature cannot be had of a case, so that it is never asked of it."""

    name: ClassVar[str] = "rule-out"
    case: str = parameter("The case.", longest=LONGEST_NAME)
    feature: str = parameter("What cannot be had of it.", longest=LONGEST_NAME)
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it is ruled out: nothing if it cannot be had anyway."""
        case, feature, held = _cell(draft, self.case, self.feature)
        if held == REQUESTED:
            number = next(each.number for each in draft.requests_of(case)
                          if each.fate == PENDING and each.feature == feature)  # fmt: skip
            raise StudyError(
                f"{feature!r} of case {case!r} was asked for: request {number} is pending",
                hint=FailIt(number),
            )
        if held == BOUGHT:
            raise StudyError(f"{feature!r} of case {case!r} is known already")
        return [] if held == UNUSABLE else [RuledOut(case, feature, self.why)]


@dataclass(frozen=True)
class Allow(Command):
    """Let a feature be asked of a case again that was ruled out, or failed as unusable."""

    name: ClassVar[str] = "allow"
    case: str = parameter("The case.", longest=LONGEST_NAME)
    feature: str = parameter("What may be asked of it again.", longest=LONGEST_NAME)
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it may be asked again: nothing if it may anyway."""
        case, feature, held = _cell(draft, self.case, self.feature)
        if held in (REQUESTED, BOUGHT):
            what = "asked for" if held == REQUESTED else "known"
            raise StudyError(f"{feature!r} of case {case!r} is {what} already")
        return [] if held == OPEN else [Allowed(case, feature, self.why)]


def _cell(draft: Draft, case: str, feature: str) -> tuple[str, str, int]:
    """Return the names of a case and a feature, and what became of that cell."""
    name, what = draft.names.case(case), draft.names.feature(feature)
    if name in draft.withdrawn:
        raise StudyError(f"case {name!r} is withdrawn: nothing is asked of it any more")
    return name, what, int(draft.cells[draft.cell(name, what)])
