"""Tell, fail, cancel and expire: what becomes of a request."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from budgeted.errors import StudyError
from budgeted.hints import CorrectIt, RecordIt
from budgeted.studies import events
from budgeted.studies.accounts import before_release, before_settling
from budgeted.studies.commands.base import (
    LONGEST_NAME,
    Amount,
    Command,
    Value,
    amount,
    insisted,
    number_of_request,
    parameter,
    pending,
    quoted,
    reason,
)
from budgeted.studies.events import PENDING, RECORDED, TOLD, age_in_days

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft


@dataclass(frozen=True)
class Tell(Command):
    """Write down the value of a request."""

    name: ClassVar[str] = "tell"
    enters: ClassVar[bool] = True
    number: int = number_of_request()
    value: Value = parameter("What came back.", longest=LONGEST_NAME)
    cost: Amount | None = parameter("What was charged, if not the listed price.", None)
    force: bool = insisted()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it was told: nothing if the same was told before."""
        request = draft.request(self.number)
        # What is there was taken, or insisted on, before.
        over = request.value is not None
        number = request.number
        value = draft.names.value(request.feature, self.value, self.force or over)
        if request.fate == PENDING:
            divide = before_settling if self.cost is None else before_release
            before = divide(draft, number)
            for event in before:
                draft.attempt(event)
            listed = draft.request(number).cost
            paid = listed if self.cost is None else amount("cost", self.cost)
            return [*before, events.Told(number, value, paid)]
        paid = request.cost if self.cost is None else amount("cost", self.cost)
        if request.fate in (TOLD, RECORDED):
            same = draft.names.same(request.feature, request.value, value)
            if same and request.cost == paid:
                return []
            raise StudyError(
                f"request {number} was told {quoted(request.value)} at a cost of {request.cost} "
                "already",
                hint=CorrectIt(number, value),
            )
        raise StudyError(
            f"request {number} is {request.fate}",
            hint=RecordIt(number, request.case, request.feature, value),
        )


@dataclass(frozen=True)
class Fail(Command):
    """Write down that a request brought no value; its money comes back unless charged."""

    name: ClassVar[str] = "fail"
    enters: ClassVar[bool] = True
    number: int = number_of_request()
    charged: Amount | bool = parameter(
        "Whether its cost was charged all the same, or how much was.",
        False,
        option=("--charged", "Its cost was charged all the same."),
        amount_option=("--charge", "So much was charged."),
    )
    usable: bool = parameter(
        "Whether this case may be asked for this feature again.",
        True,
        option=("--unusable", "Do not ask this case for this feature again."),
    )
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it failed."""
        number = pending(draft, self.number).number
        given = None if isinstance(self.charged, bool) else amount("charged", self.charged)
        before = before_settling if given is None and self.charged else before_release
        done = before(draft, number)
        for event in done:
            draft.attempt(event)
        listed = draft.request(number).cost if self.charged else Decimal(0)
        cost = listed if given is None else given
        return [*done, events.Failed(number, cost, self.usable, self.why)]


@dataclass(frozen=True)
class Cancel(Command):
    """Take back a request: its money and its case are free again."""

    name: ClassVar[str] = "cancel"
    number: int = number_of_request()
    why: str = reason()

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that it was taken back."""
        number = pending(draft, self.number).number
        return [*before_release(draft, number), events.Cancelled(number, self.why)]


@dataclass(frozen=True)
class Expire(Command):
    """Take back requests that nobody carried out, those of so many days ago and older.

    Their money and their cases are free again.
    """

    name: ClassVar[str] = "expire"
    days: int = parameter("So many days ago, or more.", least=1, most=100_000)
    why: str = reason()

    def __post_init__(self) -> None:
        if isinstance(self.days, bool) or not isinstance(self.days, int) or self.days < 1:
            raise StudyError(f"days: must be a whole number from 1, got {self.days!r}")

    def decide(self, draft: Draft) -> list[events.Event]:
        """Return that they were taken back."""
        found: list[events.Event] = []
        for each in draft.state.pending:
            age = age_in_days(draft.request(each.number).at, draft.today)
            if age >= self.days:
                said = f"nobody carried it out for {age} days"
                why = f"{said}: {self.why}" if self.why else said
                done = Cancel(each.number, why).decide(draft)
                for event in done:
                    draft.attempt(event)
                found += done
        return found
