"""Prices that hold from a day on, for a label or for a group of cases, and which of them holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from budgeted.problem.prices.tariff.entries import Entry
from budgeted.problem.prices.tariff.panels import AMOUNTS, Panel

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

    Parameters
    ----------
    given, where
        The table and its place.
    needs
        At least one of these keys must be there.
    names
        Of what there is.
    mistakes
        What was found so far.

    Examples
    --------
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
    """Yield what is wrong with statements beside each other, and about these panels.

    Parameters
    ----------
    statements
        By their places; None is one that makes no sense.
    panels
        Likewise.
    """
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

    Parameters
    ----------
    statements
        All of them.
    label, group
        The name of the label, and the group, empty for none.

    Returns
    -------
    list
        The first day of each period, as a number, with what is stated for it; the first period
        begins on day 0, before all days.
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
