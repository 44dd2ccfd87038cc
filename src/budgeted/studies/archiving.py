"""A study in the archive: it leaves the list, and nothing changes it until it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from budgeted.studies.events import Entry, Event

if TYPE_CHECKING:
    from budgeted.studies.projection import Projection


@dataclass(frozen=True)
class Archived(Event):
    """The study was put into the archive."""

    why: str = ""
    kind: Literal["archived"] = "archived"

    @property
    def allowed_after_closing(self) -> bool:
        """Whether it may still happen in a study that is closed: most often then."""
        return True

    def words(self) -> str:
        """Return it in one line.

        >>> Archived("published").words()
        'put into the archive (published)'
        """
        return "put into the archive" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True)
class Unarchived(Event):
    """The study was taken back from the archive; it is open, or closed, as it was before."""

    why: str = ""
    kind: Literal["unarchived"] = "unarchived"

    @property
    def allowed_after_closing(self) -> bool:
        """Whether it may still happen in a study that is closed."""
        return True

    def words(self) -> str:
        """Return it in one line."""
        return "taken back from the archive" + (f" ({self.why})" if self.why else "")


def _archived(projection: Projection, _: Entry, __: Archived) -> None:
    projection.archived = True


def _unarchived(projection: Projection, _: Entry, __: Unarchived) -> None:
    projection.archived = False


FOLDS: dict[type[Event], Callable[[Any, Entry, Any], None]] = {
    Archived: _archived,
    Unarchived: _unarchived,
}
