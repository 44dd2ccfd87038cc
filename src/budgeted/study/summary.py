"""A study at a glance: a few facts that are kept with its last event.

Whoever lists the studies of a database wants the money and the state of each. Folding all events of
all studies for that would take longer with every study. So each write also puts down what it led
to, in the same transaction and the same row as the number and the digest of the last event, and
with a digest of its own, so that one that was edited is not believed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from decimal import Decimal

from budgeted.errors import JournalError
from budgeted.events import Created, Entry
from budgeted.journal import Journal
from budgeted.study.snapshot import Snapshot
from budgeted.study.standing import Standing
from budgeted.study.words import describe


@dataclass(frozen=True)
class Summary:
    """Where a study stands after its last event.

    Attributes
    ----------
    budget, spent, reserved
        The money.
    features, cases, labels, policy
        What the study began with: how many, how many, which, and who chooses.
    bought, pending, events, closed
        Values that there are, requests under way, events, and whether it is over.
    started_at, started_by, last_at, last_by, last_words
        The first event and the last one.
    """

    budget: Decimal
    spent: Decimal
    reserved: Decimal
    features: int
    cases: int
    labels: tuple[str, ...]
    policy: str
    bought: int
    pending: int
    events: int
    closed: bool
    started_at: str
    started_by: str
    last_at: str
    last_by: str
    last_words: str

    @property
    def free(self) -> Decimal:
        """Money that is neither spent nor reserved."""
        return self.budget - self.spent - self.reserved

    @classmethod
    def of(cls, study: Standing | Snapshot, first: Entry, last: Entry) -> Summary:
        """Return the summary of a study after its last event."""
        state, created = study.state, study.created
        return cls(
            budget=state.problem.budget,
            spent=state.spent,
            reserved=state.reserved,
            features=len(created.features),
            cases=len(created.cases),
            labels=created.labels,
            policy=created.policy,
            bought=int(state.belief.observed.sum()),
            pending=len(state.pending),
            events=last.seq,
            closed=study.closed,
            started_at=first.at,
            started_by=first.by,
            last_at=last.at,
            last_by=last.by,
            last_words=describe(last.event),
        )

    @classmethod
    def of_new(cls, created: Created, at: str, by: str) -> Summary:
        """Return the summary of a study that has just begun."""
        return cls(
            budget=created.budget,
            spent=Decimal(0),
            reserved=Decimal(0),
            features=len(created.features),
            cases=len(created.cases),
            labels=created.labels,
            policy=created.policy,
            bought=0,
            pending=0,
            events=1,
            closed=False,
            started_at=at,
            started_by=by,
            last_at=at,
            last_by=by,
            last_words=describe(created),
        )

    def to_text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self), default=str, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> Summary:
        """Return what `to_text` wrote; raise an error for anything else."""
        try:
            plain = json.loads(text)
            for key in ("budget", "spent", "reserved"):
                plain[key] = Decimal(plain[key])
            plain["labels"] = tuple(plain["labels"])
            return cls(**plain)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            raise JournalError("its summary is damaged; the study itself may be whole") from None


def summaries(journal: Journal) -> dict[str, Summary | JournalError]:
    """Return all studies of a journal's database at a glance, by name, with one query.

    One whose summary is missing or damaged, or does not belong to its last event, has an error
    instead; `Study.open` still can tell what is in it.
    """
    found: dict[str, Summary | JournalError] = {}
    for name, head, text in journal.heads():
        try:
            summary = Summary.from_text(text)
            if summary.events != head.seq:
                raise JournalError("its summary is of another event")
            found[name] = summary
        except JournalError as error:
            found[name] = error
    return found
