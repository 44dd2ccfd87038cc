"""What the values of a feature are: names, or a measured number that cuts put into categories.

What people tell is read once, by `read`, and the text that it returns is kept. Whatever is computed
starts from that text, by `category`, and knows positions of categories only. Nobody else knows what
a value is.

>>> kind("categorical", values=["no", "yes"]).category("yes")
1
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from budgeted.errors import FeatureKindError, ObservationError, ProblemError
from budgeted.listing import did_you_mean, listed
from budgeted.problem.checks import names_mistakes
from budgeted.problem.names import by_number, numerals_of, spelled
from budgeted.problem.numbers import MARKS, as_told, number_of, plain, shown
from budgeted.registry import make

USUAL = "categorical"
"""The kind of a feature of which nothing is said."""
_LONGEST_UNIT = 40
_LONGEST_SOURCE = 1_000


@dataclass(frozen=True, init=False)
class Categorical:
    """Every value is a name of its own, and one category.

    Parameters
    ----------
    values
        The names, at least two.
    ordered
        Whether they stand in an order, the lowest first: low < normal < high. It is recorded and
        shown. The learners of this package make no use of it: to them, low is as different from
        normal as from high.

    Examples
    --------
    >>> pain = Categorical(("1", "2", "3"))
    >>> pain.read(2), pain.category("2")
    ('2', 1)
    >>> pain.read("4")
    Traceback (most recent call last):
    ...
    budgeted.errors.ObservationError: has no value '4'; there are '1', '2', '3'
    >>> Categorical(("low", "normal", "high"), ordered=True).scale
    'low < normal < high'
    """

    values: tuple[str, ...]
    ordered: bool = False

    name: ClassVar[str] = "categorical"
    ranged: ClassVar[bool] = False

    def __init__(self, values: Sequence[str], ordered: bool = False) -> None:
        mistakes = names_mistakes(
            "values", values, "leave out a feature that can take only one value"
        )
        if not isinstance(ordered, bool):
            mistakes.append(f"ordered: must be true or false, got {ordered!r}")
        if mistakes:
            raise ProblemError(mistakes)
        object.__setattr__(self, "values", tuple(values))
        object.__setattr__(self, "ordered", ordered)

    @property
    def categories(self) -> tuple[str, ...]:
        """What learners tell apart, in order: the names."""
        return self.values

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be told, where people choose one of a few: the names."""
        return self.values

    @property
    def expects(self) -> str:
        """The names, in words."""
        return f"one of {listed(self.values)}"

    @property
    def scale(self) -> str:
        """The order of the names, where there is one."""
        return " < ".join(self.values) if self.ordered else ""

    def read(self, given: object) -> str:
        """Return the name that was given, as text or as a number.

        Where names are numbers, "3", "3.0" and 3 are the same one, unless several names are.
        """
        found = spelled(given, self._positions) or by_number(given, self._numerals)
        if found is None:
            close = did_you_mean(given, self.values) if isinstance(given, str) else ""
            there = f"{close}{'T' if close else 't'}here are {listed(self.values)}"
            raise ObservationError(f"has no value {given!r}; {there}")
        return found

    def category(self, kept: str) -> int:
        """Return the position of a name."""
        at = self._positions.get(kept)
        return self._positions[self.read(kept)] if at is None else at

    def doubt(self, kept: str) -> str:
        """Return why a name is probably a slip: none is."""
        return ""

    def same(self, kept: str, other: str) -> bool:
        """Whether two texts are the same name."""
        return kept == other

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {value: at for at, value in enumerate(self.values)}

    @cached_property
    def _numerals(self) -> dict[Decimal, str | None]:
        return numerals_of(self.values)


@dataclass(frozen=True, init=False)
class Number:
    """A measured number: it is kept as it was told, and cuts put it into categories.

    The text that somebody told stays what it is, "233" or "233,0"; the cuts may be changed later,
    and then everything is computed anew from the numbers. All of it is decimal and exact: a number
    on a cut belongs to the category above, whatever binary fractions would make of it.

    Parameters
    ----------
    cuts
        Where one category ends and the next begins: numbers, strictly increasing, at least one.
    unit
        Such as ``mg/dl``, for people.
    least, most
        What is outside them is probably a slip, and is taken only if it is insisted on. Both are
        themselves inside; none unless given.
    decimal
        What stands before decimals in what people write: ``point`` or ``comma``.
    source
        Where the cuts come from, for people.

    Examples
    --------
    >>> cholesterol = Number(unit="mg/dl", cuts=[200, 240], least=50, most=600)
    >>> cholesterol.categories
    ('< 200', '200 to < 240', '≥ 240')
    >>> cholesterol.read(" 239.9 "), cholesterol.category("239.9"), cholesterol.category("240")
    ('239.9', 1, 2)
    >>> cholesterol.doubt("2333")
    '2333 is outside 50–600 mg/dl'
    >>> cholesterol.read("1,234")
    Traceback (most recent call last):
    ...
    budgeted.errors.ObservationError: takes a number in mg/dl from 50 to 600, got '1,234'; \
decimals stand behind a point in this study, and thousands are written without a separator
    """

    cuts: tuple[int | float, ...]
    unit: str = ""
    least: int | float | None = None
    most: int | float | None = None
    decimal: str = "point"
    source: str = field(default="", compare=False)

    name: ClassVar[str] = "number"

    def __init__(
        self,
        cuts: Sequence[int | float | Decimal | str],
        unit: str = "",
        least: float | Decimal | str | None = None,
        most: float | Decimal | str | None = None,
        decimal: str = "point",
        source: str = "",
    ) -> None:
        mistakes = list(_text_mistakes(unit, decimal, source))
        mark = decimal if isinstance(decimal, str) and decimal in MARKS else "point"
        places = _cuts(cuts, mark, mistakes)
        low, high = _bound("least", least, mark, mistakes), _bound("most", most, mark, mistakes)
        if not mistakes:
            mistakes += _order_mistakes(places, low, high, mark)
        if mistakes:
            raise ProblemError(mistakes)
        object.__setattr__(self, "cuts", tuple(map(plain, places)))
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "least", None if low is None else plain(low))
        object.__setattr__(self, "most", None if high is None else plain(high))
        object.__setattr__(self, "decimal", decimal)
        object.__setattr__(self, "source", source)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """What the cuts make of the numbers; each says on which side its ends are."""
        names = [shown(cut, self.decimal) for cut in self.cuts]
        between = [f"{low} to < {high}" for low, high in pairwise(names)]
        return (f"< {names[0]}", *between, f"≥ {names[-1]}")

    @property
    def choices(self) -> tuple[str, ...]:
        """Nothing can be chosen: people write the number."""
        return ()

    @property
    def expects(self) -> str:
        """What can be told, in words."""
        unit = f" in {self.unit}" if self.unit else ""
        low = "" if self.least is None else f" from {shown(self.least, self.decimal)}"
        high = "" if self.most is None else shown(self.most, self.decimal)
        if high:
            high = f" to {high}" if low else f" up to {high}"
        comma = ", with a decimal comma" if self.decimal == "comma" else ""
        return f"a number{unit}{low}{high}{comma}"

    @property
    def scale(self) -> str:
        """Its unit, its cuts and where they come from, in words."""
        unit = f"{self.unit}, " if self.unit else ""
        where = f" ({self.source})" if self.source else ""
        return f"{unit}cut at {self.written_cuts}{where}"

    @property
    def ranged(self) -> bool:
        """Whether there is a range, outside which numbers are doubted."""
        return self.least is not None or self.most is not None

    @property
    def written_cuts(self) -> str:
        """The cuts as people of the study write them.

        >>> Number(cuts=[37.5, 39], decimal="comma").written_cuts
        '37,5; 39'
        """
        between = "; " if self.decimal == "comma" else ", "
        return between.join(shown(cut, self.decimal) for cut in self.cuts)

    def recut(self, cuts: Sequence[int | float | Decimal | str], source: str) -> Number:
        """Return the same with other cuts, and where these come from."""
        return Number(cuts, self.unit, self.least, self.most, self.decimal, source)

    def read(self, given: object) -> str:
        """Return the text to keep of a number; what is no number is refused."""
        try:
            return as_told(given, self.decimal, self.unit)
        except ValueError as error:
            hint = f"; {error}" if str(error) else ""
            raise ObservationError(f"takes {self.expects}, got {given!r}{hint}") from None

    def doubt(self, kept: str) -> str:
        """Return why a number is probably a slip; "" if it is not."""
        number = self.number(kept)
        low = self.least is not None and number < Decimal(str(self.least))
        high = self.most is not None and number > Decimal(str(self.most))
        if not (low or high):
            return ""
        unit = f" {self.unit}" if self.unit else ""
        ends = [shown(each, self.decimal) for each in (self.least, self.most) if each is not None]
        if len(ends) == 2:
            return f"{kept} is outside {ends[0]}–{ends[1]}{unit}"
        return f"{kept} is {'below' if low else 'above'} {ends[0]}{unit}"

    def same(self, kept: str, other: str) -> bool:
        """Whether two texts are the same number: "233", "233.0" and "+233" are."""
        return self.number(kept) == self.number(other)

    def category(self, kept: str) -> int:
        """Return the position of the category of a number; on a cut it belongs above."""
        return bisect_right(self._places, self.number(kept))

    def number(self, kept: str) -> Decimal:
        """Return the number that a kept text is, exactly."""
        return number_of(self.read(kept), self.decimal)

    @cached_property
    def _places(self) -> tuple[Decimal, ...]:
        return tuple(Decimal(str(cut)) for cut in self.cuts)


def _text_mistakes(unit: Any, decimal: Any, source: Any) -> Iterable[str]:
    if not isinstance(unit, str) or unit.strip() != unit or not unit.isprintable():
        yield f"unit: must be text such as mg/dl, without blanks around it, got {unit!r}"
    elif len(unit) > _LONGEST_UNIT:
        yield f"unit: must be at most {_LONGEST_UNIT} characters, got {len(unit)}"
    if not isinstance(decimal, str) or decimal not in MARKS:
        yield f"decimal: must be one of {', '.join(MARKS)}, got {decimal!r}"
    if not isinstance(source, str) or len(source) > _LONGEST_SOURCE or not source.isprintable():
        yield f"source: must be a line of at most {_LONGEST_SOURCE} characters"


def _cuts(given: Any, decimal: str, mistakes: list[str]) -> list[Decimal]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        mistakes.append(f"cuts: must be a list of numbers such as [200, 240], got {given!r}")
        return []
    if not given:
        mistakes.append(
            "cuts: at least one is needed; leave out a feature that is never told apart"
        )
    found = []
    for at, each in enumerate(given):
        number = _bound(f"cuts[{at}]", each, decimal, mistakes)
        if number is not None:
            found.append(number)
        elif each is None:
            mistakes.append(f"cuts[{at}]: must be a number, got None")
    return found


def _bound(field: str, given: Any, decimal: str, mistakes: list[str]) -> Decimal | None:
    """Return a number that a study gives; what is wrong with it joins the mistakes."""
    if given is None:
        return None
    try:
        number = number_of(as_told(given, decimal), decimal)
        plain(number)
    except ValueError as error:
        hint = f"; {error}" if str(error) else ""
        mistakes.append(f"{field}: must be a number, got {given!r}{hint}")
        return None
    return number


def _order_mistakes(
    cuts: Sequence[Decimal], least: Decimal | None, most: Decimal | None, decimal: str
) -> Iterable[str]:
    written = [shown(cut, decimal) for cut in cuts]
    if any(low >= high for low, high in pairwise(cuts)):
        yield f"cuts: must be strictly increasing, got {', '.join(written)}"
        return
    if least is not None and most is not None and least >= most:
        yield f"most: must be above least, {shown(least, decimal)}, got {shown(most, decimal)}"
        return
    if least is not None and cuts[0] <= least:
        yield f"cuts: {written[0]} is not above least, so no value would be below it"
    if most is not None and cuts[-1] > most:
        yield f"cuts: {written[-1]} is above most, so no value would reach it"


Kind = Categorical | Number
"""What the values of a feature can be; its fields are what a study file gives."""
KINDS: Mapping[str, type[Categorical] | type[Number]] = {
    each.name: each for each in (Categorical, Number)
}


def kind(name: str, **parameters: Any) -> Kind:
    """Return the kind of values of that name with these parameters."""
    made: Kind = make(KINDS, name, parameters, "feature kind", FeatureKindError)
    return made


def from_table(table: Mapping[str, Any]) -> Kind:
    """Return the kind that a table of a file names, with the parameters that stand beside it.

    >>> from_table({"kind": "number", "cuts": [37.5], "unit": "°C"}).categories
    ('< 37.5', '≥ 37.5')
    """
    return kind(table.get("kind", USUAL), **{key: table[key] for key in table if key != "kind"})


def parameters_of(made: Kind) -> dict[str, Any]:
    """Return the parameters of a kind, to be written down; names say only if they have an order.

    >>> parameters_of(kind("categorical", values=["no", "yes"]))
    {'values': ('no', 'yes')}
    >>> parameters_of(kind("categorical", values=["no", "yes"], ordered=True))
    {'values': ('no', 'yes'), 'ordered': True}
    """
    plain = asdict(made)
    return {key: plain[key] for key in plain if key != "ordered" or plain[key]}
