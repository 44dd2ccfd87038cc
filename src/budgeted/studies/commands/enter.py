"""Enter: many results at once, each told if it was asked for, and recorded if it was not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from budgeted.errors import BudgetedError, StudyError, StudyFileError
from budgeted.hints import CorrectIt
from budgeted.listing import shortened
from budgeted.studies import events
from budgeted.studies.commands.base import LONGEST_REASON, Command, Value, amount, parameter
from budgeted.studies.commands.record import known_value, recording
from budgeted.studies.commands.whole import noted

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft

MOST_RESULTS = 10_000
"""Of one `Enter`; more are sent in several."""


class Result(NamedTuple):
    """A result as it came back.

    Attributes
    ----------
    case, feature, value
        What was measured on whom.
    cost
        What was charged, if not the listed price; of a value that nobody asked for, nothing.
    note
        What is worth knowing of it.
    force
        Whether to take it though it is outside the range of its feature.
    """

    case: str
    feature: str
    value: Value
    cost: Value = ""
    note: str = ""
    force: bool = False


@dataclass(frozen=True)
class Tried:
    """What a result gives rise to: its events, or the error that says why there are none."""

    result: Any
    events: tuple[events.Event, ...] = ()
    error: BudgetedError | None = None
    number: int | None = None


@dataclass(frozen=True)
class Enter(Command):
    """Write down results: told where they were asked for, else recorded; all of them or none.

    A value that nobody asked for costs nothing unless it is charged, or its cost is given. One
    that is known already, and the same, is passed over.
    """

    name: ClassVar[str] = "enter"
    enters: ClassVar[bool] = True
    results: Sequence[Result] = parameter(
        "Case, feature and value of each, with cost, note and force where they are needed.",
        longest=MOST_RESULTS,
    )
    charge: bool = parameter(
        "Charge the price of each value that nobody asked for, where no cost is given.", False
    )

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return what was told, recorded and noted; an error lists all that do not fit."""
        tried, _ = try_results(draft, self.results, self.charge)
        wrong = [each for each in tried if each.error is not None]
        if wrong:
            mistakes = [f"{_where(each.result)}: {each.error}" for each in wrong]
            hints = [each.error.hint for each in wrong if each.error is not None]
            raise StudyFileError("the results cannot be written down", shortened(mistakes), hints)
        return [event for each in tried for event in each.events]


def try_results(
    draft: Draft, results: Sequence[Any], charge: bool = False
) -> tuple[list[Tried], bool]:
    """Try results on a draft, one after the other; one that does not fit leaves the rest alone.

    Return what became of each, and whether the draft is clean: one that failed half-way may have
    left something there, see `budgeted.studies.results.preview`.
    """
    twice, clean = _contradictions(draft, results), True
    tried = []
    for at, given in enumerate(results):
        before = len(draft.tried)
        try:
            if at in twice:
                raise StudyError(twice[at])
            tried.append(_try(draft, given, charge))
        except BudgetedError as error:
            tried.append(Tried(given, error=error))
            clean = clean and len(draft.tried) == before
    return tried, clean


def _try(draft: Draft, given: Any, charge: bool) -> Tried:
    result = _result(given)
    case, feature = draft.names.case(result.case), draft.names.feature(result.feature)
    value = draft.names.value(feature, result.value, result.force)
    held = known_value(draft, case, feature)
    new = held is None or held.value is None or not draft.names.same(feature, held.value, value)
    if new and case in draft.withdrawn:
        raise StudyError(f"case {case!r} is withdrawn: nothing is written down for it any more")
    note = result.note.strip()
    if len(note) > LONGEST_REASON:
        raise StudyError(f"its note has more than {LONGEST_REASON} characters")
    fixed = None if result.cost == "" else amount("cost", result.cost)
    if not new and held is not None and fixed not in (None, held.cost):
        raise StudyError(
            f"is known already, at a cost of {held.cost}, not {fixed}",
            hint=CorrectIt(held.number, held.value),
        )
    made: list[events.Event] = []
    number = None if held is None else held.number
    for event in recording(draft, (case, feature, value), charge, fixed):
        draft.attempt(event)
        made.append(event)
        if isinstance(event, events.Told | events.Recorded):
            number = event.number
    if note and number is not None:
        made.append(noted(draft, note, number))
        draft.attempt(made[-1])
    return Tried(result, tuple(made), None, number)


def _result(given: Any) -> Result:
    """Return a result that may be given as a plain tuple."""
    plain = not isinstance(given, str) and isinstance(given, Sequence)
    if not plain or not 3 <= len(given) <= len(Result._fields):
        raise StudyError("must be a case, a feature and its value, perhaps with cost and note")
    found = Result(*given)
    if not isinstance(found.note, str) or not isinstance(found.force, bool):
        raise StudyError("its note must be text, and force yes or no")
    return found


def _contradictions(draft: Draft, results: Sequence[Any]) -> dict[int, str]:
    """Return which results have another value for the same case and feature elsewhere."""
    places: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for at, given in enumerate(results):
        try:
            result = _result(given)
            feature = draft.names.feature(result.feature)
            value = draft.names.value(feature, result.value, True)
            places.setdefault((draft.names.case(result.case), feature), []).append((at, value))
        except BudgetedError:
            continue  # said when it is tried
    wrong: dict[int, str] = {}
    for (_, feature), found in places.items():
        first = found[0][1]
        if any(not draft.names.same(feature, first, value) for _, value in found[1:]):
            values = " and ".join(repr(value) for value in dict.fromkeys(v for _, v in found))
            wrong |= {at: f"is given as {values}; keep the right one" for at, _ in found}
    return wrong


def _where(given: Any) -> str:
    try:
        return f"case {given[0]!r}, {given[1]!r}"
    except (TypeError, IndexError, KeyError):
        return repr(given)
