"""Record: values that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from budgeted.errors import BudgetedError, StudyError, StudyFileError
from budgeted.hints import CorrectIt, Hint
from budgeted.listing import shortened
from budgeted.studies import events
from budgeted.studies.accounts import before_release, before_settling, own_price
from budgeted.studies.accounts import charge as charged
from budgeted.studies.commands.base import (
    Amount,
    Command,
    Value,
    amount,
    insisted,
    parameter,
    quoted,
)
from budgeted.studies.events import BOUGHT, PENDING, RECORDED, REQUESTED, TOLD

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft
    from budgeted.studies.projection import Requested


class RecordedValue(NamedTuple):
    """A value that nobody asked for."""

    case: str
    feature: str
    value: Value


@dataclass(frozen=True)
class Record(Command):
    """Write down a value that nobody asked for; it costs nothing unless it is charged.

    A value that is asked for and pending is told, at the price that was reserved unless another
    one is charged. Of several values all are written down, or none.
    """

    name: ClassVar[str] = "record"
    enters: ClassVar[bool] = True
    values: Sequence[RecordedValue] = parameter("Case, feature and value of each.", longest=10_000)
    charge: Amount | bool = parameter(
        "Whether each costs what its feature costs, or how much each costs.",
        False,
        amount_option=("--charge", "What it cost."),
    )
    force: bool = insisted()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that they were told or recorded; an error lists all that do not fit."""
        fixed = None if isinstance(self.charge, bool) else amount("charge", self.charge)
        done: list[events.Event] = []
        mistakes: list[str] = []
        hints: list[Hint | None] = []
        for given in self.values:
            try:
                wanted = _names(draft, given, self.force)
                for event in recording(draft, wanted, self.charge is True, fixed):
                    draft.attempt(event)
                    done.append(event)
            except BudgetedError as error:
                mistakes.append(f"{_where(given)}: {error}")
                hints.append(error.hint)
        if mistakes:
            raise StudyFileError("the values cannot be recorded", shortened(mistakes), hints)
        return done


def _names(draft: Draft, given: Any, force: bool) -> tuple[str, str, str]:
    """Return the names of a case, a feature and its value, which may be given as numbers."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 3:
        raise StudyError("must be a case, a feature and its value")
    feature = draft.names.feature(given[1])
    return draft.names.case(given[0]), feature, draft.names.value(feature, given[2], force)


def _where(given: Any) -> str:
    try:
        return f"case {given[0]!r}, {given[1]!r}"
    except (TypeError, IndexError, KeyError):
        return repr(given)


def known_value(draft: Draft, case: str, feature: str) -> Requested | None:
    """Return what there is of a cell, told, recorded or under way."""
    found = [each for each in draft.requests_of(case)
             if each.feature == feature and each.fate in (PENDING, TOLD, RECORDED)]  # fmt: skip
    return found[-1] if found else None


def recording(
    draft: Draft,
    wanted: tuple[str, str, str],
    charge: bool,
    fixed: Decimal | None,
) -> Iterator[events.Event]:
    """Yield that a value is told, if it was asked for, or else recorded; nothing if it is known."""
    case, feature, value = wanted
    row, column = draft.cell(case, feature)
    held = known_value(draft, case, feature)
    if held is not None and draft.cells[row, column] in (REQUESTED, BOUGHT):
        if held.fate == PENDING:
            divide = before_settling if fixed is None else before_release
            yield from divide(draft, held.number)
            cost = draft.request(held.number).cost  # as divided by what was just tried
            yield events.Told(held.number, value, cost if fixed is None else fixed)
            return
        if draft.names.same(feature, held.value, value):
            return
        raise StudyError(f"is {quoted(held.value)} already", hint=CorrectIt(held.number, value))
    price, at = Decimal(0), draft.signature[0]
    listed: Decimal | None = None
    if charge:
        before, price = charged(draft, case, column, at)
        yield from before
    elif fixed:
        price, listed = fixed, own_price(draft, case, column, at)
    yield events.Recorded(
        draft.state.next_number,
        case,
        draft.state.problem.features[column].name,
        draft.label_of(case),
        value,
        price,
        None if listed == price else listed,
    )
