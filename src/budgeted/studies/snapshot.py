"""A study at one moment, for those who only look: pages, charts, reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from budgeted.errors import UnknownError
from budgeted.learners import Outlook, Predictor, fitted
from budgeted.learners.model import Model
from budgeted.learners.predictor import outlook_of
from budgeted.state import State
from budgeted.studies.beginning import learner_of
from budgeted.studies.case_records import CaseRecord, case_records
from budgeted.studies.created import Created
from budgeted.studies.events import Entry
from budgeted.studies.projection import Projection, Requested


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What was known of a study after an event; it stays as it is while the study goes on.

    A `Study` changes with every event that it folds in, so that two threads cannot share one. A
    snapshot can be handed to any thread, and what is computed from it is right for as long as the
    number of events is the same.

    Attributes
    ----------
    name, entries
        Which study, and its events up to this moment.
    created, state, closed, withdrawn, cases
        As of `budgeted.studies.study.Study`.
    numbered
        All requests and recorded values, by number.
    digest
        Of the last event; it stands for all of them.

    Examples
    --------
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
    entries: tuple[Entry, ...]
    created: Created
    state: State
    closed: bool
    withdrawn: frozenset[str]
    numbered: dict[int, Requested]
    cases: tuple[str, ...]
    digest: str = ""

    @classmethod
    def of(
        cls, name: str, projection: Projection, entries: tuple[Entry, ...], digest: str = ""
    ) -> Snapshot:
        """Return the snapshot of a projection and the events that it was folded from."""
        return cls(
            name,
            entries,
            projection.created,
            projection.state,
            projection.closed,
            projection.withdrawn,
            dict(projection.requests),
            projection.cases,
            digest,
        )

    @property
    def events(self) -> int:
        """How many events the study had."""
        return len(self.entries)

    @property
    def number_of_cases(self) -> int:
        """How many there were."""
        return len(self.cases)

    @cached_property
    def _in_order(self) -> tuple[Requested, ...]:
        return tuple(self.numbered[number] for number in sorted(self.numbered))

    @cached_property
    def _last_numbers(self) -> dict[tuple[str, str], int]:
        return {(each.case, each.feature): each.number for each in self._in_order}

    def is_last(self, request: Requested) -> bool:
        """Tell whether its value was neither asked for nor recorded again."""
        return self._last_numbers[request.case, request.feature] == request.number

    def requests(self, fate: str | None = None) -> tuple[Requested, ...]:
        """Return all requests and recorded values, or those of one fate, by number."""
        return tuple(each for each in self._in_order if fate in (None, each.fate))

    def request(self, number: int) -> Requested:
        """Return the request or recorded value of that number."""
        if number not in self.numbered:
            raise UnknownError(
                f"there is no request {number}; the last one is {self.state.next_number - 1}"
            )
        return self.numbered[number]

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

    def model(self) -> Model:
        """Return the classifier that the values bought so far give."""
        return Model.of(self.predictor, study=self.name, events=self.events)
