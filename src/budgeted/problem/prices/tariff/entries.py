"""Tables that people wrote, cell by cell: what is wrong is noted with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from budgeted.listing import listed
from budgeted.nearest import did_you_mean
from budgeted.problem import money
from budgeted.registry import stated

MOST_DAYS = 100_000
"""More than any study lasts."""


class Entry:
    """One table with its place; its methods read a cell, or note what is wrong and return None.

    Parameters
    ----------
    given
        What the file has, or an object that was made of such a table before.
    where
        Its place, such as ``panels[0]``; nothing for the price list itself.
    keys
        All that may be in it.
    mistakes
        Where to note what is wrong.

    Examples
    --------
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
