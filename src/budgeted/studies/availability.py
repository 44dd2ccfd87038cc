"""What a case cannot give: a test is ruled out before it was asked, and may be allowed again.

A pacemaker forbids a scan. Nothing was asked, so there is nothing to fail; and no money should be
reserved for what cannot be. A test that failed as unusable is not to be had either, and can be
allowed again in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from budgeted.errors import StudyError
from budgeted.studies.events import OPEN, UNUSABLE, Entry, Event

if TYPE_CHECKING:
    from budgeted.studies.projection import Projection


@dataclass(frozen=True)
class RuledOut(Event):
    """A feature cannot be had of a case, and will not be asked of it."""

    case: str
    feature: str
    why: str = ""
    kind: Literal["ruled_out"] = "ruled_out"

    def words(self) -> str:
        """Return it in one line.

        >>> RuledOut("P07", "mri", "pacemaker").words()
        'mri of P07 ruled out (pacemaker)'
        """
        return f"{self.feature} of {self.case} ruled out" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True)
class Allowed(Event):
    """A feature that could not be had of a case may be asked of it again."""

    case: str
    feature: str
    why: str = ""
    kind: Literal["allowed"] = "allowed"

    def words(self) -> str:
        """Return it in one line."""
        why = f" ({self.why})" if self.why else ""
        return f"{self.feature} of {self.case} may be asked again{why}"


def _ruled_out(projection: Projection, _: Entry, event: RuledOut) -> None:
    _turn(projection, event, OPEN, UNUSABLE)
    projection.ruled_out[event.case, event.feature] = event.why


def _allowed(projection: Projection, _: Entry, event: Allowed) -> None:
    _turn(projection, event, UNUSABLE, OPEN)
    projection.ruled_out[event.case, event.feature] = None


def _turn(projection: Projection, event: RuledOut | Allowed, held: int, what: int) -> None:
    row, column = cell = projection.cell(event.case, event.feature)
    if projection.cells[cell] != held or event.case in projection.withdrawn:
        raise StudyError(f"feature {event.feature!r} of case {event.case!r} is not for sale")
    where = (column, int(projection.case_labels[row]))
    projection.state = projection.state.resupplied([where], +1 if what == OPEN else -1)
    projection.cells_to_change()[cell] = what


FOLDS: dict[type[Event], Callable[[Any, Entry, Any], None]] = {
    RuledOut: _ruled_out,
    Allowed: _allowed,
}
"""What each of them changes."""
