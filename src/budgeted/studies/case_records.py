"""What is known of each case of a study: one pass over its events, for pages and tables.

A `Projection` keeps what decisions need; people want to know of a case who measured what and when,
what failed, what cannot be had, and what all of it cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from budgeted.errors import BudgetedError
from budgeted.problem import CaseSoFar, Order, money
from budgeted.studies import events
from budgeted.studies.availability import Allowed, RuledOut
from budgeted.studies.created import Created
from budgeted.studies.events import FAILED, PENDING, RECORDED, TOLD, Entry, Event, numbers_of
from budgeted.studies.growth import CasesAdded

if TYPE_CHECKING:
    from budgeted.studies.projection import Requested
    from budgeted.studies.snapshot import Snapshot

KNOWN, WAITING, UNAVAILABLE, OPEN = "known", "pending", "unavailable", "open"
"""What a test of a case is: told or recorded, asked for, not to be had, or to be measured."""


@dataclass(eq=False, slots=True)
class CaseRecord:
    """One case, with all that happened to it; nobody changes it once the pass is over."""

    name: str
    label: str
    group: str
    requests: list[Requested] = field(default_factory=list)
    held: dict[str, Requested] = field(default_factory=dict)
    unavailable: dict[str, Entry] = field(default_factory=dict)
    withdrawn: Entry | None = None  # when it was taken out, and by whom; None if it is there
    forgotten: bool = False  # whether its values are not shown any more
    entries: list[Entry] = field(default_factory=list)

    @property
    def values(self) -> int:
        """How many values there are."""
        return sum(each.value is not None for each in self.held.values())

    @property
    def pending(self) -> int:
        """How many requests are under way."""
        return sum(each.fate == PENDING for each in self.held.values())

    @property
    def failed(self) -> int:
        """How many requests brought no value."""
        return sum(each.fate == FAILED for each in self.requests)

    @property
    def spent(self) -> Decimal:
        """What was charged for it, fees included; a surcharge is of the study as a whole."""
        return money.total([each.cost for each in self.requests if each.fate != PENDING])

    @property
    def reserved(self) -> Decimal:
        """What is set aside for its requests under way."""
        return money.total([each.cost for each in self.requests if each.fate == PENDING])

    @property
    def last(self) -> Entry:
        """The last event that is about it."""
        return self.entries[-1]

    def kind_of(self, feature: str) -> str:
        """Return what a feature of it is: `KNOWN`, `WAITING`, `UNAVAILABLE` or `OPEN`."""
        held = self.held.get(feature)
        if held is not None:
            return WAITING if held.fate == PENDING else KNOWN
        return UNAVAILABLE if self.withdrawn or feature in self.unavailable else OPEN

    def open(self, features: Iterable[str]) -> list[str]:
        """Return those of some features that could still be measured."""
        return [each for each in features if self.kind_of(each) == OPEN]

    def is_complete(self, features: int) -> bool:
        """Tell whether nothing of so many features is under way or left to measure."""
        if self.withdrawn:
            return False
        there = sum(each.fate != PENDING for each in self.held.values())
        return there + len(self.unavailable.keys() - self.held.keys()) == features


def case_records(
    entries: Iterable[Entry], numbered: Mapping[int, Requested]
) -> dict[str, CaseRecord]:
    """Return every case by its name, in the sequence in which they came.

    >>> import tempfile
    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Study.create(f"{folder}/my.db", "flu", problem, [("Ann", "ill")]) as study:
    ...         _ = study.record([("Ann", "fever", "yes")], charge=True)
    ...         ann = study.snapshot().case_records["Ann"]
    >>> ann.values, ann.spent, ann.kind_of("fever"), ann.is_complete(1)
    (1, Decimal('1'), 'known', True)
    """
    records: dict[str, CaseRecord] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, Created | CasesAdded):
            for name, label in event.cases:
                records[name] = CaseRecord(name, label, event.groups.get(name, ""))
                records[name].entries.append(entry)
            continue
        for record in _about(event, records, numbered):
            record.entries.append(entry)
            if isinstance(event, _NOTED):
                _note(record, entry, numbered)
    for number in sorted(numbered):
        request = numbered[number]
        record = records[request.case]
        record.requests.append(request)
        if request.fate in (PENDING, TOLD, RECORDED):
            record.held[request.feature] = request
    return records


_NOTED = (
    events.Withdrawn,
    events.Failed,
    events.Recorded,
    events.Undone,
    RuledOut,
    Allowed,
)
"""Events that say what cannot be had of a case; few of many do."""


def _about(
    event: Event, records: Mapping[str, CaseRecord], numbered: Mapping[int, Requested]
) -> list[CaseRecord]:
    """The cases that an event is about."""
    named = getattr(event, "case", None)
    if isinstance(named, str):
        return [records[named]] if named in records else []
    if isinstance(event, events.Told):  # half of all events
        return [records[numbered[event.number].case]]
    numbers = numbers_of(event)
    if isinstance(event, events.Repriced):
        numbers = tuple(number for number, _ in event.amounts)
    cases = dict.fromkeys(numbered[number].case for number in numbers if number in numbered)
    return [records[case] for case in cases]


def _note(record: CaseRecord, entry: Entry, numbered: Mapping[int, Requested]) -> None:
    """Keep what cannot be had of a case, and that it is withdrawn."""
    match entry.event:
        case events.Withdrawn(forget=forget):
            record.withdrawn = record.withdrawn or entry
            record.forgotten |= forget
        case events.Failed(number=number, usable=False):
            record.unavailable[numbered[number].feature] = entry
        case RuledOut(feature=feature):
            record.unavailable[feature] = entry
        case Allowed(feature=feature) | events.Recorded(feature=feature):
            record.unavailable.pop(feature, None)
        case events.Undone(number=number):
            record.unavailable.pop(numbered[number].feature, None)


@dataclass(frozen=True)
class Remaining:
    """What is left to measure of a case."""

    features: tuple[str, ...]
    cost: Decimal | None


def remaining(study: Snapshot, record: CaseRecord, day: date) -> Remaining:
    """Return what is left to measure of a case, and what it would cost on a day."""
    problem = study.state.problem
    names = [each.name for each in problem.features]
    left = tuple(record.open(names))
    if not left:
        return Remaining((), Decimal(0))
    places = {name: at for at, name in enumerate(names)}
    # Who may not see the label of the case is told a price that holds for all of them.
    known = record.label in problem.labels
    labels = [problem.labels.index(record.label)] if known else range(len(problem.labels))
    quotes = set()
    for label in labels if problem.has_prices else ():
        fresh = CaseSoFar(
            frozenset(places[each] for each in record.held),
            label,
            record.name,
            (),
            record.group,
            frozenset(places[each] for each in record.unavailable if each not in record.held),
        )
        # Where fees are due once, the state knows what was paid for.
        so_far = replace(study.state.visited.get(record.name, fresh), label=label)
        order = Order(tuple(places[each] for each in left), label, record.name, day)
        try:
            quotes.add(problem.quote(order, so_far))
        except BudgetedError:  # a price list of another package may refuse it
            return Remaining(left, None)
    return Remaining(left, quotes.pop() if len(quotes) == 1 else None)
