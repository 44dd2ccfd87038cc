"""Where a study stands: the immutable `State`, and what became of every cell of every case.

A `Standing` is folded from events and from nothing else, by the one method `Standing.apply`; it
never asks a policy. It belongs to one `Study`. Only the money and the belief live in the `State`;
here is who they came from.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from budgeted import events
from budgeted.belief import Integers
from budgeted.cases import check_rule, pick_place, shuffled
from budgeted.errors import (
    BudgetedError,
    JournalError,
    LearnerError,
    ObservationError,
    StudyError,
    UnknownError,
)
from budgeted.events import Asked, Created, Entry, Event
from budgeted.learners import LEARNERS, Committee, Learner, learner
from budgeted.listing import listed
from budgeted.names import spelled
from budgeted.nearest import did_you_mean
from budgeted.problem import Action, Feature, Problem
from budgeted.purchase import Purchase, Request
from budgeted.state import State
from budgeted.study.keys import Used

OPEN, REQUESTED, BOUGHT, UNUSABLE = range(4)
"""What a cell of a case is: for sale, asked for, paid for, or not to be had."""

_Key = TypeVar("_Key")
_Held = TypeVar("_Held")

PENDING, TOLD, RECORDED, FAILED, CANCELLED = (
    "pending", "told", "recorded", "failed", "cancelled",
)  # fmt: skip


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
        The decision with its scores; None for a value that nobody asked for.
    at, by
        When it was asked for or recorded (UTC), and by whom.
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

    @property
    def why(self) -> str:
        """The reason of the decision in words."""
        return "nobody asked for it" if self.asked is None else self.asked.reason

    def changed(self, **changes: Any) -> Requested:
        """Return it with some attributes changed, faster than `dataclasses.replace`."""
        return Requested(**{**vars(self), **changes})


class Standing:
    """The fold of a study's events so far.

    Attributes
    ----------
    created
        How the study began.
    state
        Money, belief, history and requests under way.
    cells
        Cases × features: `OPEN`, `REQUESTED`, `BOUGHT` or `UNUSABLE`.
    taken
        How many cells of each case are requested or bought; counting them anew for every request
        would take longer than anything else.
    requests
        Every number that was given out.
    keys
        The idempotency keys of what was done, see `budgeted.study.keys`.
    withdrawn, forgotten, closed
        Which cases are gone, the values of which of them are forgotten, and whether the study is
        over.
    tried
        What a draft was changed by since it was made.
    """

    def __init__(self, created: Created) -> None:
        self.created = created
        problem = problem_of(created)
        check_rule(created.case_rule)
        self.case_names = tuple(name for name, _ in created.cases)
        self._rows = {name: row for row, name in enumerate(self.case_names)}
        self._features = {each.name: at for at, each in enumerate(problem.features)}
        self._labels = {name: at for at, name in enumerate(problem.labels)}
        try:
            labels = [self._labels[label] for _, label in created.cases]
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
        self.requests: MutableMapping[int, Requested] = {}
        self.keys: MutableMapping[str, Used] = {}
        self.withdrawn: frozenset[str] = frozenset()
        self.forgotten: frozenset[str] = frozenset()
        self.closed = False
        self.tried: list[Event] = []
        self._signature = ("", "", "", "")

    @property
    def learner(self) -> Learner:
        """Who makes the classifier. It is looked up when it is needed: all else works without."""
        return learner_of(self.created)

    def predictor(self) -> Committee:
        """Return the classifier that the values bought so far give."""
        return self.learner.fit(self.state.problem, self.state.history)

    def draft(self, at: str = "", by: str = "", key: str = "", command: str = "") -> Standing:
        """Return a copy to try events on; what is tried there changes nothing here.

        Parameters
        ----------
        at, by, key, command
            When, by whom and with which key what is tried would be written.
        """
        other = object.__new__(Standing)
        other.__dict__.update(self.__dict__)  # `copy.copy` takes several times as long
        other.cells, other.taken = self.cells.copy(), self.taken.copy()
        other.tried, other._signature = [], (at, by, key, command)
        # No copies: a study has thousands.
        other.requests, other.keys = _layered(self.requests), _layered(self.keys)
        return other

    def attempt(self, event: Event) -> None:
        """Fold an event into a draft; raise an error if it does not fit."""
        at, by, key, command = self._signature
        self.apply(Entry(0, at, by, event, key, command))
        self.tried.append(event)

    def adopt(self, draft: Standing) -> None:
        """Take over what was tried on a draft of this standing, which is not used any more."""
        assert isinstance(draft.requests, ChainMap)
        assert isinstance(draft.keys, ChainMap)
        self.requests.update(draft.requests.maps[0])
        self.keys.update(draft.keys.maps[0])
        self.state, self.cells, self.taken = draft.state, draft.cells, draft.taken
        self.withdrawn, self.closed = draft.withdrawn, draft.closed
        self.forgotten = draft.forgotten

    def pick(self, action: Action) -> str | None:
        """Return the case from which the rule of the study would buy this cell."""
        order = self.order[action.label]
        cells = self.cells[order, action.feature]
        rule, had = self.created.case_rule, 0
        if rule == "settle":
            had = int(((cells == REQUESTED) | (cells == BOUGHT)).sum())
        at = pick_place(rule, cells == OPEN, had, self.taken[order] > 0)
        return None if at is None else self.case_names[order[at]]

    def cell(self, case: str, feature: str) -> tuple[int, int]:
        """Return the position of a case and a feature given by their names."""
        return self._rows[self.case(case)], self._features[self.feature(feature)]

    def case(self, given: object) -> str:
        """Return the name of a case, which may be given as a number; it must be there."""
        found = spelled(given, self._rows)
        if found is None:
            raise UnknownError(f"there is no case {given!r} in this study")
        return found

    def feature(self, given: object) -> str:
        """Return the name of a feature, which may be given as a number; it must be there."""
        found = spelled(given, self._features)
        if found is None:
            raise ObservationError(_no_such("there is no feature", given, tuple(self._features)))
        return found

    def value(self, feature: str, given: object) -> str:
        """Return the name of a value of a feature, which may be given as a number."""
        values = self.state.problem.features[self._features[feature]].values
        found = spelled(given, values)
        if found is None:
            raise ObservationError(_no_such(f"feature {feature!r} has no value", given, values))
        return found

    def label_of(self, case: str) -> str:
        """Return the label of a case."""
        row = self.cell(case, self.created.features[0].name)[0]
        return self.state.problem.labels[int(self.case_labels[row])]

    def request(self, number: int) -> Requested:
        """Return what became of a number; raise an error if it was never given out."""
        if isinstance(number, bool) or not isinstance(number, Integral):
            raise StudyError(f"number: must be that of a request, such as 3, got {number!r}")
        found = self.requests.get(number)
        if found is None:
            raise UnknownError(
                f"there is no request {number}; the last one is {self.state.next_number - 1}"
            )
        return found

    def forgotten_numbers(self) -> frozenset[int]:
        """Return the requests and recorded values whose values nobody is shown any more."""
        if not self.forgotten:
            return frozenset()
        return frozenset(
            number for number, each in self.requests.items() if each.case in self.forgotten
        )

    def apply(self, entry: Entry) -> None:
        """Fold in one event; raise an error if it does not fit what came before it."""
        match entry.event:
            case events.Asked() as event:
                self._asked(entry, event)
            case events.Told(number, value, cost):
                self._settle(number, value, cost, TOLD, BOUGHT)
            case events.Failed() as event:
                self._failed(event)
            case events.Cancelled(number):
                old = self.request(number)
                self.state = self.state.release(number)
                self._mark(old, OPEN)
                self.requests[number] = old.changed(fate=CANCELLED, cost=Decimal(0))
            case events.Recorded() as event:
                self._recorded(entry, event)
            case events.Corrected(number, _, value, _, cost):
                self._corrected(number, value, cost)
            case events.Undone(number, fate, _, _, cost):
                self._undone(number, fate, cost)
            case events.Withdrawn(case, _, forget):
                self._withdraw(case)
                self.forgotten |= {case} if forget else set()
            case events.BudgetChanged(_, budget):
                self.state = self.state.with_budget(budget)
            case events.Closed():
                self.closed = True
            case events.Created():
                raise JournalError(f"event {entry.seq}: the study is created a second time")
        if entry.key:
            self._remember(entry)

    def _remember(self, entry: Entry) -> None:
        """Note which requests a key led to."""
        used = self.keys.get(entry.key)
        if used is None:
            used = self.keys[entry.key] = Used(entry.by, entry.command, entry.at)
        number = getattr(entry.event, "number", None)
        if number is not None:
            used.numbers.append(number)

    def _asked(self, entry: Entry, event: Asked) -> None:
        feature, label = self._features[event.feature], self._labels[event.label]
        self._check_cell(event.case, event.feature, event.label, event.number, (OPEN,))
        if event.cost != self.state.problem.features[feature].cost:
            raise StudyError(f"feature {event.feature!r} does not cost {event.cost}")
        self.state = self.state.reserve(Action(feature, label))
        new = Requested(
            event.number, event.case, event.feature, event.label, event.cost, PENDING, None, event,
            entry.at, entry.by,
        )  # fmt: skip
        self.requests[event.number] = new
        self._mark(new, REQUESTED)

    def _failed(self, event: events.Failed) -> None:
        old = self.request(event.number)
        if event.charged:
            self._settle(event.number, None, event.charged, FAILED, UNUSABLE)
        else:
            self.state = self.state.release(event.number)
            self.state = self.state.resupplied([self._action(old)], -1)
            self.requests[event.number] = old.changed(fate=FAILED, cost=Decimal(0))
            self._mark(old, UNUSABLE)
        if event.usable:
            self.state = self.state.resupplied([self._action(old)], +1)
            self._mark(old, OPEN)

    def _settle(self, number: int, value: str | None, cost: Decimal, fate: str, cell: int) -> None:
        old = self.request(number)
        action = self._action(old)
        position = None if value is None else self._value(action.feature, value)
        self.state = self.state.after(Purchase(*action, position, cost, old.case, number))
        self.requests[number] = old.changed(fate=fate, value=value, cost=cost)
        self._mark(old, cell)

    def _recorded(self, entry: Entry, event: events.Recorded) -> None:
        action = Action(self._features[event.feature], self._labels[event.label])
        held = (OPEN, UNUSABLE)
        self._check_cell(event.case, event.feature, event.label, event.number, held)
        state, position = self.state, None
        if event.value is not None:
            position = self._value(action.feature, event.value)
        if self.cells[self.cell(event.case, event.feature)] == UNUSABLE:
            state = state.resupplied([action], +1)
        self.state = state.after(Purchase(*action, position, event.cost, event.case))
        new = Requested(
            event.number, event.case, event.feature, event.label, event.cost, RECORDED,
            event.value, None, entry.at, entry.by,
        )  # fmt: skip
        self.requests[event.number] = new
        self._mark(new, BOUGHT)

    def _corrected(self, number: int, value: str | None, cost: Decimal) -> None:
        old = self.request(number)
        position = None if value is None else self._value(self._action(old).feature, value)
        self.state = self.state.corrected(number, position, cost)
        self.requests[number] = old.changed(value=value, cost=cost)

    def _undone(self, number: int, fate: str, cost: Decimal) -> None:
        old = self.request(number)
        held = int(self.cells[self.cell(old.case, old.feature)])
        if old.fate != fate or old.asked is None or old.asked.cost != cost:
            raise StudyError(f"request {number} is {old.fate} and cannot be pending again")
        if held not in ((BOUGHT,) if fate == TOLD else (OPEN, UNUSABLE)) or (
            old.case in self.withdrawn
        ):
            raise StudyError(f"feature {old.feature!r} of case {old.case!r} is not for sale")
        state, action = self.state, self._action(old)
        if held == OPEN:  # its case was free again
            state = state.resupplied([action], -1)
        self.state = state.reopened(Request(number, *action, cost))
        self.requests[number] = old.changed(fate=PENDING, value=None, cost=cost)
        self._mark(old, REQUESTED)

    def _withdraw(self, case: str) -> None:
        row = self._rows[case]
        label = int(self.case_labels[row])
        left = np.flatnonzero(self.cells[row] == OPEN).tolist()
        self.state = self.state.resupplied([(feature, label) for feature in left], -1)
        self.cells[row, left] = UNUSABLE
        self.withdrawn |= {case}

    def _check_cell(
        self, case: str, feature: str, label: str, number: int, held: tuple[int, ...]
    ) -> None:
        cell = self.cell(case, feature)
        if self.cells[cell] not in held or case in self.withdrawn:
            raise StudyError(f"feature {feature!r} of case {case!r} is not for sale")
        if self._labels[label] != self.case_labels[cell[0]] or number != self.state.next_number:
            raise StudyError(f"number {number} is not what comes next, or has the wrong label")

    def _action(self, request: Requested) -> Action:
        return Action(self._features[request.feature], self._labels[request.label])

    def _value(self, feature: int, value: str) -> int:
        return self.state.problem.features[feature].value_index(value)

    def _mark(self, request: Requested, what: int) -> None:
        row, column = self._rows[request.case], self._features[request.feature]
        was = self.cells[row, column]
        self.taken[row] += (what in (REQUESTED, BOUGHT)) - (was in (REQUESTED, BOUGHT))
        self.cells[row, column] = what


def _layered(held: MutableMapping[_Key, _Held]) -> ChainMap[_Key, _Held]:
    """Return a map whose changes stay in it; layers of layers are one chain."""
    return ChainMap({}, *(held.maps if isinstance(held, ChainMap) else (held,)))


def _no_such(wrong: str, given: object, names: Sequence[str]) -> str:
    close = did_you_mean(given, names) if isinstance(given, str) else ""
    return f"{wrong} {given!r}; {close}{'T' if close else 't'}here are {listed(names)}"


def learner_of(created: Created) -> Learner:
    """Return the learner of a study, with the parameters that it began with."""
    if created.learner not in LEARNERS:
        raise LearnerError(
            f"the study uses the learner {created.learner!r}, which is not installed here; install "
            f"the package that has it. There are {', '.join(LEARNERS)}"
        )
    return learner(created.learner, **created.learner_parameters)


def problem_of(created: Created) -> Problem:
    """Return the problem that a study began with."""
    return Problem(
        [
            Feature(each.name, each.values, each.cost, each.prior_counts)
            for each in created.features
        ],
        created.labels,
        created.prior,
        created.budget,
    )


def fold(standing: Standing | None, entries: Sequence[Entry], where: str) -> Standing:
    """Return the standing after these events; `where` names the journal in messages."""
    for entry in entries:
        try:
            if standing is not None:
                standing.apply(entry)
            elif isinstance(entry.event, Created):
                standing = Standing(entry.event)
            else:
                raise StudyError("a study begins with its creation")
        except (BudgetedError, KeyError) as error:
            raise JournalError(
                f"event {entry.seq} does not fit what came before it: {error}; the "
                f"journal was written by another program, or is damaged",
                where,
            ) from error
    if standing is None:
        raise JournalError("there are no events", where)
    return standing
