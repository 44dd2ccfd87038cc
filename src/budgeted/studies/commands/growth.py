"""Add cases, features and values: a study goes on while the world does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from budgeted.errors import ObservationError, StudyError, StudyFileError
from budgeted.listing import shortened
from budgeted.studies import events
from budgeted.studies.commands.base import LONGEST_NAME, Command, parameter
from budgeted.studies.commands.record import Record, RecordedValue

if TYPE_CHECKING:
    from budgeted.problem import Feature, PriorCounts, Problem
    from budgeted.studies.drafts import Draft

MOST_CASES = 1_000_000
"""Of one `AddCases`; more are sent in several."""


class NewCase(NamedTuple):
    """A case that arrives: its name, its label, and its group if it belongs to one."""

    case: str
    label: str
    group: str = ""


@dataclass(frozen=True)
class AddCases(Command):
    """Take in cases that arrive later, with their labels, and values of them that are known.

    All of them, or none. A case that is there already, with the same label, is passed over. The
    shares of the labels that the study reckons with stay as they are. Known values cost nothing.
    """

    name: ClassVar[str] = "add-cases"
    cases: Sequence[NewCase] = parameter("Name, label and group of each.", longest=MOST_CASES)
    known: Sequence[RecordedValue] = parameter(
        "Case, feature and value of each value that is known.", (), longest=MOST_CASES
    )

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that those arrived that are new, and what is known of them."""
        from budgeted.studies.creation import case_mistakes
        from budgeted.studies.growth import CasesAdded

        given = [_new_case(each, draft.state.problem.labels) for each in self.cases]
        pairs = [(each.case, each.label) for each in given]
        mistakes = case_mistakes(pairs, draft.state.problem.labels) if given else []
        mistakes += [wrong for each in given for wrong in _differences(draft, each)]
        if mistakes:
            raise StudyFileError("the cases cannot be added", shortened(mistakes))
        new = [each for each in given if each.case not in draft.names.rows]
        done: list[events.Event] = []
        if new:
            groups = {each.case: each.group for each in new if each.group}
            done.append(CasesAdded(tuple((each.case, each.label) for each in new), groups))
            draft.attempt(done[0])
        return [*done, *Record(self.known).decide(draft)]


def _new_case(given: Any, labels: Sequence[str]) -> NewCase:
    """Return a case that may be given as a pair, and with numbers for names."""
    from budgeted.problem.names import as_name, spelled

    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) not in (2, 3):
        raise StudyError(f"cases: each must be a name, a label and perhaps a group, got {given!r}")
    case, label, *group = given
    name: Any = as_name(case)
    return NewCase(name, spelled(label, labels) or label, *group)


def _differences(draft: Draft, each: NewCase) -> Iterator[str]:
    """Yield in what a case that is there already differs from what is said of it now."""
    if not isinstance(each.group, str):
        yield f"case {each.case!r}: its group must be text, got {each.group!r}"
    if not isinstance(each.case, str) or each.case not in draft.names.rows:
        return
    label, group = draft.label_of(each.case), draft.groups.get(each.case, "")
    if each.label != label:
        yield f"case {each.case!r} is there already, with the label {label!r}, not {each.label!r}"
    if each.group not in ("", group):
        there = f"in the group {group!r}" if group else "in no group"
        yield f"case {each.case!r} is there already, {there}, not in {each.group!r}"


@dataclass(frozen=True)
class AddFeature(Command):
    """Put a new test up for sale, of all cases that are not withdrawn."""

    name: ClassVar[str] = "add-feature"
    feature: Mapping[str, Any] = parameter(
        "Its table as in a study file: name, values (or kind and what that takes), cost, "
        "prior_counts."
    )

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it is for sale."""
        from budgeted.studies.beginning import as_written
        from budgeted.studies.feature_tables import feature_mistakes, with_decimal
        from budgeted.studies.growth import FeatureAdded

        table = with_decimal(dict(self.feature), _decimal(draft.state.problem))
        found, mistakes = feature_mistakes(table, "feature")
        if found is None or mistakes:
            raise StudyFileError("the feature cannot be added", mistakes)
        if found.name in draft.names.columns:
            raise StudyError(f"there is a feature {found.name!r} already; give another name")
        old = draft.state.problem
        # With the price list as it is, which may not know what to charge for it.
        old.but(features=(*old.features, found))
        return [FeatureAdded(as_written(found))]


@dataclass(frozen=True)
class AddValue(Command):
    """Add a value to a feature whose values are names; it stands behind the others."""

    name: ClassVar[str] = "add-value"
    feature: str = parameter("Of which feature.", longest=LONGEST_NAME)
    value: str = parameter("The new value.", longest=LONGEST_NAME)
    prior_count: float | None = parameter(
        "Its Dirichlet count before anything is bought; that of the others, if they have one in "
        "common.",
        None,
    )

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that there is such a value."""
        from budgeted.studies.growth import ValueAdded, with_value

        name = draft.names.feature(self.feature)
        feature = draft.state.problem.features[draft.names.columns[name]]
        try:
            there = feature.read(self.value)
        except ObservationError:
            grown = with_value(feature, self.value, _counts(feature, self.prior_count))
            return [ValueAdded(name, self.value, grown.prior_counts)]
        raise StudyError(f"feature {name!r} has the value {there!r} already")


def _counts(feature: Feature, given: float | None) -> PriorCounts:
    """Return the prior counts of a feature with one more value."""
    old = feature.prior_counts
    if isinstance(old, float) and given in (None, old):
        return old
    rows = (old,) * len(feature.values) if isinstance(old, float) else old
    if given is None:
        raise StudyError(
            f"prior_count: the values of feature {feature.name!r} have counts of their own; give "
            f"one for the new value"
        )
    if isinstance(rows[0], tuple):
        return tuple([(*row, given) for row in rows])
    return (*rows, given)


def _decimal(problem: Problem) -> str | None:
    """How all numbers of a study are written; None if it has none, or writes them differently."""
    marks = {getattr(each.kind, "decimal", None) for each in problem.features} - {None}
    return marks.pop() if len(marks) == 1 else None
