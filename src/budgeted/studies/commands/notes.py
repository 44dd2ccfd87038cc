"""Note: something that is worth knowing beside a value, a case or the whole study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StudyError
from budgeted.studies import events
from budgeted.studies.commands.base import LONGEST_NAME, LONGEST_REASON, Command, parameter
from budgeted.studies.notes import Noted

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft


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
