"""Panels: features of a case that are measured together, and what they share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from budgeted.problem.prices.tariff.entries import Entry

Amount = Literal["setup", "shared", "price"]
AMOUNTS: tuple[Amount, ...] = ("setup", "shared", "price")
_KEYS = ("name", "features", *AMOUNTS, "whole", "days")


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

    Parameters
    ----------
    given, where
        The table and its place.
    features
        All names there are; None where they are not known yet.
    mistakes
        What was found so far.

    Examples
    --------
    >>> blood = {"name": "blood", "features": ["glucose", "insulin"], "shared": "2.10"}
    >>> panel_of(blood, "panels[0]", None, []).kind
    'shared'
    """
    known = len(mistakes)
    entry = Entry(given, where, _KEYS, mistakes)
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
