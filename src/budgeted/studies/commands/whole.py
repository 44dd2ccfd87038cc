"""Withdraw (and forget) a case, close, reopen: what changes the study as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StudyError
from budgeted.studies import events
from budgeted.studies.accounts import before_release
from budgeted.studies.commands.base import LONGEST_NAME, Command, parameter, reason
from budgeted.studies.commands.slips import Correct
from budgeted.studies.fates import PENDING, RECORDED, TOLD

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
