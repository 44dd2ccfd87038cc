"""A rehearsal as data: what is compared on which table, and how far it is; kept in a folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from budgeted.errors import BudgetedError, ExperimentError, TableError
from budgeted.experiments.spec import Experiment, parse
from budgeted.policies import POLICIES
from budgeted.simulation.tables import Reading, parse_csv
from budgeted.web.settings import Limits
from budgeted.web.storage import write_whole

WAITING, RUNNING, DONE, FAILED, CANCELLED = ("waiting", "running", "done", "failed", "cancelled")
_MOST_BUDGETS = 10


@dataclass(frozen=True)
class Wanted:
    """What somebody wants to rehearse.

    Attributes
    ----------
    title
        For people.
    label, ignore
        Columns of the table: the label, and those that are not for sale.
    policies, budgets
        Each policy spends each budget.
    runs, seed
        How many splits of the table, and which ones.
    costs
        Price of every value, or a list of ``feature=price`` for all of them.
    missing
        ``no value`` or ``own value``: what an empty cell is.
    """

    title: str
    label: str
    ignore: tuple[str, ...] = ()
    policies: tuple[str, ...] = ("auto", "sfl", "round-robin")
    budgets: tuple[str, ...] = ("50",)
    runs: int = 10
    seed: int = 0
    costs: str | dict[str, str] = "1"
    missing: str = "no value"


@dataclass(frozen=True)
class Job:
    """A rehearsal that was taken on.

    Attributes
    ----------
    id, folder
        Its name in addresses, and where it is kept.
    wanted
        What is compared.
    by, at
        Who wanted it, and when.
    rows, features, labels
        Of the table.
    state, message, done
        How far it is; the message says what went wrong.
    changes
        Grows with everything that happens to it, for those who watch.
    """

    id: str
    folder: Path
    wanted: Wanted
    by: str
    at: str
    rows: int
    features: tuple[str, ...]
    labels: tuple[str, ...]
    state: str = WAITING
    message: str = ""
    done: int = 0
    changes: int = 0

    @property
    def results(self) -> Path:
        """Folder of the runs."""
        return self.folder / "results"

    @property
    def total(self) -> int:
        """How many runs there are to be."""
        return self.wanted.runs * len(self.wanted.policies) * len(self.wanted.budgets)

    def experiment(self) -> Experiment:
        """Return what is to be run."""
        return experiment_of(self.wanted, self.folder / "table.csv")

    def changed(self, **changes: Any) -> Job:
        """Return it with something changed."""
        return replace(self, changes=self.changes + 1, **changes)

    def keep(self) -> None:
        """Write it down: there whole, or not at all."""
        plain = {key: value for key, value in asdict(self).items() if key != "folder"}
        write_whole(self.folder / "job.json", json.dumps(plain, indent=1).encode())

    @classmethod
    def read(cls, folder: Path) -> Job:
        """Return the job that is kept in a folder."""
        try:
            plain = json.loads((folder / "job.json").read_text(encoding="utf-8"))
            wanted = plain.pop("wanted")
            for key in ("ignore", "policies", "budgets"):
                wanted[key] = tuple(wanted[key])
            for key in ("features", "labels"):
                plain[key] = tuple(plain[key])
            return cls(folder=folder, wanted=Wanted(**wanted), **plain)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ExperimentError(
                [f"{folder.name}: this rehearsal cannot be read: {error}"]
            ) from None


def check(wanted: Wanted, content: bytes, folder: Path, limits: Limits) -> tuple[Any, Experiment]:
    """Return the table and the experiment of a rehearsal; raise an error for what makes no sense.

    Parameters
    ----------
    wanted
        What is compared.
    content
        Of the CSV; it is written into the folder.
    folder
        An empty one.
    limits
        Of the server.
    """
    mistakes = [f"policies: there is no policy {each!r}; there are {', '.join(POLICIES)}"
                for each in wanted.policies if each not in POLICIES]  # fmt: skip
    for name, each in (("policies", wanted.policies), ("budgets", wanted.budgets)):
        if not each or len(set(each)) < len(each):
            mistakes.append(f"{name}: give at least one, and none twice")
    if len(wanted.budgets) > _MOST_BUDGETS:
        mistakes.append(f"budgets: at most {_MOST_BUDGETS}")
    total = wanted.runs * len(wanted.policies) * len(wanted.budgets)
    if wanted.runs < 1 or total > limits.runs:
        mistakes.append(
            f"runs: policies × budgets × runs must be from 1 to {limits.runs}, got {total}"
        )
    if mistakes:
        raise ExperimentError(mistakes)
    table = parse_csv(content, Reading(wanted.label, wanted.ignore), name="table")
    if len(table) > limits.rows or len(table) * len(table.features) > limits.cells:
        raise TableError(
            f"the table has {len(table)} rows of {len(table.features)} features; this server takes "
            f"{limits.rows} rows and {limits.cells} cells"
        )
    write_whole(folder / "table.csv", content)
    return table, experiment_of(wanted, folder / "table.csv")


def experiment_of(wanted: Wanted, file: Path) -> Experiment:
    """Return the experiment that a rehearsal is."""
    several = len(wanted.budgets) > 1
    document = {
        "title": wanted.title,
        "budget": wanted.budgets[0],
        "runs": wanted.runs,
        "seed": wanted.seed,
        "problem": {
            "file": str(file),
            "label": wanted.label,
            "ignore": list(wanted.ignore),
            "costs": wanted.costs,
            "missing": wanted.missing,
        },
        "policy": [
            {
                "name": policy,
                "budget": budget,
                "label": f"{policy}, {budget}" if several else policy,
            }
            for policy in wanted.policies
            for budget in wanted.budgets
        ],
    }
    try:
        return parse(document, name="rehearsal")
    except (BudgetedError, OverflowError) as error:
        said = str(error).replace(f"{file}: ", "")
        raise ExperimentError([said]) from None
