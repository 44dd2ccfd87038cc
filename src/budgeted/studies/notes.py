"""What people write beside a value, a case or a whole study; it changes nothing, and stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from budgeted.studies.events import Entry, Event

if TYPE_CHECKING:
    from budgeted.studies.projection import Projection


@dataclass(frozen=True)
class Noted(Event):
    """Somebody wrote a note."""

    text: str | None
    about: int | None = None
    case: str = ""
    feature: str = ""
    kind: Literal["noted"] = "noted"

    @property
    def allowed_after_closing(self) -> bool:
        """Whether it may still happen in a study that is closed: it changes nothing."""
        return True

    def words(self) -> str:
        """Return it in one line.

        >>> Noted("haemolytic", 7, "P07", "potassium").words()
        'note on number 7, potassium of P07: haemolytic'
        >>> Noted("moved to Bern", case="P07").words(), Noted("audited").words()
        ('note on case P07: moved to Bern', 'note on the study: audited')
        """
        where = "the study"
        if self.about is not None:
            where = f"number {self.about}, {self.feature} of {self.case}"
        elif self.case:
            where = f"case {self.case}"
        said = "a note that is forgotten" if self.text is None else self.text
        return f"note on {where}: {said}"


@dataclass(frozen=True)
class Note:
    """A note with who wrote it, and when (UTC); see `Noted` for what it is about."""

    text: str
    at: str
    by: str
    number: int | None = None
    case: str = ""
    feature: str = ""


def notes_in(projection: Projection) -> tuple[Note, ...]:
    """Return all notes of a study, the oldest first, but for those of forgotten cases."""
    return tuple(each for each in projection.noted if each.case not in projection.forgotten)


def about(
    notes: Iterable[Note], *, case: str | None = None, number: int | None = None
) -> tuple[Note, ...]:
    """Return the notes on a case and its values, on one value, or, without either, on the study.

    >>> notes = [Note("a", "", ""), Note("b", "", "", 3, "P1", "mcv"),
    ...          Note("c", "", "", case="P1")]
    >>> [[each.text for each in about(notes, **wanted)]
    ...  for wanted in ({}, {"case": "P1"}, {"number": 3})]
    [['a'], ['b', 'c'], ['b']]
    """
    if number is not None:
        return tuple(each for each in notes if each.number == number)
    return tuple(each for each in notes if each.case == (case or ""))


def _noted(projection: Projection, entry: Entry, event: Noted) -> None:
    if event.text is not None:
        made = Note(event.text, entry.at, entry.by, event.about, event.case, event.feature)
        projection.noted = (*projection.noted, made)


FOLDS: dict[type[Event], Callable[[Any, Entry, Any], None]] = {Noted: _noted}
"""What it changes: nothing but what is noted."""
