"""Tables to rehearse on: those of the paper, or your own, split for a run."""

from __future__ import annotations

import gzip
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from budgeted.errors import DatasetError, TableError, WorldError
from budgeted.learners import of_belief
from budgeted.learners.belief import Integers
from budgeted.problem import PriceList, Problem
from budgeted.problem.budgets import Terms
from budgeted.problem.money import MoneyLike
from budgeted.problem.values import Kind
from budgeted.seeds import stream
from budgeted.simulation.judge import Validation
from budgeted.simulation.tables import Reading, Table, parse_csv
from budgeted.simulation.tables.coding import Coding, Missing
from budgeted.simulation.worlds import TableWorld

__all__ = ["Rehearsal", "describe", "load", "names", "partition", "rehearse", "split"]

_SPLIT = 3
"""Stream of a seed that is used for nothing else: 0 and 1 are simulations, 2 is Synthetic."""


@dataclass(frozen=True)
class Entry:
    """One table: how UCI wrote it, how to read it, and whom to thank (uci/catalogue.toml)."""

    name: str
    title: str
    creators: str
    donated: int
    doi: str
    columns: tuple[str, ...]
    sha256: str
    rows: int
    classes: int
    missing_cells: int = 0
    blank_lines: int = 0
    packaged: bool = True
    source: str = "UCI Machine Learning Repository"
    licence: str = "CC BY 4.0"
    label: str = "class"
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, name: str, table: dict[str, Any]) -> Entry:
        """Return the entry of a table of the catalogue, whose lists are words."""
        words: dict[str, Any] = {
            each: tuple(table.pop(each, "").split()) for each in ("columns", "ignore", "text")
        }
        zeros = dict.fromkeys(table.pop("zero_is_missing", "").split(), ("0",))
        return cls(name, **table, **words, missing_in=zeros)

    @property
    def features(self) -> int:
        """How many columns are for sale."""
        return len(self.columns) - len(self.ignore) - 1

    def table(self, original: bytes) -> bytes:
        """Return UCI's file as CSV: with a header, and without blank lines at the end."""
        found = sha256(original).hexdigest()
        if found != self.sha256:
            raise DatasetError(
                f"{self.name}: these are not UCI's bytes: the SHA-256 sum is {found}, "
                f"wanted {self.sha256}"
            )
        header = ",".join(self.columns).encode() + b"\n"
        return header + original[: len(original) - self.blank_lines]


_UCI = files("budgeted.simulation.datasets") / "uci"
CATALOGUE: Mapping[str, Entry] = {
    name: Entry.of(name, table)
    for name, table in tomllib.loads((_UCI / "catalogue.toml").read_text("utf-8")).items()
}
"""All tables by name."""


@dataclass(frozen=True)
class Rehearsal:
    """All that a run needs: a problem, a world that knows the answers, and judges.

    Attributes
    ----------
    problem, world
        What is for sale and who answers.
    validation
        Rows that are kept from the policy.
    truth
        Judge with the true model where it is known and small enough.
    discriminative
        Which features tell the labels apart, where that is known.
    """

    problem: Problem
    world: TableWorld
    validation: Validation
    truth: Validation | None = None
    discriminative: tuple[int, ...] = ()

    def complete_error(self) -> float:
        """Return the validation error after buying the whole training table."""
        return self.validation.error(of_belief(self.world.complete_belief()))

    def judged_by_truth(self) -> Rehearsal:
        """Return the same world with the true model as its only judge."""
        if self.truth is None:
            raise WorldError(
                "judge: the true error is not known here; "
                "judge by validation, or take fewer features"
            )
        return replace(self, validation=self.truth)


def names() -> tuple[str, ...]:
    """Return the names of the tables that `load` knows.

    >>> names()[:3]
    ('mushroom', 'nursery', 'votes')
    """
    return tuple(CATALOGUE)


def describe() -> tuple[dict[str, str | int | bool], ...]:
    """Return a row of facts for each table, without loading any.

    >>> describe()[0]["rows"], describe()[0]["licence"]
    (8124, 'CC BY 4.0')
    """
    return tuple(
        {
            "name": entry.name,
            "title": entry.title,
            "rows": entry.rows,
            "features": entry.features,
            "classes": entry.classes,
            "missing_cells": entry.missing_cells,
            "licence": entry.licence,
            "source": entry.source,
            "creators": entry.creators,
            "doi": entry.doi,
            "in_package": entry.packaged,
        }
        for entry in CATALOGUE.values()
    )


@cache
def load(name: str) -> Table:
    """Return a table of the paper by name.

    All but ``diabetes`` are inside the package. That one is read from `cache_folder`, where you put
    UCI's file.

    Examples
    --------
    >>> table = load("mushroom")
    >>> len(table), len(table.features), table.labels, table.missing_cells
    (8124, 22, ('e', 'p'), 2480)
    >>> load("mushrooms")
    Traceback (most recent call last):
    ...
    budgeted.errors.DatasetError: there is no table 'mushrooms'; did you mean 'mushroom'? \
There are mushroom, nursery, votes, car, chess, breast-wisconsin, breast-ljubljana, diabetes
    """
    if name not in CATALOGUE:
        close = get_close_matches(name, CATALOGUE, 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise DatasetError(f"there is no table {name!r}; {hint}There are {', '.join(CATALOGUE)}")
    entry = CATALOGUE[name]
    reading = Reading(entry.label, entry.ignore, ("", "?"), entry.missing_in, entry.text)
    return parse_csv(packaged(entry) if entry.packaged else _brought(entry), reading, name=name)


def packaged(entry: Entry) -> bytes:
    """Return the CSV file of a table that is inside the package."""
    return gzip.decompress((_UCI / f"{entry.name}.csv.gz").read_bytes())


def partition(table: Table, seed: int, training_share: float = 0.8) -> tuple[Integers, Integers]:
    """Return the training and the validation rows of a random split balanced by label.

    Each label is split by itself, so that both parts have its share; every label has at least one
    training row.

    Examples
    --------
    >>> training, validation = partition(load("nursery"), seed=1)
    >>> len(training), len(validation)
    (10368, 2592)
    """
    if not 0 < training_share < 1:
        raise TableError(f"training_share: must be between 0 and 1, got {training_share!r}")
    rng = stream(seed, _SPLIT)
    labels = table.label_positions
    chosen = np.zeros(len(labels), dtype=bool)
    for label in range(len(table.labels)):
        rows = rng.permutation(np.flatnonzero(labels == label))
        chosen[rows[: max(1, int(training_share * len(rows) + 0.5))]] = True
    if chosen.all():
        raise TableError(
            f"{table.name}: a training share of {training_share:g} of {len(table)} rows leaves "
            f"none for validation; lower it or add rows"
        )
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


def split(
    table: Table,
    seed: int,
    budget: MoneyLike | Terms,
    *,
    training_share: float = 0.8,
    costs: MoneyLike | Mapping[str, MoneyLike] = 1,
    missing: Missing = "no value",
    bins: int = 5,
    prior_counts: float | str = 1.0,
    case_rule: str = "fresh",
    price_list: PriceList | None = None,
    kinds: Mapping[str, Kind] | None = None,
) -> Rehearsal:
    """Return a rehearsal on a random split of a table; the same seed gives the same split.

    Parameters
    ----------
    table
        Of the paper (`load`) or your own (`read_csv`, `from_dataframe`).
    seed
        Of the split, and of the order in which cases are used.
    budget, costs, prior_counts, price_list
        Of the problem; see `budgeted.simulation.tables.coding.Coding.problem`.
    training_share
        Share of the rows of each label that can be bought; the others are for validation.
    missing, bins, kinds
        How cells become values; see `budgeted.simulation.tables.coding.Coding.learn`.
    case_rule
        Which case is next, such as ``fresh``; see `budgeted.simulation.worlds.TableWorld`.

    Examples
    --------
    >>> rehearsal = split(load("votes"), seed=1, budget=50, missing="own value")
    >>> rehearsal.world.cases, rehearsal.problem.features[0].values
    ((214, 134), ('n', 'y', '(missing)'))
    >>> round(rehearsal.complete_error(), 3)
    0.115
    """
    training, validation = partition(table, seed, training_share)
    coding = Coding.learn(table, training, missing=missing, bins=bins, kinds=kinds)
    problem = coding.problem(budget, costs=costs, prior_counts=prior_counts, price_list=price_list)
    sold = missing != "not sold"
    return rehearse(coding, problem, training, validation, seed, case_rule, sells_missing=sold)


def rehearse(
    coding: Coding,
    problem: Problem,
    training: ArrayLike,
    validation: ArrayLike,
    seed: int,
    case_rule: str = "fresh",
    sells_missing: bool = True,
) -> Rehearsal:
    """Return a rehearsal that sells some rows of a table and is judged on others.

    Parameters
    ----------
    coding, problem
        Learned from the training rows, and only from them.
    training, validation
        Positions of rows.
    seed, case_rule, sells_missing
        Of the world; see `budgeted.simulation.worlds.TableWorld`.
    """
    return Rehearsal(
        problem,
        TableWorld(
            problem,
            coding.encode(training),
            coding.labels(training),
            seed,
            case_rule,
            sells_missing,
        ),
        Validation.of_table(problem, coding.encode(validation), coding.labels(validation)),
    )


def cache_folder() -> Path:
    """Return the folder in which tables are that the package does not have."""
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA")
        return (Path(given) if given else Path.home() / "AppData" / "Local") / "budgeted" / "Cache"
    given = os.environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "budgeted"


def is_here(name: str) -> bool:
    """Whether a table can be loaded without bringing it first."""
    return CATALOGUE[name].packaged or _place(CATALOGUE[name]).exists()


def _place(entry: Entry) -> Path:
    return cache_folder() / f"{entry.name}.data"


def _brought(entry: Entry) -> bytes:
    """Return the CSV file of a table that is not in the package, of UCI's file in the cache."""
    path = _place(entry)
    try:
        return entry.table(path.read_bytes())
    except OSError as error:
        raise DatasetError(
            f"{entry.name}: the package does not have it; put UCI's file of it, with the SHA-256 "
            f"sum {entry.sha256}, at {path} ({error.strerror}). In a checkout "
            f"'python tools/fetch_{entry.name}.py' does that, with pip"
        ) from None
