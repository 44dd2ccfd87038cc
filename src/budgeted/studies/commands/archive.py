"""Archive, and take back: a study leaves the list, and cannot be changed meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StudyError
from budgeted.studies import events
from budgeted.studies.archiving import Archived, Unarchived
from budgeted.studies.commands.base import Command, reason

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft


@dataclass(frozen=True)
class Archive(Command):
    """Put the study into the archive: lists leave it out, and nothing changes it meanwhile.

    What is under way stays under way, and is told when the study is taken back.
    """

    name: ClassVar[str] = "archive"
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it is in the archive."""
        return [Archived(self.why)]


@dataclass(frozen=True)
class Unarchive(Command):
    """Take the study back from the archive; it is open, or closed, as it was before."""

    name: ClassVar[str] = "unarchive"
    in_archive: ClassVar[bool] = True
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it is back."""
        if not draft.archived:
            raise StudyError("the study is not in the archive")
        return [Unarchived(self.why)]
