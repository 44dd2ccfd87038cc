"""Withdraw (and forget) a case, close, reopen: what changes the study as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StudyError
from budgeted.hints import FailIt
from budgeted.studies import events
from budgeted.studies.accounts import before_release
from budgeted.studies.availability import Allowed, RuledOut
from budgeted.studies.commands.base import LONGEST_NAME, LONGEST_REASON, Command, parameter, reason
from budgeted.studies.commands.slips import Correct
from budgeted.studies.events import BOUGHT, OPEN, PENDING, RECORDED, REQUESTED, TOLD, UNUSABLE
from budgeted.studies.notes import Noted

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft


@dataclass(frozen=True)
class Withdraw(Command):
    """Take a case out for good; its pending requests are cancelled.

    If it is to be forgotten, its values are taken out of the classifier, and no log, export or page
    shows them any more. The database itself still holds them. A case that was withdrawn before can
    be forgotten later.
    """

    name: ClassVar[str] = "withdraw"
    case: str = parameter("Its name.", longest=LONGEST_NAME)
    forget: bool = parameter(
        "Also take its values out of the classifier and of all that is shown.", False
    )
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it is withdrawn: its requests are cancelled, its values may go."""
        case = draft.names.case(self.case)
        if case in draft.withdrawn and (not self.forget or case in draft.forgotten):
            gone = " and forgotten" if case in draft.forgotten else ""
            raise StudyError(f"case {case!r} is withdrawn{gone} already")
        mine = draft.requests_of(case)
        done: list[events.Event] = []
        for each in mine:
            if each.fate == PENDING:
                cancelled = events.Cancelled(each.number, "case withdrawn")
                for event in (*before_release(draft, each.number), cancelled):
                    draft.attempt(event)
                    done.append(event)
        if self.forget:
            for each in mine:
                if each.fate in (TOLD, RECORDED) and each.value is not None:
                    done += Correct(each.number, None, None, "case withdrawn").decide(draft)
        return [*done, events.Withdrawn(case, self.why, self.forget)]


@dataclass(frozen=True)
class Close(Command):
    """End the study; only corrections remain possible, unless it is reopened."""

    name: ClassVar[str] = "close"
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it is over, if nothing is under way."""
        waiting = [str(each.number) for each in draft.state.pending]
        if waiting:
            what, them = "request %s is", "it"
            if len(waiting) > 1:
                what, them = "requests %s are", "them"
            raise StudyError(
                f"{what % ', '.join(waiting)} pending; tell, fail or cancel {them} before closing"
            )
        return [events.Closed(self.why)]


@dataclass(frozen=True)
class Reopen(Command):
    """Go on with a study that was closed; the log keeps both, and the reason."""

    name: ClassVar[str] = "reopen"
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it goes on."""
        if not draft.closed:
            raise StudyError("the study is not closed")
        if not self.why.strip():
            raise StudyError("why: say for what reason it is reopened; the log keeps it")
        return [events.Reopened(self.why)]


@dataclass(frozen=True)
class Note(Command):
    """Write a note on a value, on a case or on the study; it changes nothing else."""

    name: ClassVar[str] = "note"
    enters: ClassVar[bool] = True
    text: str = parameter("What is worth knowing.", longest=LONGEST_REASON)
    request: int | None = parameter(
        "Number of the request or recorded value that it is about.", None, least=1, most=2**53
    )
    case: str = parameter("The case that it is about.", "", longest=LONGEST_NAME)

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it was noted."""
        text = self.text.strip() if isinstance(self.text, str) else ""
        if not text or len(text) > LONGEST_REASON:
            raise StudyError(f"text: must be from 1 to {LONGEST_REASON} characters")
        if self.request is not None and self.case:
            raise StudyError("say the number of a value or a case, not both")
        if self.request is not None:
            return [noted(draft, text, self.request)]
        return [Noted(text, case=draft.names.case(self.case) if self.case else "")]


def noted(draft: Draft, text: str, number: int) -> Noted:
    """Return that a note was written on a value."""
    request = draft.request(number)
    return Noted(text, request.number, request.case, request.feature)


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
