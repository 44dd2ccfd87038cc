"""Correct and undo: what was written down wrongly."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from budgeted.errors import StudyError
from budgeted.hints import ChangedSince, CorrectIt, RecordIt, TellIt
from budgeted.studies import events
from budgeted.studies.commands.base import (
    LONGEST_NAME,
    Amount,
    Command,
    Value,
    amount,
    insisted,
    number_of_request,
    parameter,
    quoted,
    reason,
)
from budgeted.studies.events import BOUGHT, CANCELLED, FAILED, PENDING, RECORDED, REQUESTED, TOLD

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft
    from budgeted.studies.projection import Requested


@dataclass(frozen=True)
class Correct(Command):
    """Replace a value that was told or recorded; the log keeps both."""

    name: ClassVar[str] = "correct"
    enters: ClassVar[bool] = True
    number: int = number_of_request()
    value: Value | None = parameter(
        "The right value; null if there is none after all.",
        longest=LONGEST_NAME,
        none_option=("--no-value", "There is no value after all."),
    )
    cost: Amount | None = parameter("What was really charged.", None)
    why: str = reason()
    force: bool = insisted()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it was replaced."""
        old, value = draft.request(self.number), None
        number = old.number
        if self.value is not None:
            value = draft.names.value(old.feature, self.value, self.force)
            if old.case in draft.forgotten:
                raise StudyError(
                    f"the values of case {old.case!r} are forgotten; it takes no others"
                )
        if old.fate not in (TOLD, RECORDED):
            raise StudyError(
                f"request {number} is {old.fate}, there is nothing to correct",
                hint=TellIt(number, value) if old.fate == PENDING
                else RecordIt(number, old.case, old.feature, value),
            )  # fmt: skip
        paid = old.cost if self.cost is None else amount("cost", self.cost)
        if paid == old.cost and draft.names.same(old.feature, value, old.value):
            raise StudyError(
                f"number {number} is {quoted(value)} at a cost of {paid} already, so there is "
                "nothing to correct"
            )
        return [events.Corrected(number, old.value, value, old.cost, paid, self.why)]


@dataclass(frozen=True)
class Undo(Command):
    """Take back a slip: a request that was told, failed or cancelled is pending again."""

    name: ClassVar[str] = "undo"
    enters: ClassVar[bool] = True
    number: int = number_of_request()
    why: str = reason()
    shown: str = parameter(
        "What became of it as far as its sender knows (see `outcome_digest`): nothing is taken "
        "back if that has changed.",
        "",
        longest=64,
        hidden=True,
    )

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it is pending again, or why it cannot be."""
        old = draft.request(self.number)
        number = old.number
        if self.shown not in ("", outcome_digest(old)) and old.fate != PENDING:
            raise StudyError(
                f"request {number} was changed since this was shown: it is {outcome(old)} now. "
                f"Nothing was taken back",
                hint=ChangedSince(number),
            )
        if draft.closed:
            raise StudyError("the study is closed; only corrections are possible")
        if old.fate == PENDING:
            raise StudyError(f"request {number} is pending: there is nothing to undo")
        if old.asked is None:
            raise StudyError(
                f"number {number} was recorded without a request, so it cannot be pending again",
                hint=CorrectIt(number, None),
            )
        if old.case in draft.withdrawn:
            raise StudyError(
                f"case {old.case!r} is withdrawn, so request {number} cannot be pending again"
            )
        _check_cell(draft, old)
        return undone(draft, old, self.why)


def _check_cell(draft: Draft, old: Requested) -> None:
    """Raise an error if its feature was asked of its case again since."""
    held = draft.cells[draft.cell(old.case, old.feature)]
    if draft.ruled_out.get((old.case, old.feature)) is not None:
        raise StudyError(
            f"{old.feature!r} of case {old.case!r} was ruled out since, so request {old.number} "
            f"cannot be pending again; allow it first"
        )
    if held in (REQUESTED, BOUGHT) and old.fate != TOLD:
        mine = draft.requests_of(old.case)
        again = max(each.number for each in mine if each.feature == old.feature)
        raise StudyError(
            f"{old.feature!r} of case {old.case!r} was asked for or recorded again, as number "
            f"{again}, so request {old.number} cannot be pending again"
        )


def undone(draft: Draft, old: Requested, why: str) -> list[events.Event]:
    """Return the event; its price must be free to be reserved again."""
    from budgeted.problem import money
    from budgeted.studies.accounts import price_reopened

    free_of_charge = old.asked is None and not old.cost  # it has no price
    cost = old.cost if free_of_charge else price_reopened(draft, old.number)
    free = money.add(draft.state.free, old.cost)
    if cost > free:
        raise StudyError(
            f"request {old.number} cannot be pending again: it would reserve {cost}, and only "
            f"{free} would be free"
        )
    fate = cast(Literal["told", "failed", "cancelled", "recorded"], old.fate)
    return [events.Undone(old.number, fate, old.value, old.cost, cost, why)]


def outcome(request: Requested) -> str:
    """Return what became of a request that is over, in words."""
    from budgeted.problem.money import show

    if request.fate == CANCELLED:
        return "cancelled, its money is free again"
    if request.fate == FAILED:
        bill = f"{show(request.cost)} charged" if request.cost else "its money is free again"
        return f"failed, {bill}"
    value = "no value" if request.value is None else request.value
    return f"{value}, {show(request.cost)} charged"


def outcome_digest(request: Requested) -> str:
    """Return a digest of what became of a request: who takes it back says what was seen."""
    from budgeted.problem.money import show

    seen = json.dumps([request.fate, request.value, show(request.cost)])
    return hashlib.sha256(seen.encode()).hexdigest()[:16]
