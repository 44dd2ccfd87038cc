"""A study at one moment, for those who only look: pages, charts, reports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from budgeted.errors import UnknownError
from budgeted.learners import Outlook, Predictor, fitted
from budgeted.learners.base import Confusion
from budgeted.learners.model import Model
from budgeted.learners.predictor import confusion_of, outlook_of
from budgeted.problem import Problem
from budgeted.state import State
from budgeted.studies.beginning import learner_of
from budgeted.studies.case_records import CaseRecord, case_records
from budgeted.studies.created import Created
from budgeted.studies.entries import Entries
from budgeted.studies.events import PENDING, Entry
from budgeted.studies.notes import Note, about, notes_in
from budgeted.studies.projection import Projection, Requested
from budgeted.studies.stop_events import StopLog, stop_log


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What was known of a study after an event; it stays as it is while the study goes on.

    A `Study` changes with every event that it folds in, so that two threads cannot share one. A
    snapshot can be handed to any thread, and what is computed from it is right for as long as the
    number of events is the same.

    >>> import tempfile
    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Study.create(f"{folder.name}/my.db", "flu", problem, [("Ann", "ill")]) as study:
    ...     before = study.snapshot()
    ...     _ = study.ask()
    ...     print(before.events, len(before.requests()), study.snapshot().events)
    1 0 2
    >>> folder.cleanup()
    """

    name: str
    entries: Entries
    created: Created
    state: State
    closed: bool
    withdrawn: frozenset[str]
    numbered: Mapping[int, Requested]  # all requests and recorded values, by number
    cases: tuple[str, ...]
    of_case: Mapping[str, tuple[int, ...]]
    digest: str = ""  # of the last event; it stands for all of them
    notes: tuple[Note, ...] = ()  # all of them, the oldest first; see `notes_on`
    stop: StopLog | None = None

    @classmethod
    def of(cls, name: str, projection: Projection, entries: Entries, digest: str = "") -> Snapshot:
        """Return the snapshot of a projection and the events that it was folded from.

        Nothing is copied that grows with the study: events and requests are shared with what comes
        later, and so are the numbers of each case, of which later ones are passed over.
        """
        return cls(
            name,
            entries,
            projection.created,
            projection.state,
            projection.closed,
            projection.withdrawn,
            projection.requests.kept(),
            projection.cases,
            projection.of_case,
            digest,
            notes_in(projection),
            stop_log(projection),
        )

    @property
    def blind(self) -> bool:
        """Whether the labels of the cases are left out; see `budgeted.studies.blinding`."""
        return False

    @property
    def judged_problem(self) -> Problem:
        """What a file of validation cases is about, whose labels have their names."""
        return self.state.problem

    @property
    def id(self) -> str:
        """By what it is told from another study that had, or gets, the same name."""
        return id_of(self.name, self.entries[0].at, self.entries[0].by)

    @property
    def events(self) -> int:
        """How many events the study had."""
        return len(self.entries)

    @property
    def number_of_cases(self) -> int:
        """How many there were."""
        return len(self.cases)

    @cached_property
    def case_names(self) -> frozenset[str]:
        """The names of all cases, to look one up."""
        return frozenset(self.cases)

    @cached_property
    def _in_order(self) -> tuple[Requested, ...]:
        return tuple(self.numbered[number] for number in sorted(self.numbered))

    def requests_of(self, case: str) -> tuple[Requested, ...]:
        """Return the requests and recorded values of a case, by number."""
        numbers = self.of_case.get(case, ())
        return tuple(self.numbered[number] for number in numbers if number in self.numbered)

    def last_about(self, number: int) -> Entry | None:
        """Return the last event about a request or recorded value; None if there is none."""
        return next(reversed(self.entries.about(number)), None)

    def is_last(self, request: Requested) -> bool:
        """Tell whether its value was neither asked for nor recorded again."""
        mine = self.requests_of(request.case)
        return request.number == max(
            each.number for each in mine if each.feature == request.feature
        )

    def requests(self, fate: str | None = None) -> tuple[Requested, ...]:
        """Return all requests and recorded values, or those of one fate, by number."""
        if fate == PENDING:  # of which there are few, and the state knows them
            return tuple(self.numbered[each.number] for each in self.state.pending)
        return tuple(each for each in self._in_order if fate in (None, each.fate))

    def request(self, number: int) -> Requested:
        """Return the request or recorded value of that number."""
        if number not in self.numbered:
            raise UnknownError(
                f"there is no request {number}; the last one is {self.state.next_number - 1}"
            )
        return self.numbered[number]

    def notes_on(self, case: str | None = None, number: int | None = None) -> tuple[Note, ...]:
        """Return the notes on a case and its values, on one value, or else on the study."""
        return about(self.notes, case=case, number=number)

    @cached_property
    def case_records(self) -> dict[str, CaseRecord]:
        """Every case by its name, with all that happened to it; made when somebody looks."""
        return case_records(self.entries, self.numbered)

    @cached_property
    def predictor(self) -> Predictor:
        """The classifier that the values bought so far give."""
        return fitted(learner_of(self.created), self.state.problem, self.state.history)

    @cached_property
    def outlook(self) -> Outlook:
        """How wrong the classifier expects to be; several charts and pages want to know."""
        return outlook_of(self.predictor)

    @cached_property
    def confusion(self) -> Confusion | None:
        """What the classifier expects to say of the cases of each label; None if it cannot tell."""
        return confusion_of(self.predictor)

    def model(self) -> Model:
        """Return the classifier that the values bought so far give."""
        return Model.of(self.predictor, study=self.name, events=self.events)


def id_of(name: str, at: str, by: str) -> str:
    """Return by what a study is told from another one of its name: it began then, by whom."""
    return hashlib.sha256(f"{name}\0{at}\0{by}".encode()).hexdigest()[:16]
