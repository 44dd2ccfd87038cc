"""What can happen in a study, and how it is written down.

Each event is a frozen dataclass of plain texts, numbers and decimals; features, labels, values and
cases go by their names, so that the log can be read without the package. How they are written is
in `budgeted.studies.journal.rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Literal

from budgeted.errors import JournalError

PENDING, TOLD, RECORDED, FAILED, CANCELLED = (
    "pending", "told", "recorded", "failed", "cancelled",
)  # fmt: skip
"""Fates of a request; a value that nobody asked for is recorded."""

OPEN, REQUESTED, BOUGHT, UNUSABLE = range(4)
"""What a cell of a case is: for sale, asked for, paid for, or not to be had."""


Parameter = bool | int | float | str | None
STRICT: dict[str, Any] = {"extra": "forbid", "strict": True}


EVENTS: dict[str, type[Event]] = {}
"""Every kind of event by its name in the journal."""


class Event:
    """Something that happened in a study; each kind is a frozen dataclass of its own.

    To define one is to register it. `budgeted.studies.projection.FOLDS` says what it changes; one
    that is not there changes nothing, and is in the log.
    """

    kind: str

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def __init_subclass__(cls) -> None:
        if EVENTS.get(cls.kind, cls).__qualname__ != cls.__qualname__:
            raise JournalError(f"there is a kind of event {cls.kind!r} already; rename yours")
        EVENTS[cls.kind] = cls

    @property
    def allowed_after_closing(self) -> bool:
        """Whether it may still happen in a study that is closed; most may not."""
        return False

    @property
    def forgets(self) -> bool:
        """Whether values that were written before are not shown any more from here on."""
        return False

    def words(self) -> str:
        """Return it in one line.

        >>> Failed(4, Decimal("9.50"), usable=False, why="tube broken").words()
        'request 4 failed: 9.50 charged, not to be asked of this case again (tube broken)'
        """
        return self.kind.replace("_", " ")


@dataclass(frozen=True)
class Spread:
    """How many scores there were, and what they were like."""

    number: int
    lowest: float
    mean: float
    highest: float

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True)
class Line:
    """One feature of an order: the number of its request, and what is reserved for it."""

    number: int
    feature: str
    cost: Decimal

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True)
class Asked(Event):
    """An order: one or more features of one case, the cost of each reserved.

    The decision is kept with what people look at of it.
    """

    case: str
    label: str
    lines: tuple[Line, ...]
    # Of what the policy compared the best few and the chosen one: feature, label and score, the
    # best first, lower is better; empty where the policy compares nothing.
    scores: tuple[tuple[str, str, float], ...]
    compared: Spread | None
    reason: str
    engine: str
    policy: str
    parameters: dict[str, Parameter]
    package: str
    kind: Literal["asked"] = "asked"

    def words(self) -> str:
        """Return it in one line."""
        from budgeted.problem import money

        first, last = self.lines[0].number, self.lines[-1].number
        which = f"request {first}" if first == last else f"requests {first} to {last}"
        wanted = ", ".join(line.feature for line in self.lines)
        total = money.total([line.cost for line in self.lines])
        return f"{which}: {wanted} of {_labelled(self)} for {total}: {self.reason}"

    @property
    def number(self) -> int:
        """Of the order: that of its first request."""
        return self.lines[0].number

    def cost_of(self, number: int) -> Decimal:
        """Return what was reserved for a request of the order."""
        return next(line.cost for line in self.lines if line.number == number)


@dataclass(frozen=True)
class Told(Event):
    """The value of a request came back, and this was charged for it.

    A `value` of None stands for one that was forgotten since; none is ever written down like that.
    """

    number: int
    value: str | None
    cost: Decimal
    kind: Literal["told"] = "told"

    def words(self) -> str:
        """Return it in one line."""
        return f"request {self.number} told: {_kept(self.value)}, {self.cost} charged"


@dataclass(frozen=True)
class Failed(Event):
    """A request brought no value."""

    number: int
    charged: Decimal  # what was charged all the same; 0 gives the reserved money back
    usable: bool  # whether the feature may be asked of this case again
    why: str = ""
    kind: Literal["failed"] = "failed"

    def words(self) -> str:
        """Return it in one line."""
        bill = f"{self.charged} charged" if self.charged else "money back"
        again = "may be asked again" if self.usable else "not to be asked of this case again"
        return f"request {self.number} failed: {bill}, {again}{_because(self.why)}"


@dataclass(frozen=True)
class Cancelled(Event):
    """A request was taken back: its money and its case are free again."""

    number: int
    why: str = ""
    kind: Literal["cancelled"] = "cancelled"

    def words(self) -> str:
        """Return it in one line."""
        return f"request {self.number} cancelled: money back{_because(self.why)}"


@dataclass(frozen=True)
class Recorded(Event):
    """A value that nobody asked for, or that was there before the study.

    A `value` of None stands for one that was forgotten since, as with `Told`. What it costs by the
    price list is `listed`, where another sum was charged.
    """

    number: int
    case: str
    feature: str
    label: str
    value: str | None
    cost: Decimal
    listed: Decimal | None = None
    kind: Literal["recorded"] = "recorded"

    def words(self) -> str:
        """Return it in one line."""
        return (
            f"recorded as {self.number}: {self.feature} of {_labelled(self)} is "
            f"{_kept(self.value)}, {self.cost} charged"
        )


@dataclass(frozen=True)
class Corrected(Event):
    """A purchase was written down wrongly; what was said before stays in the log.

    A `value` of None means that there is no value after all.
    """

    number: int
    old_value: str | None
    value: str | None
    old_cost: Decimal
    cost: Decimal
    why: str = ""
    kind: Literal["corrected"] = "corrected"

    @property
    def allowed_after_closing(self) -> bool:
        """Whether it may still happen in a study that is closed: a slip may be found late."""
        return True

    def words(self) -> str:
        """Return it in one line."""
        bill = ""
        if self.cost != self.old_cost:
            bill = f", {self.cost} instead of {self.old_cost} charged"
        elif self.value is None and self.old_value is None:
            return f"number {self.number} corrected: {_kept(None)}{_because(self.why)}"
        return (
            f"number {self.number} corrected: {value_in_words(self.value)} instead of "
            f"{value_in_words(self.old_value)}{bill}{_because(self.why)}"
        )


@dataclass(frozen=True)
class Repriced(Event):
    """What is reserved or charged for requests of one case is divided anew; the sum stays.

    A visit fee stands in the line of one request. If that one is cancelled and another is not, the
    fee moves to the other; see `budgeted.studies.accounts`.
    """

    amounts: tuple[tuple[int, Decimal], ...]
    kind: Literal["repriced"] = "repriced"

    def words(self) -> str:
        """Return it in one line."""
        each = ", ".join(f"request {number} {amount}" for number, amount in self.amounts)
        return f"the price of an order divided anew: {each}"


@dataclass(frozen=True)
class Undone(Event):
    """A request is pending again: that it was told, failed or cancelled was a slip.

    A value that nobody asked for is pending for a moment when it is taken back: its cancellation
    is written with it.
    """

    number: int
    fate: Literal["told", "failed", "cancelled", "recorded"]
    value: str | None
    charged: Decimal
    cost: Decimal  # what is reserved again
    why: str = ""
    kind: Literal["undone"] = "undone"

    def words(self) -> str:
        """Return it in one line."""
        was = self.fate if self.value is None else f"{self.fate} {self.value}"
        back = f", {self.charged} back" if self.charged else ""
        if self.fate == "recorded":
            return (
                f"number {self.number}: that it was {was} is taken back{back}{_because(self.why)}"
            )
        return (
            f"request {self.number} pending again, {self.cost} reserved: that it was {was} is "
            f"taken back{back}{_because(self.why)}"
        )


@dataclass(frozen=True)
class Withdrawn(Event):
    """Nothing can be bought from this case any more."""

    case: str
    why: str = ""
    forget: bool = False  # whether its values are forgotten, too; see `budgeted.studies.erasure`
    kind: Literal["withdrawn"] = "withdrawn"

    @property
    def allowed_after_closing(self) -> bool:
        """Whether it may still happen in a study that is closed: to be forgotten even then."""
        return self.forget

    @property
    def forgets(self) -> bool:
        """Whether values that were written before are not shown any more from here on."""
        return self.forget

    def words(self) -> str:
        """Return it in one line."""
        gone = ", and its values forgotten" if self.forget else ""
        return f"case {self.case} withdrawn for good{gone}{_because(self.why)}"


@dataclass(frozen=True)
class BudgetChanged(Event):
    """There is more money, or less."""

    old_budget: Decimal
    budget: Decimal
    why: str = ""
    kind: Literal["budget_changed"] = "budget_changed"

    def words(self) -> str:
        """Return it in one line."""
        return f"budget changed from {self.old_budget} to {self.budget}{_because(self.why)}"


@dataclass(frozen=True)
class Closed(Event):
    """The study is over: nothing is asked or told any more; corrections remain possible."""

    why: str = ""
    kind: Literal["closed"] = "closed"

    def words(self) -> str:
        """Return it in one line."""
        return f"closed{_because(self.why)}"


@dataclass(frozen=True)
class Reopened(Event):
    """A study that was closed goes on."""

    why: str
    kind: Literal["reopened"] = "reopened"

    @property
    def allowed_after_closing(self) -> bool:
        """Whether it may still happen in a study that is closed: only then it makes sense."""
        return True

    def words(self) -> str:
        """Return it in one line."""
        return f"reopened{_because(self.why)}"


@dataclass(frozen=True)
class Entry:
    """An event with its place in the journal, when it was written (UTC), and by whom."""

    seq: int
    at: str
    by: str
    event: Event
    key: str = ""
    command: str = ""


def numbers_of(event: Event) -> tuple[int, ...]:
    """Return the requests and recorded values that an event is about.

    >>> numbers_of(Cancelled(3)), numbers_of(Closed())
    ((3,), ())
    """
    if isinstance(event, Asked):
        return tuple([line.number for line in event.lines])
    number = getattr(event, "number", None)
    return () if number is None else (number,)


def value_in_words(value: str | None) -> str:
    """Return a value, or that there is none."""
    return "no value" if value is None else value


def _kept(value: str | None) -> str:
    return "a value that is forgotten" if value is None else value


def _labelled(event: Asked | Recorded) -> str:
    """A case with its label, unless that is hidden."""
    return f"{event.case} ({event.label})" if event.label else event.case


def _because(why: str) -> str:
    return f" ({why})" if why else ""


def day_of(at: str) -> date | None:
    """Return the day of a time as journals have it, in UTC; None where there is no time.

    >>> day_of("2026-11-18T09:30:00.000000Z")
    datetime.date(2026, 11, 18)
    """
    return date.fromisoformat(at[:10]) if at else None


def age_in_days(at: str, today: date | None) -> int:
    """Return how many days ago a time is; 0 where nobody knows.

    >>> age_in_days("2026-11-18T09:30:00.000000Z", date(2026, 12, 1))
    13
    """
    day = day_of(at)
    return 0 if day is None or today is None else max(0, (today - day).days)
