"""How much money there is, and on what terms: firm, or soft.

A *firm* budget is a sum that is never crossed. A *soft* one may be crossed up to a limit, at a
surcharge, as long as what is gained is worth what is paid. "Each unit beyond b costs more"
(Lizotte, Madani and Greiner, 2003, Section 5.1): here that is a surcharge on list prices, a rate,
or rates that rise in steps, and depends on nothing but how much is spent beyond b.

Whatever the terms, `limit` is the most that orders may cost at list price, and
spent + reserved + free add up to it: `budgeted.state` computes with that alone.

>>> from_table({"amount": 1000, "rate": "0.2", "limit": 1500, "point_worth": 40}).limit
Decimal('1500')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from budgeted.errors import ProblemError
from budgeted.listing import did_you_mean
from budgeted.problem import money
from budgeted.problem.money import MoneyLike

__all__ = ["Firm", "Soft", "Step", "Terms", "agreed", "from_table", "kind_of"]


class Terms(Protocol):
    """What all budgets have in common."""

    @property
    def amount(self) -> Decimal:
        """The sum that people speak of: all of it, or what is not soft yet."""
        ...

    @property
    def limit(self) -> Decimal:
        """The most that all orders together may cost, at list price."""
        ...

    def surcharge(self, committed: Decimal) -> Decimal:
        """Return what is paid on top of list prices once so much is spent or reserved."""
        ...

    def to_table(self) -> dict[str, Any]:
        """Return it as a study file and a journal have it; `from_table` gives it back."""
        ...

    def words(self) -> str:
        """Return it in words, such as "400.00"."""
        ...


@dataclass(frozen=True, init=False)
class Firm:
    """So much money and no more.

    Examples
    --------
    >>> Firm("400.00").limit, Firm(5).surcharge(Decimal(3))
    (Decimal('400.00'), Decimal('0'))
    """

    amount: Decimal

    def __init__(self, amount: MoneyLike) -> None:
        try:
            object.__setattr__(self, "amount", money.parse(amount))
        except ValueError as error:
            raise ProblemError(f"budget: {error}") from None

    @property
    def limit(self) -> Decimal:
        """The most that all orders together may cost."""
        return self.amount

    def surcharge(self, committed: Decimal) -> Decimal:
        """Return nothing: there is none."""
        return Decimal(0)

    def to_table(self) -> dict[str, Any]:
        """Return it as a study file and a journal have it."""
        return {"amount": money.show(self.amount)}

    def words(self) -> str:
        """Return the amount."""
        return money.show(self.amount)


class Step(NamedTuple):
    """From so much beyond the amount on, the surcharge on each unit of list price."""

    beyond: Decimal
    rate: Decimal


@dataclass(frozen=True, init=False)
class Soft:
    """An amount that may be crossed, at a surcharge, while what is gained is worth what is paid.

    Parameters
    ----------
    amount
        Up to here, b, everything costs what the price list says.
    limit
        What all orders together may cost at most, at list price: a hard limit.
    point_worth
        What it is worth that the error of the classifier is one percentage point lower.
    rate
        The surcharge on each unit beyond b: "0.2" makes 10.00 cost 12.00.
    steps
        Instead of one rate several that rise: tables with ``beyond``, how far beyond b each begins,
        and ``rate``. Before the first of them there is no surcharge.

    Attributes
    ----------
    steps
        The rates, also where only one was given.

    Examples
    --------
    >>> soft = Soft(100, limit=200, point_worth=40, steps=[{"beyond": 0, "rate": "0.2"},
    ...                                                    {"beyond": 50, "rate": "0.5"}])
    >>> [str(soft.surcharge(Decimal(spent))) for spent in (90, 100, 110, 150, 170)]
    ['0', '0', '2', '10', '20']
    >>> Soft(100, limit=50, point_worth=0, rate="0.2")
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: budget.limit: must be at least the amount 100, got 50; \
budget.point_worth: must be above 0, got 0
    """

    amount: Decimal
    limit: Decimal
    point_worth: Decimal
    steps: tuple[Step, ...]

    def __init__(
        self,
        amount: MoneyLike,
        limit: MoneyLike,
        point_worth: MoneyLike,
        rate: MoneyLike | None = None,
        steps: Sequence[Mapping[str, MoneyLike] | tuple[MoneyLike, MoneyLike]] = (),
    ) -> None:
        mistakes: list[str] = []
        begin = _parsed("amount", amount, mistakes)
        most = _parsed("limit", limit, mistakes)
        worth = _parsed("point_worth", point_worth, mistakes, above_zero=True)
        if begin is not None and most is not None and most < begin:
            mistakes.insert(0, f"budget.limit: must be at least the amount {begin}, got {most}")
        found: list[Step] = []
        if (rate is None) == (not steps):
            mistakes.append("budget.rate: give a rate, or steps with rates that rise")
        elif rate is not None:
            found = [Step(Decimal(0), _parsed("rate", rate, mistakes, above_zero=True) or _NONE)]
        else:
            found = list(_steps(steps, mistakes))
        if begin is not None and most is not None:
            for at, each in enumerate(found):
                if each.beyond and money.add(begin, each.beyond) >= most:
                    mistakes.append(
                        f"budget.steps[{at}].beyond: counts from the amount {begin}, so the step "
                        f"begins at {money.add(begin, each.beyond)}, and the limit is {most}"
                    )
        if mistakes:
            raise ProblemError(mistakes)
        for name, value in (("amount", begin), ("limit", most), ("point_worth", worth)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "steps", tuple(found))

    def surcharge(self, committed: Decimal) -> Decimal:
        """Return what is paid on top of list prices once so much is spent or reserved."""
        over = money.subtract(committed, self.amount)
        parts = [money.times(committed, 0)]
        for at, step in enumerate(self.steps):
            ends = self.steps[at + 1].beyond if at + 1 < len(self.steps) else over
            within = money.subtract(min(over, ends), step.beyond)
            if within >= 0:
                parts.append(money.share(within, step.rate))
        return money.tidied(money.total(parts), money.add(committed, self.amount))

    def to_table(self) -> dict[str, Any]:
        """Return it as a study file and a journal have it."""
        show = money.show
        head = {name: show(getattr(self, name)) for name in ("amount", "limit", "point_worth")}
        if len(self.steps) == 1 and not self.steps[0].beyond:
            return head | {"rate": show(self.steps[0].rate)}
        rows = [{"beyond": show(each.beyond), "rate": show(each.rate)} for each in self.steps]
        return head | {"steps": rows}

    def words(self) -> str:
        """Return it in words."""
        rates = ", then ".join(
            f"{_percent(each.rate)} %"
            + (f" from {money.show(money.add(self.amount, each.beyond))}" if each.beyond else "")
            for each in self.steps
        )
        return (
            f"{money.show(self.amount)}, soft up to {money.show(self.limit)} at a surcharge of "
            f"{rates}; a percentage point of error is worth {money.show(self.point_worth)}"
        )


_NONE = Decimal(0)


def _parsed(name: str, given: Any, mistakes: list[str], above_zero: bool = False) -> Decimal | None:
    try:
        return money.parse(given, above_zero=above_zero)
    except ValueError as error:
        mistakes.append(f"budget.{name}: {error}")
        return None


def _steps(given: Any, mistakes: list[str]) -> Iterator[Step]:
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        mistakes.append(
            f"budget.steps: must be a list of tables with beyond and rate, got {given!r}"
        )
        return
    before: Step | None = None
    for at, each in enumerate(given):
        where = f"steps[{at}]"
        if isinstance(each, Mapping):
            pair = tuple(each[key] for key in ("beyond", "rate") if key in each)
            each = pair if len(each) == len(pair) else ()  # noqa: PLW2901
        if not isinstance(each, tuple | list) or len(each) != 2:
            mistakes.append(f"budget.{where}: must have beyond and rate, got {given[at]!r}")
            continue
        beyond = _parsed(f"{where}.beyond", each[0], mistakes)
        rate = _parsed(f"{where}.rate", each[1], mistakes, above_zero=True)
        if beyond is None or rate is None:
            continue
        if before is not None and not (beyond > before.beyond and rate > before.rate):
            mistakes.append(
                f"budget.{where}: must begin further beyond the amount than the step before it, "
                f"and at a higher rate"
            )
        before = Step(beyond, rate)
        yield before


def _percent(rate: Decimal) -> str:
    """A rate as a percentage, without zeros at the end.

    >>> _percent(Decimal("0.20")), _percent(Decimal("1")), _percent(Decimal("0.125"))
    ('20', '100', '12.5')
    """
    text = money.show(money.times(rate, 100))
    return text.rstrip("0").rstrip(".") if "." in text else text


KINDS: dict[str, tuple[str, ...]] = {
    "firm": ("amount",),
    "soft": ("amount", "limit", "point_worth", "rate", "steps"),
}
"""The terms of each kind of budget, as files and journals call them."""
_REQUIRED = {"firm": ("amount",), "soft": ("amount", "limit", "point_worth")}
_MADE = {"firm": Firm, "soft": Soft}


def agreed(budget: MoneyLike | Terms) -> Terms:
    """Return the terms of a budget; an amount of money is a firm one.

    >>> agreed("500")
    Firm(amount=Decimal('500'))
    """
    if isinstance(budget, Firm | Soft):
        return budget
    return Firm(budget)  # type: ignore[arg-type]  # which says what is wrong with it


def kind_of(table: Mapping[str, Any]) -> str:
    """Return which kind of budget has these terms.

    >>> kind_of({"amount": 5}), kind_of({"amount": 5, "limit": 9})
    ('firm', 'soft')
    """
    return "soft" if any(key in table for key in KINDS["soft"] if key != "amount") else "firm"


def from_table(table: MoneyLike | Terms | Mapping[str, Any]) -> Terms:
    """Return the budget that a file states: an amount, or a table with its terms.

    Examples
    --------
    >>> from_table("400.00").words()
    '400.00'
    >>> from_table({"amount": 100, "rate": "0.2"})
    Traceback (most recent call last):
    ...
    budgeted.errors.ProblemError: budget.limit: is missing; budget.point_worth: is missing
    """
    if not isinstance(table, Mapping):
        return agreed(table)
    kind = kind_of(table)
    known = KINDS[kind]
    mistakes = [f"budget.{key}: is missing" for key in _REQUIRED[kind] if key not in table]
    for key in table:
        if key not in known:
            hint = did_you_mean(key, KINDS["soft"])
            there = ", ".join(KINDS["soft"])
            mistakes.append(f"budget.{key}: there is no such term; {hint}There are {there}")
    if mistakes:
        raise ProblemError(mistakes)
    made: Terms = _MADE[kind](**table)
    return made
