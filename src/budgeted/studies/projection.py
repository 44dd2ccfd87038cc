"""Where a study stands: the immutable `State`, and what became of every cell of every case.

A `Projection` is folded from events and from nothing else, by the one method `Projection.apply`; it
never asks a policy. It belongs to one `Study`. Only the money and the belief live in the `State`;
here is who they came from.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import BudgetedError, FeatureKindError, JournalError, StudyError, UnknownError
from budgeted.learners import Learner, Predictor, fitted
from budgeted.learners.belief import Integers
from budgeted.problem import Action, Order, money
from budgeted.problem.orders import Purchase, Request
from budgeted.state import State
from budgeted.state.cases import check_rule, shuffled
from budgeted.state.requests import Numbered
from budgeted.state.revisions import corrected, reopened, repriced, with_budget
from budgeted.studies import availability, events, growth, notes, stop_events
from budgeted.studies.accounts import fresh_groups, visited_after
from budgeted.studies.beginning import learner_of, problem_of
from budgeted.studies.budget_terms import BudgetTerms
from budgeted.studies.created import Created
from budgeted.studies.events import (
    BOUGHT,
    CANCELLED,
    FAILED,
    OPEN,
    PENDING,
    RECORDED,
    REQUESTED,
    TOLD,
    UNUSABLE,
    Asked,
    Entry,
    Event,
    numbers_of,
)  # fmt: skip
from budgeted.studies.growth import CasesAdded
from budgeted.studies.naming import Names

_Key = TypeVar("_Key")
_Held = TypeVar("_Held")


@dataclass(frozen=True)
class Requested:
    """One request of a study, or one value that was recorded, and what became of it.

    Attributes
    ----------
    number, case, feature, label
        Which it is; all but the number are names.
    cost
        Reserved while it is pending, charged afterwards.
    fate
        ``pending``, ``told``, ``recorded``, ``failed`` or ``cancelled``.
    value
        What came back, or None.
    asked
        The order that it belongs to, with the decision and its scores; None for a value that nobody
        asked for.
    at, by
        When it was asked for or recorded (UTC), and by whom.
    listed
        What it costs by the price list, where another sum was charged.
    """

    number: int
    case: str
    feature: str
    label: str
    cost: Decimal
    fate: str
    value: str | None
    asked: Asked | None
    at: str
    by: str
    listed: Decimal | None = None

    @property
    def list_price(self) -> Decimal:
        """What it costs by the price list: its cost, unless another sum was charged."""
        return self.cost if self.listed is None else self.listed

    @property
    def counts_as_visit(self) -> bool:
        """Whether its case is visited for it, so that what a visit costs is due."""
        if self.fate in (PENDING, TOLD):
            return True
        return self.fate in (FAILED, RECORDED) and self.cost > 0

    @property
    def order(self) -> int | None:
        """The number of the order that it belongs to; None for a value that nobody asked for."""
        return None if self.asked is None else self.asked.number

    @property
    def why(self) -> str:
        """The reason of the decision in words."""
        return "nobody asked for it" if self.asked is None else self.asked.reason

    def changed(self, **changes: Any) -> Requested:
        """Return it with some attributes changed, faster than `dataclasses.replace`."""
        return Requested(**{**vars(self), **changes})


@dataclass(slots=True)
class Used:
    """A key that is in the journal: by whom and for which command, and what that led to."""

    by: str
    command: str
    at: str
    numbers: list[int] = field(default_factory=list)


class Projection:
    """The fold of a study's events so far."""

    def __init__(self, created: Created) -> None:
        self.created = created
        problem = problem_of(created)
        check_rule(created.case_rule)
        self.names = Names(created.cases, problem)
        try:
            labels = [self.names.labels[label] for _, label in created.cases]
        except KeyError as error:
            raise StudyError(f"cases: there is no label {error.args[0]!r}") from None
        self.case_labels = np.array(labels, dtype=np.int64)
        supply = np.bincount(self.case_labels, minlength=len(problem.labels)).tolist()
        self.state = State.start(problem, supply)
        self.order = shuffled(self.case_labels, len(problem.labels), created.seed)
        self.cells: NDArray[np.int8] = np.zeros(
            (len(created.cases), len(problem.features)), dtype=np.int8
        )
        self.taken: Integers = np.zeros(len(created.cases), dtype=np.int64)
        self.requests: Numbered[Requested] = Numbered()
        self.keys: MutableMapping[str, Used] = {}
        self.of_case: MutableMapping[str, tuple[int, ...]] = {}
        self.groups: MutableMapping[str, str] = dict(created.groups)
        self.ruled_out: MutableMapping[tuple[str, str], str | None] = {}
        self.withdrawn: frozenset[str] = frozenset()
        self.forgotten: frozenset[str] = frozenset()
        self.closed = False
        self.noted: tuple[notes.Note, ...] = ()
        self.stop: stop_events.StopLog | None = None
        if self.groups and not problem.separable:
            self.state = self.state.changed(fresh_groups=fresh_groups(self))

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of all cases, in the sequence in which they came."""
        return self.names.every_case

    @property
    def number_of_cases(self) -> int:
        """How many there are."""
        return len(self.names.cases)

    def cells_to_change(self) -> NDArray[np.int8]:
        """Return the cells, to be changed in place; a draft takes a copy first."""
        return self.cells

    def names_to_change(self) -> Names:
        """Return the names, to be added to in place; a draft has names of its own for that."""
        return self.names

    @property
    def learner(self) -> Learner:
        """Who makes the classifier. It is looked up when it is needed: all else works without."""
        return learner_of(self.created)

    def predictor(self) -> Predictor:
        """Return the classifier that the values bought so far give."""
        return fitted(self.learner, self.state.problem, self.state.history)

    def adopt(self, draft: Projection) -> None:
        """Take over what was tried on a draft of this projection, which is not used any more."""
        for name in LAYERED:
            getattr(self, name).update(getattr(draft, name).maps[0])
        self.state, self.cells, self.taken = draft.state, draft.cells, draft.taken
        self.names, self.case_labels, self.order = draft.names, draft.case_labels, draft.order
        self.withdrawn, self.closed = draft.withdrawn, draft.closed
        self.forgotten, self.noted, self.stop = draft.forgotten, draft.noted, draft.stop

    def cell(self, case: str, feature: str) -> tuple[int, int]:
        """Return the position of a case and a feature given by their names."""
        return self.names.rows[case], self.names.columns[feature]

    def label_of(self, case: str) -> str:
        """Return the label of a case."""
        return self.state.problem.labels[int(self.case_labels[self.names.rows[case]])]

    def request(self, number: int) -> Requested:
        """Return what became of a number; raise an error if it was never given out."""
        if isinstance(number, bool) or not isinstance(number, Integral):
            raise StudyError(f"number: must be that of a request, such as 3, got {number!r}")
        found = self.requests.get(int(number))
        if found is None:
            raise UnknownError(
                f"there is no request {number}; the last one is {self.state.next_number - 1}"
            )
        return found

    def requests_of(self, case: str) -> list[Requested]:
        """Return the requests and recorded values of a case, by number."""
        return [self.requests[number] for number in self.of_case.get(case, ())]

    def forgotten_numbers(self) -> frozenset[int]:
        """Return the requests and recorded values whose values nobody is shown any more."""
        if not self.forgotten:
            return frozenset()
        return frozenset(number for case in self.forgotten for number in self.of_case.get(case, ()))

    def apply(self, entry: Entry) -> None:
        """Fold in one event; raise an error if it does not fit what came before it."""
        change = FOLDS.get(type(entry.event))
        if change is not None:
            before = self.state.visited
            change(self, entry, entry.event)
            if not self.state.problem.separable:
                self.state = visited_after(self, entry.event, before)
                if self.groups and isinstance(entry.event, events.Withdrawn | CasesAdded):
                    self.state = self.state.changed(fresh_groups=fresh_groups(self))
        if entry.key:
            self._remember(entry)

    def _remember(self, entry: Entry) -> None:
        """Note which requests a key led to."""
        used = self.keys.get(entry.key)
        if used is None:
            used = self.keys[entry.key] = Used(entry.by, entry.command, entry.at)
        used.numbers.extend(numbers_of(entry.event))

    def _created(self, entry: Entry, _: Created) -> None:
        raise JournalError(f"event {entry.seq}: the study is created a second time")

    def _asked(self, entry: Entry, event: Asked) -> None:
        for at, line in enumerate(event.lines):
            self._check_cell(event.case, line.feature, event.label, line.number, (OPEN,), at)
        order = Order(
            tuple([self.names.columns[line.feature] for line in event.lines]),
            self.names.labels[event.label],
            event.case,
        )
        # What was agreed is what is in the journal; the price list may have changed since.
        self.state = self.state.reserve(order, prices=[line.cost for line in event.lines])
        for line in event.lines:
            new = Requested(
                line.number, event.case, line.feature, event.label, line.cost, PENDING, None,
                event, entry.at, entry.by,
            )  # fmt: skip
            self._add(new)
            self._mark(new, REQUESTED)

    def _add(self, new: Requested) -> None:
        self.requests[new.number] = new
        self.of_case[new.case] = (*self.of_case.get(new.case, ()), new.number)

    def _told(self, _: Entry, event: events.Told) -> None:
        self._settle(event.number, event.value, event.cost, TOLD, BOUGHT)

    def _cancelled(self, _: Entry, event: events.Cancelled) -> None:
        old = self.request(event.number)
        self.state = self.state.release(event.number)
        self._mark(old, OPEN)
        self.requests[event.number] = old.changed(fate=CANCELLED, cost=Decimal(0))

    def _failed(self, _: Entry, event: events.Failed) -> None:
        old = self.request(event.number)
        if event.charged:
            self._settle(event.number, None, event.charged, FAILED, UNUSABLE)
        else:
            self.state = self.state.release(event.number)
            self.state = self.state.resupplied([self._action(old)], -1)
            self.requests[event.number] = old.changed(fate=FAILED, cost=Decimal(0), listed=None)
            self._mark(old, UNUSABLE)
        if event.usable:
            self.state = self.state.resupplied([self._action(old)], +1)
            self._mark(old, OPEN)

    def _settle(self, number: int, value: str | None, cost: Decimal, fate: str, cell: int) -> None:
        old = self.request(number)
        action = self._action(old)
        position = None if value is None else self._value(action.feature, value)
        self.state = self.state.after(Purchase(*action, position, cost, old.case, number))
        listed = None if cost == old.cost else old.cost
        self.requests[number] = old.changed(fate=fate, value=value, cost=cost, listed=listed)
        self._mark(old, cell)

    def _recorded(self, entry: Entry, event: events.Recorded) -> None:
        action = Action(self.names.columns[event.feature], self.names.labels[event.label])
        held = (OPEN, UNUSABLE)
        self._check_cell(event.case, event.feature, event.label, event.number, held)
        state, position = self.state, None
        if event.value is not None:
            position = self._value(action.feature, event.value)
        if self.cells[self.cell(event.case, event.feature)] == UNUSABLE:
            state = state.resupplied([action], +1)
        self.state = state.after(Purchase(*action, position, event.cost, event.case))
        if self.ruled_out.get((event.case, event.feature)) is not None:
            self.ruled_out[event.case, event.feature] = None  # it could be had after all
        new = Requested(
            event.number, event.case, event.feature, event.label, event.cost, RECORDED,
            event.value, None, entry.at, entry.by, event.listed,
        )  # fmt: skip
        self._add(new)
        self._mark(new, BOUGHT)

    def _corrected(self, _: Entry, event: events.Corrected) -> None:
        number, value, cost = event.number, event.value, event.cost
        old = self.request(number)
        position = None if value is None else self._value(self._action(old).feature, value)
        self.state = corrected(self.state, number, position, cost)
        listed = None if cost == old.list_price else old.list_price
        self.requests[number] = old.changed(value=value, cost=cost, listed=listed)

    def _repriced(self, _: Entry, event: events.Repriced) -> None:
        kept = {number: (self.request(number), listed) for number, listed in event.amounts}
        # What was charged by hand was more or less than the list said, and stays so.
        costs = {
            number: max(Decimal(0), money.subtract(money.add(old.cost, listed), old.list_price))
            for number, (old, listed) in kept.items()
        }
        self.state = repriced(self.state, costs)
        for number, (old, listed) in kept.items():
            by_hand = None if old.listed is None else listed
            self.requests[number] = old.changed(cost=costs[number], listed=by_hand)

    def _undone(self, _: Entry, event: events.Undone) -> None:
        number, fate, cost = event.number, event.fate, event.cost
        old = self.request(number)
        held = int(self.cells[self.cell(old.case, old.feature)])
        if old.fate != fate or (old.asked is None and fate != RECORDED):
            raise StudyError(f"request {number} is {old.fate} and cannot be pending again")
        if held not in ((BOUGHT,) if fate in (TOLD, RECORDED) else (OPEN, UNUSABLE)) or (
            old.case in self.withdrawn
        ):
            raise StudyError(f"feature {old.feature!r} of case {old.case!r} is not for sale")
        state, action = self.state, self._action(old)
        if held == OPEN:  # its case was free again
            state = state.resupplied([action], -1)
        self.state = reopened(state, Request(number, *action, cost, old.case))
        self.requests[number] = old.changed(fate=PENDING, value=None, cost=cost, listed=None)
        self._mark(old, REQUESTED)

    def _withdrawn(self, _: Entry, event: events.Withdrawn) -> None:
        row = self.names.rows[event.case]
        label = int(self.case_labels[row])
        left = np.flatnonzero(self.cells[row] == OPEN).tolist()
        self.state = self.state.resupplied([(feature, label) for feature in left], -1)
        self.cells_to_change()[row, left] = UNUSABLE
        self.withdrawn |= {event.case}
        self.forgotten |= {event.case} if event.forget else set()

    def _budget_changed(self, _: Entry, event: events.BudgetChanged) -> None:
        self.state = with_budget(self.state, event.budget)

    def _budget_terms(self, _: Entry, event: BudgetTerms) -> None:
        self.state = with_budget(self.state, event.agreed())

    def _closed(self, _: Entry, __: events.Closed) -> None:
        self.closed = True

    def _reopened(self, _: Entry, __: events.Reopened) -> None:
        self.closed = False

    def _check_cell(
        self,
        case: str,
        feature: str,
        label: str,
        number: int,
        held: tuple[int, ...],
        place: int = 0,
    ) -> None:
        cell = self.cell(case, feature)
        if self.cells[cell] not in held or case in self.withdrawn:
            raise StudyError(f"feature {feature!r} of case {case!r} is not for sale")
        follows = self.state.next_number + place
        if self.names.labels[label] != self.case_labels[cell[0]] or number != follows:
            raise StudyError(f"number {number} is not what comes next, or has the wrong label")

    def _action(self, request: Requested) -> Action:
        return Action(self.names.columns[request.feature], self.names.labels[request.label])

    def _value(self, feature: int, value: str) -> int:
        return self.state.problem.features[feature].category(value)

    def _mark(self, request: Requested, what: int) -> None:
        row, column = self.names.rows[request.case], self.names.columns[request.feature]
        cells = self.cells_to_change()
        was = cells[row, column]
        self.taken[row] += (what in (REQUESTED, BOUGHT)) - (was in (REQUESTED, BOUGHT))
        cells[row, column] = what


FOLDS: dict[type[Event], Callable[[Any, Entry, Any], None]] = {
    Created: Projection._created,
    events.Asked: Projection._asked,
    events.Told: Projection._told,
    events.Failed: Projection._failed,
    events.Cancelled: Projection._cancelled,
    events.Recorded: Projection._recorded,
    events.Corrected: Projection._corrected,
    events.Repriced: Projection._repriced,
    events.Undone: Projection._undone,
    events.Withdrawn: Projection._withdrawn,
    events.BudgetChanged: Projection._budget_changed,
    BudgetTerms: Projection._budget_terms,
    events.Closed: Projection._closed,
    events.Reopened: Projection._reopened,
    **growth.FOLDS,
    **availability.FOLDS,
    **notes.FOLDS,
    **stop_events.FOLDS,
}
"""What each kind of event changes; one that is not here is only kept in the log."""


LAYERED = ("requests", "keys", "of_case", "groups", "ruled_out")
"""What a draft only adds to: it looks through to the study, and keeps what is new apart."""


def layered(held: MutableMapping[_Key, _Held]) -> ChainMap[_Key, _Held]:
    """Return a map whose changes stay in it; layers of layers are one chain."""
    return ChainMap({}, *(held.maps if isinstance(held, ChainMap) else (held,)))


def fold(projection: Projection | None, entries: Sequence[Entry], where: str) -> Projection:
    """Return the projection after these events; `where` names the journal in messages."""
    for entry in entries:
        try:
            if projection is not None:
                projection.apply(entry)
            elif isinstance(entry.event, Created):
                projection = Projection(entry.event)
            else:
                raise StudyError("a study begins with its creation")
        except FeatureKindError as error:
            raise JournalError(
                f"a feature of the study is of a kind that is not installed here; install the "
                f"package that has it: {error}",
                where,
            ) from error
        except (BudgetedError, KeyError) as error:
            raise JournalError(
                f"event {entry.seq} does not fit what came before it: {error}; the "
                f"journal was written by another program, or is damaged",
                where,
            ) from error
    if projection is None:
        raise JournalError("there are no events", where)
    return projection
