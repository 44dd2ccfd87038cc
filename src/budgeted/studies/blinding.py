"""A study as it is shown to who must not know the labels: none of its cases has one.

Who enters values could measure what he expects if he knew which label a case has. So the labels are
taken out at the source, before anything is shown: of requests, of events, and of all that a
policy said about them, since it compares labels. Names of labels become "hidden label 1" and so on;
where such a name is seen, something is shown for each label that should not be.

The digest is left out too. It stands for events whose other parts are all known: trying
each label would tell which one leads to it.

What people typed themselves (reasons, notes) stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from budgeted.learners import Outlook, Predictor
from budgeted.problem import Problem
from budgeted.state import State
from budgeted.studies.created import Created
from budgeted.studies.drafts import Done
from budgeted.studies.events import Asked, Entry, Event, Recorded
from budgeted.studies.growth import CasesAdded
from budgeted.studies.projection import Requested
from budgeted.studies.snapshot import Snapshot

HIDDEN = "hidden label"
"""How the names of labels begin that take the place of the real ones."""
CHOSEN = "the policy chose it"
"""Why something was asked for, where the real reason names labels."""


def without_labels(event: Event) -> Event:
    """Return an event that does not say which label a case has; most say nothing of it.

    >>> from decimal import Decimal
    >>> told = Recorded(7, "P3", "crp", "ill", "high", Decimal(4))
    >>> without_labels(told).words()
    'recorded as 7: crp of P3 is high, 4 charged'
    """
    if isinstance(event, Asked):
        return replace(event, label="", scores=(), compared=None, reason=CHOSEN)
    if isinstance(event, Recorded):
        return replace(event, label="")
    if isinstance(event, CasesAdded | Created):
        event = replace(event, cases=tuple((name, "") for name, _ in event.cases))
    if isinstance(event, Created):
        event = replace(event, labels=_hidden(event.labels))
    return event


@dataclass(frozen=True, eq=False)
class BlindSnapshot(Snapshot):
    """A study at one moment, without the labels of its cases."""

    seen: Snapshot | None = None

    @property
    def blind(self) -> bool:
        """Whether no case has a label."""
        return True

    @property
    def judged_problem(self) -> Problem:
        """The problem with the names of its labels."""
        assert self.seen is not None
        return self.seen.judged_problem

    @cached_property
    def predictor(self) -> Predictor:
        """The classifier that the values bought so far give."""
        assert self.seen is not None
        return self.seen.predictor

    @cached_property
    def outlook(self) -> Outlook:
        """How wrong the classifier expects to be."""
        assert self.seen is not None
        return self.seen.outlook


class _Requests(Mapping[int, Requested]):
    """Requests by number, each without its label when it is looked at: a study has thousands."""

    def __init__(
        self, seen: Mapping[int, Requested], change: Callable[[Requested], Requested]
    ) -> None:
        self._seen, self._change = seen, change

    def __getitem__(self, number: int) -> Requested:
        return self._change(self._seen[number])

    def __iter__(self) -> Iterator[int]:
        return iter(self._seen)

    def __len__(self) -> int:
        return len(self._seen)


class Blinder:
    """Takes labels out of one study, again and again: what is the same as before is kept.

    >>> import tempfile
    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), 1)], ("well", "ill"), (0.5, 0.5), 9)
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Study.create(f"{folder.name}/my.db", "flu", problem, [("Ann", "ill")]) as study:
    ...     _ = study.record([("Ann", "fever", "yes")])
    ...     seen = study.snapshot()
    >>> blind = Blinder().snapshot(seen)
    >>> seen.request(1).label, blind.request(1).label
    ('ill', '')
    >>> blind.entries[-1].event.words()
    'recorded as 1: fever of Ann is yes, 0 charged'
    >>> folder.cleanup()
    """

    def __init__(self) -> None:
        self._events: dict[int, tuple[Event, Event]] = {}
        self._requests: dict[int, tuple[Requested, Requested]] = {}

    def snapshot(self, study: Snapshot) -> BlindSnapshot:
        """Return a study without labels."""
        held = {each.name: getattr(study, each.name) for each in fields(study)}
        entries = study.entries.through(self._entry)
        created = entries[0].event
        assert isinstance(created, Created)
        return BlindSnapshot(
            **held
            | {
                "entries": entries,
                "created": created,
                "state": without_names(study.state),
                "numbered": _Requests(study.numbered, self.request),
                "digest": "",
                "seen": study,
            }
        )

    def done(self, done: Done) -> Done:
        """Return what became of a command without labels."""
        return replace(
            done,
            requests=tuple(map(self.request, done.requests)),
            state=without_names(done.state),
            events=tuple(map(without_labels, done.events)),
            stopped="" if done.stopped_by is None else done.stopped,
        )

    def request(self, request: Requested) -> Requested:
        """Return a request or recorded value without its label, and without what it says of it."""
        known = self._requests.get(request.number)
        if known is not None and known[0] is request:
            return known[1]
        asked: Any = None if request.asked is None else without_labels(request.asked)
        found = request.changed(label="", asked=asked)
        self._requests[request.number] = (request, found)
        return found

    def _entry(self, entry: Entry) -> Entry:
        known = self._events.get(entry.seq)
        if known is None or known[0] is not entry.event:
            known = (entry.event, without_labels(entry.event))
            self._events[entry.seq] = known
        return entry if known[0] is known[1] else replace(entry, event=known[1])


def without_names(state: State) -> State:
    """Return a state whose labels have other names."""
    problem = copy(state.problem)
    object.__setattr__(problem, "labels", _hidden(problem.labels))
    return state.changed(problem=problem)


def _hidden(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{HIDDEN} {number}" for number, _ in enumerate(labels, 1))
