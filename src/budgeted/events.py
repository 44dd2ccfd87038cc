"""What can happen in a study, and how it is written down.

Each event is a frozen dataclass of plain texts, numbers and decimals; features, labels, values and
cases go by their names, so that the log can be read without the package. `to_json` and `from_json`
are the only way in and out of a journal: explicit keys, unknown ones refused, amounts of money as
text, and nothing that could run code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, Literal

from budgeted.errors import JournalError, UnwritableError

VERSION = 1
"""Of the way events are written."""

PriorCounts = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
Parameter = bool | int | float | str | None
LearnerParameter = float | tuple[float, ...]
_STRICT: dict[str, Any] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True)
class ForSale:
    """A feature as the study file gives it."""

    name: str
    values: tuple[str, ...]
    cost: Decimal
    prior_counts: PriorCounts = 1.0

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Created:
    """The study begins: what is for sale, who chooses, and the cases with their labels."""

    features: tuple[ForSale, ...]
    labels: tuple[str, ...]
    prior: tuple[float, ...]
    budget: Decimal
    policy: str
    parameters: dict[str, Parameter]
    case_rule: str
    seed: int
    loss: str
    cases: tuple[tuple[str, str], ...]
    package: str
    learner: str = "naive-bayes"
    learner_parameters: dict[str, LearnerParameter] = field(default_factory=dict)
    kind: Literal["created"] = "created"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Spread:
    """How many scores there were, and what they were like."""

    number: int
    lowest: float
    mean: float
    highest: float

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Asked:
    """A request: its cost is reserved. The decision is kept with what people look at of it.

    Attributes
    ----------
    scores
        Of what the policy compared the best few and the chosen one: feature, label and score, the
        best first, lower is better; empty where the policy compares nothing.
    compared
        A summary of all that was compared; None where nothing was.
    reason, engine, policy, parameters, package
        Why, where losses among the scores come from, and what chose.
    """

    number: int
    case: str
    feature: str
    label: str
    cost: Decimal
    scores: tuple[tuple[str, str, float], ...]
    compared: Spread | None
    reason: str
    engine: str
    policy: str
    parameters: dict[str, Parameter]
    package: str
    kind: Literal["asked"] = "asked"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Told:
    """The value of a request came back, and this was charged for it.

    A `value` of None stands for one that was forgotten since; none is ever written down like that.
    """

    number: int
    value: str | None
    cost: Decimal
    kind: Literal["told"] = "told"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Failed:
    """A request brought no value.

    Attributes
    ----------
    charged
        What was charged all the same; 0 gives the reserved money back.
    usable
        Whether the feature may be asked of this case again.
    """

    number: int
    charged: Decimal
    usable: bool
    why: str = ""
    kind: Literal["failed"] = "failed"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Cancelled:
    """A request was taken back: its money and its case are free again."""

    number: int
    why: str = ""
    kind: Literal["cancelled"] = "cancelled"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Recorded:
    """A value that nobody asked for, or that was there before the study.

    A `value` of None stands for one that was forgotten since, as with `Told`.
    """

    number: int
    case: str
    feature: str
    label: str
    value: str | None
    cost: Decimal
    kind: Literal["recorded"] = "recorded"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Corrected:
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

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Undone:
    """A request is pending again: that it was told, failed or cancelled was a slip.

    Attributes
    ----------
    fate, value, charged
        What is taken back; that money is free again.
    cost
        What is reserved again.
    """

    number: int
    fate: Literal["told", "failed", "cancelled"]
    value: str | None
    charged: Decimal
    cost: Decimal
    why: str = ""
    kind: Literal["undone"] = "undone"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Withdrawn:
    """Nothing can be bought from this case any more.

    Attributes
    ----------
    forget
        Whether its values are forgotten, too; see `budgeted.study.forgetting`.
    """

    case: str
    why: str = ""
    forget: bool = False
    kind: Literal["withdrawn"] = "withdrawn"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class BudgetChanged:
    """There is more money, or less."""

    old_budget: Decimal
    budget: Decimal
    why: str = ""
    kind: Literal["budget_changed"] = "budget_changed"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Closed:
    """The study is over: nothing is asked or told any more; corrections remain possible."""

    why: str = ""
    kind: Literal["closed"] = "closed"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


Event = (
    Created
    | Asked
    | Told
    | Failed
    | Cancelled
    | Recorded
    | Corrected
    | Undone
    | Withdrawn
    | BudgetChanged
    | Closed
)


@dataclass(frozen=True)
class Entry:
    """An event with its place in the journal, when it was written (UTC), and by whom.

    Attributes
    ----------
    key, command
        The idempotency key of the command that led to it, if it had one, and a fingerprint of that
        command; see `budgeted.study.keys`.
    """

    seq: int
    at: str
    by: str
    event: Event
    key: str = ""
    command: str = ""


def to_json(event: Event) -> str:
    """Return an event as JSON text, in ASCII, so that no encoding of a database can change it.

    >>> to_json(Told(7, "yes", Decimal("1.50")))
    '{"number":7,"value":"yes","cost":"1.50","kind":"told","version":1}'
    """
    try:
        text = json.dumps(to_plain(event), separators=(",", ":"), allow_nan=False)
        # What cannot be read back must not be written: it would lock the whole study.
        if from_json(text) != event:
            raise UnwritableError("it comes back as something else")
    except ValueError as error:
        said = _wrong_field(event) or str(error).strip().splitlines()[-1].strip()
        raise UnwritableError(f"an event that cannot be written as JSON: {said}") from None
    return text


def check_text(what: str, text: str) -> None:
    """Refuse what some database cannot hold: NUL, and halves of characters from a bad encoding."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise UnwritableError(f"{what} has characters that cannot be stored: {text!r}")


def to_plain(event: Event) -> dict[str, Any]:
    """Return an event as JSON values, for those who look; its value may be forgotten."""
    plain: dict[str, Any] = _adapter().dump_python(event, mode="json", warnings="error")
    return plain | {"version": VERSION}


def from_json(text: str) -> Event:
    """Return the event in a JSON text; raise a `JournalError` if it is none.

    >>> from_json('{"number":7,"value":"yes","cost":"1.50","kind":"told","version":1}')
    Told(number=7, value='yes', cost=Decimal('1.50'), kind='told')
    """
    import pydantic

    # Every event ends in its version; cutting it off is cheaper than parsing twice.
    body, mark, version = text.rpartition(',"version":')
    if not mark or version != f"{VERSION}}}":
        raise JournalError(
            f"an event that is not in version {VERSION} of the format: {text[:80]!r}"
        )
    try:
        event: Event = _adapter().validate_json(body + "}")
    except pydantic.ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5]
        )
        raise JournalError(f"an event that makes no sense ({wrong}): {text[:80]!r}") from None
    if isinstance(event, Told | Recorded) and event.value is None:  # never written down like that
        raise JournalError(f"an event that makes no sense (there is no value): {text[:80]!r}")
    return event


_WORDS = {"str": "text", "int": "a whole number", "bool": "true or false", "Decimal": "an amount"}


def _wrong_field(event: Event) -> str:
    """Which field holds what it cannot hold, in words; nothing where none can be named.

    >>> _wrong_field(Cancelled(3, why=5))
    'why: must be text, got 5'
    """
    for each in fields(event):
        held = getattr(event, each.name)
        if each.type in _WORDS and type(held).__name__ != each.type:
            return f"{each.name}: must be {_WORDS[str(each.type)]}, got {held!r}"
    return ""


@cache
def _adapter() -> Any:
    """What turns events into JSON values and back; built once, when a journal is first used."""
    from typing import Annotated

    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Event, Field(discriminator="kind")])
