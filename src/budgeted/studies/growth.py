"""How a study grows: what cases, features, values and cuts that come later change in its fold.

What is there keeps its position. New cases stand behind the others, and among themselves in an
order that is drawn from the seed of the study; so nothing that was decided before changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from budgeted.errors import ProblemError, StudyError
from budgeted.learners.belief import Integers
from budgeted.problem import Feature, PriorCounts, Problem
from budgeted.problem.values import Categorical, Number, parameters_of
from budgeted.state import NO_LIMIT
from budgeted.state.cases import shuffled
from budgeted.state.revisions import of_problem
from budgeted.studies.beginning import as_written, feature_of, with_features
from budgeted.studies.created import ForSale
from budgeted.studies.events import OPEN, UNUSABLE, Entry, Event

if TYPE_CHECKING:
    from budgeted.studies.projection import Projection

_MOST_NAMED = 5


@dataclass(frozen=True)
class CasesAdded(Event):
    """Cases arrived, each with its label; the values that came with them are events behind this."""

    cases: tuple[tuple[str, str], ...]  # name and label of each
    groups: dict[str, str] = field(default_factory=dict)  # the group of each that belongs to one
    kind: Literal["cases_added"] = "cases_added"

    def words(self) -> str:
        """Return it in one line.

        >>> CasesAdded(tuple((f"P{number}", "ill") for number in range(61, 70))).words()
        '9 cases added: P61, P62, P63, P64, P65 and 4 more'
        """
        names = ", ".join(name for name, _ in islice(self.cases, _MOST_NAMED))
        more = len(self.cases) - _MOST_NAMED
        noun = "case" if len(self.cases) == 1 else "cases"
        return f"{len(self.cases)} {noun} added: {names}" + (
            f" and {more} more" if more > 0 else ""
        )


@dataclass(frozen=True)
class FeatureAdded(Event):
    """A test became available; it stands behind those that are there."""

    feature: ForSale
    kind: Literal["feature_added"] = "feature_added"

    def words(self) -> str:
        """Return it in one line."""
        return f"feature {self.feature.name} added, {self.feature.kind}, for {self.feature.cost}"


@dataclass(frozen=True)
class ValueAdded(Event):
    """A value of a feature turned up that nobody had foreseen; it stands behind the others."""

    feature: str
    value: str
    prior_counts: PriorCounts  # of the feature with this value; see `budgeted.problem.Feature`
    kind: Literal["value_added"] = "value_added"

    def words(self) -> str:
        """Return it in one line."""
        return f"value {self.value} added to feature {self.feature}"


_Number = TypeVar("_Number", bound=np.generic)


def appended(held: NDArray[_Number], more: NDArray[_Number]) -> NDArray[_Number]:
    """Return an array with more rows behind it.

    What is returned may have room behind its end, in which the next rows find their place: cases
    that arrive one by one are not copied each time. Whoever holds the shorter array keeps it.

    >>> one = appended(np.array([1, 2]), np.array([3]))
    >>> two = appended(one, np.array([4]))
    >>> one.tolist(), two.tolist(), two.base is one.base
    ([1, 2, 3], [1, 2, 3, 4], True)
    """
    before, after = len(held), len(held) + len(more)
    room = held.base
    if not (
        isinstance(room, np.ndarray)
        and room.shape[1:] == held.shape[1:]
        and (room.dtype, room.ctypes.data) == (held.dtype, held.ctypes.data)
        and len(room) >= after
        and room.flags.writeable
    ):
        room = np.empty((max(after, 2 * before), *held.shape[1:]), dtype=held.dtype)
        room[:before] = held
    room[before:after] = more
    return room[:after]


def _cases_added(projection: Projection, _: Entry, event: CasesAdded) -> None:
    names, problem = projection.names, projection.state.problem
    twice = [case for case, _ in event.cases if case in names.rows]
    odd = [label for _, label in event.cases if label not in names.labels]
    if twice or odd or len({case for case, _ in event.cases}) < len(event.cases):
        raise StudyError("cases are added that are there already, or have labels that are not")
    before, number = len(names.cases), len(event.cases)
    labels: Integers = np.array([names.labels[label] for _, label in event.cases], dtype=np.int64)
    projection.names = names = projection.names_to_change()
    names.add_cases([case for case, _ in event.cases])
    arrived = shuffled(labels, len(problem.labels), projection.created.seed, before)
    projection.order = tuple(
        appended(old, before + new) for old, new in zip(projection.order, arrived, strict=True)
    )
    projection.case_labels = appended(projection.case_labels, labels)
    closed = np.full((number, len(problem.features)), OPEN, dtype=np.int8)
    projection.cells = appended(projection.cells_to_change(), closed)
    projection.taken = appended(projection.taken, np.zeros(number, dtype=np.int64))
    projection.groups.update(event.groups)
    left = projection.state.cases_left
    more = np.bincount(labels, minlength=len(problem.labels))
    supply: Integers = np.where(left == NO_LIMIT, left, left + more)
    supply.setflags(write=False)
    projection.state = replace(projection.state, cases_left=supply)


def _feature_added(projection: Projection, _: Entry, event: FeatureAdded) -> None:
    state = projection.state
    problem = with_features(state.problem, (*state.problem.features, feature_of(event.feature)))
    column = np.full((len(projection.cells), 1), OPEN, dtype=np.int8)
    column[[projection.names.rows[case] for case in projection.withdrawn]] = UNUSABLE
    projection.cells = np.hstack((projection.cells, column))
    sold = projection.case_labels[column[:, 0] == OPEN]
    left = np.bincount(sold, minlength=len(problem.labels))
    supply: Integers = np.vstack((state.cases_left, left)).astype(np.int64)
    supply.setflags(write=False)
    projection.state = of_problem(state, problem, cases_left=supply)
    projection.names = projection.names_to_change()
    projection.names.take_features(problem)


def _value_added(projection: Projection, _: Entry, event: ValueAdded) -> None:
    features = list(projection.state.problem.features)
    at = projection.names.columns[event.feature]
    features[at] = with_value(features[at], event.value, event.prior_counts)
    problem = with_features(projection.state.problem, features)
    projection.state = of_problem(projection.state, problem)
    projection.names = projection.names_to_change()
    projection.names.take_features(problem)


def _cuts_changed(projection: Projection, _: Entry, event: CutsChanged) -> None:
    """Fold everything again, from the numbers that were told."""
    state, problem = projection.state, event.changed(projection.state.problem)
    at = projection.names.columns[event.feature]
    values = []
    for bought in state.history:
        value = bought.value
        if value is not None and bought.feature == at:
            assert bought.number is not None
            told = projection.requests[bought.number].value
            value = None if told is None else problem.features[at].category(told)
        values.append(value)
    projection.state = of_problem(state, problem, values)
    projection.names = projection.names_to_change()
    projection.names.take_features(problem)


def with_value(feature: Feature, value: str, prior_counts: Any) -> Feature:
    """Return a feature with one more value, behind the others.

    >>> with_value(Feature("fever", ("no", "yes"), 1), "high", 1).values
    ('no', 'yes', 'high')
    """
    if not isinstance(feature.kind, Categorical):
        raise StudyError(
            f"feature {feature.name!r} is of the kind {feature.kind.name!r}, which has no list of "
            f"values to add to"
        )
    kind = replace(feature.kind, values=(*feature.kind.values, value))
    written = replace(
        as_written(feature), parameters=parameters_of(kind), prior_counts=prior_counts
    )
    return feature_of(written)


@dataclass(frozen=True)
class CutsChanged(Event):
    """A numeric feature has other cuts; both versions stay in the log."""

    feature: str
    old_cuts: tuple[int | float, ...]
    cuts: tuple[int | float, ...]
    old_source: str
    source: str
    decimal: str = "point"  # how numbers are written in the study
    why: str = ""
    kind: Literal["cuts_changed"] = "cuts_changed"

    def words(self) -> str:
        """Return it in one line."""
        old, new = (
            Number(cuts=cuts, decimal=self.decimal).written_cuts
            for cuts in (self.old_cuts, self.cuts)
        )
        source = f", {self.source}" if self.source else ""
        why = f" ({self.why})" if self.why else ""
        return f"cuts of {self.feature} changed from {old} to {new}{source}{why}"

    def changed(self, problem: Problem) -> Problem:
        """Return a problem with these cuts in place of the old ones."""
        at, kind = numeric(problem, self.feature)
        if kind.cuts != self.old_cuts:
            raise StudyError(f"the cuts of {self.feature!r} are {kind.written_cuts}")
        return with_cuts(problem, at, kind.recut(self.cuts, self.source))


def numeric(problem: Problem, feature: str) -> tuple[int, Number]:
    """Return the place and the kind of a numeric feature, or an error that says it is none."""
    at = [each.name for each in problem.features].index(feature)
    kind = problem.features[at].kind
    if not isinstance(kind, Number):
        numbers = [each.name for each in problem.features if isinstance(each.kind, Number)]
        there = f"; those with numbers are {', '.join(map(repr, numbers))}" if numbers else ""
        raise StudyError(f"feature {feature!r} has no cuts: its values are no numbers{there}")
    return at, kind


def with_cuts(problem: Problem, at: int, kind: Number) -> Problem:
    """Return a problem in which the feature at a place is of this kind."""
    old = problem.features[at]
    try:
        new = replace(old, kind=kind)
    except ProblemError as error:  # a prior count for each category, of which there were others
        raise StudyError(
            f"{error}; as they are given one by one, there must be as many cuts as before"
        ) from None
    features = [*problem.features[:at], new, *problem.features[at + 1 :]]
    return problem.but(features=features)


FOLDS: dict[type[Event], Callable[[Any, Entry, Any], None]] = {
    CasesAdded: _cases_added,
    CutsChanged: _cuts_changed,
    FeatureAdded: _feature_added,
    ValueAdded: _value_added,
}
"""What each of them changes."""
