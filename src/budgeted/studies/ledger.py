"""Carries out commands: decided on a draft, one after the other, and written at once.

Writing to a journal costs the same for one event as for fifty: a transaction that waits for the
disk. So what several people want at the same moment is collected and goes in together. Each command
sees the study as those before it left it, as if they had come one after the other; one that makes
no sense is refused and leaves no trace, whatever becomes of the others. If somebody else wrote to
the journal meanwhile, all is decided anew.

Whoever lists the studies of a database wants the money and the state of each. Folding all events of
all studies for that would take longer with every study. So each write also puts down a `Summary` of
what it led to, in the same transaction and the same row as the number and the digest of the last
event, and with a digest of its own, so that one that was edited is not believed.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal

from budgeted.errors import (
    BudgetedError,
    ConflictError,
    JournalError,
    UnknownError,
    UnknownFateError,
)
from budgeted.policies.base import several
from budgeted.state import State
from budgeted.state.requests import Numbered
from budgeted.studies.beginning import package_of, policy_of
from budgeted.studies.commands.ask import Ask
from budgeted.studies.commands.base import Command
from budgeted.studies.created import Created
from budgeted.studies.drafts import Done, Draft, Plan, Sent, plan
from budgeted.studies.erasure import without_values
from budgeted.studies.events import Entry
from budgeted.studies.foresight import SECONDS, Foreseen, foresee
from budgeted.studies.journal import Head, Journal
from budgeted.studies.projection import LAYERED, Projection, fold
from budgeted.studies.snapshot import Snapshot

_MOST_ATTEMPTS = 1_000
"""One of several writers always gets through, so this many failures in a row mean trouble."""


class Ledger:
    """The journal of a study with what was folded from it: reads on, and carries out commands."""

    def __init__(
        self, journal: Journal, entries: Sequence[Entry], clock: Callable[[], str], by: str
    ) -> None:
        self.by = by
        self._journal = journal
        self._projection = fold(None, entries, journal.where)
        self.policy, self._package = policy_of(self.created), package_of(self.created)
        self._entries: list[Entry] = []
        self._add(entries)
        self._clock = clock

    @property
    def name(self) -> str:
        """Name of the study."""
        return self._journal.study

    @property
    def created(self) -> Created:
        """How the study began."""
        return self._projection.created

    @property
    def state(self) -> State:
        """Money, belief, purchases and requests under way."""
        return self._projection.state

    @property
    def events(self) -> int:
        """How many events the study has, as far as it was read."""
        return len(self._entries)

    @property
    def closed(self) -> bool:
        """Whether the study is over."""
        return self._projection.closed

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of all cases that there are by now, in the sequence in which they came."""
        return self._projection.cases

    @property
    def groups(self) -> Mapping[str, str]:
        """The group of each case that belongs to one."""
        return dict(self._projection.groups)

    @property
    def withdrawn(self) -> frozenset[str]:
        """Cases from which nothing can be bought any more."""
        return self._projection.withdrawn

    @property
    def head(self) -> Head:
        """Number and digest of the last event that was read; the digest stands for all of them."""
        return self._journal.head

    def release(self) -> None:
        """Let go of the database; the study itself stays as it is (`close` would end it)."""
        self._journal.release()

    def refresh(self) -> tuple[Entry, ...]:
        """Read what others wrote since, and return it."""
        entries = self._journal.read(after=len(self._entries))
        if entries:
            fold(self._projection, entries, self._journal.where)
            self._add(entries)
        return entries

    def read_anew(self) -> None:
        """Read the study anew, whatever history the database holds now.

        To go on after a `budgeted.errors.ForeignHistoryError`: somebody restored an older copy.
        """
        known = self._journal.head
        self._journal.forget()
        try:
            entries = self._journal.read()
            if not entries:
                raise UnknownError(f"there is no study {self.name!r} any more")
            self._projection = fold(None, entries, self._journal.where)
        except BaseException:
            self._journal.head = known  # what is held here still belongs to the other history
            raise
        self.policy, self._package = policy_of(self.created), package_of(self.created)
        self._entries = []
        self._add(entries)

    def do(self, command: Command, *, by: str | None = None, key: str = "") -> Done:
        """Do one thing."""
        (answer,) = self.carry_out([Sent(command, self.by if by is None else by, key)])
        if isinstance(answer, BudgetedError):
            raise answer
        return answer

    def carry_out(
        self, sent: Sequence[Sent], *, shared: bool = False
    ) -> tuple[Done | BudgetedError, ...]:
        """Do what several people want in one write.

        Return for each command what was done, or the error that says why it cannot be.
        """
        for attempt in range(_MOST_ATTEMPTS):
            self.refresh()
            at = self._clock()
            draft = Draft.of(self._projection)
            draft.chooser, draft.package = several(self.policy, shared=shared), self._package
            found = plan(draft, sent, self.name, at)
            if not found.events:
                return found.answers
            try:
                entries = self._journal.append(
                    found.events,
                    expected=len(self._entries),
                    by=found.actors,
                    at=at,
                    keys=found.keys,
                    summary=self._summary(found, at),
                )
            except ConflictError:  # somebody was faster: all is decided anew
                time.sleep(random.random() * min(0.05, 0.002 * (attempt + 1)))
                continue
            except UnknownFateError as error:
                written = {key for key, _ in found.keys}
                return tuple(
                    _unknown(*each, written, error)
                    for each in zip(sent, found.answers, strict=True)
                )
            self._projection.adopt(draft)  # each of these was folded in when it was tried
            self._add(entries)
            return found.answers
        raise ConflictError(f"study {self.name!r}: others write without pause; try again later")

    def draft(self, *, shared: bool = False) -> Draft:
        """Return a draft to try commands on, on another thread too while this goes on."""
        made = Draft.of(self._projection)
        made.cells_to_change()
        for each in LAYERED:
            held = getattr(self._projection, each)
            setattr(made, each, held.kept() if isinstance(held, Numbered) else dict(held))
        made.names = self._projection.names.copy()
        made.chooser, made.package = several(self.policy, shared=shared), self._package
        made.signature = (self._clock(), "", "", "")
        return made

    def foresee(self, command: Ask, seconds: float = SECONDS) -> Foreseen:
        """Return what asking would lead to and cost now, without asking."""
        self.refresh()
        return foresee(self.draft(), command, self.name, seconds)

    def _add(self, entries: Sequence[Entry]) -> None:
        """Keep events for those who look, who are not shown what was forgotten."""
        self._entries += entries
        if any(entry.event.forgets for entry in entries):
            numbers = self._projection.forgotten_numbers()
            cases = self._projection.forgotten
            self._entries = list(without_values(self._entries, numbers, cases))

    def _summary(self, found: Plan, at: str) -> str:
        """Return what the study looks like after what is planned."""
        seq = len(self._entries) + len(found.events)
        last = Entry(seq, at, found.actors[-1], found.events[-1])
        return Summary.of(found.draft, self._entries[0], last).to_text()


def _unknown(
    sent: Sent, answer: Done | BudgetedError, written: set[str], error: UnknownFateError
) -> Done | BudgetedError:
    """Return what a command of a write whose fate is unknown is told: its own key.

    One that repeats what was done before this write has its answer; one that repeats another
    command of the same write knows no more than that one.
    """
    if isinstance(answer, BudgetedError) or (answer.repeated and sent.key not in written):
        return answer
    return UnknownFateError(error.reason, error.where, sent.key)


@dataclass(frozen=True)
class Summary:
    """Where a study stands after its last event."""

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
    last_words: str = field(compare=False)

    @property
    def free(self) -> Decimal:
        """Money that is neither spent nor reserved."""
        return self.budget - self.spent - self.reserved

    @classmethod
    def of(cls, study: Projection | Snapshot, first: Entry, last: Entry) -> Summary:
        """Return the summary of a study after its last event."""
        state = study.state
        return cls(
            budget=state.problem.budget,
            spent=state.spent,
            reserved=state.reserved,
            features=len(state.problem.features),
            cases=study.number_of_cases,
            labels=state.problem.labels,
            policy=study.created.policy,
            bought=state.history.values,
            pending=len(state.pending),
            events=last.seq,
            closed=study.closed,
            started_at=first.at,
            started_by=first.by,
            last_at=last.at,
            last_by=last.by,
            last_words=last.event.words(),
        )

    def to_text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self), default=str, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> Summary:
        """Return what `to_text` wrote; raise an error for anything else."""
        try:
            plain = dict(json.loads(text))
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
