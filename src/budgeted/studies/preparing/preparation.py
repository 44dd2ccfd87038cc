"""All that was said of a study so far, and the files that it makes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from budgeted.studies.csv_rows import safe_cell
from budgeted.studies.preparing.columns import (
    CASE,
    GROUP,
    LABEL,
    TEST,
    decimal_of,
    guessed_uses,
    use_mistakes,
)
from budgeted.studies.preparing.described import proposed_test
from budgeted.studies.preparing.tables import Table
from budgeted.studies.preparing.toml_text import to_toml

RESERVED = (CASE, LABEL, GROUP)
"""What the columns are called in a list of cases, so that no test can be called so."""


@dataclass(frozen=True)
class Preparation:
    """A study that is being prepared; every change gives another one.

    Attributes
    ----------
    plain
        The study file so far.
    table, uses
        The list of cases, and what each of its columns is for.
    currency
        Of all amounts, for people; the library computes without one.
    filled
        Whether the tests came from a file, so that columns with other names are no
        tests unless somebody says so.
    """

    plain: dict[str, Any] = field(default_factory=dict)
    table: Table | None = None
    uses: dict[str, str] = field(default_factory=dict)
    currency: str = ""
    filled: bool = False

    @property
    def decimal(self) -> str:
        """How numbers are written: with a decimal ``point`` or ``comma``."""
        return "comma" if self.plain.get("decimal") == "comma" else "point"

    @property
    def features(self) -> list[dict[str, Any]]:
        """The tests, as the study file has them."""
        found = self.plain.get("features", [])
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    @property
    def labels(self) -> list[str]:
        """The label of each row."""
        return self.cells(LABEL)

    def cells(self, use: str) -> list[str]:
        """Return the cells of the column that is used so; none where there is no such column."""
        name = next((name for name, each in self.uses.items() if each == use), None)
        return [] if self.table is None or name is None else self.table.column(name)

    def known(self, test: str) -> list[str]:
        """Return the cells that hold known values of a test, one for each row."""
        if self.table is None or self.uses.get(test) != TEST:
            return []
        return self.table.column(test)

    def with_plain(self, **keys: Any) -> Preparation:
        """Return it with other keys of the study file; None takes a key out."""
        merged = {key: each for key, each in (self.plain | keys).items() if each is not None}
        return replace(self, plain=merged)

    def with_table(self, table: Table) -> Preparation:
        """Return it with another list of cases, whose columns are guessed."""
        names = [str(each.get("name", "")) for each in self.features] if self.filled else []
        labels = self.plain.get("labels", [])
        said = (
            [each for each in labels if isinstance(each, str)] if isinstance(labels, list) else []
        )
        uses = guessed_uses(table, names, said)
        # What somebody chose for a column of the same name before is better than a guess.
        kept = {name: self.uses[name] for name in table.header if name in self.uses}
        if kept and not use_mistakes(uses | kept):
            uses |= kept
        decimal = self.plain.get("decimal") or decimal_of(table)
        made = replace(self, table=table, uses={})
        return made.with_plain(decimal=decimal).with_uses(uses)

    def with_uses(self, uses: Mapping[str, str]) -> Preparation:
        """Return it with another use of some columns; tests come and go with them."""
        before, after = self.uses, self.uses | dict(uses)
        gone = {name for name, use in before.items() if use == TEST and after[name] != TEST}
        made = replace(self, uses=after)
        features = [
            each for each in self.features if self.filled or str(each.get("name")) not in gone
        ]
        there = {str(each.get("name")) for each in features}
        labels = made.labels
        features += [
            proposed_test(name, made.known(name), made.decimal, labels)
            for name, use in after.items()
            if use == TEST and name not in there
        ]
        return made.with_plain(features=features)

    def mistakes(self) -> list[str]:
        """Return what is wrong with the columns; the study file is checked by `study_mistakes`."""
        return use_mistakes(self.uses) if self.table is not None else []

    def to_toml(self) -> str:
        """Return the study file, as the command line takes it."""
        about = f"# Amounts are in {self.currency}.\n" if self.currency.isprintable() and (
            self.currency) else ""  # fmt: skip
        return about + to_toml(self.plain)

    def to_csv(self, *, as_in_file: bool = False) -> bytes:
        """Return the list of cases with the columns that a study takes: case, label, group, tests.

        Parameters
        ----------
        as_in_file
            Whether each row stands in the same line as in the file it came from.
        """
        if self.table is None:
            return b""
        named = {each: name for name, each in self.uses.items() if each != TEST}
        names = [str(each.get("name")) for each in self.features]
        columns = {use: named[use] for use in RESERVED if use in named}
        columns |= {name: name for name in names if self.uses.get(name) == TEST}
        places = [self.table.header.index(name) for name in columns.values()]
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)  # names are read as they stand
        at = 1
        for row, line in zip(self.table.rows, self.table.lines, strict=True):
            while as_in_file and at + 1 < line:
                out.write("\n")
                at += 1
            writer.writerow([_one_line(safe_cell(row[place])) for place in places])
            at += 1
        return out.getvalue().encode()


def _one_line(cell: str) -> str:
    return " ".join(cell.splitlines()) if "\n" in cell or "\r" in cell else cell
