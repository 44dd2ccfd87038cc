"""Undo what was written down at once: every value of a batch, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import BudgetedError, StudyError, StudyFileError, UnknownError
from budgeted.hints import CorrectIt, Hint
from budgeted.listing import shortened
from budgeted.studies import events
from budgeted.studies.accounts import before_release
from budgeted.studies.commands.base import Command, parameter, reason
from budgeted.studies.commands.slips import Undo, outcome, outcome_digest, undone
from budgeted.studies.events import FAILED, RECORDED, TOLD

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft
    from budgeted.studies.projection import Requested


@dataclass(frozen=True)
class UndoBatch(Command):
    """Take back all values that one operation wrote down; requests are pending again.

    Values that nobody asked for are gone, and their money is back. If one of them cannot be taken
    back, none is, and it says which.
    """

    name: ClassVar[str] = "undo-batch"
    enters: ClassVar[bool] = True
    batch: str = parameter("The key of the operation that wrote them down.", longest=200)
    why: str = reason()
    shown: Sequence[str] = parameter(
        "Number and outcome of each as far as its sender knows, such as 3:5f0c… (see "
        "`budgeted.studies.commands.slips.outcome_digest`): nothing is taken back if one changed.",
        (),
        hidden=True,
    )

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that they are taken back, or which of them cannot be."""
        used = draft.keys.get(self.batch)
        if used is None:
            raise UnknownError("nothing was written down with this key")
        if draft.closed:
            raise StudyError("the study is closed; only corrections are possible")
        seen = dict(each.split(":", 1) for each in self.shown if ":" in each)
        mistakes: list[str] = []
        hints: list[Hint | None] = []
        done: list[events.Event] = []
        for number in reversed(dict.fromkeys(used.numbers)):
            old = draft.request(number)
            try:
                _check(draft, old, seen.get(str(number), ""))
                made = undone_value(draft, old, self.why)
                draft.attempt(made[-1])
                done += made
            except BudgetedError as error:
                mistakes.append(f"number {number}, {old.feature} of case {old.case}: {error}")
                hints.append(error.hint)
        if mistakes:
            raise StudyFileError("nothing was taken back", shortened(mistakes), hints)
        return done


def _check(draft: Draft, old: Requested, seen: str) -> None:
    """Raise an error if a value is not what it was, or not there any more."""
    if old.fate not in (TOLD, RECORDED):
        raise StudyError(f"is {old.fate} by now")
    if seen not in ("", outcome_digest(old)):
        raise StudyError(f"was changed since: it is {outcome(old)} now")
    if old.asked is None and old.case in draft.withdrawn:
        raise StudyError("the case is withdrawn")


def undone_value(draft: Draft, old: Requested, why: str) -> list[events.Event]:
    """Return that a value is taken back; all of it but the last event is tried on the draft."""
    if old.asked is not None:
        return Undo(old.number, why).decide(draft)
    cell = (old.case, old.feature)
    before = [draft.request(each) for each in draft.of_case[old.case] if each < old.number]
    failed = any(each.feature == old.feature and each.fate == FAILED for each in before)
    if failed or cell in draft.ruled_out:
        # What could not be had before must not be for sale by this.
        raise StudyError(
            "could not be had before it was written down, and would be for sale then",
            hint=CorrectIt(old.number, None),
        )
    made = undone(draft, old, why)
    for event in made:
        draft.attempt(event)
    divided = before_release(draft, old.number)
    for event in divided:
        draft.attempt(event)
    return [*made, *divided, events.Cancelled(old.number, why)]
