"""What a tariff states, cell by cell: panels, and prices that hold from a day on or for some cases.

What is wrong with a table that somebody wrote is noted with its place. Of the statements about the
same thing, `holding` says which one holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from budgeted.listing import did_you_mean, listed
from budgeted.problem import money
from budgeted.registry import stated

MOST_DAYS = 100_000
"""More than any study lasts."""


class Entry:
    """One table with its place; its methods read a cell, or note what is wrong and return None.

    >>> mistakes = []
    >>> panel = Entry({"setup": "2.10", "day": 3}, "panels[0]", ("name", "setup", "days"), mistakes)
    >>> panel.amount("setup"), panel.text("name")
    (Decimal('2.10'), None)
    >>> mistakes
    ["panels[0].day: there is no such key; did you mean 'days'? There are name, setup, days"]
    """

    def __init__(self, given: object, where: str, keys: Sequence[str], mistakes: list[str]) -> None:
        self._where, self._mistakes = where, mistakes
        made = is_dataclass(given) and not isinstance(given, type)
        plain = stated(given) if made else given
        self.table: Mapping[str, Any] = plain if isinstance(plain, Mapping) else {}
        if not isinstance(plain, Mapping):
            mistakes.append(f"{where}: must be a table with {', '.join(keys)}, got {given!r}")
        for key in self.table:
            if key not in keys:
                hint = did_you_mean(str(key), keys)
                self.wrong(str(key), f"there is no such key; {hint}There are {', '.join(keys)}")

    def wrong(self, key: str, what: str) -> None:
        """Note what is wrong with a cell; or, without a key, with the table."""
        self._mistakes.append(f"{'.'.join(filter(None, (self._where, key)))}: {what}")

    def amount(self, key: str, *, above_zero: bool = False) -> Decimal | None:
        """Return an amount of money."""
        if key not in self.table:
            return None
        try:
            return money.parse(self.table[key], above_zero=above_zero)
        except ValueError as error:
            self.wrong(key, str(error))
            return None

    def days(self, key: str) -> int | None:
        """Return a number of days."""
        given = self.table.get(key)
        if given is None:
            return None
        if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MOST_DAYS:
            self.wrong(key, f"must be a whole number of days from 0 to {MOST_DAYS}, got {given!r}")
            return None
        return given

    def day(self, key: str) -> date | None:
        """Return a day, which journals have as text."""
        given = self.table.get(key)
        if given is None or (isinstance(given, date) and not isinstance(given, datetime)):
            return given
        try:
            if isinstance(given, str):
                return date.fromisoformat(given)
        except ValueError:
            pass
        self.wrong(key, f"must be a day such as 2027-01-31, got {given!r}")
        return None

    def text(self, key: str, among: Collection[str] | None = None) -> str | None:
        """Return a name, which must be one of some names where these are known."""
        given = self.table.get(key)
        if given is None:
            return None
        if not isinstance(given, str) or not given.strip():
            self.wrong(key, f"must be text that is not blank, got {given!r}")
            return None
        return given if self._is_there(key, key, given, among) else None

    def texts(self, key: str, among: Collection[str] | None = None) -> tuple[str, ...] | None:
        """Return a list of names, each of which appears once; see `text`."""
        given = self.table.get(key)
        if given is None:
            return None
        named = isinstance(given, list | tuple) and all(isinstance(each, str) for each in given)
        if not named or not given:
            self.wrong(key, f"must be a list of names, got {given!r}")
            return None
        unique = Counter(given)
        for name, times in unique.items():
            if times > 1:
                self.wrong(key, f"{name!r} appears twice")
        there = [self._is_there(key, key.removesuffix("s"), each, among) for each in unique]
        return tuple(unique) if all(there) else None

    def _is_there(self, key: str, what: str, name: str, among: Collection[str] | None) -> bool:
        if among is None or name in among:
            return True
        meant = did_you_mean(name, among).rstrip()
        there = meant or (f"there are {listed(among)}" if among else "there is none at all")
        self.wrong(key, f"there is no {what} {name!r}; {there}")
        return False

    def flag(self, key: str) -> bool:
        """Return whether something is so."""
        given = self.table.get(key, False)
        if not isinstance(given, bool):
            self.wrong(key, f"must be true or false, got {given!r}")
        return given is True


Amount = Literal["setup", "shared", "price"]
AMOUNTS: tuple[Amount, ...] = ("setup", "shared", "price")
_PANEL_KEYS = ("name", "features", *AMOUNTS, "whole", "days")


@dataclass(frozen=True)
class Panel:
    """Features of a case that are measured together. It has one of `setup`, `shared` and `price`.

    Parameters
    ----------
    name, features
        What it is called, and the names of what is in it.
    setup
        Due once, with the first of its features, on top of their prices.
    shared
        A part of the price of each of its features that is due only once.
    price
        Of all of it, if it is sold only `whole`; the costs of its features do not matter then.
    whole
        Whether any of its features costs the whole panel, and the others nothing more.
    days
        How many days after it was paid for `setup` or `shared` is not due again; None: for ever.
    """

    name: str
    features: tuple[str, ...]
    setup: Decimal | None = None
    shared: Decimal | None = None
    price: Decimal | None = None
    whole: bool = False
    days: int | None = None

    @property
    def kind(self) -> Amount:
        """Which of the three amounts it has."""
        return "price" if self.whole else "setup" if self.shared is None else "shared"

    @property
    def amount(self) -> Decimal:
        """That amount."""
        return getattr(self, self.kind) or Decimal(0)


def panel_of(
    given: object, where: str, features: Collection[str] | None, mistakes: list[str]
) -> Panel | None:
    """Return the panel of a table; what is wrong joins the mistakes.

    >>> blood = {"name": "blood", "features": ["glucose", "insulin"], "shared": "2.10"}
    >>> panel_of(blood, "panels[0]", None, []).kind
    'shared'
    """
    known = len(mistakes)
    entry = Entry(given, where, _PANEL_KEYS, mistakes)
    if len(mistakes) > known and not entry.table:
        return None
    name, members = entry.text("name"), entry.texts("features", features)
    for key in ("name", "features"):
        if key not in entry.table:
            entry.wrong(key, "is missing")
    setup, shared = entry.amount("setup"), entry.amount("shared")
    price, whole = entry.amount("price", above_zero=True), entry.flag("whole")
    days = entry.days("days")
    stated = [key for key in AMOUNTS if key in entry.table]
    if len(stated) != 1:
        entry.wrong(
            "",
            f"must have one of 'setup' (on top of the prices of its features), 'shared' (a part of "
            f"them that is due once) and 'price' (with whole = true); it has "
            f"{' and '.join(map(repr, stated)) or 'none'}",
        )
    elif whole is not ("price" in stated):
        entry.wrong(
            "whole" if whole else "price",
            "a panel that is sold whole has one 'price', and the costs of its features do not "
            "matter"
            if whole
            else "the price of a whole panel goes with whole = true",
        )
    if whole and "days" in entry.table:
        entry.wrong("days", "a panel that is sold whole gives all its values at once; leave it out")
    if len(mistakes) > known or name is None or members is None:
        return None
    return Panel(name, members, setup, shared, price, whole, days)


def panel_mistakes(panels: Sequence[Panel | None]) -> Iterator[str]:
    """Yield what is wrong with panels beside each other; None is one that makes no sense."""
    sound = [(at, each) for at, each in enumerate(panels) if each is not None]
    first: dict[str, int] = {}
    for at, panel in sound:
        if first.setdefault(panel.name, at) != at:
            yield (
                f"panels[{at}].name: panels[{first[panel.name]}] is called {panel.name!r} already; "
                f"give each panel its own name"
            )
        for other_at, other in sound:
            if other.whole:
                yield from _overlaps(at, panel, other_at, other)


def _overlaps(at: int, panel: Panel, other_at: int, other: Panel) -> Iterator[str]:
    """A panel that is sold whole is in another one as a whole, or not at all."""
    both = [each for each in panel.features if each in other.features]
    if not both:
        return
    if panel.whole and other_at < at:
        yield (
            f"panels[{at}].features: {both[0]!r} is sold with the panel {other.name!r}, which is "
            f"sold whole; a feature can be in one such panel"
        )
    elif not panel.whole and len(both) < len(other.features):
        absent = next(each for each in other.features if each not in both)
        yield (
            f"panels[{at}].features: has {both[0]!r} and not {absent!r} of the panel "
            f"{other.name!r}, which is sold whole; name all of it or nothing"
        )


Subject = tuple[str, str]
"""What has a price: ``("feature", name)``, ``("panel", name)`` or `VISIT`."""

VISIT: Subject = ("visit_fee", "")
_KEYS = ("day", "label", "group", "feature", "panel", *AMOUNTS, "visit_fee")


@dataclass(frozen=True)
class Statement:
    """A price of a feature, of a panel or of a visit, and when and for whom it holds.

    Parameters
    ----------
    day
        From which on it holds; None: from the beginning.
    label, group
        Whose cases; None: all.
    feature, panel
        What has the price.
    price, setup, shared
        The price of a feature or of a whole panel; or what a panel has instead.
    visit_fee
        The fee, where it is that of a visit.
    """

    day: date | None = None
    label: str | None = None
    group: str | None = None
    feature: str | None = None
    panel: str | None = None
    price: Decimal | None = None
    setup: Decimal | None = None
    shared: Decimal | None = None
    visit_fee: Decimal | None = None

    @property
    def subject(self) -> Subject:
        """What has the price."""
        if self.feature is not None:
            return ("feature", self.feature)
        return VISIT if self.panel is None else ("panel", self.panel)

    @property
    def amount(self) -> Decimal:
        """The price."""
        given = (self.price, self.setup, self.shared, self.visit_fee)
        return next(each for each in given if each is not None)

    @property
    def start(self) -> int:
        """The day as a number; 0 stands before all days."""
        return 0 if self.day is None else self.day.toordinal()


class Names(NamedTuple):
    """What statements may be about; None where that is not known yet."""

    features: Collection[str] | None = None
    panels: Collection[str] | None = None
    labels: Collection[str] | None = None


def statement_of(
    given: object, where: str, needs: Sequence[str], names: Names, mistakes: list[str]
) -> Statement | None:
    """Return the statement of a table; what is wrong joins the mistakes.

    >>> from datetime import date
    >>> rise = {"day": date(2027, 1, 1), "feature": "crp", "price": "11.00"}
    >>> statement_of(rise, "changes[0]", ("day",), Names(), []).subject
    ('feature', 'crp')
    """
    known = len(mistakes)
    entry = Entry(given, where, _KEYS, mistakes)
    if len(mistakes) > known and not entry.table:
        return None
    found = Statement(
        day=entry.day("day"),
        label=entry.text("label", names.labels),
        group=entry.text("group"),
        feature=entry.text("feature", names.features),
        panel=entry.text("panel", names.panels),
        price=entry.amount("price", above_zero=True),
        setup=entry.amount("setup"),
        shared=entry.amount("shared"),
        visit_fee=entry.amount("visit_fee"),
    )
    if not any(key in entry.table for key in needs):
        entry.wrong("", f"must have {' or '.join(map(repr, needs))}")
    subjects = [key for key in ("feature", "panel", "visit_fee") if key in entry.table]
    amounts = [key for key in (*AMOUNTS, "visit_fee") if key in entry.table]
    if len(subjects) != 1:
        entry.wrong(
            "",
            f"must be about one 'feature', one 'panel' or the 'visit_fee'; it has "
            f"{' and '.join(map(repr, subjects)) or 'none of them'}",
        )
    elif len(amounts) != 1 or (subjects == ["feature"] and amounts != ["price"]):
        wanted = {"feature": "its 'price'", "panel": "its 'setup', 'shared' or 'price'"}
        entry.wrong("", f"must say {wanted.get(subjects[0], 'the fee and no other price')}")
    return found if len(mistakes) == known else None


def statement_mistakes(
    statements: Mapping[str, Statement | None], panels: Sequence[Panel | None]
) -> Iterator[str]:
    """Yield what is wrong with statements beside each other, and about these panels."""
    sound = [each for each in panels if each is not None]
    seen: dict[object, str] = {}
    for place, each in statements.items():
        if each is None:
            continue
        first = seen.setdefault((each.subject, each.day, each.label, each.group), place)
        if first != place:
            yield f"{place}: {first} is about the same, for the same cases and day; keep one"
        for panel in sound:
            if panel.whole and each.feature in panel.features:
                yield (
                    f"{place}.feature: {each.feature!r} is sold with the whole panel "
                    f"{panel.name!r}; state the price of the panel"
                )
            if panel.name == each.panel and getattr(each, panel.kind) is None:
                yield f"{place}: the panel {panel.name!r} has a {panel.kind!r}; state that"


def holding(
    statements: Iterable[Statement], label: str | None, group: str
) -> list[tuple[int, dict[Subject, Decimal]]]:
    """Return the prices that are stated for the cases of a label and a group, period by period.

    Of the statements that hold on a day, those for the group come before those for the label, and
    those before one for everybody; of these, the latest holds.
    """
    mine = sorted(
        (
            each
            for each in statements
            if each.label in (None, label) and each.group in (None, group or None)
        ),
        key=lambda each: (each.group is not None, each.label is not None, each.start),
    )
    return [
        (start, {each.subject: each.amount for each in mine if each.start <= start})
        for start in sorted({0, *(each.start for each in mine)})
    ]
