"""The journal of a study together with what was folded from it: reads on, and writes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from budgeted.errors import BudgetedError, ConflictError, UnknownError, UnknownFateError
from budgeted.events import Entry, Withdrawn
from budgeted.journal import Journal
from budgeted.study.forgetting import without_values
from budgeted.study.standing import fold
from budgeted.study.summary import Summary
from budgeted.study.together import Granted, Plan, Wish, plan

_MOST_ATTEMPTS = 1_000
"""One of several writers always gets through, so this many failures in a row mean trouble."""


class Ledger:
    """Reads what others wrote, writes what is wanted, and knows where that leads.

    Parameters
    ----------
    journal
        Of the study.
    entries
        All that it holds so far.
    clock
        What tells the time.

    Attributes
    ----------
    standing
        Where the study stands after all entries.
    """

    def __init__(
        self, journal: Journal, entries: Sequence[Entry], clock: Callable[[], str]
    ) -> None:
        self.journal = journal
        self.standing = fold(None, entries, journal.where)
        self.entries: list[Entry] = []
        self._add(entries)
        self._clock = clock

    def refresh(self) -> tuple[Entry, ...]:
        """Read what others wrote since, and return it."""
        entries = self.journal.read(after=len(self.entries))
        fold(self.standing, entries, self.journal.where)
        self._add(entries)
        return entries

    def reopen(self) -> None:
        """Read everything anew, whatever history the database holds now."""
        known = self.journal.head
        self.journal.forget()
        try:
            entries = self.journal.read()
            if not entries:
                raise UnknownError(f"there is no study {self.journal.study!r} any more")
            self.standing = fold(None, entries, self.journal.where)
        except BaseException:
            self.journal.head = known  # what is held here still belongs to the other history
            raise
        self.entries = []
        self._add(entries)

    def carry_out(self, wishes: Sequence[Wish]) -> tuple[Granted | BudgetedError, ...]:
        """Do what several people want in one write; see `budgeted.study.together`.

        Return for each wish what was granted, or the error that says why it cannot be.
        """
        study = self.journal.study
        for attempt in range(_MOST_ATTEMPTS):
            self.refresh()
            at = self._clock()
            found = plan(self.standing, wishes, study, at)
            if not found.events:
                return found.answers
            try:
                entries = self.journal.append(
                    found.events,
                    expected=len(self.entries),
                    by=found.actors,
                    at=at,
                    keys=found.keys,
                    summary=self._summary(found, at),
                )
            except ConflictError:  # somebody was faster: all is decided anew
                time.sleep(random.random() * min(0.05, 0.002 * (attempt + 1)))
                continue
            except UnknownFateError as error:
                return tuple(
                    _unknown(*each, error) for each in zip(wishes, found.answers, strict=True)
                )
            self.standing.adopt(found.draft)  # each of these was folded in when it was tried
            self._add(entries)
            return found.answers
        raise ConflictError(f"study {study!r}: others write without pause; try again later")

    def _add(self, entries: Sequence[Entry]) -> None:
        """Keep events for those who look, who are not shown what was forgotten."""
        self.entries += entries
        if any(isinstance(entry.event, Withdrawn) and entry.event.forget for entry in entries):
            numbers = self.standing.forgotten_numbers()
            self.entries = list(without_values(self.entries, numbers))

    def _summary(self, found: Plan, at: str) -> str:
        """Return what the study looks like after what is planned."""
        seq = len(self.entries) + len(found.events)
        last = Entry(seq, at, found.actors[-1], found.events[-1])
        return Summary.of(found.draft, self.entries[0], last).to_text()


def _unknown(
    wish: Wish, answer: Granted | BudgetedError, error: UnknownFateError
) -> Granted | BudgetedError:
    """Return what a wish of a write whose fate is unknown is told: its own key, if any."""
    if isinstance(answer, BudgetedError) or answer.repeated:  # nothing was to be written for it
        return answer
    return UnknownFateError(error.reason, error.where, wish.key)
