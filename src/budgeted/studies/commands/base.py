"""What people do to a study, as data: a frozen dataclass each, whose fields are its parameters.

A command says with `decide` which events it gives rise to, and nothing else; it writes nothing.
All surfaces are made from its fields: the methods of `Study`, the body and the address in the JSON
API, the arguments and options on the command line. This module imports no numerics, because the
command line needs the fields for ``--help``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, get_args, get_origin, get_type_hints

from budgeted.errors import StudyError
from budgeted.studies.events import PENDING

if TYPE_CHECKING:
    from budgeted.studies.drafts import Draft
    from budgeted.studies.events import Event
    from budgeted.studies.projection import Requested

Amount = Decimal | int | str | float
"""Money as people give it; the same as `budgeted.problem.money.MoneyLike`."""

Value = str | int | float
"""A value as people tell it: text, or a number where the feature takes one."""

LONGEST_NAME = 1_000
LONGEST_REASON = 2_000


@dataclass(frozen=True)
class Parameter:
    """What the surfaces need to know of a field besides its name, its type and its default."""

    help: str  # what it is, in a line; also on the command line, unless the next ones say more
    least: int | None = None
    most: int | None = None
    longest: int | None = None
    option: tuple[str, str] | None = None
    amount_option: tuple[str, str] | None = None
    none_option: tuple[str, str] | None = None  # where it may be None: the switch that says so
    metavar: str | None = None  # what it is called in a line of usage
    hidden: bool = False


def parameter(help: str, default: Any = MISSING, **details: Any) -> Any:
    """Return a field of a command; `details` are those of `Parameter`."""
    return field(default=default, metadata={"parameter": Parameter(help, **details)})


def number_of_request() -> Any:
    """Return the field that says which request a command is about."""
    return parameter("Of the request.", least=1, most=2**53)


def insisted() -> Any:
    """Return the field by which somebody insists on a value that is probably a slip."""
    return parameter("Take a value that is outside the range of its feature.", False)


def reason() -> Any:
    """Return the field for a reason, which the log keeps."""
    return parameter("A reason, for the log.", "", longest=LONGEST_REASON)


class Command:
    """Something that somebody wants done to a study.

    Attributes
    ----------
    name
        On the command line, in the addresses of the API, and in the fingerprint of a key. What it
        does is the docstring of the class.
    late
        Whether a server carries it out after what others want at the same moment: a decision looks
        anew at every feature that changed, once, if answers come first.
    sized_by
        The fields that say of how many orders, or of how many cases, it asks, where it asks for
        any: a server has a limit for it, so that one person's wish does not keep others waiting.
    enters
        Whether it writes down what was measured, so that a server lets somebody do it who only
        enters values; anything else is for those who manage a study.
    """

    name: ClassVar[str]
    late: ClassVar[bool] = False
    sized_by: ClassVar[tuple[str, ...]] = ()
    enters: ClassVar[bool] = False

    def decide(self, draft: Draft) -> Sequence[Event]:
        """Return what this gives rise to now, or raise an error that says what to do instead.

        Parameters
        ----------
        draft
            Where the study stands. What is returned may be tried on it, in that order; nothing
            else may be changed there.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Field:
    """A parameter of a command with all that the dataclass says of it."""

    name: str
    hint: Any
    default: Any
    about: Parameter

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING

    @property
    def parts(self) -> tuple[str, ...] | None:
        """Of a list of named tuples, the names; none of a list of texts, None of what is no list.

        >>> Field("only", Sequence[str], (), Parameter("")).parts
        ()
        """
        if get_origin(self.hint) is not Sequence:
            return None
        return tuple(getattr(get_args(self.hint)[0], "_fields", ()))

    def may_be(self, kind: type) -> bool:
        """Tell whether its type includes another one.

        >>> Field("cost", Amount | None, None, Parameter("")).may_be(Decimal)
        True
        """
        return kind is self.hint or (not self.is_table and kind in get_args(self.hint))

    @property
    def is_table(self) -> bool:
        """Whether it is a table of keys and what they hold, as in a study file."""
        return get_origin(self.hint) is Mapping


def fields_of(kind: type[Command]) -> tuple[Field, ...]:
    """Return the parameters of a command, in their order."""
    hints = get_type_hints(kind)
    return tuple(
        Field(each.name, hints[each.name], each.default,
              each.metadata.get("parameter", Parameter("")))
        for each in fields(kind)  # type: ignore[arg-type]  # every kind is a dataclass
    )  # fmt: skip


def amount(name: str, given: Amount) -> Decimal:
    """Return an amount of money, or an error that names the field."""
    from budgeted.problem import money

    try:
        return money.parse(given)
    except ValueError as error:
        raise StudyError(f"{name}: {error}") from None


def quoted(value: str | None) -> str:
    """Return a value as messages show it."""
    return "no value" if value is None else repr(value)


def pending(draft: Draft, number: int) -> Requested:
    """Return a request that is under way, or raise an error that lists those that are."""
    request = draft.request(number)
    if request.fate != PENDING:
        listed = ", ".join(str(each.number) for each in draft.state.pending) or "none"
        raise StudyError(f"request {number} is {request.fate}, not pending; pending are: {listed}")
    return request
