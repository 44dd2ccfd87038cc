"""Checks everything that can be checked of a study, and says what it found."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from budgeted.errors import JournalError, StudyError
from budgeted.problem import money
from budgeted.state import State
from budgeted.studies.journal import Journal
from budgeted.studies.ledger import Summary
from budgeted.studies.projection import fold


@dataclass(frozen=True)
class Verified:
    """A study in good order."""

    study: str
    events: int
    digest: str
    expected: int | None  # number of the event whose digest was expected; None if none was
    budget: Decimal
    spent: Decimal
    reserved: Decimal
    free: Decimal


def verify(journal: Journal, expect: str | None = None) -> Verified:
    """Check the whole journal of a study; raise an error that says what is wrong with it.

    The database checks its own file; every event is compared with its digest, the last with what is
    kept of it elsewhere; all are folded anew; the money is added up from single purchases; and what
    the list of studies shows is compared with all that. What this cannot see is an older copy of
    everything, put in place of a newer one: for that a digest is needed that somebody noted down
    elsewhere.
    """
    journal.look_over()
    journal.forget()
    listed = {name: (head.seq, summary) for name, head, summary in journal.heads()}
    seq, summary = listed.get(journal.study, (0, ""))
    entries = journal.read()  # others may have written more since
    projection = fold(None, entries[:seq], journal.where)
    _check_summary(summary, Summary.of(projection, entries[0], entries[seq - 1]), journal.where)
    state = fold(projection, entries[seq:], journal.where).state
    spent, reserved = _added_up(state, journal.where)
    at = None
    if expect is not None:
        at = _place(journal, expect)
    return Verified(
        journal.study,
        len(entries),
        journal.head.digest,
        at,
        state.problem.budget,
        spent,
        reserved,
        state.free,
    )


def _check_summary(kept: str, found: Summary, where: str) -> None:
    wrong = ""
    try:
        if Summary.from_text(kept) != found:
            wrong = "was edited or is damaged"
    except JournalError as error:
        wrong = f"was edited or is damaged, or comes from another version ({error})"
    if wrong:
        raise JournalError(
            f"the events are sound, but what the list of studies shows of them {wrong}; the next "
            f"event that is written puts it right",
            where,
        )


def _added_up(state: State, where: str) -> tuple[Decimal, Decimal]:
    spent = reserved = Decimal(0)
    for purchase in state.history:
        spent = money.add(spent, purchase.cost)
    for request in state.pending:
        reserved = money.add(reserved, request.cost)
    sums = (spent, reserved, money.subtract(state.problem.budget, money.add(spent, reserved)))
    if sums != (state.spent, state.reserved, state.free) or min(sums) < 0:
        raise JournalError(
            f"the money does not add up: purchases cost {spent}, requests {reserved}, of a budget "
            f"of {state.problem.budget}",
            where,
        )
    return spent, reserved


def _place(journal: Journal, expect: str) -> int:
    """Return the number of the event with a digest."""
    wanted = expect.strip().lower()
    if len(wanted) < 12 or set(wanted) - set("0123456789abcdef"):
        raise StudyError(f"expect: must be a digest, or its first 12 characters, got {expect!r}")
    found = journal.number_of(wanted)
    if found is None:
        raise JournalError(
            f"the history of study {journal.study!r} is sound, but it is not the one with the "
            f"digest {wanted}: an older copy, or another database, was put in its place",
            journal.where,
        )
    return found
